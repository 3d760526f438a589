package permissions

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/digest"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// What a person can allow for a session of a command that builds or tests the project is its first words, with any behind
// them: pytest, npm test. It is kept as a rule of the session's, so it covers what a rule with these words covers and no more:
// other rules may cover the commands beside it, and any of them that asks or rejects is heard.

// keptWords is such a rule. Guarded by Sessions.mu, and immutable.
type keptWords struct {
	of, key string // as in scope
	rule    Rule
}

// sessionRule names the rule of a session's in reasons.
const sessionRule = "allowed-in-this-session"

// wordsScope is what a person can allow of the act's commands with further words: of those that no rule names, all of
// which build or test the project. It is false where the rule would not approve the act itself.
func (a *Authority) wordsScope(v *evaluation, rules outcome) (scope, bool) {
	if v.Action != ActionExecute || v.shell == nil || len(v.Tools) == 0 || rules.rule != nil || rules.atTerminal ||
		rules.everyAnswer {
		return scope{}, false
	}
	var allow []string
	for _, i := range v.shell.unnamed {
		words := v.firstWords(v.shell.commands[i])
		if words == nil {
			return scope{}, false
		}
		if text := strings.Join(words, " "); !slices.Contains(allow, text) {
			allow = append(allow, text)
		}
	}
	if allow == nil {
		return scope{}, false
	}
	rule := Rule{ID: sessionRule, AppliesTo: []string{v.Tools[0]}, Confined: v.Confined, Verdict: Approve,
		Commands: &Commands{Allow: allow, Redirects: RedirectsNone}}
	s := scope{key: digest.Of(append([]string{"words", v.Tools[0]}, allow...)...), rule: &rule,
		words: fmt.Sprintf("%s, with any words behind, in the workspace", quotedList(allow))}
	_, approves := a.decideWith(v.Request, []Rule{rule})
	return s, approves
}

// FirstWords returns the words up to the one that says what it does of a command that builds or tests the project, where the
// act is that one command beside what no rule has to name; "" for another act. A rule with these words approves it with any
// behind them.
func (a *Authority) FirstWords(r Request) (words string) {
	v := a.newEvaluation(r)
	if v.shell == nil || len(v.Shell.Writes) > 0 {
		return ""
	}
	v.gather(func() {
		for i, c := range v.shell.commands {
			switch {
			case v.shell.needsNoRule(i):
			case words == "":
				words = strings.Join(v.firstWords(c), " ")
			default:
				words = ""
				return
			}
		}
	})
	return words
}

// firstWords returns the words of a command that builds or tests the project up to the one that says what it does; nil for
// another command, and for one that does more than build or test by that word, such as npm publish.
func (v *evaluation) firstWords(c shellscan.Command) (words []string) {
	program, at := v.builder(c)
	if program == "" || in(command.Targets, program) {
		return nil
	}
	begin := fixedTexts(c)
	// Behind an option a word may be its value, and what the program does stand behind it: npm --tag test publish.
	spelled := slices.IndexFunc(begin, func(word string) bool {
		return strings.HasPrefix(word, "-") && !command.Subcommands(command.ModuleOptions, filepath.Base(c.Name))[word]
	})
	if spelled < 0 {
		spelled = len(begin)
	}
	for n := at; n <= spelled; n++ {
		if needsVerb(program, begin[at:n]) {
			continue
		}
		words = append([]string{c.Name}, begin[:n]...)
		if !builds(program, begin[at:n]) || slices.ContainsFunc(words, func(word string) bool { return !PlainWord(word) }) {
			return nil
		}
		return words
	}
	return nil
}

// builds reports whether the words of a program up to the one that says what it does say that it builds or tests: that word, or
// that it is the name of a script (npm run build). A program without such a word does nothing else (pytest).
func builds(program string, words []string) bool {
	if !command.In(command.Verbs, program) && !command.In(command.Families, program) {
		return true
	}
	tests, runs := command.Subcommands(command.TestsAndBuilds, program), command.Subcommands(command.Verbs, program)
	return slices.ContainsFunc(words, func(word string) bool { return tests[word] || runs[word] })
}

// decideWith decides about an act by a session's rules beside those in force. It is false where they do not approve it, or
// where one does beside them that counts how often, or has it run elsewhere.
func (a *Authority) decideWith(r Request, session []Rule) (d Decision, approves bool) {
	inForce := a.rulesFor(r)
	inForce.session = NewSet([]File{{Version: Version2, Name: "session", Rules: session}})
	v := a.newEvaluation(r)
	v.now = a.now()
	inForce.gather(v)
	rules, _ := inForce.decide(v)
	if rules.rule == nil || rules.verdict != Approve {
		return Decision{}, false
	}
	var said []string
	for _, rule := range rules.approving() {
		if rule.Limit != nil || rule.Sandbox != "" {
			return Decision{}, false
		}
		if rule.ID == sessionRule && rule.Source.File == "" {
			said = append(said, quotedList(rule.Commands.Allow))
		}
	}
	if said == nil {
		return Decision{}, false
	}
	return Decision{Verdict: Approve, Source: SourceSession, Obligation: v.obligation(),
		Reason: fmt.Sprintf("you allowed %s with any words behind for this session", display.Line(strings.Join(said, ", ")))}, true
}

// keepsWords is keeps for what a person has allowed with further words.
func (a *Authority) keepsWords(v *evaluation) (d Decision, approves bool) {
	if v.Session == "" || v.Action != ActionExecute || a.atTerminal {
		return Decision{}, false
	}
	var rules []Rule
	for _, kept := range a.kept.wordsOf(v.Session) {
		if kept.key == v.here(kept.of) && (a.kept.log == nil || a.kept.log.Holds(v.Session, a.kept.name(kept.key))) {
			rules = append(rules, kept.rule)
		}
	}
	if rules == nil {
		return Decision{}, false
	}
	return a.decideWith(v.Request, rules)
}

// wordsOf returns what was allowed in a session with further words.
func (s *Sessions) wordsOf(session string) []keptWords {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.words[session])
}

// builder is command.Builder, also of a program that another one starts (npx jest).
func (v *evaluation) builder(c shellscan.Command) (program string, at int) {
	begin := fixedTexts(c)
	if program, at := command.Builder(c.Name, begin); program != "" ||
		command.Subcommands(command.CommandRunners, filepath.Base(c.Name)) != nil {
		return program, at
	}
	if at := v.startedAt(c.Name, begin); at >= 0 && command.Builds(begin[at]) {
		return begin[at], at + 1
	}
	return "", 0
}
