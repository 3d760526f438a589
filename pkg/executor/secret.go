package executor

import (
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
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

// hide has the values of secret parameters stand on record as their marks, wherever they turn up.
func (a *act) hide() {
	a.marked = func(text string) string { return text }
	if len(a.secrets) == 0 {
		return
	}
	a.hidden.Add(permissions.SecretValues(a.arguments, a.tool.SecretParameters())...)
	a.marked = permissions.Marker(a.arguments, a.tool.SecretParameters(), a.secrets, a.hidden.Mark)
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
