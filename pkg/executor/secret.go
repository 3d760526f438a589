package executor

import (
	"encoding/json"
	"sort"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
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
	longestFirst(texts)
	return texts
}

func longestFirst(texts []string) {
	sort.Slice(texts, func(i, j int) bool {
		return len(texts[i]) > len(texts[j]) || len(texts[i]) == len(texts[j]) && texts[i] < texts[j]
	})
}

// hidePieces makes secrets of the words that a secret value falls into where it is part of a command that the call chose:
// those that are not among the command's words when the value is masked first.
func (a *act) hidePieces() {
	if len(a.secrets) == 0 {
		return
	}
	public := map[string]bool{"": true}
	for _, command := range a.invocation.Dynamic {
		masked := tool.DynamicCommand{Text: a.mask(command.Text)}
		for _, word := range command.Argv {
			masked.Argv = append(masked.Argv, a.mask(word))
		}
		for _, word := range words(scan(masked)) {
			public[word] = true
		}
	}
	for _, word := range words(*a.request.Shell) {
		if !public[word] {
			public[word] = true // once is enough
			a.secrets = append(a.secrets, word, permissions.ShowLine(word))
		}
	}
	longestFirst(a.secrets)
}

// words are all texts in a script that a rule, and so its reason, or the record can name.
func words(s shellscan.Script) []string {
	var all []string
	for _, command := range s.Commands {
		all = append(all, command.Name)
		for _, arg := range command.Args {
			all = append(all, arg.Text)
		}
	}
	for _, write := range s.Writes {
		all = append(all, write.Path)
	}
	for _, read := range s.Reads {
		all = append(all, read.Path)
	}
	return all
}
