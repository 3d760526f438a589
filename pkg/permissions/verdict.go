package permissions

import "fmt"

// Verdict is the answer to a Request. The zero Verdict asks a person, which never lets anything happen by
// itself.
type Verdict int

// The verdicts. Their numbers say nothing about their strength: see stronger.
const (
	Ask Verdict = iota
	Approve
	Reject
)

var verdictNames = [...]string{"ask", "approve", "reject"}

func (v Verdict) String() string {
	if v < 0 || int(v) >= len(verdictNames) {
		return fmt.Sprintf("verdict(%d)", int(v))
	}
	return verdictNames[v]
}

// stronger reports whether v holds where both are said: reject is stronger than ask, and ask than approve.
// A verdict that nobody knows counts as ask.
func (v Verdict) stronger(other Verdict) bool { return v.strength() > other.strength() }

func (v Verdict) strength() int {
	switch v {
	case Reject:
		return 3
	case Approve:
		return 1
	default:
		return 2
	}
}
