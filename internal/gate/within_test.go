package gate

import (
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// What the sandbox leaves to a person only a person answers: no governor may, though nothing but the
// default has asked.
func TestConfinementClosesQuestions(t *testing.T) {
	t.Parallel()
	asked := permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceDefault, Open: true}
	for _, row := range []struct {
		most permissions.Verdict
		open bool
	}{{permissions.Approve, true}, {permissions.Ask, false}, {permissions.Reject, false}} {
		held := Within(asked, permissions.Decision{Verdict: row.most, Source: permissions.SourceConfinement})
		if held.Open != row.open {
			t.Errorf("held to %s: open is %t, want %t", row.most, held.Open, row.open)
		}
	}
}

// Only a person's own yes stands for what needs a person: not a "session" or a default that was carried
// over from a prompt, though no rule is named in it either.
func TestOnlyAPersonsYesCarriesOver(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		yes  permissions.Decision
		want permissions.Verdict
	}{
		{"a person's", permissions.Decision{Source: permissions.SourcePerson}, permissions.Approve},
		{"a person's, to what a rule asked", permissions.Decision{Source: permissions.SourceAct, First: permissions.SourcePerson, Rule: "r"}, permissions.Approve},
		{"a session's, carried over", permissions.Decision{Source: permissions.SourceAct, First: permissions.SourceSession}, permissions.Ask},
		{"the default, carried over", permissions.Decision{Source: permissions.SourceAct, First: permissions.SourceDefault}, permissions.Ask},
		{"a governor's, carried over", permissions.Decision{Source: permissions.SourceAct, First: permissions.SourceGovernor, Rule: "g"}, permissions.Ask},
		{"a rule's", permissions.Decision{Source: permissions.SourcePolicy, Rule: "r"}, permissions.Ask},
		{"a governor's, behind a person's", permissions.Decision{Source: permissions.SourceGovernor, First: permissions.SourcePerson}, permissions.Ask},
	} {
		row.yes.Verdict, row.yes.Policy, row.yes.Reasons = permissions.Approve, "hash", []permissions.Reason{{Rule: "r"}}
		held := Within(row.yes, permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceConfinement})
		if held.Verdict != row.want {
			t.Errorf("%s: %s, want %s", row.name, held.Verdict, row.want)
		}
		if held.Policy != "hash" || len(held.Reasons) != 1 {
			t.Errorf("%s: what the rules said is lost: %+v", row.name, held)
		}
		held = Within(row.yes, permissions.Decision{Verdict: permissions.Reject, Source: permissions.SourceConfinement})
		if held.Verdict != permissions.Reject || held.Source != permissions.SourceConfinement {
			t.Errorf("%s: where the sandbox rejects it is %s by %s", row.name, held.Verdict, held.Source)
		}
	}
}
