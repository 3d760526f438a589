package a2a

import (
	"encoding/json"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// progress is how far the calls of a task had got when its process ended.
type progress struct {
	begun   bool                   // calls may have been made
	results map[string]tool.Result // by the id of the call
	asked   map[string]time.Time   // the questions that were not answered, and until when they stand
}

func (p *progress) waits(call string) bool {
	_, asked := p.asked[call]
	return asked
}

// expired reports whether the time for an answer is over.
func (p *progress) expired(call string, now time.Time) bool {
	until, asked := p.asked[call]
	return asked && !until.IsZero() && !now.Before(until)
}

// progressOf reads how far a task had got out of its events.
func progressOf(task *wire.Task) *progress {
	p := &progress{begun: task.Status.State != wire.TaskStateSubmitted, results: map[string]tool.Result{},
		asked: map[string]time.Time{}}
	said := append([]*wire.Message{}, task.History...)
	if task.Status.Message != nil {
		said = append(said, task.Status.Message)
	}
	for _, m := range said {
		call := text(m.Metadata, "requestId")
		if m.Role != wire.MessageRoleAgent || call == "" || task.Metadata[answeredKey(call)] != nil {
			continue
		}
		until, err := time.Parse(time.RFC3339, text(m.Metadata, "expires"))
		if err != nil {
			until = time.Time{}
		}
		p.asked[call] = until
	}
	for _, artifact := range task.Artifacts {
		for _, part := range artifact.Parts {
			data, _ := part.Data().(map[string]any)
			if data == nil || data["type"] != "tool_result" {
				continue
			}
			var result tool.Result
			encoded, err := json.Marshal(data)
			if err == nil && json.Unmarshal(encoded, &result) == nil {
				p.results[string(artifact.ID)] = result
			}
		}
	}
	return p
}
