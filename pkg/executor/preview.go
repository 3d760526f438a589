package executor

import (
	"encoding/json"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Request tells what a call would ask for, without making it: a door uses it to judge an agent's question
// about a call that is yet to come. A call whose arguments are missing or wrong gives a request about the
// tool alone; one of a tool that does not exist gives a request that names only the id.
func (e *Executor) Request(call tool.Call) permissions.Request {
	alone := permissions.Request{
		Door: call.Origin.Door, Action: permissions.ActionCall, Tools: []string{call.Tool}, Dir: call.Dir,
		Workspace: call.Workspace, Agent: call.Origin.Agent, Principal: call.Origin.Principal, Served: call.Origin.Served,
		Session: call.Origin.Session,
	}
	a, _ := e.actOf(call)
	switch {
	case a == nil:
		return alone
	case a.invocation != nil && call.Arguments != nil:
		_ = a.planOut() // without a plan nothing is said of what runs
		return a.request
	}
	alone.ReadOnly, alone.RequiresConfirmation = a.tool.IsReadOnly(), a.tool.Sandbox.RequiresConfirmation
	return alone
}

// Preview is what a call would do.
type Preview struct {
	Tool     string               `json:"tool_id"`
	Decision tool.DecisionSummary `json:"decision"`
	Dir      string               `json:"dir"`
	Shown    string               `json:"shown"` // what would be done, as a person reads it
	*ScriptPreview
	Request *RequestPreview `json:"request,omitempty"` // what a tool sends that is no script
	// Question is what a person would be asked; nil where nobody would be.
	Question *PreviewQuestion `json:"question,omitempty"`
}

// ScriptPreview is what is told of a script; nil for another kind of tool.
type ScriptPreview struct {
	Script string   `json:"script,omitempty"` // as bash is given it
	Argv   []string `json:"argv,omitempty"`   // the words of a program, in place of a script
	Values []string `json:"values"`           // what it refers to, in order; secret ones are not shown
	// Parameters is what a script that bash does not run reads instead.
	Parameters json.RawMessage    `json:"parameters,omitempty"`
	Sandbox    tool.SandboxReport `json:"sandbox"`
}

// RequestPreview is what is told of a request. Credentials are added last, and only their names are told.
type RequestPreview struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body,omitempty"`
	Given   map[string]string `json:"given,omitempty"` // where the values stand that are not shown
}

// PreviewQuestion is a question as the person would read it.
type PreviewQuestion struct {
	Title string `json:"title"`
	Text  string `json:"text"` // Markdown
}

// Preview goes through a call up to the decision, and does nothing. Nobody is asked and nothing is recorded.
func (e *Executor) Preview(call tool.Call) (Preview, *tool.Failure) {
	a, failure := e.prepare(call)
	if failure != nil {
		return Preview{}, failure
	}
	decision := a.maskDecision(a.in.Rules.Decide(a.request))
	p := Preview{Tool: a.tool.ID, Decision: decision.Summary(), Dir: a.invocation.Dir}
	a.runner.Preview(a, &p)
	if decision.Verdict == permissions.Ask {
		asked, err := question(a, decision)
		if err != nil {
			return Preview{}, asFailure(err, tool.FailTemplate)
		}
		p.Question = &PreviewQuestion{Title: asked.Title, Text: asked.Text}
	}
	return p, nil
}
