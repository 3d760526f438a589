//go:build agents

package agents

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/test/agents/internal/editor"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/model"
)

// laterTools are ourTools with one that came, one that went, and one that is another.
const laterTools = `version: 2
tools:
  demo.greet:
    name: Greet
    description: Greets somebody, warmly.
    script: |
      #!/bin/bash
      printf 'a very good day to %s\n' {{who}}
    parameters:
      - {name: who, type: string, required: true, description: Who it is}
    annotations: {title: Greet, readOnlyHint: true}
  demo.later:
    name: Later
    description: Came later.
    script: echo better late than never
    annotations: {readOnlyHint: true}
`

// TestBridgeToolsChange changes the tools file while an agent runs. Both agents offer their model what is
// new in the same thread, since they heed notifications/tools/list_changed. Gemini no longer offers what is
// gone; Claude does until the thread ends, and a call of it comes to nothing. How many prompts it takes is
// theirs to say.
func TestBridgeToolsChange(t *testing.T) {
	eachAgent(t, bridge{policies: noRules, tools: ourTools}, part{"the model is offered the new list", func(r *rig) {
		r.prompt(editor.Person{}, model.Step{Say: "Good morning to you."})
		if !r.offers("later") {
			write(r.t, filepath.Join(filepath.Dir(r.work), "tools.yaml"), laterTools)
		}
		prompts := 0
		for deadline := time.Now().Add(patience / 4); !r.offers("later") && time.Now().Before(deadline); prompts++ {
			r.prompt(editor.Person{}, model.Step{Say: "Good morning again."})
		}
		r.t.Logf("%s offered it after %d prompts, and what is gone: %t", r.agent.name, prompts, r.offers("deploy"))
		if !r.offers("later") || r.agent.name == "gemini" && r.offers("deploy") {
			r.t.Errorf("after the change the model of %s is offered %q", r.agent.name, r.model.Offered())
		}
	}}, part{"the old and the new name run what counts now", func(r *rig) {
		turn := r.prompt(editor.Person{}, callOurs("demo.later", `{}`)...)
		r.wantTold(turn, "better late than never")
		turn = r.prompt(editor.Person{}, callOurs("demo.greet", `{"who":"Grace"}`)...)
		r.wantTold(turn, "a very good day to Grace")
	}}, part{"what is gone cannot be called", func(r *rig) {
		if r.offers("deploy") {
			r.prompt(editor.Person{}, callOurs("demo.deploy", `{"where":"production"}`)...)
		}
		r.wantFile("deployed.txt", "")
	}})
}

// offers reports whether the model was last offered a tool of ours with this in its name.
func (r *rig) offers(name string) bool {
	return slices.ContainsFunc(r.model.Offered(), func(offered string) bool {
		return strings.Contains(offered, ourServer) && strings.HasSuffix(offered, name)
	})
}
