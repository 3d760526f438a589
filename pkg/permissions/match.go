package permissions

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// compiledRule is a Rule that is ready to be asked.
type compiledRule struct {
	Rule
	at       string // where it stands, for people
	tools    []*toolGlob
	about    string // applies_to, for people; so are the next
	included string
	whose    string
	agents   []*glob
	modes    []*glob
	include  []*pathGlob
	exclude  []*pathGlob
	commands []*commandList // all of them must hold
	// parameters are the names of the arguments that the rule is about, sorted; matchers are those that are not for equality.
	parameters []string
	matchers   map[string]*compiledMatcher
	when       *condition
	fault      string // why the rule cannot be asked; "" when it can
}

// pathGlob is a pattern for paths, together with what it is relative to.
type pathGlob struct {
	*glob
	base base
	// alias is an absolute pattern with the links of its fixed beginning resolved: on macOS /etc is /private/etc. It only
	// counts for what stops, since somebody may change the link. Nil when there are no links.
	alias *glob
}

// base is what a pattern for paths is relative to.
type base int

const (
	workspaceBase base = iota
	rootBase           // it begins with /
	homeBase           // it begins with ~/
)

// compileRule makes a rule ready. One with a mistake never approves; one that stops then stops whatever it may be about.
func compileRule(rule Rule) *compiledRule {
	c := &compiledRule{Rule: rule, at: rule.Source.String(), about: listed(rule.AppliesTo), included: listed(rule.IncludePaths), whose: listed(rule.Agents)}
	if faults := rule.Check(); len(faults) > 0 {
		c.fault = faults[0].Field + ": " + faults[0].Message
	}
	for _, text := range rule.AppliesTo {
		if g, err := compileToolGlob(text); err == nil {
			c.tools = append(c.tools, g)
		}
	}
	for _, list := range []struct {
		texts []string
		into  *[]*glob
	}{{rule.Agents, &c.agents}, {rule.Modes, &c.modes}} {
		for _, text := range list.texts {
			if g, err := compileGlob(text, true); err == nil {
				*list.into = append(*list.into, g)
			}
		}
	}
	for name := range rule.Parameters {
		c.parameters = append(c.parameters, name)
	}
	for name, matcher := range rule.Matchers {
		if c.matchers == nil {
			c.matchers = map[string]*compiledMatcher{}
		}
		c.matchers[name], _ = compileMatcher(matcher)
		c.parameters = append(c.parameters, name)
	}
	slices.Sort(c.parameters)
	c.parameters = slices.Compact(c.parameters)
	if rule.When != "" {
		c.when, _ = compileCondition(rule.When)
	}
	for _, list := range []struct {
		texts []string
		into  *[]*pathGlob
	}{{rule.IncludePaths, &c.include}, {rule.ExcludePaths, &c.exclude}} {
		for _, text := range list.texts {
			if g, err := compilePathGlob(text); err == nil {
				*list.into = append(*list.into, g)
			}
		}
	}
	if len(rule.CommandPrefixes) > 0 {
		c.commands = append(c.commands, newCommandList(Commands{Allow: rule.CommandPrefixes}))
	}
	if rule.Commands != nil {
		c.commands = append(c.commands, newCommandList(*rule.Commands))
	}
	return c
}

func compilePathGlob(text string) (*pathGlob, error) {
	p := &pathGlob{}
	pattern := text
	switch {
	case strings.HasPrefix(text, "/"):
		p.base = rootBase
	case strings.HasPrefix(text, "~/"):
		p.base, pattern = homeBase, text[2:]
	default:
		pattern = strings.TrimPrefix(text, "./")
	}
	if err := checkPathGlob(text, pattern); err != nil {
		return nil, err
	}
	var err error
	if p.glob, err = compileGlob(pattern, false); err != nil || p.base != rootBase {
		return p, err
	}
	fixed := pattern
	if at := strings.IndexAny(pattern, `*?[\`); at >= 0 {
		fixed = pattern[:strings.LastIndexByte(pattern[:at], '/')+1]
	}
	if real, err := walk(fixed); err == nil && real != filepath.Clean(fixed) {
		rest := strings.TrimPrefix(pattern, strings.TrimSuffix(fixed, "/"))
		p.alias, _ = compileGlob(escapeGlob(real)+rest, false) // without it the rule stops less than it could, never more
	}
	return p, nil
}

// escapeGlob writes a name as a pattern that stands for it alone.
func escapeGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`).Replace(name)
}

// relatives gives the names by which a pattern of that base could mean the absolute name.
func (v *view) relatives(b base, name string) []string {
	switch b {
	case rootBase:
		return []string{name}
	case homeBase:
		if rest, ok := strings.CutPrefix(name, strings.TrimSuffix(v.home, "/")+"/"); ok && v.home != "" {
			return []string{rest}
		}
		return nil
	}
	var names []string
	for _, dir := range v.Workspace.Dirs() {
		if relative, err := filepath.Rel(dir, name); err == nil && relative != ".." && !strings.HasPrefix(relative, "../") {
			names = append(names, relative)
		}
	}
	return names
}

// covers tells whether the pattern surely stands for the place.
func (v *view) covers(g *pathGlob, p place) bool {
	return p.err == nil && slices.ContainsFunc(v.relatives(g.base, p.real), g.matches)
}

// names tells whether the pattern is the place's name, letter by letter.
func (v *view) names(g *pathGlob, p place) bool { return g.literal != "" && v.covers(g, p) }

// mayCover tells whether the pattern could stand for an absolute name.
func (v *view) mayCover(g *pathGlob, name string) bool {
	return slices.ContainsFunc(v.relatives(g.base, name), g.mayMatch) || g.alias != nil && g.alias.mayMatch(name) ||
		slices.ContainsFunc(v.respelled(g.base, name), g.mayMatch)
}

// respelled gives the names that a pattern of that base could mean where the directory that it is relative to is spelled in another
// way in the absolute name: in other letters, which some file systems take for the same.
func (v *view) respelled(b base, name string) []string {
	var dirs, names []string
	switch b {
	case rootBase:
		return nil
	case homeBase:
		dirs = []string{v.home}
	default:
		dirs = v.Workspace.Dirs()
	}
	for _, dir := range dirs {
		dir = strings.TrimSuffix(dir, "/")
		parts := strings.Split(name, "/")
		n := strings.Count(dir, "/") + 1
		if dir == "" || len(parts) <= n {
			continue
		}
		if head := strings.Join(parts[:n], "/"); head != dir && fold(head) == fold(dir) {
			names = append(names, strings.Join(parts[n:], "/"))
		}
	}
	return names
}

// holds is what a rule says of an act.
type holds int

const (
	no    holds = iota
	maybe       // it cannot be told; only of rules that stop, and then a person is asked
	yes
	untold // it cannot be told from the record of the act, though it could be when it was decided
)

// finding is what a rule says, and what decided it.
type finding struct {
	holds     holds
	condition string // the key of the policy file, for what did not match
	why       string
}

// conditions are asked in this order, and the first that does not hold is told. What costs most comes last.
var conditions = []struct {
	key string
	ask func(*compiledRule, *view) (holds, string)
}{
	{"applies_to", (*compiledRule).matchTool},
	{"agents", (*compiledRule).matchAgent},
	{"mode", (*compiledRule).matchMode},
	{"expires", (*compiledRule).matchExpiry},
	{"requires", (*compiledRule).matchTree},
	{"parameters", (*compiledRule).matchParameters},
	{"commands", (*compiledRule).matchCommands},
	{"include_paths", (*compiledRule).matchPaths},
	{"risk", (*compiledRule).matchRisk},
	{"when", (*compiledRule).matchWhen},
}

// match asks the rule.
func (c *compiledRule) match(v *view) finding {
	if c.fault != "" {
		if c.Verdict == Approve {
			return finding{no, "", "the rule has a mistake: " + c.fault}
		}
		if result, why := c.matchTool(v); len(c.tools) > 0 && result == no {
			return finding{no, "applies_to", why}
		}
		return finding{yes, "", "the rule has a mistake, so it stops whatever it may be about: " + c.fault}
	}
	all := finding{holds: yes}
	for _, condition := range conditions {
		switch got, why := condition.ask(c, v); {
		case got == no:
			return finding{no, condition.key, why}
		case got == untold, got == maybe && all.holds == yes:
			if got == maybe && why == "" {
				why = "it cannot be told what the command touches, and the rule may be about it"
			}
			all = finding{got, condition.key, why}
		case got == yes && why != "" && all.holds == yes: // a match that needs a word
			all.why = why
		}
	}
	if all.holds == yes && all.why == "" {
		all.why = c.because()
	}
	return all
}

// because says in words what matched.
func (c *compiledRule) because() string {
	parts := []string{"the tool"}
	for _, part := range []struct {
		has  bool
		name string
	}{
		{len(c.agents) > 0, "the agent"}, {len(c.modes) > 0, "the mode"}, {c.InGitWorkTree, "the git work tree"},
		{c.MinRisk != RiskUnsaid || c.MaxRisk != RiskUnsaid, "the risk"}, {c.when != nil, "the condition"},
	} {
		if part.has {
			parts = append(parts, part.name)
		}
	}
	if len(c.parameters) > 0 {
		parts = append(parts, "the arguments")
	}
	if len(c.commands) > 0 {
		parts = append(parts, "the commands")
	}
	if len(c.include)+len(c.exclude) > 0 {
		parts = append(parts, "the paths")
	}
	if len(parts) == 1 {
		return "the tool matches"
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1] + " match"
}

func (c *compiledRule) matchTool(v *view) (holds, string) {
	for _, g := range c.tools {
		for _, name := range v.ids {
			if g.means(name, c.Verdict) {
				return yes, ""
			}
		}
	}
	return no, "the tool is " + v.shownTool() + ", and the rule is about " + c.about
}

// shownTool names the tool for people.
func (v *view) shownTool() string {
	if v.toolText == "" {
		v.toolText = listed(v.Tools)
	}
	return v.toolText
}

func (c *compiledRule) matchTree(v *view) (holds, string) {
	if c.InGitWorkTree && !v.inGitTree() {
		return no, fmt.Sprintf("the workspace %s is no git work tree", ShowLine(v.Workspace.Root))
	}
	return yes, ""
}

func (c *compiledRule) matchCommands(v *view) (holds, string) {
	for _, list := range c.commands {
		if c.Verdict != Approve {
			if result, why := list.touches(v); result != yes {
				return result, why
			}
			continue
		}
		if why := list.covers(v); why != "" {
			return no, why
		}
	}
	return yes, ""
}

func (c *compiledRule) matchPaths(v *view) (holds, string) {
	switch {
	case c.Verdict != Approve:
		return c.stopsPaths(v)
	case v.runs():
		return c.approvesCommand(v)
	default:
		return c.approvesPaths(v)
	}
}

// approvesPaths wants every place to be known, to match, and to be plain data or named letter by letter.
func (c *compiledRule) approvesPaths(v *view) (holds, string) {
	if len(v.places) == 0 {
		switch {
		case len(c.include) > 0:
			return no, "it names no path"
		case aboutFiles(v.Action):
			return no, fmt.Sprintf("it is about a file (%s) and names none", v.Action)
		}
	}
	for _, p := range v.places {
		if p.err != nil {
			return no, fmt.Sprintf("the path cannot be told: %s", ShowLine(p.err.Error()))
		}
		switch {
		case len(c.include) == 0 && !v.inside(p):
			return no, shown(v.Workspace, p.real) + " lies outside the workspace, and the rule names no paths"
		case len(c.include) > 0 && !slices.ContainsFunc(c.include, func(g *pathGlob) bool { return v.covers(g, p) }):
			return no, v.shown(p.real) + " is not in include_paths (" + c.included + ")"
		}
		if at := v.excluded(c.exclude, p.maybe); at >= 0 {
			return no, fmt.Sprintf("%s is in exclude_paths (%s)", shown(v.Workspace, p.real), ShowLine(c.ExcludePaths[at]))
		}
		if why := v.guarded(p); why != "" && !slices.ContainsFunc(c.include, func(g *pathGlob) bool { return v.names(g, p) }) {
			return no, why + ", and include_paths does not name it exactly"
		}
	}
	return yes, ""
}

// approvesCommand: what a command touches is only claimed, so paths never approve one.
func (c *compiledRule) approvesCommand(v *view) (holds, string) {
	if len(c.include) > 0 {
		return no, "it runs a command, and paths never approve commands: say which commands may run (commands: allow:)"
	}
	if len(c.commands) > 0 {
		if len(c.exclude) > 0 && !v.shell.allKnown {
			return no, "it cannot be told that it touches nothing of exclude_paths"
		}
		for _, p := range v.places {
			if !v.inside(p) {
				return no, fmt.Sprintf("%q lies outside the workspace, or nobody can tell", ShowLine(p.name))
			}
			if why := v.guarded(p); why != "" {
				return no, why
			}
		}
		for _, p := range v.everyPlace() {
			if at := v.excluded(c.exclude, p.maybe); at >= 0 {
				return no, fmt.Sprintf("%s is in exclude_paths (%s)", shown(v.Workspace, p.maybe[0]), ShowLine(c.ExcludePaths[at]))
			}
		}
		return yes, ""
	}
	if len(c.exclude) > 0 {
		return no, "it runs a command, and nobody can tell that it touches nothing of exclude_paths"
	}
	if why := v.guardedCommand(); why != "" {
		return no, why
	}
	return yes, ""
}

// stopsPaths looks at every name that something could mean.
func (c *compiledRule) stopsPaths(v *view) (holds, string) {
	if len(c.include)+len(c.exclude) == 0 {
		return yes, ""
	}
	places := v.everyPlace()
	for _, p := range places {
		if c.mayInclude(v, p) && !slices.ContainsFunc(c.exclude, func(g *pathGlob) bool { return v.covers(g, p) }) {
			return yes, ""
		}
	}
	switch {
	case v.runs() && (v.shell == nil || !v.shell.allKnown):
		return maybe, ""
	case len(places) == 0 && len(c.include) == 0:
		return yes, "" // nothing shows that it is excluded
	case len(places) == 0:
		return no, "it names no path"
	case len(c.include) == 0:
		return no, fmt.Sprintf("%s is in exclude_paths (%s)", shown(v.Workspace, places[0].maybe[0]), listed(c.ExcludePaths))
	}
	return no, v.shown(places[0].maybe[0]) + " is not in include_paths (" + c.included + ")"
}

// mayInclude tells whether include_paths could stand for the place, by any name.
func (c *compiledRule) mayInclude(v *view, p place) bool {
	if len(c.include) == 0 {
		return true
	}
	for _, g := range c.include {
		for _, name := range p.maybe {
			if v.mayCover(g, name) || v.removes(g, name) {
				return true
			}
		}
	}
	return false
}

// removes tells whether the act takes a directory away in which the pattern's files lie.
func (v *view) removes(g *pathGlob, name string) bool {
	if v.Action != ActionDelete && v.Action != ActionMove {
		return false
	}
	fixed := g.text
	if at := strings.IndexAny(fixed, `*?[\`); at >= 0 {
		fixed = fixed[:at]
	}
	for _, relative := range v.relatives(g.base, name) {
		if relative == "." || strings.HasPrefix(fold(fixed), fold(relative)+"/") {
			return true
		}
	}
	return false
}

// excluded gives the index of a pattern that could stand for one of the names, -1 for none.
func (v *view) excluded(patterns []*pathGlob, names []string) int {
	for i, g := range patterns {
		for _, name := range names {
			if v.mayCover(g, name) {
				return i
			}
		}
	}
	return -1
}

// everyPlace lists what the act names, and what the words of its command could name.
func (v *view) everyPlace() []place {
	if v.shell == nil {
		return v.places
	}
	return append(v.places[:len(v.places):len(v.places)], v.shell.places...)
}

// guarded tells why a place needs a rule that names it exactly; "" when it does not. What a person has typed into the
// command line needs none.
func (v *view) guarded(p place) string {
	if v.own() {
		return ""
	}
	return v.why(p, p.write)
}

// listed writes texts for a message.
func listed(texts []string) string {
	const most = 3
	shownTexts := make([]string, 0, most+1)
	for _, text := range texts {
		if len(shownTexts) == most {
			shownTexts = append(shownTexts, "…")
			break
		}
		shownTexts = append(shownTexts, ShowLine(text))
	}
	return strings.Join(shownTexts, ", ")
}

// briefly writes a value of an argument for a message.
func briefly(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("a %T", value)
	}
	text := ShowLine(string(encoded))
	if len(text) > 60 {
		text = cutAt(text, 60) + "…"
	}
	return text
}

// shown names a file for people. Many rules show the same one.
func (v *view) shown(path string) string {
	if v.shownPath != path || v.shownText == "" {
		v.shownPath, v.shownText = path, shown(v.Workspace, path)
	}
	return v.shownText
}
