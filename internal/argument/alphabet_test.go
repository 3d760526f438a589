package argument_test

import (
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/argument"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestExcludes checks which declarations leave no value with one of some signs. A pattern is one for the
// whole value.
func TestExcludes(t *testing.T) {
	t.Parallel()
	const signs = "$; \n"
	for _, row := range []struct {
		parameter tool.Parameter
		want      bool
	}{
		{tool.Parameter{Pattern: "[A-Za-z0-9._-]+"}, true}, {tool.Parameter{Pattern: `v\d+(\.\d+)*(-rc\d)?`}, true}, {tool.Parameter{Pattern: `\w+`}, true},
		{tool.Parameter{Pattern: "a|b|c"}, true}, {tool.Parameter{Pattern: "(?i)[a-z]{1,9}"}, true}, {tool.Parameter{Pattern: "^[a-z]+$"}, true},
		{tool.Parameter{Pattern: ".*"}, false}, {tool.Parameter{Pattern: "[^$]*"}, false}, {tool.Parameter{Pattern: "[^$; \\n]*"}, true}, {tool.Parameter{Pattern: `a\$b`}, false},
		{tool.Parameter{Pattern: "a;?"}, false}, {tool.Parameter{Pattern: `\S+`}, false}, {tool.Parameter{Pattern: "a(b|c d)"}, false}, {tool.Parameter{Pattern: `[\s\S]*`}, false},
		{tool.Parameter{Pattern: "(?m)^[a-z]+$"}, true}, {tool.Parameter{Pattern: "[!-~]"}, false}, {tool.Parameter{Pattern: "("}, false}, {tool.Parameter{}, false},
		{tool.Parameter{Format: tool.FormatIP}, true}, {tool.Parameter{Format: tool.FormatURI}, false}, {tool.Parameter{Format: tool.FormatPath}, false},
		{tool.Parameter{Enum: []any{"a", "b"}}, true}, {tool.Parameter{Enum: []any{"a", "b;c"}}, false},
	} {
		row.parameter.Type = tool.TypeString
		if got := argument.DomainOf(&row.parameter).Excludes(signs); got != row.want {
			t.Errorf("%+v: got %t, want %t", row.parameter, got, row.want)
		}
	}
	if (argument.Domain{}).Excludes(signs) {
		t.Error("what nothing declares excludes nothing")
	}
}
