//go:build agents

package agents

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/test/agents/internal/editor"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/model"
)

const (
	rejectWrites = `version: 2
auto_approval_policies:
  - id: hands-off
    applies_to: [functions.acp_fs__write_text_file, functions.acp_fs__edit_text_file]
    decision: {type: reject, reason: "this workspace is for reading"}
`
	approveWrites = `version: 2
auto_approval_policies:
  - id: go-ahead
    applies_to: [functions.acp_fs__write_text_file, functions.acp_fs__edit_text_file]
    include_paths: ["**"]
    decision: {type: approve, reason: "write what you like"}
`
)

// writeOnce is a turn in which the model writes one file.
func writeOnce(path, text string) []model.Step {
	return []model.Step{{Calls: []model.Call{{Act: model.Write, Path: path, Text: text}}}, {Say: "All done, really."}}
}

// part is a piece of a test: a turn or two, and what must come of it. Parts of one test share a session.
type part struct {
	name string
	play func(r *rig)
}

// eachAgent runs a test with every agent behind a bridge.
func eachAgent(t *testing.T, b bridge, parts ...part) {
	t.Helper()
	t.Parallel()
	for _, a := range agents() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, a, options{missing: editor.MissingIsEmpty, bridge: &b})
			for _, part := range parts {
				r.within(part.name, func(*testing.T) { part.play(r) })
			}
			r.stop()
			r.checkFrames(r.editor.Frames())
			r.checkFrames(r.tapped())
		})
	}
}

// The parts' checks, each in one line.

func (r *rig) wantStop(turn editor.Turn, stop string) {
	r.t.Helper()
	if turn.Stop != stop {
		r.t.Errorf("the turn ended with %q, %v; want %q", turn.Stop, turn.Error, stop)
	}
}

// wantAsked checks what the person was asked and said, as "kind: answer".
func (r *rig) wantAsked(turn editor.Turn, want ...string) {
	r.t.Helper()
	var got []string
	for _, p := range turn.Permissions {
		got = append(got, p.Kind+": "+string(p.Decision))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Errorf("what the person was asked (-want +got):\n%s", diff)
	}
}

// wantCall checks that the editor shows one tool call, that it ended so, and that its card holds some text.
func (r *rig) wantCall(turn editor.Turn, status, text string) {
	r.t.Helper()
	if len(turn.Calls) != 1 || turn.Calls[0].Status != status || !strings.Contains(turn.Calls[0].Content, text) {
		r.t.Errorf("the editor shows %+v, want one call, %s, with %q in its card", turn.Calls, status, text)
	}
}

// wantFile checks a file in the workspace; "" for one that must not be there.
func (r *rig) wantFile(name, want string) {
	r.t.Helper()
	if got, ok := r.files()[name]; got != want || ok != (want != "") {
		r.t.Errorf("%s holds %q (is there: %t), want %q", name, got, ok, want)
	}
}

// wantTold checks that the model was told of one result, with some text in it.
func (r *rig) wantTold(turn editor.Turn, text string) {
	r.t.Helper()
	if r.agent.name == "codex" && r.toldAnything(text) {
		return // the editor hears nothing of a call that a hook blocks
	}
	if got := r.told(turn); len(got) != 1 || !strings.Contains(got[0], text) {
		r.t.Errorf("the model was told %q, want one result with %q", got, text)
	}
}

// wantDecision checks that a decision is on record.
func (r *rig) wantDecision(want decision) {
	r.t.Helper()
	if got := r.decisions(); !slices.Contains(got, want) {
		r.t.Errorf("not on record: %+v; there are %+v", want, got)
	}
}

func TestBridgeRejectsByRule(t *testing.T) {
	eachAgent(t, bridge{policies: rejectWrites}, part{"no file, and a clean end", func(r *rig) {
		turn := r.prompt(editor.Person{}, writeOnce(r.path("no.txt"), "text\n")...)
		r.wantStop(turn, "end_turn")
		r.wantAsked(turn)
		r.wantFile("no.txt", "")
		r.wantCall(turn, "failed", "hands-off") // the person sees the call, and what stopped it
		r.wantDecision(decision{"write", "reject", "policy", "hands-off"})
		// What an agent tells its model is its own affair: of a prompt that was answered with no it is
		// "refused" or "canceled by the user", and no protocol has a place for the reason. But it must not
		// be that the file was written.
		if told := r.told(turn); len(told) != 1 || strings.Contains(strings.ToLower(told[0]), "success") {
			r.t.Errorf("the model was told %q, want one refusal", told)
		}
		if turn.Text != "All done, really." {
			r.t.Errorf("the model did not go on: %q", turn.Text)
		}
	}})
}

func TestBridgeApprovesByRule(t *testing.T) {
	eachAgent(t, bridge{policies: approveWrites}, part{"nobody is asked", func(r *rig) {
		turn := r.prompt(editor.Person{}, writeOnce(r.path("yes.txt"), "text\n")...)
		r.wantStop(turn, "end_turn")
		r.wantAsked(turn)
		r.wantFile("yes.txt", "text\n")
		r.wantCall(turn, "completed", "")
		r.wantDecision(decision{"write", "approve", "policy", "go-ahead"})
	}}, part{"but about what runs as code later", func(r *rig) {
		no := editor.Person{Decide: func(editor.Permission) editor.Decision { return editor.RejectOnce }}
		turn := r.prompt(no, writeOnce(r.path(".vscode/tasks.json"), "{}\n")...)
		r.wantAsked(turn, "edit: reject_once")
		r.wantFile(".vscode/tasks.json", "")
	}})
}

func TestBridgeAsksThePerson(t *testing.T) {
	eachAgent(t, bridge{policies: noRules}, part{"a yes covers the act, and is on record", func(r *rig) {
		turn := r.prompt(editor.Person{}, writeOnce(r.path("yes.txt"), "text\n")...)
		r.wantAsked(turn, "edit: allow_once") // one act, one prompt: Gemini asks, and then has the editor write
		r.wantFile("yes.txt", "text\n")
		r.wantDecision(decision{"write", "approve", "person", ""})
	}}, part{"a no is on record", func(r *rig) {
		no := editor.Person{Decide: func(editor.Permission) editor.Decision { return editor.RejectOnce }}
		turn := r.prompt(no, writeOnce(r.path("no.txt"), "text\n")...)
		r.wantAsked(turn, "edit: reject_once")
		r.wantFile("no.txt", "")
		r.wantDecision(decision{"write", "reject", "person", ""})
	}}, part{"an always is kept, and the agent hears once", func(r *rig) {
		before := len(r.answersToAgent())
		always := editor.Person{Decide: func(editor.Permission) editor.Decision { return editor.AllowAlways }}
		turn := r.prompt(always, writeOnce(r.path("again.txt"), "text\n")...)
		r.wantAsked(turn, "edit: allow_always")
		turn = r.prompt(editor.Person{}, writeOnce(r.path("again.txt"), "text\n")...)
		r.wantAsked(turn)
		r.wantCall(turn, "completed", "")
		r.wantFile("again.txt", "text\n")
		if diff := cmp.Diff([]string{"allow_once", "allow_once"}, r.answersToAgent()[before:]); diff != "" {
			r.t.Errorf("answers that the agent got (-want +got):\n%s", diff)
		}
	}}, part{"an always for the workspace covers another file, and none that runs later", func(r *rig) {
		widest := editor.Person{Decide: func(editor.Permission) editor.Decision { return editor.AllowWidest }}
		turn := r.prompt(widest, writeOnce(r.path("first.txt"), "text\n")...)
		r.wantAsked(turn, "edit: the last allow_always")
		turn = r.prompt(editor.Person{}, writeOnce(r.path("second.txt"), "text\n")...)
		r.wantAsked(turn)
		r.wantFile("second.txt", "text\n")
		no := editor.Person{Decide: func(editor.Permission) editor.Decision { return editor.RejectOnce }}
		turn = r.prompt(no, writeOnce(r.path("Makefile"), "all:\n")...)
		r.wantAsked(turn, "edit: reject_once")
		r.wantFile("Makefile", "")
	}})
}
