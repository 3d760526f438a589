package gate

import (
	"fmt"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// SaidNo is the reason of a refusal without one.
const SaidNo = "the person said no"

// Why says why an act was rejected: by whom, where that is written, and for what reason.
func Why(d permissions.Decision) string {
	by := ""
	switch {
	case d.Source == permissions.SourcePerson, d.Source == permissions.SourceAct &&
		(d.Rule == "" || d.First == permissions.SourcePerson):
		by = SaidNo
	case d.Source == permissions.SourceNobody, d.Source == permissions.SourceFault:
	case d.Rule != "":
		by = fmt.Sprintf("%s %s (%s) rejects it", Decider(d), d.Rule, d.At)
	}
	switch {
	case by == "" && d.Reason == "":
		return "it was not approved"
	case by == "":
		return d.Reason
	case d.Reason == "" || d.Reason == SaidNo:
		return by
	}
	return by + ": " + d.Reason
}

// Because says why a person is asked, and where the rule or governor that wants it is written; "" where there
// is nothing to say. Without a place it is what stays the same wherever the rule is moved to.
func Because(d permissions.Decision) string {
	switch {
	case d.Rule == "":
		return d.Reason
	case d.Reason == "" && d.At == "":
		return fmt.Sprintf("%s %s says so", Decider(d), d.Rule)
	case d.Reason == "":
		return fmt.Sprintf("%s %s says so (%s)", Decider(d), d.Rule, d.At)
	case d.At == "":
		return fmt.Sprintf("%s (%s %s)", d.Reason, Decider(d), d.Rule)
	}
	return fmt.Sprintf("%s (%s %s, %s)", d.Reason, Decider(d), d.Rule, d.At)
}

// Decider returns the kind of thing that decided, in words.
func Decider(d permissions.Decision) string {
	if d.Source == permissions.SourceGovernor || d.First == permissions.SourceGovernor {
		return "governor"
	}
	return "rule"
}

// Alternatives returns what would be allowed instead of a rejected act; "" if not the act was wrong, or no
// rule rejected it.
func (g *Gate) Alternatives(d permissions.Decision, r permissions.Request) string {
	if d.Source == permissions.SourceFault || Decider(d) == "governor" {
		return ""
	}
	return g.o.InForce(r.Workspace).Rules.Alternatives(r)
}

// Note returns a decision as one line for a card.
func Note(d permissions.Decision) string {
	word := map[permissions.Verdict]string{permissions.Approve: "allowed", permissions.Reject: "stopped",
		permissions.Ask: "asked"}[d.Verdict]
	if d.Reason != "" {
		word += ": " + d.Reason
	}
	if !d.Obligation.None() {
		word += "; " + d.Obligation.Why
	}
	if d.Rule != "" {
		word += fmt.Sprintf(" (%s %s, %s)", Decider(d), d.Rule, d.At)
	}
	return word
}
