package tool

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHoldToHints checks what is left of a sandbox for a tool that changes nothing, and that no other is
// touched.
func TestHoldToHints(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	granted := func() Sandbox {
		return Sandbox{
			AllowedPaths: []AllowedPath{{Path: "."}, {Path: "/srv", ReadOnly: true}}, Network: NetworkOn, Sockets: []string{"/run/x"}, WorkingDirectory: ".",
		}
	}
	reading := []AllowedPath{{Path: ".", ReadOnly: true}, {Path: "/srv", ReadOnly: true}}
	for _, test := range []struct {
		name  string
		hints Annotations
		want  Sandbox
	}{
		{"nothing is said", Annotations{}, granted()},
		{"it changes something", Annotations{ReadOnly: &no}, granted()},
		{"only that it reaches others is said", Annotations{OpenWorld: &yes}, granted()},
		{"only that it reaches nothing is said", Annotations{OpenWorld: &no}, Sandbox{
			AllowedPaths: granted().AllowedPaths, Network: NetworkOff, WorkingDirectory: ".",
		}},
		{"it changes nothing", Annotations{ReadOnly: &yes}, Sandbox{AllowedPaths: reading, Network: NetworkOff, WorkingDirectory: "."}},
		{"and reaches nothing", Annotations{ReadOnly: &yes, OpenWorld: &no}, Sandbox{AllowedPaths: reading, Network: NetworkOff, WorkingDirectory: "."}},
		{"but reaches others", Annotations{ReadOnly: &yes, OpenWorld: &yes}, Sandbox{
			AllowedPaths: reading, Network: NetworkOn, Sockets: []string{"/run/x"}, WorkingDirectory: ".",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			shared := granted()
			held := Tool{Annotations: test.hints, Sandbox: shared}
			held.HoldToHints()
			if diff := cmp.Diff(test.want, held.Sandbox); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(granted(), shared); diff != "" {
				t.Errorf("what others share was changed (-want +got)\n%s", diff)
			}
		})
	}
}
