//nolint:lll,nilerr,forbidigo // what the suite says stands in a line of JSON; a failure is a result; it prints where it listens
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
)

var (
	askName     = mcpserver.InputRequest{Method: "elicitation/create", Params: json.RawMessage(elicit("What is your name?", form(`"name":{"type":"string"}`, `"name"`)))}
	askConfirm  = mcpserver.InputRequest{Method: "elicitation/create", Params: json.RawMessage(elicit("Please confirm", form(`"ok":{"type":"boolean"}`, `"ok"`)))}
	askColor    = mcpserver.InputRequest{Method: "elicitation/create", Params: json.RawMessage(elicit("Step 2: What is your favorite color?", form(`"color":{"type":"string"}`, `"color"`)))}
	askRoots    = mcpserver.InputRequest{Method: "roots/list", Params: json.RawMessage(`{}`)}
	askGreeting = mcpserver.InputRequest{Method: "sampling/createMessage",
		Params: json.RawMessage(`{"messages":[{"role":"user","content":{"type":"text","text":"Generate a greeting"}}],"maxTokens":50}`)}
	askCapital = mcpserver.InputRequest{Method: "sampling/createMessage",
		Params: json.RawMessage(`{"messages":[{"role":"user","content":{"type":"text","text":"What is the capital of France?"}}],"maxTokens":100}`)}
)

type requests = map[string]mcpserver.InputRequest

// needs is the result that asks.
func needs(state string, requests requests) (mcpserver.CallResult, error) {
	return mcpserver.CallResult{Input: &mcpserver.InputRequired{Requests: requests, State: state}}, nil
}

// accepted returns what a person has filled in; nil if they did not.
func accepted(answers map[string]json.RawMessage, key string) map[string]any {
	var said struct {
		Action  string         `json:"action"`
		Content map[string]any `json:"content"`
	}
	if json.Unmarshal(answers[key], &said) != nil || said.Action != "accept" {
		return nil
	}
	return said.Content
}

func sampled(answers map[string]json.RawMessage, key string) (string, bool) {
	var said struct {
		Role    string `json:"role"`
		Content struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if json.Unmarshal(answers[key], &said) != nil || said.Role == "" {
		return "", false
	}
	return said.Content.Text, true
}

func roots(answers map[string]json.RawMessage, key string) (int, bool) {
	var said struct {
		Roots []struct{} `json:"roots"`
	}
	if answers[key] == nil || json.Unmarshal(answers[key], &said) != nil || said.Roots == nil {
		return 0, false
	}
	return len(said.Roots), true
}

// round is a tool that needs answers first.
func round(call func(mcpserver.Call) (mcpserver.CallResult, error)) offer {
	return offer{call: func(_ context.Context, _ *offers, c mcpserver.Call) (mcpserver.CallResult, error) { return call(c) }}
}

// rounds are the tools of SEP-2322.
var rounds = map[string]offer{
	"test_input_required_result_elicitation": round(func(c mcpserver.Call) (mcpserver.CallResult, error) {
		if name, _ := accepted(c.Answers, "user_name")["name"].(string); name != "" {
			return text("Hello, %s!", name), nil
		}
		return needs("", requests{"user_name": askName})
	}),
	"test_input_required_result_sampling": round(func(c mcpserver.Call) (mcpserver.CallResult, error) {
		if said, ok := sampled(c.Answers, "capital_question"); ok {
			return text("Sampling response: %s", said), nil
		}
		return needs("", requests{"capital_question": askCapital})
	}),
	"test_input_required_result_list_roots": round(func(c mcpserver.Call) (mcpserver.CallResult, error) {
		if n, ok := roots(c.Answers, "client_roots"); ok {
			return text("Client exposed %d root(s)", n), nil
		}
		return needs("", requests{"client_roots": askRoots})
	}),
	"test_input_required_result_request_state":  round(confirms),
	"test_input_required_result_tampered_state": round(confirms),
	"test_input_required_result_multiple_inputs": round(func(c mcpserver.Call) (mcpserver.CallResult, error) {
		name, _ := accepted(c.Answers, "user_name")["name"].(string)
		greeting, greeted := sampled(c.Answers, "greeting")
		n, listed := roots(c.Answers, "client_roots")
		if name != "" && greeted && listed {
			return text("%s %s, %d root(s)", greeting, name, n), nil
		}
		return needs("multiple_inputs", requests{"user_name": askName, "greeting": askGreeting, "client_roots": askRoots})
	}),
	"test_input_required_result_multi_round": round(func(c mcpserver.Call) (mcpserver.CallResult, error) {
		name, second := strings.CutPrefix(c.State, "name ")
		switch {
		case second:
			return text("%s likes %v", name, accepted(c.Answers, "step2")["color"]), nil
		case c.State == "first":
			return needs("name "+fmt.Sprint(accepted(c.Answers, "step1")["name"]), requests{"step2": askColor})
		}
		return needs("first", requests{"step1": askName})
	}),
	"test_input_required_result_capabilities": round(func(c mcpserver.Call) (mcpserver.CallResult, error) {
		if len(c.Answers) > 0 {
			return text("answered"), nil
		}
		wanted := requests{}
		if c.Client.Capabilities.Elicitation {
			wanted["user_name"] = askName
		}
		if c.Client.Capabilities.Sampling {
			wanted["greeting"] = askGreeting
		}
		if c.Client.Capabilities.Roots {
			wanted["client_roots"] = askRoots
		}
		if len(wanted) == 0 {
			return text("the client can be asked for nothing"), nil
		}
		return needs("", wanted)
	}),
}

func confirms(c mcpserver.Call) (mcpserver.CallResult, error) {
	if c.State == "confirm" && accepted(c.Answers, "confirm") != nil {
		return text("state-ok"), nil
	}
	return needs("confirm", requests{"confirm": askConfirm})
}
