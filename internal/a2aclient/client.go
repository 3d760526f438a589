package a2aclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/a2agrpc"
)

// Client speaks with an agent at one of its interfaces. It is safe for concurrent use.
type Client struct {
	Card      *Card
	Interface Interface

	x       exchanger
	url     *url.URL
	version string
	grpc    a2agrpc.Service
}

// header returns what all requests have in common.
func (c *Client) header() (http.Header, error) {
	header := http.Header{"Accept": {"application/json"}}
	if c.version == Version10 || c.Interface.Binding == HTTPJSON {
		header.Set("A2a-Version", c.version)
	}
	if !c.x.o.Credential.IsZero() {
		name, value, err := c.x.o.Credential.header(c.Card)
		if err != nil {
			return nil, err
		}
		header.Set(name, value)
	}
	return header, nil
}

// call carries out an operation, and returns its result as JSON of the version that is spoken.
func (c *Client) call(ctx context.Context, op *operation, params any) (json.RawMessage, error) {
	if c.Interface.Binding == GRPC {
		return c.callGRPC(ctx, op, params)
	}
	request, err := c.request(op, params)
	if err != nil {
		return nil, err
	}
	answer, err := c.x.do(ctx, request.method, request.url, request.header, request.body)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close() //nolint:errcheck // it was read to its end, or is too long
	if streams(answer) {
		return nil, fmt.Errorf("%s: the server answers with a stream", op.name)
	}
	body, err := readAnswer(ctx, answer, mostAnswer)
	if err != nil {
		return nil, err
	}
	return c.result(body)
}

// result returns what an answer, or an event of a stream, holds.
func (c *Client) result(body []byte) (json.RawMessage, error) {
	if c.Interface.Binding == GRPC {
		return body, nil
	}
	if c.Interface.Binding == HTTPJSON {
		var said struct {
			Error json.RawMessage `json:"error"`
		}
		if take(body, &said); len(said.Error) > 0 && said.Error[0] == '{' {
			return nil, errorOf(http.StatusOK, body)
		}
		return body, nil
	}
	var said struct {
		Version string          `json:"jsonrpc"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return nil, fmt.Errorf("the answer is no JSON-RPC: %w", err)
	}
	switch {
	case len(said.Error) > 0 && string(said.Error) != "null":
		return nil, errorOf(http.StatusOK, body)
	case said.Version != "2.0" || said.Result == nil:
		return nil, errors.New("the answer is no JSON-RPC: it has neither a result nor an error")
	}
	return said.Result, nil
}

// Send sends a message. Unless the message's configuration says ReturnImmediately, the server answers when the task
// has ended or waits for somebody, as far as it keeps to that. It returns a *wire.Task or a *wire.Message.
func (c *Client) Send(ctx context.Context, r *wire.SendMessageRequest) (wire.Event, error) {
	body, err := c.call(ctx, sendMessage, r)
	if err != nil {
		return nil, err
	}
	event, err := c.readSent(body)
	if err != nil {
		return nil, fmt.Errorf("the answer cannot be read: %w", err)
	}
	switch event.(type) {
	case *wire.Task, *wire.Message:
		return event, nil
	}
	return nil, errors.New("the answer is neither a task nor a message")
}

// Task returns a task, with all that it has put out.
func (c *Client) Task(ctx context.Context, id wire.TaskID) (*wire.Task, error) {
	body, err := c.call(ctx, getTask, &wire.GetTaskRequest{ID: id})
	if err != nil {
		return nil, err
	}
	return c.readTask(body)
}

// Cancel cancels a task, and returns it as it is then.
func (c *Client) Cancel(ctx context.Context, id wire.TaskID) (*wire.Task, error) {
	body, err := c.call(ctx, cancelTask, &wire.CancelTaskRequest{ID: id})
	if err != nil {
		return nil, err
	}
	return c.readTask(body)
}

// Tasks returns a page of the tasks that there are.
func (c *Client) Tasks(ctx context.Context, r *wire.ListTasksRequest) (*wire.ListTasksResponse, error) {
	body, err := c.call(ctx, listTasks, r)
	if err != nil {
		return nil, err
	}
	return c.readTasks(body)
}

// ExtendedCard returns the card that the agent shows those whom it knows.
func (c *Client) ExtendedCard(ctx context.Context) (*Card, error) {
	body, err := c.call(ctx, getExtendedCard, &wire.GetExtendedAgentCardRequest{})
	if err != nil {
		return nil, err
	}
	card, err := ParseCard(body, c.Card.URL)
	if err != nil {
		return nil, err
	}
	return card, c.x.verify(ctx, card)
}

// AddPush has the server tell an address of what happens to a task, and returns the config as it is kept.
func (c *Client) AddPush(ctx context.Context, config *wire.PushConfig) (*wire.PushConfig, error) {
	body, err := c.call(ctx, createPush, config)
	if err != nil {
		return nil, err
	}
	return c.readPush(body)
}

// Push returns a push notification config of a task.
func (c *Client) Push(ctx context.Context, task wire.TaskID, id string) (*wire.PushConfig, error) {
	body, err := c.call(ctx, getPush, &wire.GetTaskPushConfigRequest{TaskID: task, ID: id})
	if err != nil {
		return nil, err
	}
	return c.readPush(body)
}

// Pushes returns the push notification configs of a task.
func (c *Client) Pushes(ctx context.Context, task wire.TaskID) ([]*wire.PushConfig, error) {
	body, err := c.call(ctx, listPush, &wire.ListTaskPushConfigRequest{TaskID: task})
	if err != nil {
		return nil, err
	}
	return c.readPushes(body, task)
}

// RemovePush removes a push notification config of a task.
func (c *Client) RemovePush(ctx context.Context, task wire.TaskID, id string) error {
	_, err := c.call(ctx, deletePush, &wire.DeleteTaskPushConfigRequest{TaskID: task, ID: id})
	return err
}
