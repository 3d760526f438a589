package shellscan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSteps(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text string
		want []string
	}{
		{"cd src && ls && cd ..", []string{"src", ".."}},
		{"ls && cd src && make | tail -5 && cd .. && ls", []string{"src", ".."}},
		{"cd src && ls 2>/dev/null && cd ..", []string{"src", ".."}},
		{"cd 'a b' && (ls; pwd) && cd ..", []string{"a b", ".."}},
		{"bash -c 'cd src && ls && cd ..'", nil},
		{"ls && pwd", nil},
		{"cd src; ls && cd ..", nil},
		{"cd src && ls; cd ..", []string{"src", ".."}},
		{"cd src; ls; cd ..; ls", []string{"src", ".."}},
		{"cd src\nif ls; then pwd; fi\ncd ..", []string{"src", ".."}},
		{"cd src; cd a && ls; cd ..", []string{"src", "a", ".."}},
		{"ls && cd src; cd ..", nil},
		{"cd src || ls; cd ..", nil},
		{"cd src && ls || pwd; cd ..", nil},
		{"cd src & cd ..", nil},
		{"cd src | ls; cd ..", nil},
		{"! cd src; cd ..", nil},
		{"(cd src); cd ..", nil},
		{"if ls; then cd src; fi; cd ..", nil},
		{"cd src > a; cd ..", nil},
		{"cd src || ls && cd ..", nil},
		{"cd src && ls && cd .. &", nil},
		{"cd src && (cd a; ls) && cd ..", nil},
		{"cd src && (cd a && ls) && cd ..", nil},
		{"cd src && ls | cd a && cd ..", nil},
		{"cd src && pushd a && cd ..", nil},
		{"cd src && eval 'cd a' && cd ..", nil},
		{"cd src && $x a && cd ..", nil},
		{"cd src && builtin cd a && cd ..", nil},
		{"cd src && ! cd a && cd ..", nil},
		{"cd src && CDPATH=/etc cd a && cd ..", nil},
		{"cd src && cd - && ls", nil},
		{"cd src && cd && ls", nil},
		{`cd "$x" && ls && cd ..`, nil},
		{"cd src && ls $(cd a; ls) && cd ..", nil},
		{"f() { cd a; } && cd src && f && cd ..", nil},
		{"cd src && if cd a; then ls; fi && cd ..", nil},
	} {
		s := Scan(row.text, nil)
		if loose := strings.ContainsAny(row.text, ";\n") && !strings.Contains(row.text, "("); s.Loose != (loose && row.want != nil) {
			t.Errorf("%s: loose is %v", row.text, s.Loose)
		}
		if diff := cmp.Diff(row.want, s.Steps); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", row.text, diff)
		}
	}
}
