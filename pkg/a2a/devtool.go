package a2a

import (
	"encoding/json"
	"strings"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// DevelopmentExtension is the URI of the development-tool extension, as the original speaks it: each event
// says in its metadata, by this name, what it means to a program that shows tool calls. A task tells it whose
// first message declared the extension, or came at one of the original's own paths.
const DevelopmentExtension = "https://developers.google.com/gemini/a2a/extensions/development-tool/v1"

func developmentExtension() wire.AgentExtension {
	return wire.AgentExtension{URI: DevelopmentExtension, Params: map[string]any{"version": "1.0.0",
		"metadata": map[string]any{"description": "Tool calls, confirmations, thoughts and decisions, in the metadata of events."}},
		Description: "What each event means to a program that shows tool calls; for tasks whose first message declares it."}
}

// The kinds of events of the extension.
const (
	kindCallUpdate   = "tool_call_update"
	kindConfirmation = "tool_call_confirmation"
	kindText         = "text_content"
	kindState        = "state_change"
	kindThought      = "thought"
	kindGovernance   = "governance_event"
)

// development is an event of the extension.
type development struct {
	Kind string         `json:"kind"`
	Data map[string]any `json:"data"`
}

// developmentCall is a tool call in such an event.
type developmentCall struct {
	ID           string `json:"tool_call_id"`
	Status       string `json:"status"`
	Name         string `json:"tool_name"`
	Input        any    `json:"input_parameters"`
	Confirmation any    `json:"confirmation_request,omitempty"`
	Result       any    `json:"result,omitempty"`
}

// developmentStatus are the states of tool calls, by those of ACP.
var developmentStatus = map[string]string{"pending": "pending", "in_progress": "executing", "completed": "succeeded",
	"failed": "failed", "cancelled": "cancelled"}

// develop says in an event's metadata what it means. It reads what the event says to everybody, and nothing
// else.
func develop(event wire.Event) {
	switch event := event.(type) {
	case *wire.TaskStatusUpdateEvent:
		event.Metadata = withDevelopment(event.Metadata, developmentOfStatus(event))
	case *wire.TaskArtifactUpdateEvent:
		event.Metadata = withDevelopment(event.Metadata, developmentOfArtifact(event))
	}
}

func withDevelopment(metadata map[string]any, d development) map[string]any {
	encoded, err := json.Marshal(d)
	var v any
	if err != nil || json.Unmarshal(encoded, &v) != nil {
		return metadata // there is nothing in it that JSON has no words for
	}
	return merged(metadata, map[string]any{DevelopmentExtension: v})
}

func developmentOfStatus(event *wire.TaskStatusUpdateEvent) development {
	for name, value := range event.Metadata {
		for _, mark := range []string{questionKey(""), answeredKey("")} {
			if id, ok := strings.CutPrefix(name, mark); ok {
				data := map[string]any{"tool_call_id": id}
				if said, _ := value.(map[string]any); said != nil {
					data["allowed"] = said["allowed"]
				}
				return development{kindConfirmation, data}
			}
		}
	}
	if event.Status.Message != nil {
		for _, part := range event.Status.Message.Parts {
			said, _ := object(part.Data())
			switch text(said, "type") {
			case "tool_call":
				return callUpdate(developmentCall{ID: text(said, "toolCallId"), Status: developmentStatus[text(said, "status")],
					Name: text(said, "name", "title"), Input: said["rawInput"]})
			case "permission_request":
				options := []any{}
				choices, _ := said["options"].([]any)
				for _, choice := range choices {
					option, _ := choice.(map[string]any)
					options = append(options, map[string]any{"id": option["optionId"], "name": option["name"], "description": option["kind"]})
				}
				return callUpdate(developmentCall{ID: text(said, "requestId"), Status: "pending", Name: text(said, "toolId"),
					Confirmation: map[string]any{"title": said["title"], "options": options,
						"details": map[string]any{"description": said["command"]}}})
			}
		}
	}
	return development{kindState, map[string]any{"state": string(logState(event.Status.State))}}
}

func callUpdate(call developmentCall) development {
	if call.Input == nil {
		call.Input = map[string]any{}
	}
	return development{kindCallUpdate, map[string]any{"tool_call": call}}
}

func developmentOfArtifact(event *wire.TaskArtifactUpdateEvent) development {
	said := ""
	for _, part := range event.Artifact.Parts {
		data, _ := part.Data().(map[string]any)
		if text(data, "type") == "tool_result" {
			return developmentOfResult(string(event.Artifact.ID), data)
		}
		said += part.Text()
	}
	if event.Artifact.ID == "thought" {
		return development{kindThought, map[string]any{"content": said}}
	}
	return development{kindText, map[string]any{"artifact_id": string(event.Artifact.ID), "content": said}}
}

// developmentOfResult tells how a call has ended. Where rules or governors have ended it, that is what is
// told.
func developmentOfResult(id string, data map[string]any) development {
	var result tool.Result
	encoded, err := json.Marshal(data)
	if err == nil {
		err = json.Unmarshal(encoded, &result)
	}
	if err != nil {
		return callUpdate(developmentCall{ID: id, Status: "failed"})
	}
	call := developmentCall{ID: id, Name: result.ToolID, Status: "succeeded", Input: map[string]any{}}
	shown := result.InText()
	call.Result = map[string]any{"content": shown.Stdout,
		"details": map[string]any{"stdout": shown.Stdout, "stderr": shown.Stderr, "exit_code": result.ExitCode}}
	if result.Status != tool.StatusCompleted {
		call.Status = "failed"
		if result.Status == tool.StatusCancelled {
			call.Status = "cancelled"
		}
		failure := map[string]any{"message": sentence(result), "details": map[string]any{"stderr": shown.Stderr}}
		if result.Error != nil {
			failure["code"] = string(result.Error.Code)
		}
		call.Result = failure
	}
	if d := result.Metadata.Decision; d != nil && result.Status == tool.StatusDenied && d.Source != "person" {
		return development{kindGovernance, map[string]any{"tool_call": call, "source": d.Source, "rule": d.Rule, "decision": d.Result,
			"reason": d.Reason}}
	}
	return callUpdate(call)
}

// callBegins is the status by which a call of a tool begins, for who shows tool calls.
func callBegins(call ToolCall) *wire.TaskStatusUpdateEvent {
	data := callData{Type: "tool_call", ID: call.ID, Title: call.Tool, Name: call.Tool, Kind: "execute", Status: "in_progress"}
	if len(call.Arguments) <= mostInput && json.Valid(call.Arguments) {
		data.Input = call.Arguments
	}
	return &wire.TaskStatusUpdateEvent{Status: wire.TaskStatus{State: wire.TaskStateWorking, Message: callMessage(data)}}
}
