//go:build agents

package agents

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/a2a-acp/a2a-acp/test/agents/internal/editor"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/model"
)

// Gemini reads a file before it writes it, and takes an editor's "not found" for a failure: with such an
// editor it cannot make a new file (google-gemini/gemini-cli#9280). With one that gives an empty file for a
// missing one it can, which the scenarios show. A bridge must not change either.

func TestBareNewFile(t *testing.T) {
	t.Parallel()
	checkNewFile(t, nil)
}

func TestBridgeNewFile(t *testing.T) {
	t.Parallel()
	checkNewFile(t, &bridge{policies: noRules})
}

func checkNewFile(t *testing.T, b *bridge) {
	t.Helper()
	r := start(t, gemini(), options{missing: editor.MissingIsError, bridge: b})
	got := r.play(scenario{steps: func(r *rig) []model.Step {
		return []model.Step{
			{Calls: []model.Call{{Act: model.Write, Path: r.path("trap.txt"), Text: "text\n"}}},
			{Say: "It did not work."},
		}
	}})
	want := outcome{
		Stop: "end_turn", Text: "It did not work.",
		Calls: []string{"edit: failed"},
		Told:  []string{`{"error":"Error checking existing file: Resource not found: WORK/trap.txt"}`},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
}
