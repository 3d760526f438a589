package executor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/a2aclient"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/netguard"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// remotes is the runner of tools that a remote agent carries out: a message is sent over A2A, and its task is followed
// to its end. The agent is a stranger. It is reached at addresses that are public or that the entry allows, what it
// says is bounded, and what it asks is a person's to answer.
type remotes struct{}

// remoteWork is the Work of a call that is sent to a remote agent.
type remoteWork struct {
	to        tool.A2A
	arguments map[string]any
	message   string // the text of the message; "" for none
	task      string // that it answers; "" for a new one
	data      string // the other arguments, as JSON; "" for none
}

func remoteOf(invocation *tool.Invocation) *remoteWork {
	work, _ := invocation.Work.(*remoteWork) // the runner of remote agents is given no other
	return work
}

// Definition implements tool.Work.
func (w *remoteWork) Definition() string {
	text, _ := json.Marshal(w.to) // there is nothing in it that JSON has no words for
	return string(text)
}

// Code implements tool.Work.
func (w *remoteWork) Code() string { return "" }

// Sum implements tool.Work: where it goes, and all that is sent.
func (w *remoteWork) Sum(put func(parts ...string), id, dir string) {
	put("a2a-acp a2a v1", id, dir, w.Definition(), w.message, w.task, w.data)
}

// remotePlan is where a message goes, and with what.
type remotePlan struct {
	digest string
	token  string // once it is known
}

func (p remotePlan) Digest() string { return p.digest }

// Render implements runner.
func (remotes) Render(entry *Entry, call tool.Call, arguments map[string]any, spool bool) (*tool.Invocation, *tool.Failure) {
	work := &remoteWork{to: *entry.Tool.A2A, arguments: arguments}
	rest := maps.Clone(arguments)
	for name, into := range map[string]*string{tool.A2AMessage: &work.message, tool.A2ATask: &work.task} {
		*into, _ = rest[name].(string)
		delete(rest, name)
	}
	if len(rest) > 0 || work.message == "" {
		if rest == nil {
			rest = map[string]any{}
		}
		data, err := json.Marshal(rest)
		if err != nil {
			return nil, tool.Failf(tool.FailTemplate, "%s: the arguments cannot be sent: %v", entry.Tool.ID, err)
		}
		work.data = string(data)
	}
	return &tool.Invocation{Tool: entry.Tool.ID, Dir: call.Dir, Work: work,
		References: entry.Tool.Sandbox.References, Spool: spool}, nil
}

// Plan implements runner.
func (remotes) Plan(invocation *tool.Invocation, filled map[string]string) (plan, *tool.Failure) {
	sum := sha256.Sum256([]byte("a2a-acp a2a plan v1 " + remoteOf(invocation).Definition()))
	return remotePlan{hex.EncodeToString(sum[:]), filled[tool.A2AToken]}, nil
}

// The bounds of what a remote agent says beside the tool's own limits.
const (
	mostRemote    = 64 << 20 // bytes of each answer or stream
	mostQuestions = 10       // of a call
	cancelTime    = 5 * time.Second
)

// Run implements runner. How long the agent may take does not count while a person is asked.
func (remotes) Run(ctx context.Context, a *act, to streams) (outcome, error) {
	settled, ok := a.plan.(remotePlan)
	if !ok {
		return outcome{ExitCode: -1}, tool.Failf(tool.FailInternal, "a remote agent was given a plan of another kind: %T", a.plan)
	}
	guard := netguard.Guard{Allow: a.tool.A2A.Allow}
	transport := guard.Transport()
	defer transport.CloseIdleConnections()
	grpc := a2aclient.ForGRPC(transport)
	defer grpc.CloseIdleConnections()
	limits := a.tool.Sandbox.Limits
	said := newRemoteOutput(to, limits.Output)
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	clock := newRemoteClock(limits.Timeout, func() { stop(errRemoteTime) })
	defer clock.stop()
	began := time.Now()
	end, err := (&remoteCall{act: a, said: said, clock: clock, stop: stop, options: a2aclient.Options{
		Transport:  bounded{transport, mostRemote},
		GRPC:       bounded{grpc, mostRemote},
		Credential: a2aclient.Credential{Secret: settled.token, As: a.tool.A2A.Auth},
	}}).run(working)
	out := said.outcome()
	out.Elapsed = time.Since(began)
	if err != nil {
		out.ExitCode = -1
		out.Ended = remoteFailure(working, a, err)
		if out.Ended.Code == tool.FailOutput {
			out.Truncated, out.LimitsHit = true, []string{"output"}
		}
		return out, nil
	}
	out.ExitCode = remoteCode(end)
	out.Permanent = out.ExitCode != 1
	return out, nil
}

// Why a call of a remote agent is ended.
var (
	errRemoteTime   = errors.New("the remote agent took too long")
	errRemoteOutput = errors.New("the remote agent said too much")
)

// remoteFailure returns what our reason is to have ended a call.
func remoteFailure(ctx context.Context, a *act, err error) *tool.Failure {
	limits := a.tool.Sandbox.Limits
	cause := context.Cause(ctx)
	var denied *tool.Failure
	switch {
	case errors.As(err, &denied):
		return denied
	case errors.Is(cause, errRemoteTime):
		return tool.Failf(tool.FailTimeout, "the remote agent was not done within %s, a limit that %s", limits.Timeout,
			timeoutOf(a.tool))
	case errors.Is(cause, errRemoteOutput):
		return tool.Failf(tool.FailOutput, "the remote agent said more than %d bytes; what came before is kept", limits.Output)
	case ctx.Err() != nil:
		return gaveUp()
	}
	return tool.Failf(tool.FailInternal, "the remote agent at %s: %s", display.Line(a.tool.A2A.URL), display.Text(err.Error()))
}

// The exit codes of calls of remote agents.
const (
	remoteFailed   = 1
	remoteRejected = 3
	remoteWaits    = 4
	remoteCanceled = 130
)

func remoteCode(end a2aclient.End) int {
	switch {
	case end.Message != nil || end.Status.State == wire.TaskStateCompleted:
		return 0
	case end.Waits():
		return remoteWaits
	case end.Status.State == wire.TaskStateRejected:
		return remoteRejected
	case end.Status.State == wire.TaskStateCanceled:
		return remoteCanceled
	}
	return remoteFailed
}

// Describe implements runner. What the agent does cannot be told, so it may do anything.
func (remotes) Describe(*act) {}

// Show implements runner: where the call goes, and what is sent.
func (remotes) Show(a *act) string {
	text := "sent to the remote agent\n" + display.Fence("", display.Full(a.a2aShown()))
	if given := a.sourcesOfValues(); given != "" {
		text += "\ngiven, and not shown\n" + display.Fence("", display.Full(given))
	}
	return text
}

// a2aShown is a call as people read it.
func (a *act) a2aShown() string {
	shown := a.tool.A2A.URL + "\n"
	if a.tool.A2A.Skill != "" {
		shown += "skill " + a.tool.A2A.Skill + "\n"
	}
	return shown + a.values()
}

// Preview implements runner.
func (remotes) Preview(a *act, p *Preview) { p.Shown = a.a2aShown() }

// Tell implements runner: there is no sandbox.
func (remotes) Tell(_ *act, o outcome, metadata *tool.Metadata) {
	metadata.Sandbox = tool.SandboxReport{Level: "none", Network: true, Limits: map[string]int64{},
		LimitsHit: append([]string{}, o.LimitsHit...), Hints: append([]tool.Hint{}, tool.Hints(o.Notes...)...)}
}

// Refusals implements runner.
func (remotes) Refusals(*act, string, int) []tool.Hint { return nil }

// Cure implements runner.
func (remotes) Cure(t *tool.Tool, o outcome) string {
	if o.ExitCode != remoteWaits {
		return ""
	}
	for _, p := range t.Parameters {
		if p.Name == tool.A2ATask {
			return "the remote agent waits for an answer: call " + t.ID + " again with the task that it names, and the answer as message"
		}
	}
	return "the remote agent waits for an answer; a parameter task in the tool's entry lets a call give it"
}
