package permissions

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// Set is the rules of all policy files, compiled. It never changes, and the zero Set has no rules.
type Set struct {
	files []compiledFile
	hash  string
}

type compiledFile struct {
	File
	rules []*compiledRule
}

// NewSet compiles the files, the weakest layer first. A rule with a mistake (see Rule.Check) never approves, and one that
// stops then stops whatever it may be about.
func NewSet(files []File) *Set {
	s := &Set{hash: hashFiles(files)}
	for _, file := range files {
		c := compiledFile{File: file}
		for _, rule := range file.Rules {
			c.rules = append(c.rules, compileRule(rule))
		}
		s.files = append(s.files, c)
	}
	return s
}

// Hash names the rules: SHA-256, in hexadecimal, of what they say. Where they stand does not count.
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
			rule.Source.File, rule.Source.Line, rule.Source.Column = "", 0, 0
			written.Rules = append(written.Rules, rule)
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

// answer is what the rules say together. The zero answer says nothing.
type answer struct {
	rule    *compiledRule // the one that decided; nil when none matched
	verdict Verdict
	why     string
	reasons []Reason
}

// ask asks every rule, so that the reasons are complete. A file of the original format answers with its first rule that
// surely matches, and with those before it that may; of version 2 every rule that matches answers. Of all answers the
// strongest holds, and of equal ones the first.
func (s *Set) ask(v *view) answer {
	var a answer
	for _, file := range s.files {
		var first *compiledRule
		for _, rule := range file.rules {
			reason := Reason{Rule: rule.ID, At: rule.Source.String(), Verdict: rule.Verdict}
			if file.TightenOnly && rule.Verdict != Reject {
				reason.Why = "a workspace's own file can only reject, until somebody trusts it"
				a.reasons = append(a.reasons, reason)
				continue
			}
			result, why := rule.match(v)
			reason.Matched, reason.Why = result != no, why
			if result == maybe {
				reason.Verdict = Ask
			}
			switch {
			case !reason.Matched:
			case file.Version != Version2 && first != nil:
				reason.Why += fmt.Sprintf("; but %s stands before it, and in a file without version: 2 the first one decides", ShowLine(first.ID))
			default:
				if result == yes { // one that may match must not hide what stands behind it
					first = rule
				}
				if a.rule == nil || reason.Verdict.stronger(a.verdict) {
					a.rule, a.verdict, a.why = rule, reason.Verdict, why
				}
			}
			a.reasons = append(a.reasons, reason)
		}
	}
	return a
}

// and gives what two sets say together: the stronger answer, and everybody's reasons.
func (a answer) and(b answer) answer {
	stronger := a
	if b.rule != nil && (a.rule == nil || b.verdict.stronger(a.verdict)) {
		stronger = b
	}
	stronger.reasons = append(slices.Clip(a.reasons), b.reasons...)
	return stronger
}

// reason gives the answer in one sentence: the author's, if there is one.
func (a answer) reason() string {
	if a.rule.Reason != "" && a.verdict == a.rule.Verdict && a.rule.fault == "" {
		return a.rule.Reason
	}
	return a.why
}
