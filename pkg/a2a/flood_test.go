package a2a

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/agentclient"
)

// TestFlood has an agent say as much as it can, a byte at a time, think as much beside, and plan anew now and then. It is told
// as few events, whole and in order, and another one's words are not held up by it.
func TestFlood(t *testing.T) {
	t.Parallel()
	const flood, most = 400 * time.Millisecond, 50_000 // some 40 bytes count for each, and more than 2 MiB are too much
	heard := make(chan struct{})
	var said, elapsed = 0, time.Duration(0)
	s := newTheatre(t, func(_ *troupe, ctx context.Context, p agentclient.Prompt, tell func(agentclient.Event)) (agentclient.Outcome, error) {
		began(tell)
		if p.Content[0].Text == "be brief" {
			says(tell, agentclient.Content{Text: "brief"})
			select {
			case <-heard: // its words are told although it says nothing more
			case <-ctx.Done():
			}
			return turnEnded, context.Cause(ctx)
		}
		start, over := time.Now(), heard
		for ctx.Err() == nil && said < most && (over != nil || time.Since(start) < flood) {
			says(tell, agentclient.Content{Text: string(rune('a' + said%26))})
			tell(agentclient.Event{Kind: agentclient.EventThought, Chunk: &agentclient.Chunk{Content: agentclient.Content{Text: "."}}})
			if said%16 == 0 {
				tell(agentclient.Event{Kind: agentclient.EventPlan, Plan: []agentclient.PlanEntry{{Content: fmt.Sprint(said), Status: "pending"}}})
			}
			said++
			select {
			case <-over:
				over = nil
			default:
			}
		}
		elapsed = time.Since(start)
		return turnEnded, context.Cause(ctx)
	})
	stream := func(text string) *events {
		return eventsOf(s.request("anna", "POST", "/agents/acp",
			`{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":`+message(text, "")+`}`))
	}
	flooded, brief := stream("flood"), stream("be brief")
	defer flooded.body.Close()
	defer brief.body.Close()
	for {
		_, data := brief.next(t)
		if data == nil {
			t.Fatal("the other agent was not heard")
		}
		if at(data, "result.artifactUpdate.artifact.parts.0.text") == "brief" {
			break
		}
	}
	close(heard)
	var text strings.Builder
	var id any
	told, plan := 0, ""
	for {
		_, data := flooded.next(t)
		if data == nil {
			break
		}
		told++
		if task := at(data, "result.task.id"); task != nil {
			id = task
		}
		artifact := at(data, "result.artifactUpdate.artifact")
		switch at(artifact, "name") {
		case "response":
			fmt.Fprint(&text, at(artifact, "parts.0.text"))
		case "plan":
			plan = fmt.Sprint(at(artifact, "parts.0.text"))
		}
	}
	for i, r := range text.String() {
		if r != rune('a'+i%26) {
			t.Fatalf("after %d bytes, the text goes on with %q", i, r)
		}
	}
	if text.Len() != said || !strings.Contains(plan, fmt.Sprint((said-1)/16*16)) {
		t.Errorf("the agent has said %d bytes, and %d were told; the last plan is %q", said, text.Len(), plan)
	}
	// A round has an event for each of the three, and comes after a while, or when there is much: the pieces and the names of
	// their artifacts are less than 30 bytes. Beside them: the beginning, the first of each, and the end.
	rounds := int(elapsed/gathered) + 1 + said*30/mostChunk
	if limit := 3*rounds + 10; told > limit {
		t.Errorf("%d words in %s were told as %d events, want at most %d", said, elapsed, told, limit)
	}
	if task := s.settled("anna", id); at(task, "status.state") != "TASK_STATE_COMPLETED" || len(fmt.Sprint(at(task, "artifacts.0.parts.0.text"))) != said {
		t.Errorf("the task has ended as %v", at(task, "status"))
	}
}
