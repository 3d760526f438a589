package gate

import "github.com/a2a-acp/a2a-acp/pkg/permissions"

// carryOver returns the decision about an act for which there is a recent answer. d is what the rules say
// now, earlier what Answers.Take returned.
//
// A yes can only answer a question: what the rules reject stays rejected. A person's yes answers every
// question except one that the tool's author wants asked each time, one that a rule has come to want answered
// at a terminal, and a change of mode. A yes that no
// person gave answers where only the default asks, or where the rule asks that gave the yes and has reached
// its limit since, and only while the same rules are in force. What was allowed for the session answers
// until somebody revokes it. A no holds whatever the rules say now.
func carryOver(d, earlier permissions.Decision) permissions.Decision {
	person := earlier.First == permissions.SourcePerson
	switch {
	case d.Verdict == permissions.Reject:
		return d
	case earlier.Verdict == permissions.Reject:
	case d.Verdict == permissions.Approve:
	case d.Source == permissions.SourceTool, d.AtTerminal && !earlier.AtTerminal:
		return d
	case !person && (earlier.Policy != d.Policy || earlier.First == permissions.SourceSession):
		return d
	case !person && !d.Open && (earlier.Rule == "" || d.Source != permissions.SourcePolicy ||
		d.Rule != earlier.Rule || d.At != earlier.At):
		return d
	}
	earlier.Policy, earlier.Reasons, earlier.Obligation, earlier.SkipGovernors = d.Policy, d.Reasons,
		d.Obligation, d.SkipGovernors
	return earlier
}
