package a2a

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// writePatience is how long a client may take to read what it is told. One that does not read is cut; it can
// come back with Last-Event-ID.
const writePatience = 30 * time.Second

// sse tells a stream as server-sent events. tell makes the data of one event, and fail that of an error, with
// which the stream ends.
func (s *Server) sse(ctx context.Context, w http.ResponseWriter, from *stream, tell func(news) ([]byte, error),
	fail func(*Error) []byte) {
	s.o.Streams(ctx)
	control := http.NewResponseController(w)
	writeEventStream(w)
	var out bytes.Buffer
	send := func() error {
		_ = control.SetWriteDeadline(time.Now().Add(writePatience)) // what has none needs none
		_, err := w.Write(out.Bytes())
		out.Reset()
		if err == nil {
			err = control.Flush()
		}
		return err
	}
	for {
		waiting, over := context.WithTimeoutCause(ctx, s.o.KeepAlive, errSilent)
		list, err := from.next(waiting)
		over()
		switch {
		case errors.Is(err, errSilent) && ctx.Err() == nil:
			out.WriteString(": waiting\n\n")
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			if ctx.Err() == nil && !errors.Is(err, tasklog.ErrClosed) {
				writeEvent(&out, 0, fail(s.explain(err)))
				_ = send() // it is the last word
			}
			return
		}
		for _, n := range list {
			data, err := tell(n)
			if err != nil {
				writeEvent(&out, 0, fail(s.explain(err)))
				_ = send()
				return
			}
			writeEvent(&out, n.id, data)
		}
		if send() != nil {
			return // the client has gone, or does not read
		}
	}
}

// writeEventStream begins an answer that is a stream of events.
func writeEventStream(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache")
	header.Set("X-Accel-Buffering", "no") // for nginx in between
	w.WriteHeader(http.StatusOK)
}

// errSilent is why a stream stops waiting for what comes next.
var errSilent = errors.New("nothing has happened")

// writeEvent writes an event. JSON holds no line breaks.
func writeEvent(out *bytes.Buffer, id int64, data []byte) {
	if id > 0 {
		out.WriteString("id: ")
		out.WriteString(strconv.FormatInt(id, 10))
		out.WriteByte('\n')
	}
	out.WriteString("data: ")
	out.Write(data)
	out.WriteString("\n\n")
}
