package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/profile"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// ruleRule is the kind of mistake that a rule has as a whole. An example that does not hold is another,
// ruleExample.
const ruleRule = "rule"

// ruleEntry is one entry of auto_approval_policies that is being read.
type ruleEntry struct {
	file *policyFile
	at   yamldoc.Value
	rule permissions.Rule
	// wrong are the fields that a mistake was reported for. The rule's own check would only say so again.
	wrong []string
	// finalAt is where the rule says that it is final; nil when it does not.
	finalAt *yamldoc.Value
}

func newRuleEntry(file *policyFile, at yamldoc.Value) *ruleEntry {
	return &ruleEntry{file: file, at: at, rule: permissions.Rule{Source: file.file.source(at)}}
}

// ruleMapping is what a rule may say.
func ruleMapping() yamldoc.Mapping[*ruleEntry] {
	return yamldoc.Mapping[*ruleEntry]{
		Name: "a rule",
		Synonyms: map[string]string{
			"name": "id", "tools": "applies_to", "tool": "applies_to", "matches": "applies_to",
			"path": "include_paths", "paths": "include_paths", "include": "include_paths",
			"exclude": "exclude_paths", "action": "decision", "effect": "decision", "verdict": "decision",
			"params": "parameters", "arguments": "parameters", "args": "parameters", "command": "commands",
			"condition": "when", "if": "when", "agent": "agents", "principal": "principals", "workspace": "workspaces",
			"projects": "workspaces", "project": "workspaces", "modes": "mode", "expiry": "expires",
			"until": "expires", "examples": "match",
		},
		Keys: []yamldoc.Key[*ruleEntry]{
			yamldoc.NewKey("id", "a text", (*ruleEntry).readID),
			yamldoc.NewKey("applies_to", "a list of tool ids, which may have * in them",
				func(r *ruleEntry, v yamldoc.Value) {
					r.readTexts(v, "applies_to", &r.rule.AppliesTo)
				}),
			yamldoc.NewKey("include_paths", "a list of path patterns", func(r *ruleEntry, v yamldoc.Value) {
				r.readTexts(v, "include_paths", &r.rule.IncludePaths)
			}),
			yamldoc.NewKey("exclude_paths", "a list of path patterns", func(r *ruleEntry, v yamldoc.Value) {
				r.readTexts(v, "exclude_paths", &r.rule.ExcludePaths)
			}),
			yamldoc.NewKey("parameters", "a mapping of arguments to values", (*ruleEntry).readParameters),
			yamldoc.NewKey("request", "a mapping: {method, url, path, query, body}", (*ruleEntry).readRequest),
			yamldoc.NewKey("commands", "a mapping", (*ruleEntry).readCommands),
			yamldoc.NewKey("requires", "a list", (*ruleEntry).readRequires),
			yamldoc.NewKey("decision", "a mapping", (*ruleEntry).readDecision),

			yamldoc.NewKey("agents", "a list of agents' names, which may have * in them",
				func(r *ruleEntry, v yamldoc.Value) {
					r.strictOnly(v)
					r.readTexts(v, "agents", &r.rule.Agents)
				}),
			yamldoc.NewKey("principals", "a list of names of the daemon's principals, which may have * in them",
				func(r *ruleEntry, v yamldoc.Value) {
					r.strictOnly(v)
					r.readTexts(v, "principals", &r.rule.Principals)
				}),
			yamldoc.NewKey("workspaces", "a list of directories, such as ~/src/shop or ~/src/**",
				func(r *ruleEntry, v yamldoc.Value) {
					r.strictOnly(v)
					r.readTexts(v, "workspaces", &r.rule.Workspaces)
				}),
			yamldoc.NewKey("mode", "a list: interactive, headless, or ids of agents' modes",
				func(r *ruleEntry, v yamldoc.Value) {
					r.strictOnly(v)
					r.readTexts(v, "mode", &r.rule.Modes)
				}),
			yamldoc.NewKey("risk", "a mapping: {max: low, medium or high}", (*ruleEntry).readRisks),
			yamldoc.NewKey("when", "an expression in CEL", (*ruleEntry).readWhen),
			yamldoc.NewKey("limit", "a mapping: {count, per, key}", (*ruleEntry).readLimit),
			yamldoc.NewKey("expires", "a day, as 2027-01-31", (*ruleEntry).readExpires),
			yamldoc.NewKey("observe", "true or false", func(r *ruleEntry, v yamldoc.Value) {
				r.strictOnly(v)
				v.SetBool(&r.rule.Observe)
			}),
			yamldoc.NewKey("match", "a list of examples", func(r *ruleEntry, v yamldoc.Value) {
				r.readExamples(v, "match", &r.rule.Match)
			}),
			yamldoc.NewKey("not_match", "a list of examples", func(r *ruleEntry, v yamldoc.Value) {
				r.readExamples(v, "not_match", &r.rule.NotMatch)
			}),
		},
		Elsewhere: []yamldoc.Misplaced{
			{Names: decisionMapping().Names(), Hint: "%s belongs under decision"},
			{Names: commandsMapping().Names(), Hint: "%s belongs under commands"},
			{Names: []string{"command_prefix"}, Hint: "%s belongs under parameters"},
		},
	}
}

// longestID is the number of characters that an id may have.
const longestID = 128

// readID reads the name under which people are told of the rule, so it must be what it looks like.
func (r *ruleEntry) readID(v yamldoc.Value) {
	id, ok := v.Text()
	if ok && (id == "" || utf8.RuneCountInString(id) > longestID ||
		strings.ContainsFunc(id, display.Hidden)) {
		v.Fail(yamldoc.RuleValue, "", "want 1 to %d visible characters, found %s", longestID,
			yamldoc.Quote(id))
		ok = false
	}
	if !ok {
		r.wrong = append(r.wrong, "id")
		return
	}
	r.rule.ID = id
}

// readTexts reads a list of texts that is a condition. An empty one is refused: it would read as "nothing",
// and the rule would be without that condition.
func (r *ruleEntry) readTexts(v yamldoc.Value, field string, into *[]string) {
	texts, ok := v.Texts()
	if ok && len(texts) == 0 {
		v.Fail(yamldoc.RuleEmpty, "name what it is about, or take the key out", "the list is empty")
		ok = false
	}
	if !ok {
		r.wrong = append(r.wrong, field)
	}
	*into = texts
}

// readParameters reads arguments that must be equal to a value, and the command_prefix of the original
// format.
func (r *ruleEntry) readParameters(v yamldoc.Value) {
	entries, ok := v.Entries()
	if ok && len(entries) == 0 {
		v.Fail(yamldoc.RuleEmpty, "name an argument, or take the key out", "the mapping is empty")
	}
	for _, e := range entries {
		switch {
		case e.Name == "command_prefix":
			e.Value.Want = "a list of first words of commands"
			r.readTexts(e.Value, "parameters.command_prefix", &r.rule.CommandPrefixes)
		case e.Value.IsMapping():
			e.Value.Want = "a value, or a matcher: {in, host, absent, max, min, within, regex}"
			r.readMatcher(e.Name, e.Value)
		case e.Value.IsList():
			e.Value.Mismatch("a text, a number, true or false",
				fmt.Sprintf("one of several is written %s: {in: […]}", e.Name))
		case e.Value.IsNull():
			e.Value.Mismatch("a text, a number, true or false", "")
		default:
			given, ok := e.Value.JSON()
			if !ok {
				continue
			}
			if r.rule.Parameters == nil {
				r.rule.Parameters = map[string]any{}
			}
			r.rule.Parameters[e.Name] = given
		}
	}
}

// strictOnly reports a key of the version-2 format in a file of the original one, whose rules are read
// otherwise.
func (r *ruleEntry) strictOnly(v yamldoc.Value) {
	if r.file.version == permissions.VersionOriginal {
		cure := "write version: 2 at the top of the file; then every rule counts, and reject is stronger than ask, ask than approve"
		v.Fail("version", cure, "this key needs a file with version: 2")
	}
}

// commandsMapping is what a rule may say about the commands of a shell text.
func commandsMapping() yamldoc.Mapping[*ruleEntry] {
	return yamldoc.Mapping[*ruleEntry]{
		Name: "commands",
		Keys: []yamldoc.Key[*ruleEntry]{
			yamldoc.NewKey("allow", "a list of first words of commands", func(r *ruleEntry, v yamldoc.Value) {
				r.readTexts(v, "commands.allow", &r.rule.Commands.Allow)
			}),
			yamldoc.NewKey("redirects", "none, workspace or any", (*ruleEntry).readRedirects),
			yamldoc.NewKey("network", "true or false", func(r *ruleEntry, v yamldoc.Value) {
				v.SetFlag(&r.rule.Commands.Network)
			}),
		},
	}
}

func (r *ruleEntry) readCommands(v yamldoc.Value) {
	r.strictOnly(v)
	r.rule.Commands = &permissions.Commands{Redirects: permissions.RedirectsNone}
	yamldoc.ReadKeys(v, commandsMapping(), r)
	if v.IsMapping() && v.Has("network") && says(r.at, "decision", "type", "reject", "manual", "ask") {
		return // a rule that stops may be about every command that reaches another machine
	}
	if !v.IsMapping() || !v.Require("allow", "name the commands that may run: allow: [git status, ls]") {
		r.wrong = append(r.wrong, "commands.allow")
	}
}

func (r *ruleEntry) readRedirects(v yamldoc.Value) {
	text, ok := v.Text()
	if !ok {
		return
	}
	known := []permissions.Redirects{permissions.RedirectsNone, permissions.RedirectsWorkspace,
		permissions.RedirectsAny}
	if !slices.Contains(known, permissions.Redirects(text)) {
		v.Fail(yamldoc.RuleValue, "", "want none, workspace or any; found %s", yamldoc.Quote(text))
		r.wrong = append(r.wrong, "commands.redirects")
		return
	}
	r.rule.Commands.Redirects = permissions.Redirects(text)
}

func (r *ruleEntry) readRequires(v yamldoc.Value) {
	r.strictOnly(v)
	var texts []string
	r.readTexts(v, "requires", &texts)
	for i, text := range texts {
		switch text {
		case "git_work_tree":
			r.rule.InGitWorkTree = true
		case "confined":
			r.rule.Confined = true
		case "":
		default:
			v.Doc.At(v.Node.Content[i], v.Name, "").Fail(yamldoc.RuleValue, "",
				"want git_work_tree or confined; found %s", yamldoc.Quote(text))
		}
	}
}

// decisionMapping is what a rule may decide.
func decisionMapping() yamldoc.Mapping[*ruleEntry] {
	return yamldoc.Mapping[*ruleEntry]{
		Name: "a decision",
		Synonyms: map[string]string{"decision": "type", "action": "type", "verdict": "type", "result": "type",
			"option": "optionId", "message": "reason"},
		Keys: []yamldoc.Key[*ruleEntry]{
			yamldoc.NewKey("type", "approve, reject or manual", (*ruleEntry).readVerdict),
			yamldoc.NewKey("optionId", "a text", func(r *ruleEntry, v yamldoc.Value) {
				v.SetText(&r.rule.Option)
			}),
			yamldoc.NewKey("reason", "a text", func(r *ruleEntry, v yamldoc.Value) {
				v.SetText(&r.rule.Reason)
			}),
			yamldoc.NewKey("skipGovernors", "true or false", func(r *ruleEntry, v yamldoc.Value) {
				v.SetBool(&r.rule.SkipGovernors)
			}),
			yamldoc.NewKey("answer", "terminal", (*ruleEntry).readAnswer),
			yamldoc.NewKey("sandbox", "a profile of the sandbox", (*ruleEntry).readSandbox),
			yamldoc.NewKey("final", "true or false", (*ruleEntry).readFinal),
		},
	}
}

// verdictWord returns our word for what other programs call a decision, ours among them; "" for none.
func verdictWord(text string) string {
	return map[string]string{
		"approve": "approve", "reject": "reject", "manual": "manual", "ask": "ask", "allow": "approve",
		"accept": "approve", "permit": "approve", "yes": "approve", "deny": "reject", "block": "reject",
		"forbid": "reject", "no": "reject", "prompt": "manual", "confirm": "manual",
	}[strings.ToLower(text)]
}

func (r *ruleEntry) readDecision(v yamldoc.Value) {
	if word := verdictWord(v.Node.Value); v.Node.Kind == yaml.ScalarNode && word != "" {
		v.Mismatch("a mapping", "write {type: "+word+"}")
		return
	}
	yamldoc.ReadKeys(v, decisionMapping(), r)
	v.Require("type", "approve, reject or manual")
}

func (r *ruleEntry) readVerdict(v yamldoc.Value) {
	text, ok := v.Text()
	if !ok {
		return
	}
	switch text {
	case "approve":
		r.rule.Verdict = permissions.Approve
	case "reject":
		r.rule.Verdict = permissions.Reject
	case "manual", "ask":
		r.rule.Verdict = permissions.Ask
	default:
		hint := ""
		if other := verdictWord(text); other != "" {
			hint = "here it is " + other
		} else if near := spelling.Nearest(text, []string{"approve", "reject", "manual", "ask"}); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		v.Fail(yamldoc.RuleValue, hint, "want approve, ask (or manual) or reject; found %s", yamldoc.Quote(text))
	}
}

// readAnswer reads where the person has to answer.
func (r *ruleEntry) readAnswer(v yamldoc.Value) {
	r.strictOnly(v)
	if readAtTerminal(v, &r.rule.AtTerminal) && !says(r.at, "decision", "type", "manual", "ask") {
		v.Fail(ruleRule, "", "answer says where a person answers, so it needs type: ask (or manual)")
	}
}

// readAtTerminal reads a key whose one value is terminal.
func readAtTerminal(v yamldoc.Value, into *bool) bool {
	text, ok := v.Text()
	if ok && text != "terminal" {
		v.Fail(yamldoc.RuleValue, "leave the key out, and a client may answer for its person, too",
			"want terminal; found %s", yamldoc.Quote(text))
		return false
	}
	*into = ok
	return ok
}

// readSandbox reads the profile under which the commands run that the rule approves.
func (r *ruleEntry) readSandbox(v yamldoc.Value) {
	r.strictOnly(v)
	name, ok := v.Text()
	if !ok {
		return
	}
	if _, err := profile.Named(name); err != nil {
		v.Fail(yamldoc.RuleValue, "", "%s", err)
		return
	}
	if !says(r.at, "decision", "type", "approve") {
		v.Fail(yamldoc.RuleValue, "take the key out", "only what a rule approves runs")
	}
	if !r.at.Has("commands") {
		v.Fail(yamldoc.RuleValue, "name the commands: commands: {allow: [npm test]}", "only commands run in the sandbox")
	}
	r.rule.Sandbox = name
}

// check looks at the rule as a whole, once all of the entry is known.
func (r *ruleEntry) check() {
	if !r.at.IsMapping() {
		return
	}
	hints := map[string]string{
		"id":         "a name of your own, such as docs-edits",
		"applies_to": `the tools that it is about, such as ["grep", "git_*"]`,
		"decision":   "{type: approve}, {type: reject} or {type: ask}",
	}
	for _, name := range []string{"id", "applies_to", "decision"} {
		if !r.at.Require(name, hints[name]) {
			r.wrong = append(r.wrong, name)
		}
	}
	if r.finalAt != nil && r.rule.Verdict != permissions.Reject {
		r.finalAt.Fail(yamldoc.RuleValue, "take it out",
			"only a rejection is final: something stronger may stand above every other decision")
	}
	ofPart := r.rule.Verdict == permissions.Approve && r.rule.Commands == nil && comparesPart.MatchString(r.rule.When)
	if at, ok := r.at.Get("when"); ok && ofPart {
		at.Warn("part", "name what may run as well: commands: {allow: […]}; or compare the whole text: call.shell == '…'",
			"it looks at a part of the command's text, and whatever follows behind a ;, && or | is approved with it")
	}
	faults := r.rule.Check()
	if len(faults) == 0 && !r.file.file.Workspace { // a stranger's examples are only work
		faults = r.rule.CheckExamples(r.file.file.Commands)
	}
	for _, fault := range faults {
		if r.reported(fault.Field) {
			continue
		}
		rule := ruleRule
		if strings.HasPrefix(fault.Field, "match[") || strings.HasPrefix(fault.Field, "not_match[") {
			rule = ruleExample
		}
		at := r.at.Find(fault.Field)
		at.Fail(rule, fault.Hint, "%s", fault.Message)
	}
}

// comparesPart finds a condition about a part of a command's text.
var comparesPart = lazyregexp.New(`\b(call\.shell|params\.command|params\[['"]command['"]\])\s*\.\s*` +
	`(startsWith|endsWith|contains|matches\(\s*('[^']*[^'$]'|"[^"]*[^"$]"))`)

// says reports whether a text below a mapping is one of several.
func says(v yamldoc.Value, name, field string, texts ...string) bool {
	below, ok := v.Get(name)
	if !ok {
		return false
	}
	at, ok := below.Get(field)
	return ok && slices.Contains(texts, at.Node.Value)
}

// reported reports whether a mistake of the field, or of what it stands in, was reported already.
func (r *ruleEntry) reported(field string) bool {
	for _, wrong := range r.wrong {
		if field == wrong || strings.HasPrefix(field, wrong+"[") || strings.HasPrefix(field, wrong+".") {
			return true
		}
	}
	return false
}
