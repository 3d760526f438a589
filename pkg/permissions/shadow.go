package permissions

import (
	"fmt"
	"slices"
)

// Shadow is a rule that can never decide, because another one that is about everything that it is about
// always does.
type Shadow struct {
	Rule, By Rule
	Why      string // a sentence for the rule's author
}

// Shadows finds the rules that can never decide. It looks at rules without any condition only, and for a rule
// that approves at those with its own paths, so that there is a cure for each that it names, and none when it
// cannot tell. files are those of one Set, a workspace's own left out.
func Shadows(files []File) []Shadow {
	var found []Shadow
	for i, file := range files {
		for at, rule := range file.Rules {
			if by, why := shadow(files, i, at); why != "" {
				found = append(found, Shadow{Rule: rule, By: by, Why: why})
			}
		}
	}
	return found
}

// shadow finds the first rule that shadows rule at of file i, and says how.
func shadow(files []File, i, at int) (by Rule, why string) {
	rule := files[i].Rules[at]
	for j, file := range files {
		if file.TightenOnly || file.Root != "" && file.Root != files[i].Root {
			continue
		}
		for k, other := range file.Rules {
			strict := files[i].Version == Version2 && file.Version == Version2
			switch {
			case i == j && k == at, !other.unconditional() && !(strict && other.stopsPathsOf(rule)) || !other.aboutAll(rule):
			case i == j && file.Version != Version2 && k < at:
				return other, fmt.Sprintf("rule %s at %s stands before it and matches whatever it matches; "+
					"in a file without version: 2 the first one decides", other.ID, other.Source)
			case i == j && file.Version != Version2:
			case other.Verdict.stronger(rule.Verdict) && !(file.Version != Version2 && k > 0):
				return other, fmt.Sprintf("rule %s at %s matches whatever it matches, and %s is stronger than %s",
					other.ID, other.Source, other.Verdict, rule.Verdict)
			}
		}
	}
	return Rule{}, ""
}

// unconditional reports whether a rule matches every act of its tools.
func (r Rule) unconditional() bool {
	return len(r.IncludePaths)+len(r.ExcludePaths)+len(r.Parameters)+len(r.Matchers)+len(r.Request)+
		len(r.CommandPrefixes)+len(r.Agents)+len(r.Principals)+len(r.Workspaces)+len(r.Modes) == 0 &&
		r.Commands == nil && !r.InGitWorkTree && !r.Confined && r.MinRisk == RiskUnsaid && r.MaxRisk == RiskUnsaid &&
		r.When == "" && r.Sandbox == "" && r.Expires.IsZero() &&
		!r.Observe && r.Verdict != Approve && len(r.Check()) == 0
}

// stopsPathsOf reports whether a rule has no condition but paths, among which are all of those that the other one, which
// approves, is about: that one wants each path of an act to be one of them, this one only one.
func (r Rule) stopsPathsOf(other Rule) bool {
	if other.Verdict != Approve || len(other.IncludePaths) == 0 || len(r.Check()) > 0 {
		return false
	}
	for _, path := range other.IncludePaths {
		if !slices.Contains(r.IncludePaths, path) {
			return false
		}
	}
	r.IncludePaths = nil
	return r.unconditional()
}

// aboutAll reports whether a rule is about every tool that the other one is about.
func (r Rule) aboutAll(other Rule) bool {
	for _, id := range other.AppliesTo {
		if !slices.Contains(r.AppliesTo, "*") && !slices.Contains(r.AppliesTo, id) {
			return false
		}
	}
	return len(other.AppliesTo) > 0
}
