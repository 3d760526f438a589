package a2a

import (
	"testing"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
)

// TestPick: a word is never taken for an option that does more than it says, whatever an agent has called that.
func TestPick(t *testing.T) {
	t.Parallel()
	options := []choice{
		{"yes", "Yes", "allow_always"}, {"allow_once", "Once", "allow_always"}, {"reject_once", "No", "allow_once"},
		{"deny", "Deny", "allow_once"}, {"odd", "Odd", "else"}, {"stop", "Stop", "reject_always"},
	}
	for said, want := range map[string]string{
		"yes": "reject_once", "allow_once": "reject_once", "reject_once": "stop", "reject_always": "stop", "deny": "stop", "no": "stop",
		"always": "yes", "odd": "odd", "stop": "stop", "maybe": "",
	} {
		picked, err := pick(wire.NewMessage(wire.MessageRoleUser, wire.NewTextPart(said)), "q", options)
		if picked.ID != want || (err == nil) != (want != "") {
			t.Errorf("%s: got %+v, %v; want %q", said, picked, err, want)
		}
	}
}

// TestQuestionOfAnotherType: an answer that names its question with something that is no text names none that there is.
func TestQuestionOfAnotherType(t *testing.T) {
	t.Parallel()
	options := []choice{{"allow_once", "Allow", "allow_once"}}
	for _, about := range []any{5.0, true, []any{"q"}, map[string]any{"id": "q"}} {
		for _, name := range []string{"requestId", "toolCallId"} {
			m := wire.NewMessage(wire.MessageRoleUser, wire.NewDataPart(map[string]any{"optionId": "allow_once", name: about}))
			if picked, err := pick(m, "q", options); err == nil {
				t.Errorf("%s: %v: %+v was taken for an answer", name, about, picked)
			}
		}
	}
	if _, err := pick(wire.NewMessage(wire.MessageRoleUser, wire.NewDataPart(map[string]any{"optionId": "allow_once"})), "q", options); err != nil {
		t.Error(err)
	}
}
