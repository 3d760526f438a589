package permissions

import (
	"encoding/json"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
)

// SecretMark stands where the value of a secret argument would.
const SecretMark = "[secret]"

// SecretTexts lists the texts that the values of secret arguments can appear as - as they are, as people
// are shown them, and as JSON writes them -, the longest first: of two that begin alike the whole of the
// longer one is to go.
func SecretTexts(arguments map[string]any, secret map[string]bool) []string {
	var texts []string
	for _, v := range SecretValues(arguments, secret) {
		texts = append(texts, textsOf(v)...)
	}
	LongestFirst(texts)
	return texts
}

// textsOf lists what one value can appear as.
func textsOf(value string) []string {
	return []string{value, display.Line(value), inJSON(value, true), inJSON(value, false)}
}

// Marker returns what puts the marks of secret arguments in the place of their values, in texts that are recorded.
// pieces are further texts of theirs, which get SecretMark.
func Marker(arguments map[string]any, secret map[string]bool, pieces []string,
	mark func(value string) string) func(string) string {
	marks := map[string]string{}
	for _, v := range SecretValues(arguments, secret) {
		for _, text := range textsOf(v) {
			if marks[text] == "" {
				marks[text] = mark(v)
			}
		}
	}
	for _, text := range pieces {
		if marks[text] == "" {
			marks[text] = SecretMark
		}
	}
	texts := slices.Collect(maps.Keys(marks))
	LongestFirst(texts)
	pairs := make([]string, 0, 2*len(texts))
	for _, text := range texts {
		pairs = append(pairs, text, marks[text])
	}
	return strings.NewReplacer(pairs...).Replace
}

// SecretValues lists the texts and numbers in secret arguments.
func SecretValues(arguments map[string]any, secret map[string]bool) []string {
	var texts []string
	var add func(value any)
	add = func(value any) {
		switch v := value.(type) {
		case string:
			if v != "" {
				texts = append(texts, v)
			}
		case json.Number:
			texts = append(texts, v.String())
		case []any:
			for _, item := range v {
				add(item)
			}
		case map[string]any:
			for _, item := range v {
				add(item)
			}
		}
	}
	for name := range secret {
		add(arguments[name])
	}
	return texts
}

// LongestFirst puts texts in the order in which they are to be replaced.
func LongestFirst(texts []string) {
	sort.Slice(texts, func(i, j int) bool {
		return len(texts[i]) > len(texts[j]) || len(texts[i]) == len(texts[j]) && texts[i] < texts[j]
	})
}

// inJSON writes a text as the inside of a JSON string.
func inJSON(text string, html bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if enc.Encode(text) != nil {
		return text
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(b.String(), "\n"), `"`), `"`)
}

// Masker returns what takes those texts out of others.
func Masker(texts []string) func(string) string {
	if len(texts) == 0 {
		return func(s string) string { return s }
	}
	pairs := make([]string, 0, 2*len(texts))
	for _, text := range texts {
		pairs = append(pairs, text, SecretMark)
	}
	return strings.NewReplacer(pairs...).Replace
}

// Marker returns what puts marks in the place of the request's secret arguments, in texts that are recorded; nil is
// SecretMark for all.
func (r Request) Marker(mark func(value string) string) func(string) string {
	if len(r.Secret) == 0 || mark == nil {
		return r.Mask()
	}
	return Marker(r.Arguments, r.Secret, nil, mark)
}

// Mask returns what takes the values of the request's secret arguments out of a text that is shown or
// recorded.
func (r Request) Mask() func(string) string {
	if len(r.Secret) == 0 {
		return Masker(nil)
	}
	return Masker(SecretTexts(r.Arguments, r.Secret))
}

// Masked is the decision with what mask takes out of texts taken out of its reasons: a rule's reason names
// the paths that it looked at.
func (d Decision) Masked(mask func(string) string) Decision {
	d.Reason = mask(d.Reason)
	reasons := make([]Reason, 0, len(d.Reasons))
	for _, reason := range d.Reasons {
		reason.Why = mask(reason.Why)
		reasons = append(reasons, reason)
	}
	d.Reasons = reasons
	return d
}
