package a2a

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/agentclient"
)

// play tells a task what an agent says and does while it works on a prompt. What comes while something is being
// written to disk is written together.
type play struct {
	ctx    context.Context // of the work
	turn   *Turn
	agents Agents
	stop   context.CancelCauseFunc // of the prompt
	asks   sync.WaitGroup          // questions that are put
	asking context.Context         // of these
	ask    context.CancelFunc

	// Used by whoever tells; there is one at a time.
	denied bool                     // a question was answered with no
	open   map[string]*acpAsk       // questions, by id
	calls  map[string]*wire.Message // what is to be said of tool calls once no question stands, by id
	order  []string                 // of these
	begun  map[wire.ArtifactID]bool // artifacts that were begun
	shown  map[string]string        // what was told last of a call or a diff
	size   int                      // bytes that were told
	most   int                      // how many may be
	stated int                      // states of calls that were told

	// Of who has its answers looked at before they are told.
	screen   AnswerScreen // nil for nobody
	session  string
	kept     []agentclient.Content
	keptSize int
	governed int    // answers that were looked at
	withheld string // why the answer is not told

	mu      sync.Mutex
	pending []wire.Event
	waiting int        // bytes of what is pending
	hurry   bool       // something is pending that is not gathered
	told    time.Time  // when was written last
	taken   int        // events that were taken, those that are joined too
	written int        // of them
	telling bool       // somebody writes
	changed *sync.Cond // something of these has changed
	err     error      // why nothing can be told any more
}

// The bounds of what an agent tells for one task.
const (
	mostSaid    = 32 << 20 // bytes
	mostPending = 1 << 20  // of them, that are not on disk yet: then the agent waits
	mostStates  = 4096     // states of tool calls
	mostShown   = 1 << 20  // bytes of the output of a tool call
	eachEvent   = 64       // bytes that an event counts for, beside what it says
)

func newPlay(ctx context.Context, t *Turn, o ACPOptions, stop context.CancelCauseFunc) *play {
	p := &play{ctx: context.WithoutCancel(ctx), turn: t, agents: o.Agents, most: o.MostSaid, stop: stop, open: map[string]*acpAsk{},
		calls: map[string]*wire.Message{}, begun: map[wire.ArtifactID]bool{}, shown: map[string]string{}}
	p.changed = sync.NewCond(&p.mu)
	p.asking, p.ask = context.WithCancel(ctx)
	for _, artifact := range t.Task().Artifacts { // of what was cut off
		p.begun[artifact.ID] = true
	}
	return p
}

// tell is told what happens.
func (p *play) tell(e agentclient.Event) {
	switch e.Kind {
	case agentclient.EventBegan:
		p.session = e.Began.Session
		p.began(e.Began)
	case agentclient.EventMessage:
		if p.screen != nil {
			p.keep(e.Chunk.Content)
			return
		}
		p.say("response", e.Chunk.Content)
	case agentclient.EventThought:
		p.say("thought", e.Chunk.Content)
	case agentclient.EventPlan:
		p.put(planArtifact(e.Plan), false, true)
	case agentclient.EventToolCall:
		p.call(e.ToolCall)
	case agentclient.EventQuestion:
		p.question(e.Question)
	case agentclient.EventInput:
		p.input(e.Input)
	case agentclient.EventAnswered:
		p.answered(e.Answered)
	case agentclient.EventNotice:
		p.state("", wire.NewMessage(wire.MessageRoleAgent, wire.NewTextPart(strings.ToValidUTF8(e.Notice, "\uFFFD"))))
	case agentclient.EventUsage: // the end has the last word on it
	case agentclient.EventOther: // nothing that a client could use
	}
}

// began says that the agent has the prompt. It is on disk before the agent is told the prompt, so that no prompt is
// told twice.
func (p *play) began(b *agentclient.Began) {
	event := &wire.TaskStatusUpdateEvent{Status: wire.TaskStatus{State: wire.TaskStateWorking},
		Metadata: map[string]any{sessionKey: b.Session, openingKey: string(b.How)}}
	if p.turn.Task().Metadata[idleKey] != nil {
		event.Metadata[idleKey] = false
	}
	if b.How == agentclient.OpenedAnew {
		event.Status.Message = wire.NewMessage(wire.MessageRoleAgent, wire.NewTextPart(
			"The agent begins a new session, and remembers nothing of what was said in this context before: "+b.Why))
	}
	if err := p.turn.Emit(p.ctx, event); err != nil {
		p.fail(err)
	}
}

// say puts a piece of an artifact out that grows.
func (p *play) say(name string, c agentclient.Content) {
	p.put(&wire.Artifact{ID: wire.ArtifactID(name), Name: name, Parts: wire.ContentParts{partOf(c)}}, true, false)
}

// put puts an artifact out.
func (p *play) put(artifact *wire.Artifact, grows, last bool) {
	begun := p.begun[artifact.ID]
	event := &wire.TaskArtifactUpdateEvent{Artifact: artifact, Append: grows && begun, LastChunk: last}
	p.begun[artifact.ID] = true
	p.emit(event, len(artifact.Name)+sizeOf(artifact.Parts), !begun)
}

// call tells of a tool call: its state, where that is another one, its diffs, and what it shows in the end.
func (p *play) call(c *agentclient.ToolCall) {
	data := callDataOf(c)
	encoded, err := json.Marshal(data)
	if err != nil {
		p.fail(err)
		return
	}
	if p.news("call "+c.ID, encoded) && p.stated < mostStates {
		p.stated++
		p.state(c.ID, callMessage(data))
	}
	ended := c.Status == "completed" || c.Status == "failed" || c.Status == "cancelled"
	var shown wire.ContentParts
	size := 0
	for i, output := range c.Output {
		switch {
		case output.Diff != nil:
			p.diff(c.ID, i, output.Diff)
			continue
		case output.Content != nil:
			shown = append(endLine(shown), partOf(*output.Content))
		case output.Terminal != nil && output.Terminal.Output != "":
			shown = append(endLine(shown), partOf(agentclient.Content{Text: output.Terminal.Output}))
		default:
			continue
		}
		if size += sizeOf(shown[len(shown)-1:]); size > mostShown {
			shown[len(shown)-1] = wire.NewTextPart("(the rest is too long to be shown)")
			break
		}
	}
	if ended && len(shown) > 0 {
		if encoded, err := json.Marshal(shown); err == nil && p.news("output "+c.ID, encoded) {
			p.put(&wire.Artifact{ID: artifactID("tool", c.ID, 0), Name: data.Title, Parts: shown,
				Metadata: map[string]any{"toolCallId": c.ID}}, false, true)
		}
	}
}

// endLine has what comes behind the parts begin on a line of its own: a call shows blocks, and clients put texts together.
func endLine(parts wire.ContentParts) wire.ContentParts {
	if len(parts) == 0 {
		return parts
	}
	last := parts[len(parts)-1]
	if said, ok := last.Content.(wire.Text); ok && !strings.HasSuffix(string(said), "\n") {
		last.Content = said + "\n"
	}
	return parts
}

// diff tells of a change that a call makes.
func (p *play) diff(call string, i int, d *agentclient.Diff) {
	text := diffOf(strings.TrimPrefix(d.Path, "/"), d)
	if !p.news(fmt.Sprint("diff ", i, " ", call), []byte(d.Path+"\x00"+text)) {
		return
	}
	p.put(&wire.Artifact{ID: artifactID("diff", call, i), Name: d.Path, Metadata: map[string]any{"toolCallId": call, "path": d.Path},
		Parts: wire.ContentParts{{Content: wire.Text(strings.ToValidUTF8(text, "\uFFFD")), MediaType: "text/x-diff"}}}, false, true)
}

// artifactID names an artifact of a call, whose id is the agent's.
func artifactID(kind, call string, i int) wire.ArtifactID {
	sum := sha256.Sum256([]byte(call))
	return wire.ArtifactID(fmt.Sprintf("%s-%s-%d", kind, hex.EncodeToString(sum[:8]), i))
}

// news reports whether something differs from what was told last under a name.
func (p *play) news(name string, what []byte) bool {
	sum := sha256.Sum256(what)
	if p.shown[name] == string(sum[:]) {
		return false
	}
	if len(p.shown) > mostStates {
		clear(p.shown)
	}
	p.shown[name] = string(sum[:])
	return true
}

// state says something about the work. While a question stands, that is the task's state, and what is said of
// a call waits.
func (p *play) state(call string, m *wire.Message) {
	if len(p.open) == 0 {
		p.emit(&wire.TaskStatusUpdateEvent{Status: wire.TaskStatus{State: wire.TaskStateWorking, Message: m}}, sizeOf(m.Parts), true)
		return
	}
	if _, there := p.calls[call]; !there {
		p.order = append(p.order, call)
	}
	p.calls[call] = m
}

// stand has something said that waited for the end of a question.
func (p *play) stand() {
	if len(p.open) > 0 {
		return
	}
	calls, order := p.calls, p.order
	p.calls, p.order = map[string]*wire.Message{}, nil
	for _, id := range order {
		p.state(id, calls[id])
	}
}

// emit has an event written, soon, or with what is gathered.
func (p *play) emit(event wire.Event, size int, soon bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.err == nil && p.waiting > mostPending {
		p.changed.Wait()
	}
	if p.err != nil {
		return
	}
	if !p.join(event) {
		p.pending, size = append(p.pending, event), size+eachEvent
	}
	if p.size += size; p.size > p.most {
		p.failed(saidTooMuch(p.most))
		return
	}
	p.waiting, p.taken = p.waiting+size, p.taken+1
	if p.hurry = p.hurry || soon; p.hurry || p.waiting > mostChunk {
		p.changed.Broadcast()
	}
	if !p.telling {
		p.telling = true
		go p.write() // ends when nothing is pending; flush waits for it
	}
}

func saidTooMuch(most int) *Error {
	return failf(errInternal, "the agent was stopped: it has said more than %d MiB for one message", most>>20)
}

// join has an event be part of one that is pending, if no other state of the task lies between: the artifact is the same,
// and grows by text, or is put in place of what it was.
func (p *play) join(event wire.Event) bool {
	b, ok := event.(*wire.TaskArtifactUpdateEvent)
	if !ok {
		return false
	}
	for _, before := range slices.Backward(p.pending) {
		a, ok := before.(*wire.TaskArtifactUpdateEvent)
		switch {
		case !ok:
			return false
		case a.Artifact.ID != b.Artifact.ID:
			continue
		case b.Append:
			return grow(a, b)
		case a.Append:
			return false
		}
		a.Artifact, a.LastChunk = b.Artifact, b.LastChunk
		return true
	}
	return false
}

// grow puts the text of an event behind that of one before; it is false where there is more to them than text.
func grow(a, b *wire.TaskArtifactUpdateEvent) bool {
	if len(a.Artifact.Parts) != 1 || len(b.Artifact.Parts) != 1 {
		return false
	}
	first, second := a.Artifact.Parts[0], b.Artifact.Parts[0]
	one, isText := first.Content.(wire.Text)
	more, areTexts := second.Content.(wire.Text)
	if !isText || !areTexts || first.MediaType != second.MediaType || first.Filename+second.Filename != "" || len(one) > mostChunk {
		return false
	}
	first.Content, a.LastChunk = one+more, a.LastChunk || b.LastChunk
	return true
}

// write writes what is pending.
func (p *play) write() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.pending) > 0 && p.err == nil {
		gather(p.changed, p.told, func() bool { return p.hurry || p.waiting > mostChunk || p.err != nil })
		events, taken := p.pending, p.taken
		p.pending, p.waiting, p.hurry = nil, 0, false
		p.changed.Broadcast()
		p.mu.Unlock()
		err := p.turn.Emit(p.ctx, events...)
		p.mu.Lock()
		p.told, p.written = time.Now(), taken
		p.changed.Broadcast()
		if err != nil {
			p.err = err
			p.stop(err)
		}
	}
	p.telling = false
	p.changed.Broadcast()
}

// fail ends the prompt.
func (p *play) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed(err)
}

// failed is fail while mu is held.
func (p *play) failed(err error) {
	if p.err == nil {
		p.err = err
	}
	p.stop(err)
	p.changed.Broadcast()
}

// flush waits until all that was told before is on disk.
func (p *play) flush() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hurry = true
	p.changed.Broadcast()
	for told := p.taken; p.telling && p.written < told; {
		p.changed.Wait()
	}
	return p.err
}

// close ends the questions, and the artifacts that grow. It is called when the prompt has ended. Where the server ends,
// it leaves the task as it is: it goes on in the process that comes next.
func (p *play) close() error {
	p.ask()
	p.asks.Wait()
	if errors.Is(context.Cause(p.turn.run.ctx), errEnds) {
		return p.flush()
	}
	clear(p.open)
	p.stand()
	for _, id := range []wire.ArtifactID{"response", "thought"} {
		if p.begun[id] {
			p.put(&wire.Artifact{ID: id, Name: string(id), Parts: wire.ContentParts{wire.NewTextPart("")}}, true, true)
		}
	}
	return p.flush()
}
