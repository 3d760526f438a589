package permissions

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
)

// FieldError is one mistake of a Rule.
type FieldError struct {
	Field   string // as a policy file writes it: "include_paths[1]", "parameters.command_prefix[0]"
	Message string
	Hint    string // the cure, "" when there is none to name
}

// Check returns all mistakes of the rule. A rule with one never approves anything.
func (r *Rule) Check() []FieldError {
	c := checker{}
	c.checkNames(r)
	for i, text := range r.AppliesTo {
		_, err := compileToolGlob(text)
		c.pattern(fmt.Sprintf("applies_to[%d]", i), err)
	}
	for i, text := range r.IncludePaths {
		_, err := compilePathGlob(text)
		c.pattern(fmt.Sprintf("include_paths[%d]", i), err)
	}
	for i, text := range r.ExcludePaths {
		_, err := compilePathGlob(text)
		c.pattern(fmt.Sprintf("exclude_paths[%d]", i), err)
	}
	for name, value := range r.Parameters {
		if !sameScalar(value, value) {
			c.add("parameters."+name, fmt.Sprintf("%T cannot be compared", value),
				"give a text, a number, true or false")
		}
	}
	for name, matcher := range r.Matchers {
		_, faults := compileMatcher(matcher)
		for _, fault := range faults {
			c.add(strings.TrimSuffix("parameters."+name+"."+fault.Field, "."), fault.Message, fault.Hint)
		}
	}
	c.checkRequest(r)
	if r.When != "" {
		_, err := compileCondition(r.When)
		c.pattern("when", err)
	}
	c.checkAgents(r)
	c.checkWorkspaces(r)
	c.checkRisk(r)
	c.checkLimit(r)
	for i, text := range r.CommandPrefixes {
		c.prefix(fmt.Sprintf("parameters.command_prefix[%d]", i), text)
	}
	c.checkCommands(r.Commands, r.Verdict)
	slices.SortStableFunc(c.found, func(a, b FieldError) int { return strings.Compare(a.Field, b.Field) })
	return c.found
}

type checker struct{ found []FieldError }

func (c *checker) add(field, message, hint string) {
	c.found = append(c.found, FieldError{Field: field, Message: message, Hint: hint})
}

func (c *checker) pattern(field string, err error) {
	var wrong *globError
	switch {
	case errors.As(err, &wrong):
		c.add(field, wrong.message, wrong.hint)
	case err != nil:
		c.add(field, err.Error(), "")
	}
}

func (c *checker) checkNames(r *Rule) {
	if r.ID == "" {
		c.add("id", "the rule has no id", "people are told of it by its id")
	}
	if len(r.AppliesTo) == 0 {
		c.add("applies_to", "the rule is about nothing", `name tool ids; "*" stands for all`)
	}
	if r.Verdict != Ask && r.Verdict != Approve && r.Verdict != Reject {
		c.add("decision.type", fmt.Sprintf("%s is no verdict", r.Verdict), "approve, reject or manual")
	}
	for _, text := range []struct{ field, text string }{{"decision.reason", r.Reason},
		{"decision.optionId", r.Option}} {
		if doubts := Doubtful(text.text); len(doubts) > 0 {
			c.add(text.field, doubts[0], "people read this: type it anew")
		}
	}
}

func (c *checker) checkCommands(commands *Commands, verdict Verdict) {
	if commands == nil {
		return
	}
	stopsNetwork := verdict != Approve && commands.Network != nil
	if stopsNetwork && !*commands.Network {
		c.add("commands.network", "a rule that stops commands which stay on this machine would stop nearly all",
			"write network: true to stop those that reach another machine")
	}
	if len(commands.Allow) == 0 && !stopsNetwork {
		c.add("commands.allow", "no command is named", "name the commands that may run: allow: [git status, ls]")
	}
	for i, text := range commands.Allow {
		c.prefix(fmt.Sprintf("commands.allow[%d]", i), text)
	}
	switch commands.Redirects {
	case "", RedirectsNone, RedirectsWorkspace, RedirectsAny:
	default:
		c.add("commands.redirects", fmt.Sprintf("%q says nothing", string(commands.Redirects)),
			"none, workspace or any")
	}
}

// shellSigns are read by a shell, wherever they stand in a word.
const shellSigns = "|&;<>()$`\\\"'"

// PlainWord reports whether a word of a command can be one of the first words that a rule allows.
func PlainWord(word string) bool {
	return word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return display.Hidden(r) || strings.ContainsRune(shellSigns+" \t\n", r)
	})
}

// prefix checks the first words of a command. They are compared as they stand, so nothing that a shell
// would read otherwise may be in them.
func (c *checker) prefix(field, text string) {
	switch words := strings.Fields(text); {
	case len(words) == 0:
		c.add(field, "the command is empty", "name the first words of a command")
	case strings.ContainsFunc(text, func(r rune) bool { return r != ' ' && display.Hidden(r) }),
		strings.ContainsAny(text, "\n\t"):
		c.add(field, "the command holds characters that nobody sees", "type it anew")
	case strings.ContainsAny(text, shellSigns):
		c.add(field, fmt.Sprintf("%q is shell text, and only plain words are compared", text),
			"write each command as an entry of its own, without quotes; redirections are allowed with commands: {redirects: …}")
	case strings.Contains(words[0], "="):
		c.add(field, fmt.Sprintf("%q sets a variable, and a rule for commands sets none", words[0]),
			fmt.Sprintf("name the whole text in place of commands: parameters: {command: %q}", text))
	case words[0] != "[" && strings.ContainsAny(words[0], "*?[{~"):
		c.add(field, fmt.Sprintf("%q names no program", words[0]), "write the program's name")
	}
}

// checkPathGlob refuses patterns for paths that could never match, or would match what their author does
// not see. text is the pattern as written, pattern what is left of it behind its base.
func checkPathGlob(text, pattern string) error {
	switch {
	case text == "":
		return &globError{"the pattern is empty", `"**" stands for every file of the workspace`}
	case strings.Contains(text, "://"):
		return &globError{fmt.Sprintf("%q is a URL", text), "write the path"}
	case strings.HasPrefix(pattern, "~"):
		return &globError{fmt.Sprintf("%q: only ~/ is known", text), "write the whole path"}
	case strings.HasSuffix(text, "/"):
		return &globError{fmt.Sprintf("%q names nothing, because paths have no slash at their end", text),
			fmt.Sprintf("write %s** for the files in it", text)}
	case strings.Contains(pattern, "//"):
		return &globError{fmt.Sprintf("%q matches nothing, because paths have no empty names", text),
			"write one slash"}
	}
	for name := range strings.SplitSeq(pattern, "/") {
		if name == ".." || name == "." && pattern != "." {
			return &globError{fmt.Sprintf("%q matches nothing, because paths are cleaned before they are compared",
				text),
				"a relative pattern begins in the workspace; write an absolute path, or ~/…, for what lies outside"}
		}
	}
	return nil
}
