//nolint:lll,nilerr,forbidigo // what the suite says stands in a line of JSON; a failure is a result; it prints where it listens
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
)

// jobs are the tools of the scenarios about tasks (SEP-2663).
var jobs = map[string]offer{
	"greet": {call: func(_ context.Context, _ *offers, c mcpserver.Call) (mcpserver.CallResult, error) {
		return text("Hello, %s!", argument(c, "name")), nil
	}},
	"slow_compute": {call: func(ctx context.Context, _ *offers, c mcpserver.Call) (mcpserver.CallResult, error) {
		var said struct{ Seconds float64 }
		_ = json.Unmarshal(c.Arguments, &said) // then it takes no time
		if said.Seconds > 0 {
			c.Defer()
		}
		select {
		case <-ctx.Done():
			return mcpserver.CallResult{}, context.Cause(ctx)
		case <-time.After(time.Duration(said.Seconds * float64(time.Second))):
		}
		return text("computed %s", argument(c, "label")), nil
	}},
	"failing_job": {call: func(_ context.Context, _ *offers, c mcpserver.Call) (mcpserver.CallResult, error) {
		if failed := asTask(c); failed != nil {
			return mcpserver.CallResult{}, failed
		}
		return mcpserver.CallResult{Content: "it failed", IsError: true}, nil
	}},
	"protocol_error_job": {call: func(_ context.Context, _ *offers, c mcpserver.Call) (mcpserver.CallResult, error) {
		if failed := asTask(c); failed != nil {
			return mcpserver.CallResult{}, failed
		}
		return mcpserver.CallResult{}, &mcpserver.ProtocolError{Code: -32603, Message: "it broke"}
	}},
	"confirm_delete": round(func(c mcpserver.Call) (mcpserver.CallResult, error) {
		if c.State == "confirm" {
			return text("%v", accepted(c.Answers, "confirm")), nil
		}
		return waits("confirm", requests{"confirm": askConfirm})
	}),
	"multi_input": round(func(c mcpserver.Call) (mcpserver.CallResult, error) {
		if c.State == "inputs" {
			return text("%v %v", accepted(c.Answers, "name"), accepted(c.Answers, "color")), nil
		}
		return waits("inputs", requests{"name": askName, "color": askColor})
	}),
	"test_tool_with_task": {call: func(_ context.Context, _ *offers, c mcpserver.Call) (mcpserver.CallResult, error) {
		name, _ := accepted(c.Answers, "user_name")["name"].(string)
		if name == "" {
			return needs("", requests{"user_name": askName})
		}
		if failed := asTask(c); failed != nil {
			return mcpserver.CallResult{}, failed
		}
		return text("Hello, %s!", name), nil
	}},
}

// asTask has a call be a task, which the client has to take.
func asTask(c mcpserver.Call) error {
	if !c.Client.Capabilities.Tasks {
		return mcpserver.NeedsCapability(map[string]any{"extensions": map[string]any{"io.modelcontextprotocol/tasks": map[string]any{}}})
	}
	c.Defer()
	time.Sleep(50 * time.Millisecond) // or it would have ended before anybody can ask
	return nil
}

// waits is the result of a call that waits.
func waits(state string, requests requests) (mcpserver.CallResult, error) {
	return mcpserver.CallResult{Input: &mcpserver.InputRequired{Requests: requests, State: state, Waits: true}}, nil
}

func argument(c mcpserver.Call, name string) string {
	var said map[string]any
	_ = json.Unmarshal(c.Arguments, &said) // then there is none
	return fmt.Sprint(said[name])
}
