package executor

import (
	"context"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/internal/httpcache"
	"github.com/a2a-acp/a2a-acp/internal/secret"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// act is a checked call and what it would run: what is decided about, shown and recorded.
type act struct {
	call       tool.Call
	in         Configuration // what the call began under, whatever is in force by now
	entry      *Entry
	tool       *tool.Tool
	arguments  map[string]any
	invocation *tool.Invocation
	runner     runner
	plan       plan // nil where nothing will run
	request    permissions.Request
	resolved   []string // the files that it meant when it was decided; see permissions.ResolvedFiles
	secrets    []string // texts that must neither be shown nor recorded; see mask
	digest     string   // of the invocation as it was decided about: what is filled in last is not in it
	redactor   *secret.Redactor
	filledIn   []string // the values that the redactor takes out
	token      fetchedToken
	stale      *httpcache.Entry // the answer that is kept of its request, which the server is asked about; nil for none
	hidden     Hidden
	harmless   bool                // it can change nothing, here or elsewhere
	goesOn     bool                // it runs though nothing can be recorded, since it is harmless
	marked     func(string) string // puts marks in the place of secret values, in texts that are recorded
	given      map[string]string   // the marks of the values that it was given, by variable
	listener   Listener            // nil for none
	watcher    Watcher             // likewise
	// renewToken has another token in the place of one that was not taken; nil where none is fetched.
	renewToken func(context.Context) *tool.Failure
	// begun puts on record that the act has begun a job, before that is asked about.
	begun    func(context.Context, *events.Job) error
	asks     asks      // how what carries it out asks a person on its way
	printed  [2]string // what stands on record of its output, where that is to
	attempts int       // how often it was started
}

// describe adds what the act would run, for whoever decides about it.
func (a *act) describe() {
	t, call, arguments, invocation := a.tool, a.call, a.arguments, a.invocation
	a.digest = invocation.Digest().String()
	a.request = permissions.Request{
		Door:                 call.Origin.Door,
		Action:               permissions.ActionCall,
		Tools:                []string{t.ID},
		Arguments:            arguments,
		Commands:             a.in.Commands,
		Workspace:            call.Workspace,
		Dir:                  invocation.Dir,
		Agent:                call.Origin.Agent,
		Principal:            call.Origin.Principal,
		Served:               call.Origin.Served,
		Session:              call.Origin.Session,
		Task:                 call.Origin.Task,
		Context:              call.Origin.Context,
		ReadOnly:             t.IsReadOnly(),
		Headless:             call.Origin.Headless,
		Mode:                 call.Origin.Mode,
		Destructive:          t.IsDestructive(),
		Secret:               t.SecretParameters(),
		Audit:                t.Audit,
		RequiresConfirmation: t.Sandbox.RequiresConfirmation,
	}
	a.secrets = permissions.SecretTexts(arguments, t.SecretParameters())
	a.runner.Describe(a)
	a.hide()
	a.resolved = permissions.ResolvedFiles(a.request)
}

// moved reports whether a name of the call leads to another file by now than when it was decided about.
func (a *act) moved() bool { return !slices.Equal(a.resolved, permissions.ResolvedFiles(a.request)) }

// event returns the act as it is recorded.
func (a *act) event(kind events.Type) events.Event {
	return a.eventWith(kind, gate.ActEvent(kind, a.request, a.hidden.Mark, a.marked))
}

// later returns an event about an act whose arguments stand in the record of its decision.
func (a *act) later(kind events.Type) events.Event {
	return a.eventWith(kind, gate.LaterAct(a.request, a.marked))
}

func (a *act) eventWith(kind events.Type, record *events.Act) events.Event {
	record.Digest = a.digest
	record.Trial = a.call.Origin.Trial
	event := eventOf(kind, a.call)
	event.Act = record
	return event
}

// eventOf returns what every event about a call says: whose it is.
func eventOf(kind events.Type, call tool.Call) events.Event {
	from := call.Origin
	event := events.Event{
		Type: kind, CallID: call.ID, Session: from.Session, Task: from.Task, Context: from.Context, ToolCall: from.ToolCall,
		Agent: from.Agent, Door: string(from.Door), Principal: from.Recorded(),
	}
	event.Under(from.Trace)
	return event
}
