package gate

import "github.com/a2a-acp/a2a-acp/pkg/permissions"

// carryOver returns the decision about an act of which something was said a moment ago: d is what the rules
// say now, earlier what Answers.Take gave. A yes answers a question and does nothing else: what rules
// reject stays rejected. A person's yes answers every question, but for one that the tool's author wants
// put each time and for a change of mode; a yes that no person gave answers where nothing but the default
// asks, or where the very rule asks that gave it and has reached its limit with it, and only while the same
// rules are in force. What was allowed for the session answers for itself, as long as nobody has taken it
// back. A no holds whatever the rules say by now.
func carryOver(d, earlier permissions.Decision) permissions.Decision {
	person := earlier.First == permissions.SourcePerson
	switch {
	case d.Verdict == permissions.Reject:
		return d
	case earlier.Verdict == permissions.Reject:
	case d.Verdict == permissions.Approve:
	case d.Source == permissions.SourceTool:
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
