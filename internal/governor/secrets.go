package governor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
)

// textScan is a governor that looks for what must not be seen: secrets, which are what has the shape of one and
// the very values that this program has handed out, or what a person's own expressions match. In what an agent
// asks for they are a reason to stop it; from output they are taken out.
type textScan struct {
	what    string
	verb    Verb
	message string
	exact   Redactor // optional
	find    func(text string) []found
}

func (s *textScan) judge(_ context.Context, in *input) (answer, error) {
	if in.Output != nil {
		return s.judgeOutput(in), nil
	}
	return s.judgeAct(in)
}

// judgeAct looks at every text of what is told: arguments, commands, paths and the agent's own words.
func (s *textScan) judgeAct(in *input) (answer, error) {
	var names []string
	add := func(text string) {
		for _, secret := range s.find(text) {
			name := cmp.Or(secret.name, s.what)
			if !slices.Contains(names, name) {
				names = append(names, name)
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

func (s *textScan) objects(names []string) answer {
	slices.Sort(names)
	text := "it holds " + strings.Join(names, ", ")
	if s.message != "" {
		text = s.message + " (" + text + ")"
	}
	return answer{status: verbStatus(s.verb), messages: []string{text}}
}

func (s *textScan) judgeOutput(in *input) answer {
	stdout, count := s.clean(in.Output.Stdout)
	stderr, more := s.clean(in.Output.Stderr)
	switch count += more; {
	case count == 0:
		return answer{status: statusAbstain}
	case s.verb != VerbRedact:
		return answer{status: verbStatus(s.verb),
			messages: []string{"the output holds " + s.what + ", in " + display.Count(count, "place", "places")}, redacted: count}
	}
	return answer{status: statusApprove, redacted: count, replaced: &replacement{Stdout: &stdout, Stderr: &stderr}}
}

// clean takes out first the values that are known, which may have any shape, and then the shapes that are
// known.
func (s *textScan) clean(text string) (string, int) {
	count := 0
	if s.exact != nil {
		if clean := s.exact.Redact(text); clean != text {
			text, count = clean, 1
		}
	}
	places := s.find(text)
	return without(text, places), count + len(places)
}
