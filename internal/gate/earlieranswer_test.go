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

// TestCarryOverToATerminal has a rule come to want the answer from a terminal after a yes was given elsewhere: the act
// is asked about. A yes that was given to such a question counts.
func TestCarryOverToATerminal(t *testing.T) {
	t.Parallel()
	now := permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourcePolicy, Rule: "r", AtTerminal: true}
	before := permissions.Decision{Verdict: permissions.Approve, Source: permissions.SourceAct, First: permissions.SourcePerson}
	if d := carryOver(now, before); d.Verdict != permissions.Ask {
		t.Errorf("a yes from elsewhere: got %+v", d)
	}
	before.AtTerminal = true
	if d := carryOver(now, before); d.Verdict != permissions.Approve {
		t.Errorf("a yes from a terminal: got %+v", d)
	}
}
