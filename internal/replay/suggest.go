package replay

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Suggestion is the narrowest rule that would have given the answers which a person gave again and again.
type Suggestion struct {
	Rule   SuggestedRule `json:"rule"`
	Covers []int64       `json:"covers"` // the numbers of the acts on record
}

// LeftOut is a group of answers that no rule is suggested for.
type LeftOut struct {
	Act   string `json:"act"`
	Count int    `json:"count"`
	Why   string `json:"why"`
}

// Suggest finds acts that a person has approved at least least times, and writes a rule for each kind of
// them. What people must go on being asked about gets none: control files, what lies outside the workspace,
// commands that cannot be told, tools whose author wants a person. Nor does a rule that would have approved
// what a person rejected.
func (j *Judge) Suggest(acts []Recorded, least int) ([]Suggestion, []LeftOut) {
	s := &suggester{judge: j, least: max(least, 2), groups: map[string]*group{}, ids: map[string]bool{}}
	for _, act := range acts {
		switch act.Answer() {
		case permissions.Approve:
			s.sort(act)
		case permissions.Reject:
			s.rejected = append(s.rejected, act)
		}
	}
	return s.suggest()
}

type suggester struct {
	judge    *Judge
	least    int
	groups   map[string]*group
	order    []string
	rejected []Recorded
	ids      map[string]bool
}

// group is answers about the same kind of act.
type group struct {
	name  string // for people
	acts  []Recorded
	paths []string // of each act, relative to its workspace
	wide  bool     // different files of one kind in one directory
}

func (s *suggester) put(key, name string, act Recorded, path string, wide bool) {
	g := s.groups[key]
	if g == nil {
		g = &group{name: name, wide: wide}
		s.groups[key] = g
		s.order = append(s.order, key)
	}
	g.acts, g.paths = append(g.acts, act), append(g.paths, path)
}

// sort puts an act into its groups: commands with the same, files by name and by kind, calls by their tool
// and the names of their arguments.
func (s *suggester) sort(act Recorded) {
	r := act.Request
	switch {
	case r.Shell != nil || r.Action == permissions.ActionExecute:
		lines := strings.Join(r.ShownCommands(), " ; ")
		s.put("command\x00"+r.Tools[0]+"\x00"+lines, lines, act, "", false)
	case r.Action == permissions.ActionRead || r.Action == permissions.ActionWrite:
		name := ""
		if len(r.Paths) == 1 {
			name = relativeName(r, r.Paths[0].Name)
		}
		if name == "" {
			s.put("other\x00"+r.Tools[0], r.Tools[0], act, "", false)
			return
		}
		s.put("file\x00"+r.Tools[0]+"\x00"+name, name, act, name, false)
		kind := path.Join(path.Dir(name), "*"+path.Ext(name))
		s.put("files\x00"+r.Tools[0]+"\x00"+kind, kind, act, name, true)
	default:
		names := make([]string, 0, len(r.Arguments))
		for name := range r.Arguments {
			names = append(names, name)
		}
		slices.Sort(names)
		s.put("call\x00"+r.Tools[0]+"\x00"+strings.Join(names, "\x00"), r.Tools[0], act, "", false)
	}
}

// relativeName names a file of the workspace; "" for any other.
func relativeName(r permissions.Request, name string) string {
	real, err := permissions.Resolve(r.Dir, name)
	if err != nil {
		return ""
	}
	relative, ok := r.Workspace.Rel(real)
	if !ok || relative == "." {
		return ""
	}
	return relative
}

func (s *suggester) suggest() (suggestions []Suggestion, out []LeftOut) {
	covered := map[int64]bool{}
	slices.SortStableFunc(s.order, func(a, b string) int { // single files before kinds of files
		return cmp.Compare(boolInt(s.groups[a].wide), boolInt(s.groups[b].wide))
	})
	for _, key := range s.order {
		g := s.groups[key]
		if g.wide {
			g.leaveCovered(covered)
		}
		if len(g.acts) < s.least {
			continue
		}
		suggestion, why := s.write(g)
		if why != "" {
			if !g.wide {
				out = append(out, LeftOut{Act: g.shown(), Count: len(g.acts), Why: why})
			}
			continue
		}
		for _, act := range g.acts {
			covered[act.Seq] = true
		}
		suggestions = append(suggestions, suggestion)
	}
	return suggestions, out
}

// shown is the group as it was asked about.
func (g *group) shown() string {
	text := g.acts[0].Request.ShellText
	if text == "" {
		return display.Line(g.name)
	}
	line, rest, several := strings.Cut(strings.TrimSpace(text), "\n")
	if several && rest != "" {
		line += " …"
	}
	if slices.ContainsFunc(g.acts, func(act Recorded) bool { return act.Request.ShellText != text }) {
		return display.Line(line) + " (and other ways to write it)"
	}
	return display.Line(line)
}

func boolInt(is bool) int {
	if is {
		return 1
	}
	return 0
}

func (g *group) leaveCovered(covered map[int64]bool) {
	kept := &group{name: g.name, wide: g.wide}
	for i, act := range g.acts {
		if !covered[act.Seq] {
			kept.acts, kept.paths = append(kept.acts, act), append(kept.paths, g.paths[i])
		}
	}
	*g = *kept
}

// write makes the rule of a group and proves it: the program reads it, its examples hold, it approves every
// act of the group, and nothing that a person rejected. why tells why there is none.
func (s *suggester) write(g *group) (suggestion Suggestion, why string) {
	rule, why := s.begin(g)
	switch {
	case why != "":
		return suggestion, why
	case len(rule.Workspaces) == 0:
		return suggestion, inNoWorkspace
	}
	rule.ID = s.id("suggested", g.name)
	rule.Decision = suggestedDecision{"approve", "you have approved it " + display.Count(len(g.acts), "time", "times")}
	first := g.acts[0].Request
	switch {
	case first.Shell != nil:
		open := s.openEnded(g)
		if why = rule.aboutCommand(g, open != ""); why == "" && open != "" {
			why = rule.spellTexts(g, open)
		}
	case g.paths[0] != "":
		pattern := escapeGlob(g.paths[0])
		if g.wide {
			pattern = kindPattern(g.paths[0])
		}
		rule.aboutFiles(g, pattern)
	default:
		why = rule.aboutCalls(g, s.parameters(first.Tools[0]))
	}
	if why == "" {
		why = s.prove(rule, g)
	}
	suggestion.Rule = rule
	for _, act := range g.acts {
		suggestion.Covers = append(suggestion.Covers, act.Seq)
	}
	return suggestion, why
}

// inNoWorkspace is why there is no rule for acts of no workspace: it would hold in all of them.
const inNoWorkspace = "it belonged to no workspace, and a rule for it would hold in all"

// begin makes a rule for whoever asked and where, in each act of a group. why tells why there can be none.
func (s *suggester) begin(g *group) (rule SuggestedRule, why string) {
	first := g.acts[0].Request
	rule.AppliesTo, rule.directory = first.Tools[:1], s.directory
	if home := s.judge.home; home != "" && slices.ContainsFunc(g.acts, func(act Recorded) bool {
		return strings.Contains(act.Request.ShellText, home)
	}) {
		rule.directory = func(dir string) string { return dir } // in an example with ~/ the command would lead elsewhere
	}
	if edits := []string{permissions.ToolEdit, permissions.ToolWrite}; slices.Contains(edits, first.Tools[0]) {
		rule.AppliesTo = edits // which of the two an agent takes says nothing about the file
	}
	if first.Agent != "" {
		rule.Agents = []string{s.agent(first.Agent)}
	}
	if first.Served {
		rule.Principals = []string{escapeGlob(first.Principal)}
	}
	if !slices.ContainsFunc(g.acts, func(act Recorded) bool { return !act.Request.Confined }) {
		rule.Requires = []string{"confined"} // outside of the sandbox it would be another act
	}
	for _, act := range g.acts {
		r := act.Request
		switch {
		case act.Untold != "":
			return rule, act.Untold
		case len(r.Doubts) > 0:
			return rule, "it could not be believed: " + r.Doubts[0]
		case r.RequiresConfirmation:
			return rule, "the tool's author wants a person asked every time"
		case s.judge.Authority.Guarded(r) != "":
			return rule, s.judge.Authority.Guarded(r) + ", so you are asked every time"
		case r.Shell != nil && !r.Shell.Certain():
			return rule, "it cannot be told what it runs"
		case r.Caller() != first.Caller() && (r.Served || first.Served):
			return rule, "more than one principal of the daemon has asked for it"
		}
		if len(rule.Agents) > 0 && s.agent(r.Agent) != rule.Agents[0] {
			rule.Agents = nil
		}
		for _, dir := range r.Workspace.Dirs() {
			if pattern := escapeGlob(rule.directory(dir)); !slices.Contains(rule.Workspaces, pattern) {
				rule.Workspaces = append(rule.Workspaces, pattern)
			}
		}
	}
	if len(rule.Workspaces) > mostValues {
		return rule, fmt.Sprintf("it was approved in %d directories, so there is no narrow rule", len(rule.Workspaces))
	}
	return rule, ""
}

// agent writes an agent's name as a rule has it.
func (s *suggester) agent(name string) string {
	if s.judge.agent != nil {
		if pattern := s.judge.agent(name); pattern != "" {
			return pattern
		}
	}
	return escapeGlob(name)
}

// directory writes a directory as rules do: below the home directory with ~/.
func (s *suggester) directory(dir string) string {
	if below, ok := strings.CutPrefix(dir, strings.TrimSuffix(s.judge.home, "/")+"/"); ok && s.judge.home != "" {
		return "~/" + below
	}
	return dir
}

// openEnded returns why a rule for the first words of the group's commands would approve more than that; "" where it
// would not.
func (s *suggester) openEnded(g *group) string {
	for _, act := range g.acts {
		if open := s.judge.Authority.OpenEnded(act.Request); open != "" {
			return open
		}
	}
	return ""
}

// id makes an id of what people call the act, that no rule has yet.
func (s *suggester) id(prefix, name string) string {
	words := strings.FieldsFunc(strings.ToLower(name),
		func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	id := prefix + "-" + strings.Join(words[:min(len(words), 5)], "-")
	taken := func(id string) bool {
		return s.ids[id] || slices.ContainsFunc(s.judge.Set.Policies, func(f permissions.File) bool {
			return slices.ContainsFunc(f.Rules, func(r permissions.Rule) bool { return r.ID == id })
		})
	}
	for n := 2; taken(id); n++ {
		id = fmt.Sprintf("%s-%d", strings.TrimRight(id, "-0123456789"), n)
	}
	s.ids[id] = true
	return id
}

// parameters lists the parameters of a tool of ours.
func (s *suggester) parameters(id string) []tool.Parameter {
	for _, loaded := range s.judge.Set.Tools {
		if loaded.Tool.ID == id {
			return loaded.Tool.Parameters
		}
	}
	return nil
}

// prove reads the rule as the program does and tries it on the record.
func (s *suggester) prove(rule SuggestedRule, g *group) (why string) {
	data, err := PolicyFile([]SuggestedRule{rule})
	switch {
	case err != nil:
		return err.Error()
	case strings.ContainsFunc(strings.ReplaceAll(string(data), "\n", ""), display.Hidden):
		return "a rule for it would hold characters that nobody sees"
	}
	file, err := config.ReadPolicies(config.File{Name: "suggestion", Layer: tool.LayerFlag, Data: data,
		Commands: s.judge.Set.Commands})
	if list := yamldoc.List(err); len(list) > 0 {
		_, why, about := strings.Cut(list[0].Message, permissions.NotAboutExample)
		if !about {
			why = list[0].Message
		}
		if strings.HasSuffix(why, "must spell the whole command") && rule.unwritten != "" {
			why += ", and no rule can spell a word with blanks, quotes or other signs of the shell: " + display.Line(rule.unwritten)
		}
		return "no rule can be written for it: " + why
	}
	alone := permissions.New(permissions.Options{Policies: permissions.NewSet([]permissions.File{file}),
		Commands: s.judge.Set.Commands, Home: s.judge.home})
	approves := func(act Recorded) (bool, string) {
		d, untold := alone.Redecide(act.Request, act.Time)
		return len(untold) == 0 && d.Verdict == permissions.Approve &&
			d.Source == permissions.SourcePolicy, d.Reason
	}
	for _, act := range g.acts {
		if ok, reason := approves(act); !ok {
			return "no narrow rule covers it: " + reason
		}
	}
	for _, act := range s.rejected {
		if ok, _ := approves(act); ok {
			return fmt.Sprintf("a rule for it would approve what you rejected (number %d)", act.Seq)
		}
	}
	return ""
}
