package a2a

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// asking is a question that waits for a message.
type asking struct {
	question *wire.Message
	accept   func(*wire.Message) error
	over     func(cause error) map[string]any // what the task's metadata say of its end; nil for nothing
	answer   chan *wire.Message               // of capacity 1
}

// metadata is what is said of the question's end. cause is why it is put no more; nil where it was answered here.
func (a *asking) metadata(cause error) map[string]any {
	if a.over == nil {
		return nil
	}
	return a.over(cause)
}

// Ask asks the client, and returns the message that answers. accept, which is called before the message counts,
// may refuse it with an error, which its sender is told; then the question goes on. Where several ask at the same
// time, a message has to say which question it answers (see requestOf): a client is shown one of them, and its yes
// must not be another's.
//
// question is the message of the task's new status, unless the task waits for its answer already, since an earlier process
// has asked it: then nothing happens to the task. When ctx ends, the question is taken back: unless the server ends, the
// task works again.
func (t *Turn) Ask(ctx context.Context, question *wire.Message, accept func(*wire.Message) error) (*wire.Message, error) {
	return t.ask(ctx, &asking{question: question, accept: accept})
}

func (t *Turn) ask(ctx context.Context, a *asking) (*wire.Message, error) {
	r, question := t.run, a.question
	a.answer = make(chan *wire.Message, 1)
	r.mu.Lock()
	var err error
	if !r.stands(question) {
		err = r.append(ctx, nil, &wire.TaskStatusUpdateEvent{
			Status: wire.TaskStatus{State: wire.TaskStateInputRequired, Message: question}})
	}
	if err == nil {
		r.asking = append(r.asking, a)
		close(r.asked)
		r.asked = make(chan struct{})
	}
	r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	r.count(-1)
	defer r.count(1)
	select {
	case answer := <-a.answer:
		return answer, nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case answer := <-a.answer: // it came first
		return answer, nil
	default:
	}
	r.drop(a)
	if r.ctx.Err() == nil {
		err = r.append(context.WithoutCancel(ctx), nil, &wire.TaskStatusUpdateEvent{Status: r.without(a),
			Metadata: a.metadata(context.Cause(ctx))})
	}
	return nil, errors.Join(context.Cause(ctx), err)
}

// stands reports whether a question stands in the task, and nothing was said to it since. mu is held.
func (r *run) stands(question *wire.Message) bool {
	if r.head.State != tasklog.InputRequired {
		return false
	}
	for _, m := range slices.Backward(append(slices.Clone(r.task.History), r.task.Status.Message)) {
		switch {
		case m == nil:
		case m.Role == wire.MessageRoleUser:
			return false
		case sameQuestion(m, question):
			return true
		}
	}
	return false
}

// sameQuestion reports whether two messages ask the same: by the id of the question, or else word for word.
func sameQuestion(a, b *wire.Message) bool {
	one, other := text(a.Metadata, "requestId"), text(b.Metadata, "requestId")
	if one != "" || other != "" {
		return one == other
	}
	said, err := json.Marshal(a.Parts)
	again, err2 := json.Marshal(b.Parts)
	return err == nil && err2 == nil && bytes.Equal(said, again)
}

// without is how the task stands but for one question: it waits for the others, of which the last is shown, or works.
func (r *run) without(a *asking) wire.TaskStatus {
	for _, other := range slices.Backward(r.asking) {
		if other != a {
			return wire.TaskStatus{State: wire.TaskStateInputRequired, Message: other.question}
		}
	}
	return wire.TaskStatus{State: wire.TaskStateWorking}
}

func (r *run) drop(a *asking) {
	for i, other := range r.asking {
		if other == a {
			r.asking = append(r.asking[:i:i], r.asking[i+1:]...)
			return
		}
	}
}

// receive gives a message of the client to whoever waits for one. It returns the task as it is with the message.
func (r *run) receive(ctx context.Context, message *wire.Message) (tasklog.Task, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.asking) == 0 {
		return r.head, failf(errUnsupported, "task %s is %s and waits for no message: it was answered before, or is under way",
			r.head.ID, r.head.State)
	}
	if sizeOfMessage(message) > mostAnswer { // it is kept in memory with the task, and there may be many
		return r.head, invalid("message", "an answer is longer than %d KiB", mostAnswer>>10)
	}
	a, err := r.meant(message)
	if err == nil {
		err = a.accept(message)
	}
	if err == nil {
		event := &wire.TaskStatusUpdateEvent{Status: r.without(a), Metadata: a.metadata(nil)}
		err = r.append(ctx, message, event)
	}
	if err != nil {
		return r.head, err
	}
	r.drop(a)
	a.answer <- message
	return r.head, nil
}

// meant returns the question that a message answers: the one that it names, and no other. mu is held.
func (r *run) meant(message *wire.Message) (*asking, error) {
	about := requestOf(message)
	for _, a := range r.asking {
		id := text(a.question.Metadata, "requestId")
		if about == id && id != "" || about == "" && id != "" && strings.HasSuffix(spoken(message), " "+id) {
			return a, nil
		}
	}
	if about != "" && text(r.asking[0].question.Metadata, "requestId") != "" {
		return nil, invalid("message.parts", "no question with the requestId %.60q is open", about)
	}
	return r.asking[0], r.unnamed(message)
}

// unnamed refuses an answer that does not say which question it is for, where that is not plain: where several stand, and
// a yes where the task has asked for anything before, be it a text, or has been answered. Whoever was shown that, and answers
// a moment after somebody else has, or after the agent has taken it back, would say yes to what he has not read. mu is held.
func (r *run) unnamed(message *wire.Message) error {
	if len(r.asking) > 1 {
		var questions []string
		for _, a := range r.asking {
			questions = append(questions, titled(a.question))
		}
		return invalid("message.parts", "task %s waits for %d answers; say with requestId, or as in %q, which one this is: %s",
			r.head.ID, len(r.asking), "allow "+text(r.asking[0].question.Metadata, "requestId"), strings.Join(questions, "; "))
	}
	now := r.asking[0].question
	rejects := strings.HasPrefix(words[strings.ToLower(spoken(message))], "reject")
	if now.Metadata[optionsKey] == nil || rejects || !r.askedBefore(now) {
		return nil
	}
	return invalid("message.parts", "task %s has asked more than once, and a yes that names no question could be to one before; "+
		"if it is to this one, send %q, or its requestId with one of %s: %s",
		r.head.ID, "allow "+text(now.Metadata, "requestId"), optionIDs(optionsOf(now)), titled(now))
}

// askedBefore reports whether the task has asked for something else than it does now, or was told something since it began.
// mu is held.
func (r *run) askedBefore(now *wire.Message) bool {
	told := 0
	for _, m := range append(slices.Clone(r.task.History), r.task.Status.Message) {
		switch {
		case m == nil:
		case m.Role == wire.MessageRoleUser:
			told++
		case m.Metadata["requestId"] != nil && text(m.Metadata, "requestId") != text(now.Metadata, "requestId"):
			return true
		}
	}
	return told > 1
}

// titled is a question's name, and what it asks in a line.
func titled(question *wire.Message) string {
	title, _, _ := strings.Cut(question.Parts[0].Text(), "\n")
	return fmt.Sprintf("%s (%.80q)", text(question.Metadata, "requestId"), title)
}

// spoken is what a message says that is a text and nothing else.
func spoken(m *wire.Message) string {
	if len(m.Parts) != 1 {
		return ""
	}
	return strings.TrimSpace(m.Parts[0].Text())
}
