package executor

import (
	"encoding/json"
	"sort"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// hidden stands where the value of a secret parameter would.
const hidden = "[secret]"

// publicArguments are the arguments as a person may see them.
func (a *act) publicArguments() map[string]any {
	public := make(map[string]any, len(a.arguments))
	secret := a.tool.SecretParameters()
	for name, value := range a.arguments {
		if secret[name] {
			value = hidden
		}
		public[name] = value
	}
	return public
}

// mask takes secret values out of a text that is shown or recorded. A value gets into one when its parameter is taken for a
// path, or is part of a command that the call chose.
func (a *act) mask(text string) string {
	if text == "" || len(a.secrets) == 0 {
		return text
	}
	pairs := make([]string, 0, 2*len(a.secrets))
	for _, value := range a.secrets {
		pairs = append(pairs, value, hidden)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// maskDecision takes secret values out of what a decision says about the call: a rule's reason names the paths that it
// looked at.
func (a *act) maskDecision(d permissions.Decision) permissions.Decision {
	d.Reason = a.mask(d.Reason)
	reasons := make([]permissions.Reason, 0, len(d.Reasons))
	for _, reason := range d.Reasons {
		reason.Why = a.mask(reason.Why)
		reasons = append(reasons, reason)
	}
	d.Reasons = reasons
	return d
}

// secretTexts lists the texts that the values of secret parameters can appear as, the longest first: of two that begin
// alike the whole of the longer one is to go.
func secretTexts(arguments map[string]any, secret map[string]bool) []string {
	var texts []string
	var add func(value any)
	add = func(value any) {
		switch v := value.(type) {
		case string:
			if v != "" {
				texts = append(texts, v, permissions.ShowLine(v)) // as it is, and as people are shown it
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
	sort.Slice(texts, func(i, j int) bool {
		return len(texts[i]) > len(texts[j]) || len(texts[i]) == len(texts[j]) && texts[i] < texts[j]
	})
	return texts
}
