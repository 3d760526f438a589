package gate

import "github.com/a2a-acp/a2a-acp/pkg/permissions"

// Stricter returns the decision that allows less; the first, if they allow the same.
func Stricter(a, b permissions.Decision) permissions.Decision {
	rank := map[permissions.Verdict]int{permissions.Approve: 0, permissions.Ask: 1, permissions.Reject: 2}
	if rank[b.Verdict] > rank[a.Verdict] {
		return b
	}
	return a
}

// Within restricts a decision to the most that the act may get. A person's yes to something that needs one
// stands.
func Within(d, most permissions.Decision) permissions.Decision {
	person := d.Source == permissions.SourcePerson ||
		d.Source == permissions.SourceAct && d.First == permissions.SourcePerson
	if most.Verdict == permissions.Ask && person {
		return d
	}
	held := Stricter(d, most)
	held.Policy, held.Reasons = d.Policy, d.Reasons
	held.Open = d.Open && most.Verdict == permissions.Approve // or a governor could answer what only a person may
	return held
}
