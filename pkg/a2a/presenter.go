package a2a

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// presenter shows one call to the client: its questions as those of the task, its output as an artifact that
// grows. It is a ToolCaller.
type presenter struct {
	ctx   context.Context // of the work
	turn  *Turn
	board approval.Board
	call  ToolCall
	seat  *seat // nil where nobody counts

	mu      sync.Mutex
	pending []byte    // what was put out and not told yet
	begun   bool      // the artifact has a part
	told    int       // bytes
	last    time.Time // when something was told
	telling bool
	ended   bool       // the call has its result
	changed *sync.Cond // something of these has changed
	gone    bool       // the server ends, and a question of the call waits
	asked   int        // how many questions the call has put
	now     func() time.Time
	words   int       // how often it was told that the call goes on
	said    time.Time // when that was for the last time
}

// left reports whether a question of the call outlives the server.
func (p *presenter) left() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gone
}

func newPresenter(ctx context.Context, t *Turn, board approval.Board, call ToolCall) *presenter {
	p := &presenter{ctx: ctx, turn: t, board: board, call: call, now: t.run.server.o.Now}
	p.changed = sync.NewCond(&p.mu)
	return p
}

// The bounds of what is told while a call runs. The result has the rest.
const (
	mostTold  = 1 << 20
	mostChunk = 32 << 10

	// How often the client is told that a call goes on: each time is kept with the task.
	betweenWords = 15 * time.Second
	mostWords    = 100
)

// Output implements ToolCaller. What comes while something is being told goes with what is told next.
func (p *presenter) Output(stderr bool, said []byte) {
	if stderr {
		return // the result has it
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if room := mostTold - p.told - len(p.pending); len(said) > room {
		said = said[:max(room, 0)]
	}
	p.pending = append(p.pending, said...)
	if len(p.pending) >= mostChunk {
		p.changed.Broadcast()
	}
	if p.telling || len(p.pending) == 0 {
		return
	}
	p.telling = true
	go p.tell() // ends when nothing is pending; end waits for it
}

// Working implements ToolCaller.
func (p *presenter) Working(text string) {
	now := p.now()
	p.mu.Lock()
	due := p.words < mostWords && (p.words == 0 || now.Sub(p.said) >= betweenWords)
	if due {
		p.words, p.said = p.words+1, now
	}
	p.mu.Unlock()
	if due {
		_ = p.turn.Progress(p.ctx, p.call.Tool+": "+text) // what cannot be kept, the end says
	}
}

// tell tells what is pending.
func (p *presenter) tell() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.pending) > 0 {
		gather(p.changed, p.last, func() bool { return p.ended || len(p.pending) >= mostChunk })
		chunk := p.pending[:min(len(p.pending), mostChunk)]
		chunk = []byte(tool.WholeRunes(string(chunk)))
		if len(chunk) == 0 && len(p.pending) >= utf8.UTFMax {
			chunk = p.pending[:utf8.UTFMax] // no text
		}
		if len(chunk) == 0 {
			break
		}
		text := strings.ToValidUTF8(string(chunk), "\uFFFD")
		p.pending = slices.Clone(p.pending[len(chunk):])
		more := p.begun
		p.begun, p.told = true, p.told+len(chunk)
		p.mu.Unlock()
		err := p.turn.Put(p.ctx, p.artifact(wire.NewTextPart(text)), more, false)
		p.mu.Lock()
		p.last = time.Now()
		if err != nil {
			p.pending, p.told = nil, mostTold // the end says what went wrong
			break
		}
	}
	p.telling = false
	p.changed.Broadcast()
}

func (p *presenter) artifact(parts ...*wire.Part) *wire.Artifact {
	return &wire.Artifact{ID: wire.ArtifactID(p.call.ID), Name: p.call.Tool, Parts: parts}
}

// end tells the result of the call: the text that was not told yet, and the whole as data.
func (p *presenter) end(result tool.Result) tool.Result {
	p.mu.Lock()
	p.ended = true
	p.changed.Broadcast()
	for p.telling {
		p.changed.Wait()
	}
	begun := p.begun
	p.mu.Unlock()
	if result.Metadata.Decision != nil {
		decision := *result.Metadata.Decision
		decision.Approver = "" // who sits where is no business of the client's; the record has it
		result.Metadata.Decision = &decision
	}
	shown := result.InText()
	var parts []*wire.Part
	if picture := pictureOf(result); picture != nil {
		parts = append(parts, picture)
	} else if !begun && shown.Stdout != "" {
		parts = append(parts, wire.NewTextPart(strings.ToValidUTF8(shown.Stdout, "\uFFFD")))
	}
	encoded, err := json.Marshal(shown)
	var data map[string]any
	if err == nil {
		err = json.Unmarshal(encoded, &data)
	}
	if err == nil {
		data["type"] = "tool_result"
		parts = append(parts, &wire.Part{Content: wire.Data{Value: data}, MediaType: "application/json"})
	}
	// The end of a call that was canceled is told, too.
	if err := p.turn.Put(context.WithoutCancel(p.ctx), p.artifact(parts...), begun, true); err != nil {
		p.turn.run.server.o.Say(fmt.Sprintf("the result of call %s of task %s is not in the log: %v", p.call.ID, p.call.Task, err))
	}
	return result
}

// pictureOf returns a picture that a call has put out, whole.
func pictureOf(r tool.Result) *wire.Part {
	binary, _ := r.Metadata.Diagnostics[tool.BinaryKey].(map[string]tool.Binary)
	b, ok := binary["stdout"]
	if !ok || !strings.HasPrefix(b.Type, "image/") || int64(len(r.Stdout)) != b.Bytes {
		return nil
	}
	return &wire.Part{Content: wire.Raw(r.Stdout), MediaType: b.Type, Filename: "stdout"}
}

// questionData is a question as programs read it.
type questionData struct {
	Type      string        `json:"type"` // permission_request
	RequestID string        `json:"requestId"`
	ToolCall  string        `json:"toolCallId"`
	Tool      string        `json:"toolId"`
	Approval  string        `json:"approvalId,omitempty"` // for a2a-acp approvals
	Title     string        `json:"title"`
	Command   string        `json:"command"`           // what would run, as a person reads it: Markdown
	Lasting   []string      `json:"lasting,omitempty"` // what can be allowed for the context, the narrowest first
	Options   []choice      `json:"options"`
	Expires   *time.Time    `json:"expires,omitempty"`
	Risk      *questionRisk `json:"risk,omitempty"`
}

// questionRisk is what is known of what would run.
type questionRisk struct {
	Action string   `json:"action"`
	Paths  []string `json:"paths,omitempty"`
	Notes  []string `json:"notes,omitempty"` // what it would run and could reach
	Bound  bool     `json:"exactlyThis"`     // a yes is for the very script and values, and nothing else
}

// choice is an answer that can be given, as ACP has it.
type choice struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// Ask implements approval.Asker: the question is the task's, and stands on the board, too.
func (p *presenter) Ask(ctx context.Context, q approval.Question) (approval.Answer, error) {
	if p.seat != nil {
		p.seat.give()
	}
	stands := make(chan string, 1)
	if p.board == nil {
		stands <- ""
	}
	answer, err := approval.AskAndTell(ctx, p.board, q, func() {}, func(id string) { stands <- id },
		func(ctx context.Context) (approval.Answer, error) {
			select { // who is told of the question can find it on the board
			case id := <-stands:
				return p.ask(ctx, q, id)
			case <-ctx.Done():
				return approval.Answer{}, context.Cause(ctx)
			}
		})
	if err == nil { // from now on it may run
		err = p.turn.answered(context.WithoutCancel(ctx), answeredKey(p.call.ID))
	}
	if err == nil && p.seat != nil {
		_ = p.seat.take(p.ctx) // a call whose time is over ends at once
	}
	return answer, err
}

// answeredKey is the member of a task's metadata that says that a call's question was answered.
func answeredKey(call string) string { return ToolExtension + "/answered/" + call }

// name returns what the next question of the call is called: as the call, and what is asked while it runs, by a name of its
// own, so that an answer to the one is none to the other. id is what a2a-acp approvals calls it.
func (p *presenter) name(id string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked++; p.asked == 1 {
		return p.call.ID
	}
	return cmp.Or(id, wire.NewMessageID())
}

func (p *presenter) ask(ctx context.Context, q approval.Question, id string) (approval.Answer, error) {
	name := p.name(id)
	options := []choice{{"allow_once", "Allow", "allow_once"}}
	if !q.Once {
		for i, words := range q.Lasting {
			options = append(options, choice{approval.LastingID("allow_always", i+1), "Allow in this context: " + words, "allow_always"})
		}
	}
	options = append(options, choice{"reject_once", "Deny", "reject_once"})
	how := howToAnswer(name, options)
	if q.AtTerminal {
		options, how = []choice{}, atTerminal+": a2a-acp approvals."
	}
	data := questionData{Type: "permission_request", RequestID: name, ToolCall: p.call.ID, Tool: p.call.Tool,
		Approval: id, Title: q.Title, Command: q.Text, Lasting: q.Lasting, Options: options,
		Risk: &questionRisk{Action: string(q.Action), Paths: q.Paths, Bound: q.Bound}}
	if until, bounded := ctx.Deadline(); bounded {
		until = until.UTC().Truncate(time.Second)
		data.Expires = &until
	}
	message := wire.NewMessage(wire.MessageRoleAgent,
		wire.NewTextPart(q.Title+"\n\n"+q.Text+"\n\n"+how),
		&wire.Part{Content: wire.Data{Value: data}, MediaType: "application/json"})
	message.Metadata = map[string]any{"requestId": name, optionsKey: options,
		"tool_call": map[string]any{"id": p.call.ID, "toolId": p.call.Tool}}
	if data.Expires != nil {
		message.Metadata["expires"] = data.Expires.Format(time.RFC3339)
	}
	var picked choice
	_, err := p.turn.Ask(ctx, message, func(m *wire.Message) error {
		if q.AtTerminal {
			return invalid("message", "%s", atTerminal)
		}
		var refused error
		picked, refused = pick(m, name, options)
		return refused
	})
	if err != nil {
		if errors.Is(context.Cause(p.turn.run.ctx), errEnds) {
			p.mu.Lock()
			p.gone = true
			p.mu.Unlock()
			err = approval.AskerGone("the server ends; the task goes on waiting")
		}
		return approval.Answer{}, err
	}
	answer := approval.Answer{Verdict: permissions.Reject, Source: permissions.SourcePerson,
		By: "the A2A client of " + display.Line(p.call.Caller.Name)}
	if strings.HasPrefix(picked.Kind, "allow_") {
		answer.Verdict, answer.Always = permissions.Approve, q.LastingOf("allow_always", picked.ID)
	}
	return answer, nil
}

// howToAnswer says in which words a question is answered. They name it, and so are right whatever else was asked: see
// unnamed.
func howToAnswer(id string, options []choice) string {
	var ways []string
	for _, word := range []string{"allow", "always", "deny"} {
		if _, err := pick(wire.NewMessage(wire.MessageRoleUser, wire.NewTextPart(word)), id, options); err == nil {
			ways = append(ways, strconv.Quote(word+" "+id))
		}
	}
	return "Answer " + strings.Join(ways, " or ") + "."
}

// atTerminal is what a client is told that may not answer for its person.
const atTerminal = "Only a person at a terminal of this machine may answer"

// words are the texts that answer a question, whole and in any case.
var words = map[string]string{
	"allow": "allow_once", "allow once": "allow_once", "yes": "allow_once", "y": "allow_once", "ok": "allow_once",
	"approve": "allow_once", "approved": "allow_once", "proceed_once": "allow_once",
	"allow always": "allow_always", "always": "allow_always", "proceed_always": "allow_always",
	"deny": "reject_once", "no": "reject_once", "n": "reject_once", "reject": "reject_once", "abort": "reject_once",
	"cancel": "reject_once", "denied": "reject_once",
	"allow_once": "allow_once", "allow_always": "allow_always", "reject_once": "reject_once", "reject_always": "reject_always",
}

// isWithin reports whether an option does no more than a word of a kind says.
func isWithin(option, said string) bool {
	if strings.HasPrefix(said, "reject_") {
		return strings.HasPrefix(option, "reject_")
	}
	return option == said || said == "allow_always" && option == "allow_once"
}

// optionsKey is the member of a question's metadata that has its options.
const optionsKey = "permission_options"

// requestOf returns which question a message says that it answers; "" where it does not say. What is no text is the
// name of no question.
func requestOf(m *wire.Message) (said string) {
	names := []string{"requestId", "request_id", "toolCallId", "tool_call_id"}
	for _, part := range m.Parts {
		if data, ok := part.Data().(map[string]any); ok {
			said = cmp.Or(said, questionIn(data, names))
		}
	}
	return cmp.Or(said, questionIn(m.Metadata, names))
}

func questionIn(data map[string]any, names []string) string {
	switch said := member(data, names...).(type) {
	case nil:
		return ""
	case string:
		return said
	default:
		return fmt.Sprintf("%v, which is no text", said)
	}
}

// saidIn returns the first member by one of these names in the data of a message and its metadata.
func saidIn(m *wire.Message, names ...string) (said string) {
	for _, part := range m.Parts {
		if data, ok := part.Data().(map[string]any); ok {
			said = cmp.Or(said, text(data, names...))
		}
	}
	return cmp.Or(said, text(m.Metadata, names...))
}

// pick returns the answer that a message gives to the question of a call. What is not clearly one of the options is
// refused, and nothing is guessed.
func pick(m *wire.Message, call string, options []choice) (choice, error) {
	said := saidIn(m, "optionId", "option_id", "selectedOptionId", "selected_option_id", "decision", "answer")
	about := requestOf(m)
	if said == "" {
		said = strings.TrimPrefix(strings.TrimSuffix(spoken(m), " "+call), "option:") // allow, or allow QUESTION
	}
	if about != "" && about != call {
		return choice{}, invalid("message.parts", "no question with the requestId %.60q is open", about)
	}
	said = strings.TrimSpace(said)
	kind := words[strings.ToLower(said)]
	for _, option := range options {
		// An agent that names its options could call one deny that allows, or yes that is for ever.
		if option.ID == said && (kind == "" || isWithin(option.Kind, kind)) {
			return option, nil
		}
	}
	for _, option := range options {
		if kind != "" && (kind == option.Kind || strings.HasPrefix(kind, "reject_") && isWithin(option.Kind, kind)) {
			return option, nil
		}
	}
	return choice{}, invalid("message.parts", "the task waits for an answer; give one of %s", optionIDs(options))
}

func optionIDs(options []choice) string {
	var ids []string
	for _, option := range options {
		ids = append(ids, option.ID)
	}
	return strings.Join(ids, ", ")
}
