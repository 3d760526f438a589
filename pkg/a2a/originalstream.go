package a2a

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/coder/websocket"

	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// The original tells the news of many tasks in one stream: of all of a caller's, or of those that task_filter names.

// The bounds of a watch.
const (
	mostWatched = 1000             // tasks
	watchAtOnce = 64               // events of a task
	mostWatches = 200              // of each kind at a time
	mostWatchBy = 50               // of them one principal's
	longestWord = 64 << 10         // bytes that the client of a WebSocket says at once
	watchPause  = 10 * time.Second // between two looks for tasks that are new, where nothing is told of any
)

// The kinds of streams.
const (
	watchedSSE = iota
	watchedSocket
)

// watch follows many tasks. It is used by one goroutine.
type watch struct {
	server *Server
	q      *query
	only   []string // the tasks that are meant; nil for all of the caller's

	seen  map[string]int64 // by task: the last event that was told
	since time.Time        // when tasks were last looked for
	said  chan []byte      // what the client says meanwhile; nil where it can say nothing
}

// newWatch begins with what happens from now on.
func (s *Server) newWatch(ctx context.Context, r *http.Request, at *endpoint) (*watch, error) {
	w := &watch{server: s, q: s.newQuery(r, at, version03)}
	return w, w.follow(ctx, strings.Split(r.URL.Query().Get("task_filter"), ","))
}

// follow begins anew, with these tasks, or with all of the caller's where none is named.
func (w *watch) follow(ctx context.Context, ids []string) error {
	var only []string
	seen, since := map[string]int64{}, w.server.o.Now()
	for _, id := range ids {
		if id = strings.TrimSpace(id); id != "" && !slices.Contains(only, id) && len(only) < mostMentioned {
			only = append(only, id)
		}
	}
	for _, id := range only {
		t, err := w.server.task(ctx, w.q, wire.TaskID(id))
		if err != nil {
			return err
		}
		seen[id] = t.Seq
	}
	if only == nil {
		for _, state := range []tasklog.State{tasklog.Submitted, tasklog.Working, tasklog.InputRequired, tasklog.AuthRequired} {
			list, err := w.list(ctx, tasklog.Query{State: state})
			if err != nil {
				return err
			}
			for _, t := range list {
				seen[t.ID] = t.Seq
			}
		}
	}
	w.only, w.seen, w.since = only, seen, since
	return nil
}

// established is what a stream begins with.
func (w *watch) established() []byte { return w.note("connection_established", nil) }

// note is what a stream says of itself.
func (w *watch) note(kind string, tasks []string) []byte {
	said := map[string]any{"type": kind, "timestamp": w.server.o.Now().UTC()}
	if tasks != nil {
		said["taskIds"] = tasks
	}
	body, err := json.Marshal(said)
	if err != nil { // there is nothing in it that JSON has no words for
		return []byte("{}")
	}
	return body
}

// answer does what the client says: ping, subscribe to tasks, or unsubscribe from them, which is to follow all.
func (w *watch) answer(ctx context.Context, said []byte) ([]byte, error) {
	var asked struct {
		Type  string   `json:"type"`
		Tasks []string `json:"taskIds"`
	}
	if checkedNames(said) != nil || json.Unmarshal(said, &asked) != nil {
		asked.Type = ""
	}
	switch asked.Type {
	case "ping":
		return w.note("pong", nil), nil
	case "unsubscribe":
		asked.Tasks = nil
	case "subscribe":
	default:
		return w.note("error", nil), nil
	}
	kind, err := "subscription_updated", w.follow(ctx, asked.Tasks)
	var refused *Error
	if errors.As(err, &refused) { // it goes on with those that it follows
		kind, err = "error", nil
	}
	return w.note(kind, append([]string{}, w.only...)), err // those that it follows from here on
}

func (w *watch) list(ctx context.Context, q tasklog.Query) ([]tasklog.Task, error) {
	q.Door, q.Owner, q.Anyones, q.Most = w.q.at.door, w.q.caller.Name, w.q.caller.Admin, mostWatched
	list, _, _, err := w.server.o.Log.List(ctx, q)
	return list, err
}

// next returns what has happened, each as 0.3 has it; it waits until there is something, or the time for a sign of
// life has come.
func (w *watch) next(ctx context.Context) (told [][]byte, err error) {
	waiting, over := context.WithTimeout(ctx, w.server.o.KeepAlive)
	defer over()
	for {
		news := w.server.o.Log.News()
		if told, err = w.look(ctx); err != nil || len(told) > 0 {
			return told, err
		}
		select {
		case <-news:
		case said := <-w.said:
			answer, err := w.answer(ctx, said)
			return [][]byte{answer}, err
		case <-waiting.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// look returns what has happened to the tasks since it last looked.
func (w *watch) look(ctx context.Context) (told [][]byte, err error) {
	if w.only == nil {
		began := w.server.o.Now()
		list, err := w.list(ctx, tasklog.Query{Since: w.since.Add(-watchPause)})
		if err != nil {
			return nil, err
		}
		for _, t := range list {
			if _, known := w.seen[t.ID]; !known && !t.Created.Before(w.since.Add(-watchPause)) && len(w.seen) < mostWatched {
				w.seen[t.ID] = 0
			}
		}
		w.since = began
	}
	for id, seq := range w.seen {
		t, err := w.server.o.Log.Get(ctx, id)
		if errors.Is(err, tasklog.ErrNotFound) {
			delete(w.seen, id)
			continue
		}
		if err != nil {
			return nil, err
		}
		if t.Seq == seq {
			// One that ended long ago is not found again.
			if w.only == nil && t.State.Ended() && t.Changed.Before(w.since.Add(-watchPause-time.Second)) {
				delete(w.seen, id)
			}
			continue
		}
		list, err := w.server.o.Log.Events(ctx, t, seq, watchAtOnce)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			data, err := legacyNews(news{e.Seq, e.State, e.Body})
			if err != nil {
				return nil, err
			}
			told, w.seen[id] = append(told, data), e.Seq
		}
	}
	return told, nil
}

func (s *Server) originalSSE(w http.ResponseWriter, r *http.Request, at *endpoint) {
	if r.Method != http.MethodGet {
		s.notAllowed(w, http.MethodGet)
		return
	}
	ctx := r.Context()
	from, err := s.newWatch(ctx, r, at)
	if err == nil {
		err = s.watchers.enter(watchedSSE, from.q.caller.Name)
	}
	if err != nil {
		writeREST(w, r, s.explain(err))
		return
	}
	defer s.watchers.leave(watchedSSE, from.q.caller.Name)
	s.o.Streams(ctx)
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	var out bytes.Buffer
	writeEvent(&out, 0, from.established())
	for {
		_ = control.SetWriteDeadline(time.Now().Add(writePatience)) // what has none needs none
		if _, err := w.Write(out.Bytes()); err != nil || control.Flush() != nil {
			return
		}
		out.Reset()
		told, err := from.next(ctx)
		if err != nil {
			return
		}
		for _, data := range told {
			writeEvent(&out, 0, data)
		}
		if len(told) == 0 {
			out.WriteString(": waiting\n\n")
		}
	}
}

// originalWebSocket is originalSSE on a WebSocket, where the client can say which tasks it follows.
func (s *Server) originalWebSocket(w http.ResponseWriter, r *http.Request, at *endpoint) {
	from, err := s.newWatch(r.Context(), r, at)
	if err == nil {
		err = s.watchers.enter(watchedSocket, from.q.caller.Name)
	}
	if err != nil {
		writeREST(w, r, s.explain(err))
		return
	}
	defer s.watchers.leave(watchedSocket, from.q.caller.Name)
	s.o.Streams(r.Context())
	c, err := websocket.Accept(w, r, nil) // a page of another origin is refused
	if err != nil {
		return // it has been told
	}
	defer c.CloseNow() //nolint:errcheck // it is closed
	ctx, gone := context.WithCancel(r.Context())
	defer gone()
	from.said = make(chan []byte)
	c.SetReadLimit(longestWord)
	go func() {
		defer gone() // with the client
		for {
			_, said, err := c.Read(ctx)
			if err != nil {
				return
			}
			select {
			case from.said <- said:
			case <-ctx.Done():
				return
			}
		}
	}()
	send := func(data []byte) error {
		writing, over := context.WithTimeout(ctx, writePatience)
		defer over()
		return c.Write(writing, websocket.MessageText, data)
	}
	if send(from.established()) != nil {
		return
	}
	for {
		told, err := from.next(ctx)
		if err != nil {
			return
		}
		if len(told) == 0 {
			living, over := context.WithTimeout(ctx, writePatience)
			err = c.Ping(living)
			over()
		}
		for _, data := range told {
			if err == nil {
				err = send(data)
			}
		}
		if err != nil {
			return
		}
	}
}
