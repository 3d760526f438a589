//go:build agents

package agents

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/test/agents/internal/editor"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/model"
)

// ourServer is the name under which the bridge gives its tools to an agent.
const ourServer = "a2a-acp"

// ourTools are three tools: one that only looks, one that changes something, and one whose author wants to
// be asked.
const ourTools = `version: 2
tools:
  demo.greet:
    name: Greet
    description: Greets somebody.
    script: |
      #!/bin/bash
      printf 'good day to %s\n' {{who}}
    parameters:
      - {name: who, type: string, required: true, description: Who it is}
    annotations: {title: Greet, readOnlyHint: true}
    sandbox: {timeout: 10}
  demo.note:
    name: Take a note
    description: Writes a note down.
    script: |
      #!/bin/bash
      printf '%s\n' {{text}} >> note.txt
      echo noted
    parameters:
      - {name: text, type: string, required: true, description: The note}
    sandbox: {timeout: 10, working_directory: ".", use_temp_isolation: false, allowed_paths: ["."]}
  demo.deploy:
    name: Deploy
    description: Brings it to where the users are.
    script: |
      #!/bin/bash
      printf '%s\n' {{where}} > deployed.txt
      echo deployed
    parameters:
      - {name: where, type: string, required: true, description: Where to}
    sandbox: {timeout: 10, working_directory: ".", use_temp_isolation: false, allowed_paths: ["."], requires_confirmation: true}
`

// callOurs is a turn in which the model calls one of our tools.
func callOurs(tool, arguments string) []model.Step {
	return []model.Step{
		{Calls: []model.Call{{Act: model.MCP, Server: ourServer, Tool: tool, Arguments: json.RawMessage(arguments)}}},
		{Say: "All done, really."},
	}
}

func TestBridgeTools(t *testing.T) {
	eachAgent(t, bridge{policies: noRules, tools: ourTools}, part{"the model is offered them", func(r *rig) {
		r.prompt(editor.Person{}, model.Step{Say: "Good morning to you."})
		got := slices.DeleteFunc(r.model.Offered(), func(name string) bool { return !strings.Contains(name, ourServer) })
		slices.Sort(got)
		// The agents make names of their own of ours. The tools that a2a-acp ships are not among them.
		want := []string{"mcp__a2a-acp__demo_deploy", "mcp__a2a-acp__demo_greet", "mcp__a2a-acp__demo_note"}
		if r.agent.name == "gemini" {
			want = []string{"mcp_a2a-acp_demo.deploy", "mcp_a2a-acp_demo.greet", "mcp_a2a-acp_demo.note"}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			r.t.Errorf("tools of ours that the model is offered (-want +got):\n%s", diff)
		}
	}}, part{"one that only looks runs unasked", func(r *rig) { // though both agents ask about every MCP tool
		turn := r.prompt(editor.Person{}, callOurs("demo.greet", `{"who":"Grace"}`)...)
		r.wantStop(turn, "end_turn")
		r.wantAsked(turn)
		r.wantTold(turn, "good day to Grace")
		r.wantClosed(turn)
	}}, part{"one act, one prompt", func(r *rig) { // the agent asks about the tool, the person says yes, and it runs
		turn := r.prompt(editor.Person{}, callOurs("demo.note", `{"text":"milk"}`)...)
		r.wantAsked(turn, "other: allow_once")
		r.wantTold(turn, "noted")
		r.wantFile("note.txt", "milk\n")
		r.wantClosed(turn)
		if got := r.decisions(); !slices.ContainsFunc(got, func(d decision) bool { return d.Source == "person" && d.Result == "approve" }) {
			r.t.Errorf("no yes of the person's on record: %+v", got)
		}
	}}, part{"one whose author wants a yes: no", func(r *rig) {
		r.confirm(editor.RejectOnce)
		r.wantFile("deployed.txt", "")
	}}, part{"one whose author wants a yes: yes", func(r *rig) {
		r.confirm(editor.AllowOnce)
		r.wantFile("deployed.txt", "production\n")
	}})
}

// confirm calls the tool that requires confirmation: the person must be asked exactly once, with a title,
// about a call that the editor knows, and be shown the values.
func (r *rig) confirm(answer editor.Decision) {
	r.t.Helper()
	person := editor.Person{Decide: func(editor.Permission) editor.Decision { return answer }}
	turn := r.prompt(person, callOurs("demo.deploy", `{"where":"production"}`)...)
	r.wantStop(turn, "end_turn")
	r.wantClosed(turn)
	if len(turn.Permissions) != 1 {
		r.t.Fatalf("the person was asked %d times, want once: %+v", len(turn.Permissions), turn.Permissions)
	}
	asked := turn.Permissions[0]
	if asked.Title == "" || !asked.Known || !strings.Contains(asked.Text, "production") {
		r.t.Errorf("the person was asked %q (about a call that the editor knew: %t) with %q; want a title, a known call, the values",
			asked.Title, asked.Known, asked.Text)
	}
}

// wantClosed checks that no card is left open when a turn has ended: nobody would ever close it.
func (r *rig) wantClosed(turn editor.Turn) {
	r.t.Helper()
	for _, call := range turn.Calls {
		if call.Status != "completed" && call.Status != "failed" {
			r.t.Errorf("the card %q is left %q", call.Title, call.Status)
		}
	}
}
