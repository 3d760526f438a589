package audit

import (
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestBy says of each source of a decision who decided: a rule by its name, a person, or what stood in their
// place.
func TestBy(t *testing.T) {
	t.Parallel()
	entry := func(kind events.Type, d tool.DecisionSummary) Entry {
		return Entry{Event: events.Event{Type: kind, Act: &events.Act{Kind: "write"}, Decision: &events.Decision{DecisionSummary: d}}}
	}
	for _, test := range []struct {
		d          tool.DecisionSummary
		by, result string
	}{
		{tool.DecisionSummary{Result: "reject", Source: "policy", Rule: "no"}, "no", "reject"},
		{tool.DecisionSummary{Result: "reject", Source: "governor", Rule: "guard"}, "guard", "reject"},
		{tool.DecisionSummary{Result: "approve", Source: "person", Rule: "ask-me", Approver: "editor"}, "person", "approve"},
		{tool.DecisionSummary{Result: "approve", Source: "caller"}, "person", "approve"},
		{tool.DecisionSummary{Result: "approve", Source: "session"}, "person, for the session", "approve"},
		{tool.DecisionSummary{Result: "approve", Source: "act", Approver: "editor"}, "person", "approve"},
		{tool.DecisionSummary{Result: "approve", Source: "act", Rule: "docs"}, "docs", "approve"},
		{tool.DecisionSummary{Result: "approve", Source: "default"}, "built in", "approve"},
		{tool.DecisionSummary{Result: "reject", Source: "nobody", Rule: "ask-me"}, "nobody", "reject"},
		{tool.DecisionSummary{Result: "reject", Source: "confinement"}, "the sandbox", "reject"},
		{tool.DecisionSummary{Result: "reject", Source: "fault"}, "a2a-acp", "reject"},
		{tool.DecisionSummary{Result: "approve", Source: "one of later"}, "one of later", "approve"},
	} {
		c := ActRecord{entry(events.ToolDecided, test.d)}
		if by, result := c.By(), c.Result(); by != test.by || result != test.result {
			t.Errorf("%+v: %s, by %s", test.d, result, by)
		}
	}
	against := entry(events.ToolViolated, tool.DecisionSummary{Result: "reject", Source: "policy", Rule: "no"})
	approved := entry(events.ToolDecided, tool.DecisionSummary{Result: "approve", Source: "person"})
	refused := entry(events.ToolDecided, tool.DecisionSummary{Result: "reject", Source: "person"})
	without := Entry{Event: events.Event{Type: events.ToolViolated}}
	for name, test := range map[string]struct {
		c          ActRecord
		by, result string
	}{
		"against a rule":            {ActRecord{against}, "no", ResultViolation},
		"against a rule, after all": {ActRecord{approved, against}, "no", ResultViolation},
		"against a no":              {ActRecord{refused, without}, "person", ResultViolation},
		"seen":                      {ActRecord{{Event: events.Event{Type: events.ToolSeen}}}, "", ResultSeen},
		"asked":                     {ActRecord{{Event: events.Event{Type: events.ApprovalAsked}}}, "", ResultAsked},
		"refused":                   {ActRecord{{Event: events.Event{Type: events.SandboxRefused}}}, "", ResultRefused},
		"none":                      {ActRecord{{Event: events.Event{Type: events.BridgeEnded}}}, "", ""},
	} {
		if by, result := test.c.By(), test.c.Result(); by != test.by || result != test.result {
			t.Errorf("%s: %s, by %q", name, result, by)
		}
	}
}
