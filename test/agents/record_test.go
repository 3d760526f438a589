//go:build agents

package agents

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// recorded returns the events of a type that the bridge has put on record.
func (r *rig) recorded(kind events.Type) []events.Event {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(r.state, "audit", "*.jsonl"))
	if err != nil {
		r.t.Fatal(err)
	}
	if len(files) == 0 {
		r.t.Fatalf("no record in %s", r.state)
	}
	var out []events.Event
	for _, file := range files { // Glob sorts, and the names sort by time
		text, err := os.ReadFile(file)
		if err != nil {
			r.t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var event events.Event
			if err := json.Unmarshal([]byte(line), &event); err != nil {
				r.t.Fatalf("%s: %v: %s", file, err, line)
			}
			if event.Type == kind {
				out = append(out, event)
			}
		}
	}
	return out
}

// decision is one decision on record, as far as tests compare it.
type decision struct {
	Kind   string // of the act
	Result string // approve, reject
	Source string
	Rule   string
}

// decisions returns the decisions on record about acts that change or run something, in order. Reads are
// left out: agents differ in how often they look at a file before they change it.
func (r *rig) decisions() []decision {
	r.t.Helper()
	var out []decision
	for _, event := range r.recorded(events.ToolDecided) {
		if event.Act == nil || event.Decision == nil {
			r.t.Fatalf("a decision without act or decision: %+v", event)
		}
		if event.Act.Kind == "read" {
			continue
		}
		out = append(out, decision{event.Act.Kind, event.Decision.Result, event.Decision.Source, event.Decision.Rule})
	}
	return out
}
