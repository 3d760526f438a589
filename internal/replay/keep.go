package replay

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Scope is how far a rule goes beyond the act that a person has approved.
type Scope string

// The scopes, the narrowest of each kind of act first.
const (
	ScopeExact  Scope = "exact"  // the same command, file or arguments
	ScopeWords  Scope = "words"  // the command with further words
	ScopeKind   Scope = "kind"   // the files of its kind in its directory
	ScopeFolder Scope = "folder" // all files below its directory
	ScopeAll    Scope = "all"    // all files of the workspace, or the tool with any arguments
)

// Scopes lists the scopes.
func Scopes() []Scope { return []Scope{ScopeExact, ScopeWords, ScopeKind, ScopeFolder, ScopeAll} }

// Keepable is a rule that one answer of a person can be kept as.
type Keepable struct {
	Scope  Scope         `json:"scope"`
	Covers string        `json:"covers"` // what it approves, in words
	Rule   SuggestedRule `json:"rule"`
}

// Keep writes the rules by which acts as this one, which a person has approved, need no question in the same workspace any
// more, the narrowest first; everywhere has them hold in all workspaces. None approves what a person has rejected among
// the others. Where there is none, why says it: what is asked about every time, and what another rule asks about
// whatever these say.
func (j *Judge) Keep(act Recorded, others []Recorded, everywhere bool) (rules []Keepable, why string) {
	s := &suggester{judge: j, groups: map[string]*group{}, ids: map[string]bool{}}
	for _, other := range others {
		if other.Answer() == permissions.Reject {
			s.rejected = append(s.rejected, other)
		}
	}
	switch act.Answer() {
	case permissions.Ask:
		return nil, "no person has answered about it"
	case permissions.Reject:
		return nil, "it was rejected"
	}
	if now, untold := j.Decide(act); untold == "" && now.Verdict == permissions.Approve {
		return nil, "it is approved without a question already: " + now.Reason
	}
	s.sort(act)
	g := s.groups[s.order[0]]
	begun, why := s.begin(g)
	if why != "" {
		return nil, why
	}
	begun.ID = s.id("kept", g.name)
	begun.Decision = suggestedDecision{"approve", fmt.Sprintf("you approved it on %s, number %d on record, and kept that",
		act.Time.Local().Format("2006-01-02 at 15:04"), act.Seq)}
	if everywhere {
		begun.Workspaces = nil
	}
	for _, k := range s.scopes(begun, g) {
		if k.why == "" {
			k.why = s.prove(k.Rule, g)
		}
		if k.why == "" {
			k.why = s.asksStill(k.Rule, act)
		}
		if k.why == "" {
			rules = append(rules, k.Keepable)
		} else if why == "" {
			why = k.why
		}
	}
	if len(rules) > 0 {
		why = ""
	}
	return rules, why
}

// scoped is a rule of one scope, or why there is none.
type scoped struct {
	Keepable
	why string
}

// scopes writes the rules that a group of one act can be kept as.
func (s *suggester) scopes(begun SuggestedRule, g *group) (all []scoped) {
	r, name := g.acts[0].Request, display.Line(g.name)
	add := func(scope Scope, covers string, write func(*SuggestedRule) (why string)) {
		k := scoped{Keepable: Keepable{scope, covers, begun}}
		k.why = write(&k.Rule)
		all = append(all, k)
	}
	files := func(scope Scope, covers, pattern string) {
		add(scope, covers, func(rule *SuggestedRule) string {
			rule.aboutFiles(g, pattern)
			return ""
		})
	}
	switch {
	case r.Shell != nil:
		add(ScopeExact, fmt.Sprintf("exactly `%s`", name), func(rule *SuggestedRule) string {
			if why := rule.aboutCommand(g, true); why != "" {
				return why
			}
			return rule.spellTexts(g, "it is kept as it was written")
		})
		add(ScopeWords, fmt.Sprintf("`%s`, with further words, too", name), func(rule *SuggestedRule) string {
			if open := s.openEnded(g); open != "" {
				return open
			}
			return rule.aboutCommand(g, false)
		})
	case g.paths[0] != "":
		verb := map[permissions.Action]string{permissions.ActionRead: "reading ", permissions.ActionWrite: "writing "}[r.Action]
		dir := strings.TrimSuffix(g.paths[0], path.Base(g.paths[0]))
		files(ScopeExact, verb+name, escapeGlob(g.paths[0]))
		if path.Ext(name) != "" {
			files(ScopeKind, verb+display.Line(dir+"*"+path.Ext(g.paths[0])), kindPattern(g.paths[0]))
		}
		if dir != "" {
			files(ScopeFolder, verb+"everything below "+display.Line(dir), escapeGlob(dir)+"**")
		}
		files(ScopeAll, verb+"every file of the workspace", "**")
	default:
		add(ScopeExact, name+" with the same arguments", func(rule *SuggestedRule) string {
			return rule.aboutCalls(g, s.parameters(r.Tools[0]))
		})
		if r.Action == permissions.ActionCall {
			add(ScopeAll, name+" with any arguments", func(rule *SuggestedRule) string {
				rule.exampleCalls(r)
				return ""
			})
		}
	}
	return all
}

// asksStill returns why the act would still be asked about with the rule among those that are in force.
func (s *suggester) asksStill(rule SuggestedRule, act Recorded) (why string) {
	data, err := PolicyFile([]SuggestedRule{rule})
	if err != nil {
		return err.Error()
	}
	file, err := config.ReadPolicies(config.File{Name: "kept", Layer: tool.LayerUser, Data: data, Commands: s.judge.Set.Commands})
	if err != nil {
		return err.Error() // prove has read it
	}
	with := *s.judge
	policies := append(slices.Clone(s.judge.Set.Policies), file)
	with.Authority = s.judge.Authority.With(permissions.NewSet(policies), s.judge.Set.Commands)
	if d, untold := with.Decide(act); untold == "" && d.Verdict != permissions.Approve {
		return "it would be asked about all the same: " + d.Reason
	}
	return ""
}
