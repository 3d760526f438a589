package gate

import (
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// TestCarryOver has an act that the rules approve go under the answer that its agent was given to the question
// about it: the answer was counted then, and whoever gave it stays on record.
func TestCarryOver(t *testing.T) {
	t.Parallel()
	now := permissions.Decision{Verdict: permissions.Approve, Source: permissions.SourcePolicy, Rule: "r", Policy: "new"}
	before := permissions.Decision{Verdict: permissions.Approve, Source: permissions.SourceAct,
		First: permissions.SourcePolicy, Rule: "other", Policy: "old"}
	if d := carryOver(now, before); d.Source != permissions.SourceAct || d.Rule != "other" || d.Policy != "new" {
		t.Errorf("got %+v", d)
	}
}
