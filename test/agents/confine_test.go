//go:build agents

package agents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/test/agents/internal/editor"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/model"
)

// TestBridgeConfined plays a session of a real agent in the sandbox: it answers, its own shell works in the
// workspace and nowhere else, and it calls our tools through the bridge.
func TestBridgeConfined(t *testing.T) {
	t.Parallel()
	for _, a := range agents() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			name, _, _ := strings.Cut(a.name, "-")
			r := start(t, a, options{missing: editor.MissingIsEmpty, bridge: &bridge{policies: noRules, tools: ourTools, confine: name}})
			outside := filepath.Join(filepath.Dir(r.work), "outside.txt")
			secret := filepath.Join(r.home, ".ssh", "id_ed25519")
			write(t, secret, "a key that nobody shall see")
			r.within("its shell", func(*testing.T) {
				turn := r.prompt(editor.Person{}, []model.Step{
					{Calls: []model.Call{{Act: model.Shell, Command: "touch inside.txt; touch " + outside + "; cat " + secret + "; echo done"}}},
					{Say: "All done, really."},
				}...)
				r.wantStop(turn, "end_turn")
				if _, err := os.Stat(r.path("inside.txt")); err != nil {
					t.Errorf("it could not write in the workspace: %v", err)
				}
				if _, err := os.Stat(outside); err == nil {
					t.Error("it wrote outside of the workspace")
				}
				for _, frame := range r.editor.Frames() {
					if strings.Contains(string(frame.Params), "nobody shall see") {
						t.Error("it read a key")
					}
				}
			})
			r.within("our tools", func(*testing.T) {
				turn := r.prompt(editor.Person{}, callOurs("demo.greet", `{"who":"Grace"}`)...)
				r.wantStop(turn, "end_turn")
				r.wantTold(turn, "good day to Grace")
			})
			r.stop()
			r.checkFrames(r.editor.Frames())
		})
	}
}
