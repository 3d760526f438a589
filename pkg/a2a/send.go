package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"slices"
	"strings"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// The bounds of a message.
const (
	mostParts     = 1000
	longestID     = 256
	mostMentioned = 100 // extensions and other tasks
)

// sent is what came of a message: a task as it is with the message, or an answer without a task.
type sent struct {
	task  tasklog.Task
	reply *wire.Message
	// follower begins behind the event that the message has led to, or with that which began the task. The receiver
	// closes it. It is nil for a reply.
	follower *tasklog.Follower
	begun    bool // the task has begun with the message
}

// send takes a message: it begins a task, or goes on with one.
func (s *Server) send(ctx context.Context, q *query, params *wire.SendMessageRequest) (sent, error) {
	if err := checkSend(params); err != nil {
		return sent{}, err
	}
	card := q.at.agent.Card(q.caller)
	if err := checkExtensions(card, q.extensions); err != nil {
		return sent{}, err
	}
	if err := checkModes(card, params.Message); err != nil {
		return sent{}, err
	}
	push := (*wire.PushConfig)(nil)
	if params.Config != nil && params.Config.PushConfig != nil {
		push = params.Config.PushConfig
		if err := s.checkPush(push); err != nil {
			return sent{}, err
		}
	}
	if s.Ready() != nil {
		return sent{}, failf(errStopping, "%v; send it again in a moment", errEnds)
	}
	if params.Message.TaskID != "" {
		got, err := s.goOn(ctx, q, params.Message)
		if err == nil && push != nil {
			_, err = s.putPush(ctx, q, got.task, push)
		}
		if err == nil {
			got.follower, err = s.o.Log.Follow(ctx, got.task.ID, got.task.Seq)
		}
		return got, err
	}
	return s.begin(ctx, q, params.Message, push)
}

// begin begins a task with a message. Where push is wanted, it is so from the first event on.
func (s *Server) begin(ctx context.Context, q *query, message *wire.Message, push *wire.PushConfig) (sent, error) {
	if message.ContextID == "" {
		message.ContextID = wire.NewContextID()
	}
	reply, err := q.at.agent.Receive(ctx, q.caller, message)
	if err != nil {
		return sent{}, err
	}
	if reply != nil {
		reply.ContextID = message.ContextID
		return sent{reply: reply}, nil
	}
	if err := s.room(q.caller, sizeOfMessage(message)); err != nil {
		return sent{}, err
	}
	if err := s.roomOnDisk(ctx, q.caller.Name, int64(sizeOfMessage(message))); err != nil {
		return sent{}, err
	}
	message.TaskID = wire.NewTaskID()
	task := &wire.Task{ID: message.TaskID, ContextID: message.ContextID,
		Status: wire.TaskStatus{State: wire.TaskStateSubmitted}, History: []*wire.Message{message}}
	from := origin{q.caller.Workspace, slices.Contains(q.extensions, DevelopmentExtension)}
	step, err := s.step(tasklog.Task{}, task)
	if err == nil {
		step.Input, err = json.Marshal(from)
	}
	if err != nil {
		return sent{}, err
	}
	// Not with the client's patience: a task that is there is worked on. It is followed before anything else can happen,
	// so that nothing has to be read from disk.
	ctx = context.WithoutCancel(ctx)
	t, follower, created, err := s.o.Log.Begin(ctx, tasklog.Task{ID: string(task.ID), Door: q.at.door,
		Owner: q.caller.Name, Context: task.ContextID}, step)
	if err != nil {
		return sent{}, err
	}
	if push == nil { // what its work says at once is written with its beginning
		err = s.run(q.at, q.caller, from, t, task, message, q.at.agent.Work)
	}
	t, failed := created()
	if err = errors.Join(failed, err); err == nil && push != nil {
		if _, err = s.putPush(ctx, q, t, push); err == nil {
			err = s.run(q.at, q.caller, from, t, task, message, q.at.agent.Work)
		}
	}
	if err != nil {
		follower.Close()
		if failed == nil {
			_ = s.lose(ctx, t) // if that fails, too, the next start does it
		}
		return sent{}, err
	}
	return sent{task: t, follower: follower, begun: true}, nil
}

// goOn gives a message to a task that there is.
func (s *Server) goOn(ctx context.Context, q *query, message *wire.Message) (sent, error) {
	t, err := s.task(ctx, q, message.TaskID)
	switch {
	case err != nil:
		return sent{}, err
	case t.Owner != q.caller.Name: // what is said in it is its owner's word, and so is a yes
		return sent{}, failf(errUnsupported, "task %s is another principal's, who alone goes on with it", t.ID)
	case message.ContextID != "" && message.ContextID != t.Context:
		return sent{}, invalid("message.contextId", "task %s is in another context", t.ID)
	case t.State.Ended():
		return sent{}, failf(errUnsupported, "task %s has ended: it is %s. Begin another one, in the same context", t.ID, t.State)
	case q.caller.NoTools: // a yes has something done, too
		return sent{}, errNoTools()
	}
	message.ContextID = t.Context
	for r := s.of(t.ID); r != nil; r = s.of(t.ID) {
		waits, later := r.waits()
		if waits {
			t, err := r.receive(context.WithoutCancel(ctx), message)
			return sent{task: t}, err
		}
		if !r.interrupted() {
			break
		}
		select { // it is about to ask, as after a restart, or the turn before is about to end
		case <-later:
		case <-r.over:
		case <-ctx.Done():
			return sent{}, context.Cause(ctx)
		}
	}
	if t, err = s.task(ctx, q, message.TaskID); err != nil {
		return sent{}, err
	}
	if !t.State.Interrupted() {
		return sent{}, failf(errUnsupported, "task %s is %s and waits for no message", t.ID, t.State)
	}
	if err := s.roomOnDisk(ctx, t.Owner, int64(sizeOfMessage(message))); err != nil {
		return sent{}, err
	}
	if t, err = s.o.Log.Take(ctx, t.ID); err != nil {
		return sent{}, failf(errUnsupported, "task %s is worked on elsewhere", message.TaskID)
	}
	snap, err := s.snapshot(ctx, t)
	if err != nil {
		return sent{}, err
	}
	event := statusEvent(t, wire.TaskStateWorking, nil)
	step, err := s.step(t, event)
	if err != nil {
		return sent{}, err
	}
	if step.Input, err = json.Marshal(message); err != nil {
		return sent{}, err
	}
	step.From = t.State
	next, err := s.o.Log.Append(context.WithoutCancel(ctx), t.ID, step)
	switch {
	case errors.Is(err, tasklog.ErrMoved):
		return sent{}, failf(errUnsupported, "task %s was answered before", t.ID)
	case err != nil:
		return sent{}, err
	}
	task := fold(snap.task, event, message)
	caller, from, err := s.callerOf(ctx, t)
	if err != nil {
		return sent{}, err
	}
	if err := s.run(q.at, caller, from, next, task, message, q.at.agent.Work); err != nil {
		return sent{}, errors.Join(err, s.waitAgain(context.WithoutCancel(ctx), next, snap.task.Status))
	}
	return sent{task: next}, nil
}

// waitAgain has a task wait as it did, whose message came when the server was about to end: nobody works on it, and the
// process that comes next would take it for lost.
func (s *Server) waitAgain(ctx context.Context, t tasklog.Task, as wire.TaskStatus) error {
	step, err := s.step(t, statusEvent(t, as.State, as.Message))
	if err == nil {
		_, err = s.o.Log.Append(ctx, t.ID, step)
	}
	return err
}

// waits reports whether somebody waits for a message of the client. later is closed when somebody else does.
func (r *run) waits() (waits bool, later chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.asking) > 0, r.asked
}

// interrupted reports whether the task waits for its client.
func (r *run) interrupted() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.head.State.Interrupted()
}

func (s *Server) sendMessage(ctx context.Context, q *query) (json.RawMessage, error) {
	params, err := decode[wire.SendMessageRequest](q)
	if err != nil {
		return nil, err
	}
	got, err := s.send(ctx, q, params)
	if err != nil {
		return nil, err
	}
	if got.reply != nil {
		return json.Marshal(wire.StreamResponse{Event: got.reply})
	}
	config := params.Config
	if config == nil {
		config = &wire.SendMessageConfig{}
	}
	defer got.follower.Close()
	t := got.task
	if !config.ReturnImmediately {
		if t, err = settled(ctx, t, got.follower); err != nil {
			return nil, err
		}
	}
	snap, err := s.snapshot(ctx, t)
	if err != nil {
		return nil, err
	}
	if reply := messageInstead(snap.task); reply != nil && got.begun {
		return json.Marshal(wire.StreamResponse{Event: reply})
	}
	encoded, err := encodeTask(snap, config.HistoryLength)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte(`{"task":`), encoded, []byte(`}`)), nil
}

// settled waits until a task has ended, or waits for somebody.
func settled(ctx context.Context, t tasklog.Task, f *tasklog.Follower) (tasklog.Task, error) {
	for !t.State.Ended() && !(t.State.Interrupted()) {
		events, err := f.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return t, err
		}
		last := events[len(events)-1]
		t.Seq, t.State = last.Seq, last.State
	}
	return t, nil
}

// checkSend checks a request to send a message.
func checkSend(params *wire.SendMessageRequest) error {
	m := params.Message
	if m == nil {
		return invalid("message", "there is none")
	}
	if config := params.Config; config != nil {
		if err := checkHistoryLength(config.HistoryLength); err != nil {
			return err
		}
	}
	var wrong []*Error
	if m.Role != wire.MessageRoleUser {
		wrong = append(wrong, invalid("message.role", "want ROLE_USER, found %.30q", m.Role.String()))
	}
	if len(m.Parts) == 0 || len(m.Parts) > mostParts {
		wrong = append(wrong, invalid("message.parts", "want 1 to %d parts, found %d", mostParts, len(m.Parts)))
	}
	for name, id := range map[string]string{"messageId": m.ID, "contextId": m.ContextID, "taskId": string(m.TaskID)} {
		if len(id) > longestID || strings.ContainsFunc(id, isControl) {
			wrong = append(wrong, invalid("message."+name, "it is longer than %d bytes, or holds control characters", longestID))
		}
	}
	if len(m.Extensions) > mostMentioned || len(m.ReferenceTasks) > mostMentioned {
		wrong = append(wrong, invalid("message", "it mentions more than %d extensions or tasks", mostMentioned))
	}
	if m.ID == "" {
		m.ID = wire.NewMessageID()
	}
	for _, part := range m.Parts {
		if part == nil || part.Content == nil {
			wrong = append(wrong, invalid("message.parts", "a part is empty"))
			break
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	wrong[0].wrong = wrong[1:]
	return wrong[0]
}

// isControl reports whether a character is one that an id does not hold.
func isControl(r rune) bool { return r < 0x20 || r == 0x7f }

// checkExtensions refuses a client that does not declare what the card requires.
func checkExtensions(card *wire.AgentCard, declared []string) error {
	for _, extension := range card.Capabilities.Extensions {
		if extension.Required && !slices.Contains(declared, extension.URI) {
			return failf(errExtension, "the extension %s is required; declare it with A2A-Extensions", extension.URI)
		}
	}
	return nil
}

// checkModes refuses a message with a part of a media type that the agent does not take.
func checkModes(card *wire.AgentCard, m *wire.Message) error {
	modes := slices.Clone(card.DefaultInputModes)
	for _, skill := range card.Skills {
		modes = append(modes, skill.InputModes...)
	}
	for i, part := range m.Parts {
		mode := part.MediaType
		if mode == "" {
			switch part.Content.(type) {
			case wire.Text:
				mode = "text/plain"
			case wire.Data:
				mode = "application/json"
			default:
				continue
			}
		}
		kind, _, err := mime.ParseMediaType(mode)
		if err != nil || !slices.ContainsFunc(modes, func(offered string) bool { return takes(offered, kind) }) {
			e := failf(errContentType, "part %d is %.60q; the agent takes %s", i, mode, strings.Join(modes, ", "))
			return e
		}
	}
	return nil
}

// takes reports whether a mode of a card, such as text/* or image/png, covers a media type.
func takes(offered, kind string) bool {
	main, any := strings.CutSuffix(offered, "/*")
	return offered == kind || offered == "*/*" || any && strings.HasPrefix(kind, main+"/")
}
