package permissions

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/digest"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Set is the compiled rules of all policy files. It is immutable. The zero Set has no rules.
type Set struct {
	files []compiledFile
	hash  string
	rules int
}

type compiledFile struct {
	File
	rules []*compiledRule
}

// NewSet compiles the files, the weakest layer first. A rule with a mistake (see Rule.Check) never
// approves; one that rejects or asks then does so for every act that it may be about.
func NewSet(files []File) *Set {
	s := &Set{hash: hashFiles(files)}
	for _, file := range files {
		c := compiledFile{File: file}
		for _, rule := range file.Rules {
			c.rules = append(c.rules, compileRule(rule))
			s.rules++
		}
		s.files = append(s.files, c)
	}
	return s
}

// Hash returns the SHA-256, in hexadecimal, of what the rules say, wherever they are written.
func (s *Set) Hash() string {
	if s.hash == "" {
		return hashFiles(nil)
	}
	return s.hash
}

func hashFiles(files []File) string {
	h := sha256.New()
	h.Write([]byte("a2a-acp policies v1\n"))
	for _, file := range files {
		written := file
		written.Name, written.Rules = "", nil
		for _, rule := range file.Rules {
			written.Rules = append(written.Rules, rule.written())
		}
		encoded, err := json.Marshal(written)
		if err != nil { // a parameter is no JSON value; such a rule never approves, but its text counts
			for i := range written.Rules {
				encoded = fmt.Appendf(encoded, "%v", written.Rules[i].Parameters)
				written.Rules[i].Parameters = nil
			}
			rest, _ := json.Marshal(written)
			encoded = append(encoded, rest...)
		}
		h.Write(encoded)
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil))
}

// written returns what a rule says, wherever it is written.
func (r Rule) written() Rule {
	r.Source.File, r.Source.Line, r.Source.Column = "", 0, 0
	r.Match, r.NotMatch = nil, nil // they only test it
	return r
}

// saying names what a rule says.
func (c *compiledRule) saying() string {
	said := c.written()
	encoded, err := json.Marshal(said)
	if err != nil { // as in hashFiles
		parameters := fmt.Sprintf("%v", said.Parameters)
		said.Parameters = nil
		rest, _ := json.Marshal(said)
		return digest.Of(parameters, string(rest))
	}
	return digest.Of(string(encoded))
}

// outcome is what the rules say together. The zero outcome says nothing.
type outcome struct {
	rule      *compiledRule // the one that decided; nil when none matched
	verdict   Verdict
	why       string
	reasons   []Reason
	asks      []*compiledRule // all that ask, whichever decides
	missed    []missed        // those that would approve but for a condition about facts
	partly    []*compiledRule // those of version 2 that would approve but for commands which they do not name
	beside    []*compiledRule // those that approve with rule, which does not cover all commands alone
	uncovered string          // why those of partly do not approve together; "" where they do, or there are none
	// atTerminal is set if a rule that matches wants the answer from a terminal, whichever rule decides.
	atTerminal bool
	// everyAnswer is set where that is so whatever rule matches; see Authority.WithAnswers.
	everyAnswer bool
	// unmatched is what files say of an act that no rule is about, unmatchedIn one of the files that say
	// so.
	unmatched   *Verdict
	unmatchedIn string
}

// decide evaluates every rule, so that the reasons are complete. A file of the original format answers with
// its first rule that surely matches and those before it that may match; in version 2 every matching rule
// answers. The strongest answer holds; of equal ones, the first of those that yield to none (see yieldsTo).
func (s *Set) decide(v *evaluation, found []finding) outcome { return s.combine(v, s.match(v, found)) }

// match evaluates every rule by itself, in the order of the files. found holds what each says of the
// request alone, and is updated with the final findings.
func (s *Set) match(v *evaluation, found []finding) []finding {
	at := 0
	for _, file := range s.files {
		for _, rule := range file.rules {
			found[at] = rule.matchFacts(v, found[at])
			at++
		}
	}
	return found
}

// yieldsTo reports whether another rule decides that says the same. A person's own comes first: he looks for its name in the
// record, and has said more with it. A repository's comes last: what holds without it does not hold by its leave, and neither
// its reason, which agents are told, nor its optionId counts then.
func (c *compiledRule) yieldsTo(other *compiledRule) bool { return c.standing() < other.standing() }

func (c *compiledRule) standing() int {
	switch c.Source.Layer {
	case tool.LayerProject:
		return 0
	case tool.LayerEmbedded:
		return 1
	}
	return 2
}

// combine combines what the rules have found.
func (s *Set) combine(v *evaluation, found []finding) outcome {
	a := outcome{reasons: make([]Reason, 0, len(found))}
	at := 0
	for _, file := range s.files {
		var first *compiledRule
		for _, rule := range file.rules {
			reason, counts := file.reason(v, rule, found[at])
			at++
			if found[at-1].misses(rule) && !file.tightens(v.Workspace) {
				a.missed = append(a.missed, missed{rule, found[at-1]})
				if file.Version == Version2 && found[at-1].condition == "commands" {
					a.partly = append(a.partly, rule)
				}
			}
			switch {
			case !counts:
			case file.Version != Version2 && first != nil:
				reason.Why += fmt.Sprintf("; but %s stands before it, and in a file without version: 2 the first one decides",
					display.Line(first.ID))
			default:
				if found[at-1].holds == yes { // one that may match must not hide what stands behind it
					first = rule
				}
				a.atTerminal = a.atTerminal || rule.AtTerminal
				if reason.Verdict == Ask {
					a.asks = append(a.asks, rule)
				}
				if a.rule == nil || reason.Verdict.stronger(a.verdict) || reason.Verdict == a.verdict && a.rule.yieldsTo(rule) {
					a.rule, a.verdict, a.why = rule, reason.Verdict, reason.Why
				}
			}
			a.reasons = append(a.reasons, reason)
		}
		if file.Unmatched != nil && *file.Unmatched != Approve &&
			(a.unmatched == nil || file.Unmatched.stronger(*a.unmatched)) &&
			(*file.Unmatched == Reject || !file.tightens(v.Workspace)) {
			a.unmatched, a.unmatchedIn = file.Unmatched, file.Name
		}
	}
	return a
}

// reason returns what one rule says, and whether it counts.
func (f *compiledFile) reason(v *evaluation, rule *compiledRule, found finding) (reason Reason, counts bool) {
	reason = Reason{Rule: rule.ID, At: rule.at, Layer: f.layer(), Verdict: rule.Verdict,
		Matched: found.holds != no, Condition: found.condition, Why: found.why}
	if f.tightens(v.Workspace) && rule.Verdict != Reject {
		reason.Matched, reason.Condition, reason.Why = false, "",
			"a workspace's own file can only reject, until somebody trusts it"
		return reason, false
	}
	if found.holds == maybe || found.holds == untold {
		reason.Verdict = Ask
	}
	if why := rule.limitReached(v); found.holds == yes && why != "" {
		reason.Verdict, reason.Condition, reason.Why = Ask, "limit", why
	}
	if rule.Observe && reason.Matched {
		reason.Observed = true
		reason.Why = fmt.Sprintf("it is only watched (observe), and would %s: %s", reason.Verdict, reason.Why)
		return reason, false
	}
	return reason, reason.Matched
}

// layer returns a word for the file that a rule is from.
func (f *compiledFile) layer() string {
	if f.TightenOnly || f.Root != "" {
		return "project"
	}
	return f.Layer.String()
}

// with returns what two sets say together: the stronger verdict, and the reasons of both.
func (a outcome) with(b outcome) outcome {
	stronger := a
	if b.rule != nil && (a.rule == nil || b.verdict.stronger(a.verdict)) {
		stronger = b
	}
	stronger.unmatched, stronger.unmatchedIn = a.unmatched, a.unmatchedIn
	if b.unmatched != nil && (a.unmatched == nil || b.unmatched.stronger(*a.unmatched)) {
		stronger.unmatched, stronger.unmatchedIn = b.unmatched, b.unmatchedIn
	}
	stronger.asks = append(slices.Clip(a.asks), b.asks...)
	stronger.missed = append(slices.Clip(a.missed), b.missed...)
	stronger.partly = append(slices.Clip(a.partly), b.partly...)
	stronger.atTerminal = a.atTerminal || b.atTerminal
	stronger.reasons = append(slices.Clip(a.reasons), b.reasons...)
	return stronger
}

// reason returns the outcome in one sentence: the author's, if there is one.
func (a outcome) reason() string {
	if len(a.beside) == 0 && a.rule.Reason != "" && a.verdict == a.rule.Verdict && a.rule.fault == "" {
		return a.rule.Reason
	}
	return a.why
}
