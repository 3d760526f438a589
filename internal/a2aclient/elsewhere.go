package a2aclient

import (
	"context"
	"errors"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
)

// Answered waits until a task that waits for its client goes on, since somebody has answered elsewhere. It reports
// false where ctx ends before, and where the server does not tell.
func (c *Client) Answered(ctx context.Context, id string) bool {
	for try := range mostTries {
		goesOn, err := c.answered(ctx, id)
		var said *Error
		if goesOn || errors.As(err, &said) {
			return goesOn
		}
		if c.x.o.wait(ctx, min(time.Second<<try, longestPause)) != nil {
			return false
		}
	}
	return false
}

// answered follows one stream of the task, or looks at it where the server has no streams.
func (c *Client) answered(ctx context.Context, id string) (bool, error) {
	if !c.Card.Streaming {
		task, err := c.Task(ctx, wire.TaskID(id))
		return err == nil && !End{Status: task.Status}.Waits(), err
	}
	s, err := c.Subscribe(ctx, wire.TaskID(id), "")
	if err != nil {
		return false, err
	}
	defer s.Close()
	for {
		event, err := s.Next()
		if err != nil {
			return false, err
		}
		if string(event.TaskInfo().TaskID) != id {
			continue
		}
		switch e := event.(type) {
		case *wire.Task:
			if !(End{Status: e.Status}).Waits() {
				return true, nil
			}
		case *wire.TaskStatusUpdateEvent:
			if !(End{Status: e.Status}).Waits() {
				return true, nil
			}
		}
	}
}
