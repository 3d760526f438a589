package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// ruleRule is the kind of mistake that a rule has as a whole. An example that does not hold is another, ruleExample.
const ruleRule = "rule"

// ruleEntry is one entry of auto_approval_policies that is being read.
type ruleEntry struct {
	file *policyFile
	at   value
	rule permissions.Rule
	// wrong are the fields that a mistake was reported for. The rule's own check would only say so again.
	wrong []string
	// finalAt is where the rule says that it is final; nil when it does not.
	finalAt *value
}

func newRuleEntry(file *policyFile, at value) *ruleEntry {
	return &ruleEntry{file: file, at: at, rule: permissions.Rule{Source: file.file.source(at)}}
}

// ruleNoun is what a rule may say.
func ruleNoun() noun[*ruleEntry] {
	return noun[*ruleEntry]{
		name: "a rule",
		called: map[string]string{
			"name": "id", "tools": "applies_to", "tool": "applies_to", "matches": "applies_to", "path": "include_paths", "paths": "include_paths",
			"include": "include_paths", "exclude": "exclude_paths", "action": "decision", "effect": "decision", "verdict": "decision",
			"params": "parameters", "arguments": "parameters", "args": "parameters", "command": "commands", "condition": "when", "if": "when",
			"agent": "agents", "modes": "mode", "expiry": "expires", "until": "expires", "examples": "match",
		},
		keys: []key[*ruleEntry]{
			{"id", "a text", (*ruleEntry).readID},
			{"applies_to", "a list of tool ids, which may have * in them", func(r *ruleEntry, v value) {
				r.readTexts(v, "applies_to", &r.rule.AppliesTo)
			}},
			{"include_paths", "a list of path patterns", func(r *ruleEntry, v value) {
				r.readTexts(v, "include_paths", &r.rule.IncludePaths)
			}},
			{"exclude_paths", "a list of path patterns", func(r *ruleEntry, v value) {
				r.readTexts(v, "exclude_paths", &r.rule.ExcludePaths)
			}},
			{"parameters", "a mapping of arguments to values", (*ruleEntry).readParameters},
			{"commands", "a mapping", (*ruleEntry).readCommands},
			{"requires", "a list", (*ruleEntry).readRequires},
			{"decision", "a mapping", (*ruleEntry).readDecision},

			{"agents", "a list of agents' names, which may have * in them", func(r *ruleEntry, v value) {
				r.strictOnly(v)
				r.readTexts(v, "agents", &r.rule.Agents)
			}},
			{"mode", "a list: interactive, headless, or ids of agents' modes", func(r *ruleEntry, v value) {
				r.strictOnly(v)
				r.readTexts(v, "mode", &r.rule.Modes)
			}},
			{"risk", "a mapping: {max: low, medium or high}", (*ruleEntry).readRisks},
			{"when", "an expression in CEL", (*ruleEntry).readWhen},
			{"limit", "a mapping: {count, per, key}", (*ruleEntry).readLimit},
			{"expires", "a day, as 2027-01-31", (*ruleEntry).readExpires},
			{"observe", "true or false", func(r *ruleEntry, v value) {
				r.strictOnly(v)
				v.setBool(&r.rule.Observe)
			}},
			{"match", "a list of examples", func(r *ruleEntry, v value) { r.readExamples(v, "match", &r.rule.Match) }},
			{"not_match", "a list of examples", func(r *ruleEntry, v value) { r.readExamples(v, "not_match", &r.rule.NotMatch) }},
		},
		elsewhere: []misplaced{
			{names(decisionNoun().keys), "%s belongs under decision"},
			{names(commandsNoun().keys), "%s belongs under commands"},
			{[]string{"command_prefix"}, "%s belongs under parameters"},
		},
	}
}

// longestID is the number of characters that an id may have.
const longestID = 128

// readID reads the name under which people are told of the rule, so it must be what it looks like.
func (r *ruleEntry) readID(v value) {
	id, ok := v.text()
	if ok && (id == "" || utf8.RuneCountInString(id) > longestID || strings.ContainsFunc(id, display.Hidden)) {
		v.fail(ruleValue, "", "want 1 to %d visible characters, found %s", longestID, quote(id))
		ok = false
	}
	if !ok {
		r.wrong = append(r.wrong, "id")
		return
	}
	r.rule.ID = id
}

// readTexts reads a list of texts that is a condition. An empty one is refused: it would read as "nothing", and the rule
// would be without that condition.
func (r *ruleEntry) readTexts(v value, field string, into *[]string) {
	texts, ok := v.texts()
	if ok && len(texts) == 0 {
		v.fail(ruleEmpty, "name what it is about, or take the key out", "the list is empty")
		ok = false
	}
	if !ok {
		r.wrong = append(r.wrong, field)
	}
	*into = texts
}

// readParameters reads arguments that must be equal to a value, and the command_prefix of the original format.
func (r *ruleEntry) readParameters(v value) {
	entries, ok := v.entries()
	if ok && len(entries) == 0 {
		v.fail(ruleEmpty, "name an argument, or take the key out", "the mapping is empty")
	}
	for _, e := range entries {
		switch {
		case e.name == "command_prefix":
			e.value.want = "a list of first words of commands"
			r.readTexts(e.value, "parameters.command_prefix", &r.rule.CommandPrefixes)
		case isMapping(e.value):
			e.value.want = "a value, or a matcher: {in, host, absent, max, min, within, regex}"
			r.readMatcher(e.name, e.value)
		case isList(e.value):
			e.value.mismatch("a text, a number, true or false", fmt.Sprintf("one of several is written %s: {in: […]}", e.name))
		case e.value.isNull():
			e.value.mismatch("a text, a number, true or false", "")
		default:
			given, ok := e.value.open()
			if !ok {
				continue
			}
			if r.rule.Parameters == nil {
				r.rule.Parameters = map[string]any{}
			}
			r.rule.Parameters[e.name] = given
		}
	}
}

// strictOnly reports a key of the version-2 format in a file of the original one, whose rules are read otherwise.
func (r *ruleEntry) strictOnly(v value) {
	if r.file.version == permissions.VersionOriginal {
		cure := "write version: 2 at the top of the file; then every rule counts, and reject is stronger than ask, ask than approve"
		v.fail("version", cure, "this key needs a file with version: 2")
	}
}

// commandsNoun is what a rule may say about the commands of a shell text.
func commandsNoun() noun[*ruleEntry] {
	return noun[*ruleEntry]{
		name: "commands",
		keys: []key[*ruleEntry]{
			{"allow", "a list of first words of commands", func(r *ruleEntry, v value) {
				r.readTexts(v, "commands.allow", &r.rule.Commands.Allow)
			}},
			{"redirects", "none, workspace or any", (*ruleEntry).readRedirects},
			{"network", "true or false", func(r *ruleEntry, v value) { v.setFlag(&r.rule.Commands.Network) }},
		},
	}
}

func (r *ruleEntry) readCommands(v value) {
	r.strictOnly(v)
	r.rule.Commands = &permissions.Commands{Redirects: permissions.RedirectsNone}
	readKeys(v, commandsNoun(), r)
	if isMapping(v) && v.has("network") && r.at.says("decision", "type", "reject", "manual", "ask") {
		return // a rule that stops may be about every command that reaches another machine
	}
	if !isMapping(v) || !v.mustHave("allow", "name the commands that may run: allow: [git status, ls]") {
		r.wrong = append(r.wrong, "commands.allow")
	}
}

func (r *ruleEntry) readRedirects(v value) {
	text, ok := v.text()
	if !ok {
		return
	}
	known := []permissions.Redirects{permissions.RedirectsNone, permissions.RedirectsWorkspace, permissions.RedirectsAny}
	if !slices.Contains(known, permissions.Redirects(text)) {
		v.fail(ruleValue, "", "want none, workspace or any; found %s", quote(text))
		r.wrong = append(r.wrong, "commands.redirects")
		return
	}
	r.rule.Commands.Redirects = permissions.Redirects(text)
}

func (r *ruleEntry) readRequires(v value) {
	r.strictOnly(v)
	var texts []string
	r.readTexts(v, "requires", &texts)
	for i, text := range texts {
		if text == "git_work_tree" {
			r.rule.InGitWorkTree = true
			continue
		}
		if text != "" {
			v.doc.at(v.node.Content[i], v.name, "").fail(ruleValue, "",
				"want git_work_tree, the only thing that can be required; found %s", quote(text))
		}
	}
}

// decisionNoun is what a rule may decide.
func decisionNoun() noun[*ruleEntry] {
	return noun[*ruleEntry]{
		name:   "a decision",
		called: map[string]string{"decision": "type", "action": "type", "verdict": "type", "result": "type", "option": "optionId", "message": "reason"},
		keys: []key[*ruleEntry]{
			{"type", "approve, reject or manual", (*ruleEntry).readVerdict},
			{"optionId", "a text", func(r *ruleEntry, v value) { v.setText(&r.rule.Option) }},
			{"reason", "a text", func(r *ruleEntry, v value) { v.setText(&r.rule.Reason) }},
			{"skipGovernors", "true or false", func(r *ruleEntry, v value) { v.setBool(&r.rule.SkipGovernors) }},
			{"final", "true or false", (*ruleEntry).readFinal},
		},
	}
}

// verdictWord gives our word for what other programs call a decision, ours among them; "" for none.
func verdictWord(text string) string {
	return map[string]string{
		"approve": "approve", "reject": "reject", "manual": "manual", "ask": "ask", "allow": "approve", "accept": "approve", "permit": "approve",
		"yes": "approve", "deny": "reject", "block": "reject", "forbid": "reject", "no": "reject", "prompt": "manual", "confirm": "manual",
	}[strings.ToLower(text)]
}

func (r *ruleEntry) readDecision(v value) {
	if word := verdictWord(v.node.Value); v.node.Kind == yaml.ScalarNode && word != "" {
		v.mismatch("a mapping", "write {type: "+word+"}")
		return
	}
	readKeys(v, decisionNoun(), r)
	v.mustHave("type", "approve, reject or manual")
}

func (r *ruleEntry) readVerdict(v value) {
	text, ok := v.text()
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
		v.fail(ruleValue, hint, "want approve, reject or manual; found %s", quote(text))
	}
}

// check looks at the rule as a whole, once all of the entry is known.
func (r *ruleEntry) check() {
	if !isMapping(r.at) {
		return
	}
	hints := map[string]string{
		"id": "a name of your own, such as docs-edits", "applies_to": `the tools that it is about, such as ["grep", "git_*"]`,
		"decision": "{type: approve}, {type: reject} or {type: manual}",
	}
	for _, name := range []string{"id", "applies_to", "decision"} {
		if !r.at.mustHave(name, hints[name]) {
			r.wrong = append(r.wrong, name)
		}
	}
	if r.finalAt != nil && r.rule.Verdict != permissions.Reject {
		r.finalAt.fail(ruleValue, "take it out", "only a rejection is final: something stronger may stand above every other decision")
	}
	faults := r.rule.Check()
	if len(faults) == 0 && !r.file.file.Workspace { // a stranger's examples are only work
		faults = r.rule.CheckExamples()
	}
	for _, fault := range faults {
		if r.reported(fault.Field) {
			continue
		}
		rule := ruleRule
		if strings.HasPrefix(fault.Field, "match[") || strings.HasPrefix(fault.Field, "not_match[") {
			rule = ruleExample
		}
		at := r.at.find(fault.Field)
		at.fail(rule, fault.Hint, "%s", fault.Message)
	}
}

// says tells whether a text below a mapping is one of several.
func (v value) says(name, field string, texts ...string) bool {
	below, ok := v.get(name)
	if !ok {
		return false
	}
	at, ok := below.get(field)
	return ok && slices.Contains(texts, at.node.Value)
}

// reported tells whether a mistake of the field, or of what it stands in, was reported already.
func (r *ruleEntry) reported(field string) bool {
	for _, wrong := range r.wrong {
		if field == wrong || strings.HasPrefix(field, wrong+"[") || strings.HasPrefix(field, wrong+".") {
			return true
		}
	}
	return false
}

// find follows a path such as "commands.allow[2]" from v on, as far as the file goes.
func (v value) find(path string) value {
	for path != "" {
		name := path
		if end := strings.IndexAny(path, ".["); end > 0 {
			name = path[:end]
		}
		if below, ok := v.get(name); ok {
			v, path = below, strings.TrimPrefix(path[len(name):], ".")
			continue
		}
		index, rest, ok := strings.Cut(strings.TrimPrefix(path, "["), "]")
		i, err := strconv.Atoi(index)
		if !ok || err != nil || !isList(v) || i < 0 || i >= len(v.node.Content) {
			return v
		}
		v, path = v.doc.at(v.node.Content[i], fmt.Sprintf("%s[%d]", v.name, i), ""), strings.TrimPrefix(rest, ".")
	}
	return v
}
