//go:build agents

package agents

import (
	"path/filepath"
	"slices"
	"testing"

	coverage "github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/editor"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/model"
)

// noLooking rejects what an agent takes for harmless.
const noLooking = `version: 2
auto_approval_policies:
  - id: no-looking
    applies_to: [functions.acp_fs__read_text_file]
    include_paths: [read.txt]
    decision: {type: reject, reason: "that is private"}
  - id: no-echo
    applies_to: [functions.shell]
    commands: {allow: [echo what is said, cat read.txt], redirects: none}
    decision: {type: reject, reason: "no looking around"}
`

// TestRulesOfGemini has Gemini ask about every kind of act, by a rule of its own that the bridge gives it: in its
// mode that asks nobody, and where a repository's settings allow everything, too.
func TestRulesOfGemini(t *testing.T) {
	t.Parallel()
	yolo := gemini()
	yolo.name, yolo.flags = "gemini-yolo", append(slices.Clone(yolo.flags), "--approval-mode", "yolo")
	for _, a := range []agent{gemini(), yolo} {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			r := assemble(t, a, options{missing: editor.MissingIsEmpty, bridge: &bridge{policies: noLooking, hooks: true}})
			write(t, r.path(".gemini/settings.json"), `{"tools":{"allowed":["run_shell_command","write_file","read_file","web_fetch"],
				"core":["run_shell_command","write_file","replace","read_file","web_fetch"]},"general":{"defaultApprovalMode":"auto_edit"}}`)
			write(t, filepath.Join(r.home, ".gemini/policies/own.toml"), "[[rule]]\ntoolName = \"run_shell_command\"\n"+
				"commandPrefix = \"touch denied\"\ndecision = \"deny\"\npriority = 100\n")
			r.open(options{missing: editor.MissingIsEmpty, bridge: &bridge{hooks: true}})
			for _, act := range acts("read.txt") {
				row := a.row(t, act.of)
				if row.Hooked.Untested != "" || row.Hooked.Level != coverage.Decided {
					continue
				}
				r.within(act.name, func(t *testing.T) {
					before := r.decided()
					turn := r.prompt(after(0, editor.RejectOnce), act.call(r)...)
					r.wantNoToolMissing(turn)
					if act.done != nil && act.done(r) || r.decided() == before {
						t.Errorf("it was not decided; asked %+v; the model was told %q", turn.Permissions, r.model.Told())
					}
				})
			}
			for _, command := range []string{"echo what is said", "cat read.txt"} {
				r.within(command, func(t *testing.T) {
					r.prompt(editor.Person{}, call(model.Call{Act: model.Shell, Command: command})...)
					r.wantDecision(decision{"execute", "reject", "policy", "no-echo"})
					if r.toldAnything("what is said") || r.toldAnything("what is in there") {
						t.Errorf("the model was told %q", r.model.Told())
					}
				})
			}
			r.within("what the person's own rules deny", func(t *testing.T) {
				turn := r.prompt(after(0, editor.AllowOnce), call(model.Call{Act: model.Shell, Command: "touch denied"})...)
				if len(turn.Permissions) > 0 || r.has("denied") {
					t.Errorf("asked %+v", turn.Permissions)
				}
			})
			if violated := r.recorded(events.ToolViolated); len(violated) > 0 {
				t.Errorf("violations: %+v", violated)
			}
			r.stop()
		})
	}
}
