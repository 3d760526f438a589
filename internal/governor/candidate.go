package governor

import (
	"slices"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// Candidate is a governor that would be asked about an act, as it is told to people. Nobody has asked it.
type Candidate struct {
	Governor string `json:"governor"`
	At       string `json:"at"` // file:line
	Type     string `json:"type"`
	// Could is what would become of the act by this governor alone that is not so already: reject, ask or
	// approve; empty when it could only add its reasons.
	Could []string `json:"could"`
}

// Candidates lists the governors that Review would ask about an act, in the order of their files, and what
// each could change. None is asked: no program is run, no URL is told of anything, and nothing is counted.
func (g *Governors) Candidates(review permissions.Review) []Candidate {
	list := []Candidate{}
	if review.Decided.Verdict == permissions.Reject {
		return list // nothing lifts it, so nobody asks
	}
	for _, a := range g.wanted(&review) {
		spec := &a.spec
		list = append(list, Candidate{Governor: spec.ID, At: spec.Source.String(), Type: string(spec.Kind),
			Could: a.could(review.Decided)})
	}
	return list
}

// could returns what the governor can make of a decision, by what it may say and by what a missing answer
// of its counts as.
func (a *asked) could(d permissions.Decision) []string {
	says := a.says()
	could := []string{}
	for _, verdict := range []permissions.Verdict{permissions.Reject, permissions.Ask, permissions.Approve} {
		ruling := permissions.Ruling{Verdict: verdict, Answers: a.settings.AllApprove && !a.project}
		if slices.Contains(says, verdict) && d.Govern(ruling).Verdict != d.Verdict {
			could = append(could, verdict.String())
		}
	}
	return could
}

// says lists the verdicts that asking the governor can come to.
func (m *member) says() []permissions.Verdict {
	var all []permissions.Verdict
	for _, fallback := range []Fallback{m.spec.OnError, m.spec.OnTimeout} {
		switch fallback {
		case FallbackReject:
			all = append(all, permissions.Reject)
		case FallbackIgnore:
		default:
			all = append(all, permissions.Ask)
		}
	}
	objects := func(v Verb) permissions.Verdict {
		if verbStatus(v) == statusReject {
			return permissions.Reject
		}
		return permissions.Ask
	}
	switch judge := m.judge.(type) {
	case *textScan:
		return append(all, objects(judge.verb))
	case *limiter:
		return append(all, objects(judge.limit.Beyond))
	case *expression:
		if judge.yesNo {
			return append(all, objects(judge.verb), permissions.Approve)
		}
	}
	return []permissions.Verdict{permissions.Reject, permissions.Ask, permissions.Approve}
}
