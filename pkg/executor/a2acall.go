package executor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/a2aclient"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// remoteCall is one call of a remote agent.
type remoteCall struct {
	act     *act
	options a2aclient.Options
	said    *remoteOutput
	clock   *remoteClock
	stop    context.CancelCauseFunc

	asked int
}

// run finds the agent, sends the message, and follows what comes of it. A task that is left is canceled.
func (c *remoteCall) run(ctx context.Context) (a2aclient.End, error) {
	entry := c.act.tool.A2A
	u, err := url.Parse(entry.URL)
	if err != nil {
		return a2aclient.End{}, err
	}
	card, err := a2aclient.Discover(ctx, u, c.options)
	if err != nil {
		return a2aclient.End{}, err
	}
	client, err := a2aclient.Connect(card, c.options, a2aclient.ConnectOptions{Allow: entry.Origins})
	if err != nil {
		return a2aclient.End{}, err
	}
	talk := &a2aclient.Talk{Client: client, Tell: c.tell, Answer: c.answer}
	end, err := c.begin(ctx, talk)
	if err != nil && end.Task != "" && !end.Status.State.Terminal() {
		left, done := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
		defer done()
		_, _ = client.Cancel(left, wire.TaskID(end.Task)) // it has its own ends
	}
	if err == nil {
		c.last(end)
	}
	return end, err
}

// begin sends the message. Where it would answer a yes or no, which is a person's to give, he is asked in its place:
// who has made the call may know the task, and not what the agent asks of a person by now.
func (c *remoteCall) begin(ctx context.Context, talk *a2aclient.Talk) (a2aclient.End, error) {
	message := c.message()
	if message.TaskID != "" {
		task, err := talk.Client.Task(ctx, message.TaskID)
		if err != nil {
			return a2aclient.End{}, err
		}
		if isPermission(task.Status) {
			c.said.complaint("The message was not sent: the task waits for a yes or no, which a person gives.")
			return talk.Follow(ctx, string(message.TaskID))
		}
	}
	return talk.Send(ctx, &wire.SendMessageRequest{Message: message})
}

// isPermission reports whether a task waits for a yes or no.
func isPermission(status wire.TaskStatus) bool {
	return status.State == wire.TaskStateInputRequired &&
		slices.ContainsFunc(a2aclient.AskOf(status).Options, func(o a2aclient.Option) bool {
			return strings.HasPrefix(o.Kind, "allow_") || strings.HasPrefix(o.Kind, "reject_")
		})
}

// message returns what is sent.
func (c *remoteCall) message() *wire.Message {
	work := remoteOf(c.act.invocation)
	message := wire.NewMessage(wire.MessageRoleUser)
	if work.message != "" {
		message.Parts = append(message.Parts, wire.NewTextPart(work.message))
	}
	if work.data != "" {
		message.Parts = append(message.Parts, &wire.Part{
			Content: wire.Data{Value: json.RawMessage(work.data)}, MediaType: "application/json"})
	}
	message.TaskID = wire.TaskID(work.task)
	if work.to.Skill != "" {
		message.Metadata = map[string]any{"skillId": work.to.Skill}
	}
	return message
}

// tell keeps what the agent puts out.
func (c *remoteCall) tell(event wire.Event) {
	full := false
	switch e := event.(type) {
	case *wire.Message:
		full = c.said.parts(e.Parts)
	case *wire.Task:
		for _, artifact := range e.Artifacts {
			full = full || c.said.artifact(artifact, true)
		}
	case *wire.TaskArtifactUpdateEvent:
		full = c.said.artifact(e.Artifact, false)
	}
	if full {
		c.stop(errRemoteOutput)
	}
}

// last keeps what the agent says at the end.
func (c *remoteCall) last(end a2aclient.End) {
	if end.Status.Message == nil {
		return
	}
	ask := a2aclient.AskOf(end.Status)
	switch {
	case end.Waits():
		c.said.text("\nThe agent waits for an answer. task: " + end.Task + "\n" + ask.Text + "\n")
	case end.Status.State == wire.TaskStateCompleted:
		if text := strings.TrimSpace(ask.Text); text != "" && !strings.Contains(string(c.said.kept), text) {
			c.said.text(ask.Text + "\n")
		}
	default:
		c.said.complaint(ask.Text)
	}
}

// answer has a person answer what the agent asks, where that is yes or no. What it asks in words of its own is for
// whoever has made the call, who can call again.
func (c *remoteCall) answer(ctx context.Context, task a2aclient.End, refused error) (*wire.Message, error) {
	if !isPermission(task.Status) {
		return nil, nil
	}
	if refused != nil {
		return nil, refused
	}
	ask := a2aclient.AskOf(task.Status)
	yes, no := yesOf(ask.Options), noOf(ask.Options)
	switch {
	case no == nil:
		return nil, tool.Failf(tool.FailDenied, "the remote agent asks for a yes, and takes no no")
	case yes == nil:
		c.said.complaint("The remote agent was told no: it asks for a yes that is for more than this once.")
		return ask.Answer(no.ID), nil
	}
	if c.asked++; c.asked > mostQuestions {
		return nil, tool.Failf(tool.FailDenied, "the remote agent has asked more than %d times", mostQuestions)
	}
	c.clock.pause()
	allowed, failure := c.act.asks(ctx, c.asked, remoteQuestion(c.act, ask, *yes, *no))
	c.clock.resume()
	switch {
	case failure != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case failure != nil: // the agent is told no, and goes on without
		c.said.complaint(failure.Message)
		return ask.Answer(no.ID), nil //nolint:nilerr // refused is nil
	case allowed:
		return ask.Answer(yes.ID), nil
	}
	return ask.Answer(no.ID), nil
}

// yesOf returns the option that a yes picks: the least that the agent offers.
func yesOf(options []a2aclient.Option) *a2aclient.Option { return ofKind(options, "allow_once") }

func noOf(options []a2aclient.Option) *a2aclient.Option {
	if once := ofKind(options, "reject_once"); once != nil {
		return once
	}
	return ofKind(options, "reject_always")
}

func ofKind(options []a2aclient.Option, kind string) *a2aclient.Option {
	for i := range options {
		if options[i].Kind == kind {
			return &options[i]
		}
	}
	return nil
}

// remoteQuestion is what a person reads. What the agent says stands in a block that it cannot close.
func remoteQuestion(a *act, ask a2aclient.Ask, yes, no a2aclient.Option) string {
	return fmt.Sprintf("The remote agent at %s asks:\n\n%s\nYes answers %s, no answers %s.", display.Span(a.tool.A2A.URL),
		display.Fence("", display.Full(ask.Text)), display.Span(yes.Name), display.Span(no.Name))
}

// remoteClock ends a call when the agent has worked for too long.
type remoteClock struct {
	mu    sync.Mutex
	timer *time.Timer // nil where it may take as long as it wants
	left  time.Duration
	since time.Time
}

func newRemoteClock(most time.Duration, over func()) *remoteClock {
	c := &remoteClock{left: most, since: time.Now()}
	if most > 0 {
		c.timer = time.AfterFunc(most, over)
	}
	return c
}

func (c *remoteClock) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil && c.timer.Stop() {
		c.left -= time.Since(c.since)
	}
}

func (c *remoteClock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.since = time.Now()
		c.timer.Reset(max(c.left, time.Millisecond))
	}
}

func (c *remoteClock) stop() { c.pause() }

// bounded is a transport whose answers end after so many bytes.
type bounded struct {
	http.RoundTripper
	most int64
}

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = &boundedBody{answer.Body, b.most}
	}
	return answer, err
}

type boundedBody struct {
	io.ReadCloser
	left int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("it is longer than the %d MB that a remote agent may say at once", mostRemote>>20)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
