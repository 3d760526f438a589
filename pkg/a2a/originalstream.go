package a2a

import (
	"bytes"
	"context"
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
	watchPause  = 10 * time.Second // between two looks for tasks that are new, where nothing is told of any
)

// watch follows many tasks. It is used by one goroutine.
type watch struct {
	server *Server
	q      *query
	only   []string // the tasks that are meant; nil for all of the caller's

	seen  map[string]int64 // by task: the last event that was told
	since time.Time        // when tasks were last looked for
}

// newWatch begins with what happens from now on.
func (s *Server) newWatch(ctx context.Context, r *http.Request, at *endpoint) (*watch, error) {
	q := s.newQuery(r, at, version03)
	w := &watch{server: s, q: q, seen: map[string]int64{}, since: s.o.Now()}
	for id := range strings.SplitSeq(r.URL.Query().Get("task_filter"), ",") {
		if id = strings.TrimSpace(id); id != "" && !slices.Contains(w.only, id) && len(w.only) < mostMentioned {
			w.only = append(w.only, id)
		}
	}
	for _, id := range w.only {
		t, err := s.task(ctx, q, wire.TaskID(id))
		if err != nil {
			return nil, err
		}
		w.seen[id] = t.Seq
	}
	if w.only != nil {
		return w, nil
	}
	for _, state := range []tasklog.State{tasklog.Submitted, tasklog.Working, tasklog.InputRequired, tasklog.AuthRequired} {
		list, err := w.list(ctx, tasklog.Query{State: state})
		if err != nil {
			return nil, err
		}
		for _, t := range list {
			w.seen[t.ID] = t.Seq
		}
	}
	return w, nil
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

// enter counts a stream of a kind; it is false where there are too many.
func (s *Server) enter(kind int) bool {
	if s.watchers[kind].Add(1) <= mostWatches {
		return true
	}
	s.watchers[kind].Add(-1)
	return false
}

func (s *Server) originalSSE(w http.ResponseWriter, r *http.Request, at *endpoint) {
	if r.Method != http.MethodGet {
		s.notAllowed(w, http.MethodGet)
		return
	}
	ctx := r.Context()
	from, err := s.newWatch(ctx, r, at)
	if err == nil && !s.enter(0) {
		err = failf(errStopping, "there are %d such streams already", mostWatches)
	}
	if err != nil {
		writeREST(w, r, s.explain(err))
		return
	}
	defer s.watchers[0].Add(-1)
	s.o.Streams(ctx)
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	out := bytes.NewBufferString(": watching\n\n")
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
			writeEvent(out, 0, data)
		}
		if len(told) == 0 {
			out.WriteString(": waiting\n\n")
		}
	}
}

// originalWebSocket is originalSSE on a WebSocket. What the client says is not read.
func (s *Server) originalWebSocket(w http.ResponseWriter, r *http.Request, at *endpoint) {
	from, err := s.newWatch(r.Context(), r, at)
	if err == nil && !s.enter(1) {
		err = failf(errStopping, "there are %d such streams already", mostWatches)
	}
	if err != nil {
		writeREST(w, r, s.explain(err))
		return
	}
	defer s.watchers[1].Add(-1)
	s.o.Streams(r.Context())
	c, err := websocket.Accept(w, r, nil) // a page of another origin is refused
	if err != nil {
		return // it has been told
	}
	defer c.CloseNow()              //nolint:errcheck // it is closed
	ctx := c.CloseRead(r.Context()) // ends with the client, and with whatever it says
	send := func(data []byte) error {
		writing, over := context.WithTimeout(ctx, writePatience)
		defer over()
		return c.Write(writing, websocket.MessageText, data)
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
