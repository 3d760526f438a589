package approvals

import (
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/store"
)

// What was typed for a question that is over never becomes the beginning of another.
func TestWholeID(t *testing.T) {
	t.Parallel()
	all := namedQuestions([]store.Approval{
		{ID: "k3f9x2ab", State: store.Pending, Title: "write a.txt"},
		{ID: "k3f9x3cd", State: store.Denied, Title: "rm -rf build\x1b[31m"},
		{ID: "w7c2mqn4", State: store.Pending, Title: "make"},
		{ID: "w7c2", State: store.Pending, Title: "as long as a beginning"},
	})
	for _, row := range []struct{ given, want string }{
		{"k3f9x2ab", "k3f9x2ab"},
		{"k3f9x2", "k3f9x2ab"},
		{"w7c2m", "w7c2mqn4"},
		{"w7c2", "w7c2"}, // exactly that one
		{"w7c", "w7c"},   // too short for a beginning
		{"", ""},
		{"nosuch", "nosuch"},
	} {
		if got, err := wholeID(row.given, all); err != nil || got != row.want {
			t.Errorf("%q: %q, %v; want %q", row.given, got, err, row.want)
		}
	}
	_, err := wholeID("k3f9", all)
	if err == nil {
		t.Fatal("two questions begin like that")
	}
	for _, want := range []string{"2 IDs begin like that", "k3f9x2ab  pending  write a.txt", "k3f9x3cd  denied  rm -rf build"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "\x1b") {
		t.Errorf("not escaped: %q", err)
	}
}
