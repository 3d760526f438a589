package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// Ask puts a question of ours to the person through the editor, with a session/request_permission of our
// own, and waits. Session is a approval.Asker.
//
// The question stands in a card of ours, which is announced before and closed after: in one of the agent's
// it could change what the person reads. Whoever gives up withdraws the question ($/cancel_request), and
// the answer that may be on its way is not taken any more. Where there is no editor, it stands on the board.
func (s *Session) Ask(ctx context.Context, q approval.Question) (approval.Answer, error) {
	return s.askFor(ctx, q, nil)
}

// askFor is Ask for a hook of the agent's, which is gone when a channel is closed; nil for another asker.
func (s *Session) askFor(ctx context.Context, q approval.Question, gone <-chan struct{}) (approval.Answer, error) {
	if s.ID(ctx) == "" {
		return approval.Answer{}, fmt.Errorf("the session has not begun: %w", approval.ErrNobody)
	}
	if s.b.alone != nil {
		return s.b.alone.ask(ctx, q)
	}
	at := s.toEditor.reserve()
	defer at.leave()
	if gone != nil {
		var over func()
		ctx, over = s.hookAsks(ctx, gone, at)
		defer over()
	}
	turn := s.queueQuestion()
	defer turn.end()
	return s.ask(ctx, q, at, turn)
}

// ask is Ask at a place in what the session sends to the editor, when it is its turn.
func (s *Session) ask(ctx context.Context, q approval.Question, at *place, turn *queuedQuestion) (approval.Answer, error) {
	id := s.boundID()
	// The person may cancel the turn, or close the session, while the caller still waits.
	ctx, stop := s.During(ctx)
	defer stop()

	if err := turn.pause(ctx); err != nil {
		return approval.Answer{}, err
	}
	elsewhere := standingOn(s.b.o.Board)
	card, asked := "", "" // there is none before it is the question's turn
	put := func(ctx context.Context) (approval.Answer, error) {
		over, err := turn.wait(ctx, at)
		if err != nil {
			return approval.Answer{}, err
		}
		defer over()
		if s.b.o.Person != nil {
			var picked Picked
			if asked, picked, err = s.askPerson(ctx, q, optionsOf(q), elsewhere.id, at); err != nil {
				return approval.Answer{}, err
			}
			return picked.answer(q)
		}
		card = s.b.ours.nextID()
		at.add(s.openCard(id, card, q))
		return s.put(ctx, id, card, q, at)
	}
	answer, err := approval.AskOnBoard(ctx, elsewhere.board(), q, func() { turn.giveUp(at) }, put)
	s.b.answered(asked, answer, err)
	s.closeCard(id, card, q, answer, err, at)
	return answer, err
}

// lasts reports whether "always" would allow anything.
func lasts(q approval.Question) bool { return !q.Once && len(q.Lasting) > 0 }

// optionsOf returns the options that a question of ours has.
func optionsOf(q approval.Question) (options []permissions.Option) {
	for _, o := range askOptions {
		if o.Kind != allowAlways {
			options = append(options, o)
		} else if !q.Once {
			options = append(options, lastingOptions(o, q.Lasting)...)
		}
	}
	return options
}

// lastingOptions returns an option for each of what an "always" can allow. Where there are several each says what it is.
func lastingOptions(narrowest permissions.Option, lasting []string) (options []permissions.Option) {
	for i, words := range lasting {
		option := narrowest
		option.ID = approval.LastingID(narrowest.ID, i+1)
		if len(lasting) > 1 {
			option.Name = "In this session, allow " + display.Line(words)
		}
		options = append(options, option)
	}
	return options
}

// allowSession is the id of the narrowest of our options that last.
const allowSession = "a2a-acp-allow-session"

// Our own options.
var askOptions = []permissions.Option{
	{ID: "a2a-acp-allow-once", Name: "Allow once", Kind: allowOnce},
	{ID: allowSession, Name: "Allow in this session", Kind: allowAlways},
	{ID: "a2a-acp-reject", Name: "Reject", Kind: rejectOnce},
}

type wireOption struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// put sends the question and reads the answer. Only an option that we offered approves.
func (s *Session) put(ctx context.Context, id, card string, q approval.Question, at *place) (approval.Answer,
	error) {
	var options []wireOption
	for _, o := range optionsOf(q) {
		options = append(options, wireOption(o))
	}
	call := cardUpdate{ToolCallID: card, Title: q.Title, Kind: cardKind(q.Action), Status: "pending",
		Content: questionContent(q), Locations: locationsOf(q.Paths)}
	params := map[string]any{"sessionId": id, "options": options}
	if s.b.protocol() >= 2 {
		params["title"], params["subject"] = q.Title, map[string]any{"type": "tool_call", "toolCall": call.bare()}
	} else {
		params["toolCall"] = call.bare()
	}
	answer, err := s.b.ours.ask(ctx, at, methodPermission, params)
	if err != nil {
		return approval.Answer{}, err
	}
	if len(answer.failed) > 0 {
		return approval.Answer{}, fmt.Errorf("the editor could not ask (%s): %w", answer.failed, approval.ErrNobody)
	}
	result, err := exactObject(answer.result)
	if err != nil {
		return approval.Answer{}, fmt.Errorf("the editor's answer cannot be read: %w", err)
	}
	outcome := result.object("outcome")
	if outcome.text("outcome") != "selected" {
		return approval.Answer{}, errTurnCancelled
	}
	return Picked{Option: outcome.text("optionId"), By: editorAnswers}.answer(q)
}

// openCard announces the card that the question stands in.
func (s *Session) openCard(id, card string, q approval.Question) []byte {
	kind := "tool_call"
	if s.b.protocol() >= 2 {
		kind = "tool_call_update"
	}
	return updateFrame(id, cardUpdate{
		SessionUpdate: kind, ToolCallID: card, Title: q.Title, Kind: cardKind(q.Action), Status: "pending",
		Content: questionContent(q), Locations: locationsOf(q.Paths),
	})
}

// closeCard says in the card, where there is one, what came of the question, and in the agent's own card.
func (s *Session) closeCard(id, card string, q approval.Question, answer approval.Answer, err error, at *place) {
	status, note := "completed", saysAnswer(answer)
	switch {
	case err != nil:
		status, note = "failed", "withdrawn: "+err.Error()
	case answer.Verdict != permissions.Approve:
		status = "failed"
	}
	if card == "" && err == nil && s.b.o.Person == nil { // the answer was there before its turn
		card = s.b.ours.nextID()
		at.add(s.openCard(id, card, q))
	}
	if card != "" {
		at.add(updateFrame(id, cardUpdate{
			SessionUpdate: "tool_call_update", ToolCallID: card, Status: status,
			Content: contentWith(questionContent(q), []string{"a2a-acp: " + note}),
		}))
	}
	if q.ToolCall == "" {
		return
	}
	s.b.mu.Lock()
	call := s.calls.get(q.ToolCall)
	s.b.mu.Unlock()
	at.add(s.b.decided(s, call, note, "")...)
}

func questionContent(q approval.Question) json.RawMessage {
	words := q.Text
	if lasts(q) {
		words = strings.TrimSpace(words + "\n\n" + inSession(q.Lasting, ""))
	}
	items := []any{text(words)}
	if q.Change != nil {
		items = append(items, diff{"diff", q.Change.Path, q.Change.OldText, q.Change.NewText})
	}
	return encode(items)
}

// diff is a file change, as ACP 1 shows it.
type diff struct {
	Type    string  `json:"type"`
	Path    string  `json:"path"`
	OldText *string `json:"oldText"`
	NewText string  `json:"newText"`
}

func locationsOf(paths []string) json.RawMessage {
	if len(paths) == 0 {
		return nil
	}
	locations := make([]map[string]string, len(paths))
	for i, path := range paths {
		locations[i] = map[string]string{"path": path}
	}
	return encode(locations)
}

// cardKind returns an action as ACP's tool kind.
func cardKind(action permissions.Action) string {
	for kind, a := range actions {
		if a == action {
			return kind
		}
	}
	return "other"
}

// bare returns the update as a ToolCallUpdate that stands in another frame.
func (u cardUpdate) bare() any {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(encode(u), &m); err != nil {
		panic("a2a-acp: bug: " + err.Error())
	}
	delete(m, "sessionUpdate")
	return m
}

// ---- our own requests to the editor

// ourRequests are the requests that we have put to the editor. Their ids begin with a prefix that nobody
// else knows, so they cannot collide with the agent's.
type ourRequests struct {
	prefix string

	mu   sync.Mutex
	next int
	acts int
	open map[string]chan ourAnswer
	gone error // set when there is nobody left to wait
}

// ourAnswer is the editor's answer to a request of ours. Exactly one field is set.
type ourAnswer struct {
	result []byte
	failed string // the message of an error response
}

func newOurRequests(prefix string) *ourRequests {
	return &ourRequests{prefix: prefix, open: map[string]chan ourAnswer{}}
}

// nextID makes an id that was never used before.
func (r *ourRequests) nextID() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next++
	return fmt.Sprintf("%s%d", r.prefix, r.next)
}

// nextActID makes an id for the record.
func (r *ourRequests) nextActID() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.acts++
	return fmt.Sprintf("%sact-%d", r.prefix, r.acts)
}

// ask sends a request and waits for its answer. When ctx ends first, the request is withdrawn, and an
// answer that comes later is swallowed.
func (r *ourRequests) ask(ctx context.Context, at *place, method string, params any) (ourAnswer, error) {
	id := r.nextID()
	answers := make(chan ourAnswer, 1)
	r.mu.Lock()
	if r.gone != nil {
		r.mu.Unlock()
		return ourAnswer{}, r.gone
	}
	r.open[id] = answers
	r.mu.Unlock()
	at.put(request(id, method, params))
	select {
	case answer, ok := <-answers:
		if !ok {
			return ourAnswer{}, r.gone
		}
		return answer, nil
	case <-ctx.Done():
		r.mu.Lock()
		_, waiting := r.open[id]
		delete(r.open, id)
		r.mu.Unlock()
		if waiting {
			at.add(request("", methodCancelRequest, map[string]string{"requestId": id}))
		}
		return ourAnswer{}, context.Cause(ctx)
	}
}

// has reports whether an id is one that a request of ours has, or may have.
func (r *ourRequests) has(id []byte) bool {
	text, err := ndjson.String(id)
	return err == nil && strings.HasPrefix(text, r.prefix)
}

// answered takes a response whose id is one of ours, whether anybody still waits for it or not.
func (r *ourRequests) answered(frame ndjson.Frame) bool {
	if !r.has(frame.ID) {
		return false
	}
	id, _ := ndjson.String(frame.ID)
	r.mu.Lock()
	defer r.mu.Unlock()
	answers, ok := r.open[id]
	if !ok {
		return true
	}
	delete(r.open, id)
	answer := ourAnswer{result: append([]byte(nil), frame.Result...)}
	if len(frame.Result) == 0 || unclear(frame) != "" {
		answer = ourAnswer{failed: "an error"}
		if e, err := exactObject(frame.Error); err == nil && e.text("message") != "" {
			answer.failed = display.Line(e.text("message"))
		}
	}
	answers <- answer // never blocks: one answer, room for one
	return true
}

// closeAll ends every wait.
func (r *ourRequests) closeAll(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone = why
	for id, answers := range r.open {
		delete(r.open, id)
		close(answers)
	}
}
