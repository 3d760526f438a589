package governor

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// secretScan is a governor that looks for secrets: what has the shape of one, and the very values that this
// program has handed out. In what an agent asks for they are a reason to stop it; from output they are
// taken out.
type secretScan struct {
	verb    Verb
	message string
	exact   Redactor
}

func (s *secretScan) judge(_ context.Context, in *input) (answer, error) {
	if in.Output != nil {
		return s.judgeOutput(in), nil
	}
	return s.judgeAct(in)
}

// judgeAct looks at every text of what is told: arguments, commands, paths and the agent's own words.
func (s *secretScan) judgeAct(in *input) (answer, error) {
	var names []string
	add := func(text string) {
		for _, secret := range secretsIn(text) {
			if !slices.Contains(names, secret.name) {
				names = append(names, secret.name)
			}
		}
		if s.exact != nil && s.exact.Redact(text) != text && !slices.Contains(names, "a secret of yours") {
			names = append(names, "a secret of yours")
		}
	}
	var told any
	if err := json.Unmarshal(in.encoded, &told); err != nil {
		return answer{}, fmt.Errorf("the act cannot be read: %w", err)
	}
	eachText(told, add)
	if len(names) == 0 {
		return answer{status: statusAbstain}, nil
	}
	return s.objects(names), nil
}

// eachText calls f for every text in a JSON value, names included.
func eachText(value any, f func(string)) {
	switch v := value.(type) {
	case string:
		f(v)
	case []any:
		for _, item := range v {
			eachText(item, f)
		}
	case map[string]any:
		for name, item := range v {
			f(name)
			eachText(item, f)
		}
	}
}

func (s *secretScan) objects(names []string) answer {
	slices.Sort(names)
	text := "it holds " + strings.Join(names, ", ")
	if s.message != "" {
		text = s.message + " (" + text + ")"
	}
	return answer{status: verbStatus(s.verb), messages: []string{text}}
}

func (s *secretScan) judgeOutput(in *input) answer {
	stdout, count := s.clean(in.Output.Stdout)
	stderr, more := s.clean(in.Output.Stderr)
	switch count += more; {
	case count == 0:
		return answer{status: statusAbstain}
	case s.verb != VerbRedact:
		return answer{status: verbStatus(s.verb),
			messages: []string{fmt.Sprintf("the output holds secrets, in %d places", count)}, redacted: count}
	}
	return answer{status: statusApprove, redacted: count, replaced: &replacement{Stdout: &stdout, Stderr: &stderr}}
}

// clean takes out first the values that are known, which may have any shape, and then the shapes that are
// known.
func (s *secretScan) clean(text string) (string, int) {
	count := 0
	if s.exact != nil {
		if clean := s.exact.Redact(text); clean != text {
			text, count = clean, 1
		}
	}
	text, more := redact(text)
	return text, count + more
}
