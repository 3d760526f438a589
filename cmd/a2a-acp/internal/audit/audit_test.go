package audit

import (
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestDecisionOfAPerson names the person first, and then what had them asked: it was not the rule that said
// so.
func TestDecisionOfAPerson(t *testing.T) {
	t.Parallel()
	d := events.Decision{DecisionSummary: tool.DecisionSummary{Result: "reject", Source: "person", Rule: "review", At: "governors.yaml:2", Approver: "terminal nobody"}}
	if got, want := decision(nil, &d), "reject, by person (terminal nobody); rule review (governors.yaml:2) asked"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	d.Source = "policy"
	if got := decision(nil, &d); !strings.HasPrefix(got, "reject, by policy review (governors.yaml:2)") {
		t.Errorf("got %q", got)
	}
}
