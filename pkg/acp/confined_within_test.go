package acp

import (
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// What the sandbox leaves to a person only a person answers: no governor may, though nothing but the default has asked.
func TestConfinementClosesQuestions(t *testing.T) {
	t.Parallel()
	asked := permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceDefault, Open: true}
	for _, row := range []struct {
		most permissions.Verdict
		open bool
	}{{permissions.Approve, true}, {permissions.Ask, false}, {permissions.Reject, false}} {
		held := within(asked, permissions.Decision{Verdict: row.most, Source: permissions.SourceConfinement})
		if held.Open != row.open {
			t.Errorf("held to %s: open is %t, want %t", row.most, held.Open, row.open)
		}
	}
}
