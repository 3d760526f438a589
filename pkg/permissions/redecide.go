package permissions

import (
	"slices"
	"time"
)

// Redecide decides an act again from its record, which may not hold every value (see Request.Withheld).
// untold are the rules that need a value that is not there, as far as the verdict depends on them: with one,
// nobody can tell what would be decided, and the Decision is the one for the case that none of them matches.
//
// It decides as if the rules had been in force at that moment, and what it approves counts towards their
// limits: whoever decides a whole record again does so in its order, with an Authority that does nothing
// else.
func (a *Authority) Redecide(r Request, at time.Time) (d Decision, untold []Reason) {
	defer a.rejectPanic(&d)
	v, inForce := a.evaluate(r, at)
	found, open := inForce.match(v)
	decide := func() Decision {
		rules, policy := inForce.combine(v, found)
		return a.decideBy(v, rules, policy)
	}
	if len(open) == 0 {
		rules, policy := inForce.combine(v, found)
		return a.countApproval(v, rules, a.decideBy(v, rules, policy)), nil
	}
	asked := make([]finding, len(open))
	for i, at := range open {
		asked[i] = *at
		at.holds = no
	}
	d = decide()
	for i, at := range open {
		at.holds = yes
		if decide().Verdict != d.Verdict {
			untold = append(untold, Reason{Condition: asked[i].condition, Why: asked[i].why})
		}
		at.holds = no
	}
	for i, at := range open {
		*at = asked[i]
	}
	rules, _ := inForce.combine(v, found)
	d.Reasons = rules.reasons
	for i := range untold {
		if j := slices.IndexFunc(d.Reasons, func(r Reason) bool { return r.Why == untold[i].Why }); j >= 0 {
			untold[i] = d.Reasons[j]
		}
	}
	return d, untold
}

// match asks every rule by itself, and points at those that could not be told.
func (f inForce) match(v *evaluation) (found [2][]finding, open []*finding) {
	found[0] = f.policies.match(v, f.found[0])
	if f.own != nil {
		found[1] = f.own.match(v, f.found[1])
	}
	for i := range found {
		for j := range found[i] {
			if found[i][j].holds == untold {
				open = append(open, &found[i][j])
			}
		}
	}
	return found, open
}

func (f inForce) combine(v *evaluation, found [2][]finding) (outcome, string) {
	rules := f.policies.combine(v, found[0])
	if f.own != nil {
		rules = rules.with(f.own.combine(v, found[1]))
	}
	return rules.together(v), f.name()
}
