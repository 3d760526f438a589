package main

import (
	"context"
	"strings"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/pkg/a2a"
)

// player is an agent that plays the scenarios of the two suites: the TCK chooses one by how the message's id
// begins, ACTS by how its text begins.
type player struct {
	card *wire.AgentCard
	long time.Duration // how long a long task takes
}

// Card implements a2a.Agent.
func (p *player) Card(a2a.Caller) *wire.AgentCard { return p.card }

// Receive implements a2a.Agent.
func (p *player) Receive(_ context.Context, _ a2a.Caller, m *wire.Message) (*wire.Message, error) {
	if scenario(m) == "tck-message-response" {
		return wire.NewMessage(wire.MessageRoleAgent, wire.NewTextPart("Direct message response")), nil
	}
	return nil, nil
}

// scenarios are the names of all, those first that another one begins with.
var scenarios = []string{
	"tck-message-response", "tck-artifact-text", "tck-artifact-file-url", "tck-artifact-file", "tck-artifact-data",
	"tck-input-required", "tck-reject-task", "tck-stream-artifact-chunked", "tck-stream-artifact-file",
	"tck-stream-artifact-text", "tck-stream-ordering-001", "tck-stream-001", "tck-stream-002", "tck-stream-003",
	"test-resubscribe-message-id", "tck-long-running", "tck-multi-turn", "tck-cancel", "tck-stream-basic",
	"tck-stream-chunked", "tck-task-failure", "tck-auth-required", "tck-complete-task",
}

// scenario returns the name of the scenario that a message chooses; "" for none.
func scenario(m *wire.Message) string {
	text := ""
	if len(m.Parts) > 0 {
		text = strings.TrimSpace(m.Parts[0].Text())
	}
	for _, name := range scenarios {
		if strings.HasPrefix(m.ID, name) || strings.HasPrefix(text, name) {
			return name
		}
	}
	return ""
}

// Work implements a2a.Agent.
func (p *player) Work(ctx context.Context, t *a2a.Turn) error {
	first := t.Task().History[0]
	name := scenario(first)
	if asked := scenario(t.Message()); asked != "" {
		name = asked
	}
	put := func(parts ...*wire.Part) error {
		return t.Put(ctx, &wire.Artifact{ID: wire.NewArtifactID(), Parts: parts}, false, true)
	}
	file := &wire.Part{Content: wire.Raw("file content"), Filename: "output.txt", MediaType: "text/plain"}
	link := &wire.Part{Content: wire.URL("https://example.com/output.txt"), Filename: "output.txt", MediaType: "text/plain"}
	play := func(steps ...func() error) error {
		for _, step := range steps {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	}
	working := func() error { return t.Working(ctx, "") }
	done := func() error { return t.Complete(ctx, "") }
	show := func(parts ...*wire.Part) func() error { return func() error { return put(parts...) } }
	chunk := func(id wire.ArtifactID, text string, append, last bool) func() error {
		return func() error {
			return t.Put(ctx, &wire.Artifact{ID: id, Parts: wire.ContentParts{wire.NewTextPart(text)}}, append, last)
		}
	}
	wait := func(long time.Duration) func() error {
		return func() error {
			select {
			case <-time.After(long):
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	switch name {
	case "tck-artifact-text":
		return play(show(wire.NewTextPart("Generated text content")), done)
	case "tck-artifact-file":
		return play(show(file), done)
	case "tck-artifact-file-url":
		return play(show(link), done)
	case "tck-artifact-data":
		return play(show(wire.NewDataPart(map[string]any{"key": "value", "count": 42})), done)
	case "tck-input-required":
		return t.NeedInput(ctx, "What else?")
	case "tck-reject-task":
		return t.Reject(ctx, "rejected")
	case "tck-task-failure":
		return t.Fail(ctx, "The task has failed.")
	case "tck-auth-required":
		return t.Emit(ctx, &wire.TaskStatusUpdateEvent{Status: wire.TaskStatus{State: wire.TaskStateAuthRequired,
			Message: wire.NewMessage(wire.MessageRoleAgent, wire.NewTextPart("Log in first."))}})
	case "tck-multi-turn":
		switch turns := len(t.Task().History); {
		case strings.Contains(t.Message().Parts[0].Text(), "done"), turns > 4:
			return t.Complete(ctx, "Done.")
		default:
			return t.NeedInput(ctx, "Go on, or say done.")
		}
	case "tck-cancel":
		return play(working, func() error {
			<-ctx.Done()
			return context.Cause(ctx)
		})
	case "tck-long-running":
		return play(working, wait(p.long/2), done)
	case "test-resubscribe-message-id":
		return play(working, wait(p.long), done)
	case "tck-stream-001":
		return play(working, show(wire.NewTextPart("Stream hello from TCK")), done)
	case "tck-stream-002":
		return done()
	case "tck-stream-003":
		return play(working, show(wire.NewTextPart("Stream task lifecycle")), done)
	case "tck-stream-ordering-001":
		return play(working, show(wire.NewTextPart("Ordered output")), done)
	case "tck-stream-artifact-text", "tck-stream-basic":
		return play(working, show(wire.NewTextPart("Streamed text content")), done)
	case "tck-stream-artifact-file":
		return play(working, show(file), done)
	case "tck-stream-artifact-chunked", "tck-stream-chunked":
		id := wire.NewArtifactID()
		return play(working, chunk(id, "chunk-1 ", false, false), chunk(id, "chunk-2", true, true), done)
	}
	return t.Complete(ctx, "Hello from TCK")
}
