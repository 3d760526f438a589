package replay

import (
	"fmt"
	"path"
	"reflect"
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

// keptPrefix is how the ids of rules begin that are kept answers.
const keptPrefix = "kept"

// Scopes lists the scopes.
func Scopes() []Scope { return []Scope{ScopeExact, ScopeWords, ScopeKind, ScopeFolder, ScopeAll} }

// Keepable is a rule that one answer of a person can be kept as.
type Keepable struct {
	Scope  Scope         `json:"scope"`
	Covers string        `json:"covers"` // what it approves, in words
	Rule   SuggestedRule `json:"rule"`
	Why    string        `json:"-"` // why there is no such rule; "" where there is
}

// Keep writes the rules by which acts as this one, which a person has approved, need no question in the same workspace any
// more, the narrowest first; everywhere has them hold in all workspaces. None approves what a person has rejected among
// the others. Where there is none of a scope, its Why says so; where there is none at all, why does: of what is asked about
// every time, and of what another rule asks about whatever these say.
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
	now, untold := j.Decide(act)
	kept := strings.HasPrefix(now.Rule, keptPrefix)
	if untold == "" && now.Verdict == permissions.Approve && !kept {
		return nil, fmt.Sprintf("it is approved without a question already, by rule %s", display.Line(now.Rule))
	}
	s.sort(act)
	g := s.groups[s.order[0]]
	begun, why := s.begin(g)
	switch {
	case why != "":
		return nil, why
	case len(begun.Workspaces) == 0 && !everywhere:
		return nil, inNoWorkspace
	}
	begun.ID = s.id(keptPrefix, g.name)
	begun.Decision = suggestedDecision{"approve", fmt.Sprintf("you approved it on %s, number %d on record, and kept that",
		act.Time.Local().Format("2006-01-02 at 15:04"), act.Seq)}
	if everywhere {
		begun.Workspaces = nil
	}
	rules = s.scopes(begun, g)
	already := ""
	for i := range slices.Backward(rules) {
		k := &rules[i]
		if already == "" && kept && k.Why == "" {
			already = s.keptAs(k.Rule)
		}
		if already != "" { // as widely, or more so
			k.Why = fmt.Sprintf("rule %s keeps it already", display.Line(already))
		}
		if k.Why == "" {
			k.Why = s.prove(k.Rule, g)
		}
		if k.Why == "" {
			k.Why = s.asksStill(k.Rule, act)
		}
	}
	if !slices.ContainsFunc(rules, func(k Keepable) bool { return k.Why == "" }) {
		return nil, rules[0].Why
	}
	return rules, ""
}

// scopes writes the rules that a group of one act can be kept as.
func (s *suggester) scopes(begun SuggestedRule, g *group) (all []Keepable) {
	r, name := g.acts[0].Request, display.Line(g.name)
	if r.Shell != nil {
		name = display.Line(r.ShellText)
	}
	add := func(scope Scope, covers string, write func(*SuggestedRule) (why string)) {
		k := Keepable{Scope: scope, Covers: covers, Rule: begun}
		k.Why = write(&k.Rule)
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
		first := s.judge.Authority.FirstWords(r)
		covers := fmt.Sprintf("`%s`, with further words, too", name)
		if first != "" {
			covers = fmt.Sprintf("`%s`, with any words behind", display.Line(first))
		}
		add(ScopeWords, covers, func(rule *SuggestedRule) string {
			if first != "" {
				rule.allow(r, first)
				return ""
			}
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
	file, err := s.read(rule)
	if err != nil {
		return err.Error() // prove has read it
	}
	if d, untold := s.judge.and(file).Decide(act); untold == "" && d.Verdict != permissions.Approve {
		return "it would be asked about all the same: " + d.Reason
	}
	return ""
}

// Pack returns the pack of rules that comes with the program and would approve the act; "" where none would.
func (j *Judge) Pack(act Recorded) string {
	for _, name := range permissions.Packs() {
		data, _ := permissions.WithPacks([]byte("version: 2\nauto_approval_policies:\n"), []string{name})
		file, err := config.ReadPolicies(config.File{Name: name, Layer: tool.LayerUser, Data: data, Commands: j.Set.Commands})
		if err != nil {
			continue // TestPack reads them all
		}
		d, untold := j.and(file).Decide(act)
		if untold == "" && d.Verdict == permissions.Approve &&
			slices.ContainsFunc(file.Rules, func(r permissions.Rule) bool { return r.ID == d.Rule }) {
			return name
		}
	}
	return ""
}

// and returns a Judge with the rules of one file more.
func (j *Judge) and(file permissions.File) *Judge {
	with := *j
	with.Authority = j.Authority.With(permissions.NewSet(append(slices.Clone(j.Set.Policies), file)), j.Set.Commands)
	return &with
}

// keptAs returns the id of a rule in force that says what this one does; "" where there is none.
func (s *suggester) keptAs(rule SuggestedRule) (id string) {
	file, err := s.read(rule)
	if err != nil {
		return ""
	}
	says := func(r permissions.Rule) permissions.Rule {
		r.ID, r.Source, r.Reason, r.Match, r.NotMatch = "", tool.Source{}, "", nil, nil
		return r
	}
	for _, other := range s.judge.Set.Policies {
		for _, r := range other.Rules {
			if reflect.DeepEqual(says(r), says(file.Rules[0])) {
				return r.ID
			}
		}
	}
	return ""
}

// read reads a rule as the program does.
func (s *suggester) read(rule SuggestedRule) (permissions.File, error) {
	data, err := PolicyFile([]SuggestedRule{rule})
	if err != nil {
		return permissions.File{}, err
	}
	return config.ReadPolicies(config.File{Name: "kept", Layer: tool.LayerUser, Data: data, Commands: s.judge.Set.Commands})
}
