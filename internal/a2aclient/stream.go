package a2aclient

import (
	"context"
	"errors"
	"fmt"
	"io"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
)

// Stream tells what happens to a task. It is used by one goroutine. Close it.
type Stream struct {
	client *Client
	ctx    context.Context
	stop   context.CancelFunc
	body   io.Closer
	events eventReader

	// LastID is the id of the last event, by which a stream goes on where it broke off; "" where the server gives
	// none.
	LastID string
}

// eventReader reads the events of a stream: the JSON of the next one and its id, "" where it has none. It returns io.EOF at
// the end.
type eventReader interface {
	next() (data []byte, id string, err error)
}

// SendStreaming sends a message, and returns the stream of what comes of it.
func (c *Client) SendStreaming(ctx context.Context, r *wire.SendMessageRequest) (*Stream, error) {
	return c.open(ctx, streamMessage, r, "")
}

// Subscribe returns a stream of a task that there is. lastID is that of a stream of the task that broke off; a
// server that does not know it begins with the task as it is.
func (c *Client) Subscribe(ctx context.Context, id wire.TaskID, lastID string) (*Stream, error) {
	return c.open(ctx, subscribeToTask, &wire.SubscribeToTaskRequest{ID: id}, lastID)
}

func (c *Client) open(ctx context.Context, op *operation, params any, lastID string) (*Stream, error) {
	if c.Interface.Binding == GRPC {
		return c.openGRPC(ctx, op, params)
	}
	request, err := c.request(op, params)
	if err != nil {
		return nil, err
	}
	request.header.Set("Accept", "text/event-stream")
	if lastID != "" {
		request.header.Set("Last-Event-Id", lastID)
	}
	ctx, stop := context.WithCancel(ctx)
	answer, err := c.x.do(ctx, request.method, request.url, request.header, request.body) //nolint:bodyclose // Close closes it
	if err != nil {
		stop()
		return nil, err
	}
	s := &Stream{client: c, ctx: ctx, stop: stop, body: answer.Body, LastID: lastID}
	if streams(answer) {
		s.events = newSSEReader(answer.Body)
		return s, nil
	}
	defer s.Close()
	body, err := readAnswer(ctx, answer, mostAnswer)
	if err != nil {
		return nil, err
	}
	if _, err = c.result(body); err == nil {
		err = fmt.Errorf("%s: the server answers with no stream", op.name)
	}
	return nil, err
}

// Next returns the next event. It returns io.EOF where the server has ended the stream, and an *Error where it has
// told one.
func (s *Stream) Next() (wire.Event, error) {
	for {
		data, id, err := s.events.next()
		var said *Error
		switch {
		case s.ctx.Err() != nil:
			return nil, context.Cause(s.ctx)
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		case errors.As(err, &said):
			return nil, said
		case err != nil:
			return nil, fmt.Errorf("the stream breaks off: %w", err)
		case len(data) == 0:
			continue
		}
		body, err := s.client.result(data)
		if err != nil {
			return nil, err
		}
		event, err := s.client.readEvent(body)
		if err != nil {
			return nil, fmt.Errorf("an event of the stream cannot be read: %w", err)
		}
		if id != "" {
			s.LastID = id
		}
		return event, nil
	}
}

// Close ends the stream.
func (s *Stream) Close() {
	s.stop()
	_ = s.body.Close() // it ends with its context
}
