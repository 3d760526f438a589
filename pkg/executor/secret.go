package executor

import (
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// hidden stands where the value of a secret parameter would.
const hidden = permissions.SecretMark

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

// mask takes secret values out of a text that is shown or recorded. A value gets into one when its
// parameter is taken for a path, or is part of a command that the call chose.
func (a *act) mask(text string) string {
	if text == "" || len(a.secrets) == 0 {
		return text
	}
	return permissions.Masker(a.secrets)(text)
}

// maskDecision takes secret values out of what a decision says about the call: a rule's reason names the
// paths that it looked at.
func (a *act) maskDecision(d permissions.Decision) permissions.Decision { return d.Masked(a.mask) }

// hidePieces makes secrets of the words that a secret value falls into where it is part of a command that
// the call chose: those that are not among the command's words when the value is masked first.
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
		for _, word := range words(a.scan(masked)) {
			public[word] = true
		}
	}
	for _, word := range words(*a.request.Shell) {
		if !public[word] {
			public[word] = true // once is enough
			a.secrets = append(a.secrets, word, display.Line(word))
		}
	}
	permissions.LongestFirst(a.secrets)
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
