package executor

import (
	"context"
	"errors"

	"github.com/a2a-acp/a2a-acp/internal/answer"
	"github.com/a2a-acp/a2a-acp/internal/httptool"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// eventSink is a stream as what an answer's body goes to.
type eventSink struct{ *answer.Stream }

func (e eventSink) Write(p []byte) (int, error) {
	n, err := e.Stream.Write(p)
	if errors.Is(err, answer.ErrEnd) {
		err = httptool.ErrEnough
	}
	return n, err
}

// stream sends a request whose answer is a stream, and tells its events as they come. told is where their lines go. Both
// the answer and the lines have the bounds of an answer.
func (r requests) stream(ctx context.Context, a *act, x httptool.Exchange, told *httptool.Body) outcome {
	work := requestOf(a.invocation)
	lines := a.entry.Answer.Stream(told, x.Limits.Bytes)
	body := &httptool.Body{To: eventSink{lines}, Begin: lines.Begin}
	answered, err := r.client.Do(ctx, x, body)
	failure := err
	if err == nil && !body.Truncated {
		failure = lines.Close()
	}
	out := outcome{ExitCode: -1, Stdout: told.Data, OutputBytes: told.Bytes, Elapsed: answered.Elapsed,
		HTTP: &tool.HTTPReport{Method: work.shown(a).Method, URL: work.shown(a).URL, Status: answered.Status}}
	if err != nil {
		out.Ended = asFailure(err, tool.FailInternal)
		return out
	}
	out.answered(answered, now(r.now))
	switch {
	case body.Truncated, errors.Is(failure, answer.ErrTooLong):
		out.tooLong(a, x.Limits.Bytes)
	case failure != nil && out.ExitCode == 0:
		out.Ended = tool.Failf(tool.FailNoJSON, "the request was answered, and %v; what came before is kept (%s)", failure,
			a.tool.Source)
	}
	return out
}
