package main

import (
	"context"
	"encoding/base64"
	"strings"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// turn is a prompt that the agent answers.
type turn struct {
	conn    *jsonrpc2.Conn
	session string
	asks    bool
	long    time.Duration
}

// block is a ContentBlock of ACP.
type block map[string]any

func textBlock(text string) block { return block{"type": "text", "text": text} }

// file is a file that lies nowhere; ACP has no other way to hand one over.
var (
	file = block{"type": "resource", "resource": block{"uri": "attachment:///output.txt", "mimeType": "text/plain",
		"blob": base64.StdEncoding.EncodeToString([]byte("file content"))}}
	link = block{"type": "resource_link", "uri": "https://example.com/output.txt", "name": "output.txt", "mimeType": "text/plain"}
	data = block{"type": "resource", "resource": block{"uri": "attachment:///data.json", "mimeType": "application/json",
		"text": `{"key":"value","count":42}`}}
)

// play plays a scenario, and returns the answer to the prompt.
func (t *turn) play(ctx context.Context, name string) (any, error) {
	end := map[string]any{"stopReason": "end_turn"}
	switch name {
	case "tck-message-response":
		end["_meta"] = map[string]any{"a2a": map[string]any{"message": true}}
		return end, t.say(ctx, textBlock("Direct message response"))
	case "tck-artifact-text":
		return end, t.say(ctx, textBlock("Generated text content"))
	case "tck-artifact-file", "tck-stream-artifact-file":
		return end, t.say(ctx, file)
	case "tck-artifact-file-url":
		return end, t.say(ctx, link)
	case "tck-artifact-data":
		return end, t.say(ctx, data)
	case "tck-input-required", "tck-multi-turn":
		return t.converse(ctx, name)
	case "tck-reject-task":
		return map[string]any{"stopReason": "refusal"}, nil
	case "tck-task-failure":
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: "The task has failed."}
	case "tck-auth-required":
		return nil, &jsonrpc2.Error{Code: codeAuth, Message: "Log in first."}
	case "tck-cancel":
		<-ctx.Done()
		return nil, context.Cause(ctx)
	case "tck-long-running":
		return end, t.sayAfter(ctx, t.long/2, "It took a while.")
	case "test-resubscribe-message-id":
		return end, t.sayAfter(ctx, t.long, "It took a while.")
	case "tck-stream-001":
		return end, t.say(ctx, textBlock("Stream hello from TCK"))
	case "tck-stream-002":
		return end, nil
	case "tck-stream-003":
		return end, t.say(ctx, textBlock("Stream task lifecycle"))
	case "tck-stream-ordering-001":
		return end, t.say(ctx, textBlock("Ordered output"))
	case "tck-stream-artifact-text", "tck-stream-basic":
		return end, t.say(ctx, textBlock("Streamed text content"))
	case "tck-stream-artifact-chunked", "tck-stream-chunked":
		return end, t.say(ctx, textBlock("chunk-1 "), textBlock("chunk-2"))
	}
	return end, t.say(ctx, textBlock("Hello from TCK"))
}

// say says pieces of the answer.
func (t *turn) say(ctx context.Context, pieces ...block) error {
	for _, piece := range pieces {
		err := t.conn.Notify(ctx, "session/update", map[string]any{"sessionId": t.session,
			"update": map[string]any{"sessionUpdate": "agent_message_chunk", "content": piece}})
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *turn) sayAfter(ctx context.Context, long time.Duration, text string) error {
	select {
	case <-time.After(long):
		return t.say(ctx, textBlock(text))
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// converse asks until the other side has had enough, or has chosen another scenario.
func (t *turn) converse(ctx context.Context, name string) (any, error) {
	for {
		if !t.asks {
			return map[string]any{"stopReason": "end_turn"}, t.say(ctx, textBlock("I could not ask."))
		}
		var answer struct {
			Action  string `json:"action"`
			Content struct {
				Answer string `json:"answer"`
			} `json:"content"`
			Meta meta `json:"_meta"`
		}
		err := t.conn.Call(ctx, "elicitation/create", map[string]any{"sessionId": t.session, "mode": "form",
			"message": "Go on, or say done.", "requestedSchema": map[string]any{"type": "object", "required": []string{"answer"},
				"properties": map[string]any{"answer": map[string]string{"type": "string"}}}}, &answer)
		if err != nil {
			return nil, err
		}
		next := scenarioOf(answer.Meta.A2A.Message, answer.Content.Answer)
		switch {
		case answer.Action != "accept":
			return map[string]any{"stopReason": "refusal"}, nil
		case next != "" && next != name:
			return t.play(ctx, next)
		case strings.Contains(answer.Content.Answer, "done"):
			return map[string]any{"stopReason": "end_turn"}, t.say(ctx, textBlock("Done."))
		}
	}
}
