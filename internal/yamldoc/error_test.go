package yamldoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestErrorText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  Error
		want string
	}{
		{"with a place", Error{File: "tools.yaml", Line: 41, Column: 9, Severity: SeverityError,
			Rule: "value", Message: "message"},
			"tools.yaml:41:9: message [value]"},
		{"of a whole file", Error{File: "tools.yaml", Severity: SeverityError, Rule: "file",
			Message: "message"}, "tools.yaml: message [file]"},
		{"a warning", Error{File: "a", Line: 1, Column: 2, Severity: SeverityWarning, Rule: "r",
			Message: "m"}, "a:1:2: warning: m [r]"},
		{"a hint", Error{File: "a", Line: 1, Column: 2, Severity: SeverityError, Rule: "r", Message: "m",
			Hint: "one\n  two"},
			"a:1:2: m [r]\n  hint: one\n    two"},
		{"a file name that would colour the terminal",
			Error{File: "\x1b[31m", Rule: "r", Message: "m"}.Escaped(), `\u{1b}[31m: m [r]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, test.err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrorJSON(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(Errors{{File: "a", Line: 1, Column: 2, Severity: SeverityWarning, Rule: "r",
		Message: "m"}})
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"file":"a","line":1,"column":2,"severity":"warning","rule":"r","message":"m"}]`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestErrorsSortAndList(t *testing.T) {
	t.Parallel()
	all := Errors{{File: "b", Line: 2, Column: 1}, {File: "a", Line: 9, Column: 9},
		{File: "b", Line: 1, Column: 7}, {File: "b", Line: 1, Column: 3}, {File: "a"}}
	all.Sort()
	want := Errors{{File: "b", Line: 1, Column: 3}, {File: "b", Line: 1, Column: 7},
		{File: "b", Line: 2, Column: 1}, {File: "a"}, {File: "a", Line: 9, Column: 9}}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(all, List(fmt.Errorf("load: %w", all))); diff != "" {
		t.Errorf("List of a wrapped Errors (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(all[:1], List(all[0])); diff != "" {
		t.Errorf("List of one Error (-want +got):\n%s", diff)
	}
	if got := List(errors.New("other")); got != nil {
		t.Errorf("List of another error: %v", got)
	}
}
