package permissions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
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
	callers  []*glob     // of principals
	places   []*pathGlob // of workspaces
	modes    []*glob
	include  []*pathGlob
	exclude  []*pathGlob
	commands []*commandList // all of them must hold
	// parameters are the names of the arguments that the rule is about, sorted; matchers are those that are
	// not for equality.
	parameters []string
	request    map[string]*compiledMatcher // by the part of the request
	matchers   map[string]*compiledMatcher
	when       *condition
	fault      string // why the rule cannot be asked; "" when it can
}

// compileRule compiles a rule. A rule with a mistake never approves; one that rejects or asks then does so
// for every act that it may be about.
func compileRule(rule Rule) *compiledRule {
	c := &compiledRule{Rule: rule, at: rule.Source.String(), about: listed(rule.AppliesTo),
		included: listed(rule.IncludePaths), whose: listed(rule.Agents)}
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
	}{{rule.Agents, &c.agents}, {rule.Principals, &c.callers}, {rule.Modes, &c.modes}} {
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
	c.compileRequest()
	slices.Sort(c.parameters)
	c.parameters = slices.Compact(c.parameters)
	if rule.When != "" {
		c.when, _ = compileCondition(rule.When)
	}
	for _, list := range []struct {
		texts []string
		into  *[]*pathGlob
	}{{rule.IncludePaths, &c.include}, {rule.ExcludePaths, &c.exclude}, {rule.Workspaces, &c.places}} {
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

// holds is a rule's answer about an act.
type holds int

const (
	no    holds = iota
	maybe       // it cannot be told; only of rules that stop, and then a person is asked
	yes
	untold // it cannot be told from the record of the act, though it could be when it was decided
)

// finding is a rule's answer, and which condition decided it.
type finding struct {
	holds     holds
	condition string // the key of the policy file, for what did not match
	why       string
}

// ruleCondition is one key of a rule, with the function that evaluates it for an act.
type ruleCondition struct {
	key string
	ask func(*compiledRule, *evaluation) (holds, string)
}

// The conditions are evaluated in this order, and the first that does not hold is reported. Expensive ones
// come last. Those about the request consider nothing else; those about facts consider what was gathered
// for them (see compiledRule.gather).
var (
	requestConditions = []ruleCondition{
		{"applies_to", (*compiledRule).matchTool},
		{"agents", (*compiledRule).matchAgent},
		{"principals", (*compiledRule).matchPrincipal},
		{"workspaces", (*compiledRule).matchWorkspace},
		{"mode", (*compiledRule).matchMode},
		{"expires", (*compiledRule).matchExpiry},
	}
	factConditions = []ruleCondition{
		{"requires", (*compiledRule).matchRequires},
		{"parameters", (*compiledRule).matchParameters},
		{"request", (*compiledRule).matchSent},
		{"commands", (*compiledRule).matchCommands},
		{"include_paths", (*compiledRule).matchPaths},
		{"risk", (*compiledRule).matchRisk},
		{"when", (*compiledRule).matchWhen},
	}
)

// match evaluates the rule for an act.
func (c *compiledRule) match(v *evaluation) finding { return c.matchFacts(v, c.matchRequest(v)) }

// matchRequest evaluates what depends on the request alone.
func (c *compiledRule) matchRequest(v *evaluation) finding {
	if c.fault != "" {
		if c.Verdict == Approve {
			return finding{no, "", "the rule has a mistake: " + c.fault}
		}
		if result, why := c.matchTool(v); len(c.tools) > 0 && result == no {
			return finding{no, "applies_to", why}
		}
		return finding{yes, "", "the rule has a mistake, so it stops whatever it may be about: " + c.fault}
	}
	return c.askAll(v, requestConditions, finding{holds: yes})
}

// matchFacts evaluates the other conditions of a rule, given the finding so far.
func (c *compiledRule) matchFacts(v *evaluation, found finding) finding {
	if c.fault != "" || found.holds == no {
		return found
	}
	found = c.askAll(v, factConditions, found)
	if found.holds == yes && found.why == "" {
		found.why = c.because()
	}
	return found
}

// askAll evaluates conditions of a rule, given the finding so far.
func (c *compiledRule) askAll(v *evaluation, conditions []ruleCondition, found finding) finding {
	for _, condition := range conditions {
		switch got, why := condition.ask(c, v); {
		case got == no:
			return finding{no, condition.key, why}
		case got == untold, got == maybe && found.holds == yes:
			if got == maybe && why == "" {
				why = c.mayStop(condition.key)
			}
			found = finding{got, condition.key, why}
		case got == yes && why != "" && found.holds == yes: // a match that needs a word
			found.why = why
		}
	}
	return found
}

// mayStop says that nobody can tell whether a rule that stops is about the act.
func (c *compiledRule) mayStop(condition string) string {
	stops := "asks about"
	if c.Verdict == Reject {
		stops = "rejects"
	}
	switch condition {
	case "commands":
		return "it cannot be told whether it runs a command that this rule " + stops
	case "include_paths":
		return "it cannot be told whether it touches a file that this rule " + stops
	}
	return "it cannot be told whether it is what this rule " + stops
}

// because returns in words what matched.
func (c *compiledRule) because() string {
	parts := []string{"the tool"}
	for _, part := range []struct {
		has  bool
		name string
	}{
		{len(c.agents) > 0, "the agent"}, {len(c.callers) > 0, "the principal"}, {len(c.modes) > 0, "the mode"},
		{c.InGitWorkTree, "the git work tree"}, {c.Confined, "the agent's sandbox"},
		{c.MinRisk != RiskUnsaid || c.MaxRisk != RiskUnsaid, "the risk"}, {c.when != nil, "the condition"},
	} {
		if part.has {
			parts = append(parts, part.name)
		}
	}
	if len(c.parameters) > 0 {
		parts = append(parts, "the arguments")
	}
	if len(c.request) > 0 {
		parts = append(parts, "the request")
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

func (c *compiledRule) matchTool(v *evaluation) (holds, string) {
	for _, g := range c.tools {
		for _, name := range v.ids {
			if g.means(name, c.Verdict) {
				return yes, ""
			}
		}
	}
	return no, "the tool is " + v.shownTool() + ", and the rule is about " + c.about
}

// shownTool returns the name of the tool for people.
func (v *evaluation) shownTool() string {
	if v.toolText == "" {
		v.toolText = listed(v.Tools)
	}
	return v.toolText
}

func (c *compiledRule) matchRequires(v *evaluation) (holds, string) {
	if c.Confined && !v.Confined {
		return no, "no sandbox of the agent's holds the act"
	}
	if c.Sandbox != "" && !v.TakesProfile {
		return no, "it approves commands in the sandbox only, and nobody here can have this one run there"
	}
	if c.InGitWorkTree && !v.inGitTree() {
		return no, fmt.Sprintf("the workspace %s is no git work tree", display.Line(v.Workspace.Root))
	}
	return yes, ""
}

func (c *compiledRule) matchCommands(v *evaluation) (holds, string) {
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

// listed formats texts for a message.
func listed(texts []string) string {
	const most = 3
	shownTexts := make([]string, 0, most+1)
	for _, text := range texts {
		if len(shownTexts) == most {
			shownTexts = append(shownTexts, "…")
			break
		}
		shownTexts = append(shownTexts, display.Line(text))
	}
	return strings.Join(shownTexts, ", ")
}

// briefly formats a value of an argument for a message.
func briefly(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("a %T", value)
	}
	text := display.Line(string(encoded))
	if len(text) > 60 {
		text = display.Cut(text, 60) + "…"
	}
	return text
}

// shown returns the name of a file for people. Many rules show the same one.
func (v *evaluation) shown(path string) string {
	if v.shownPath != path || v.shownText == "" {
		v.shownPath, v.shownText = path, shown(v.Workspace, path)
	}
	return v.shownText
}
