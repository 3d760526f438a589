package acp

import "github.com/a2a-acp/a2a-acp/pkg/permissions"

// Option kinds (ACP 1; version 2 allows others, which are never taken for an approval).
const (
	allowOnce    = "allow_once"
	allowAlways  = "allow_always"
	rejectOnce   = "reject_once"
	rejectAlways = "reject_always"
)

// readOptions reads the options of a permission request. Two options with one id could not be told apart.
func readOptions(params object) ([]permissions.Option, string) {
	list, complete := params.objects("options")
	if !complete {
		return nil, "its options cannot be read in one way only"
	}
	var options []permissions.Option
	seen := map[string]bool{}
	for _, o := range list {
		option := permissions.Option{ID: o.text("optionId"), Name: o.text("name"), Kind: o.text("kind")}
		if seen[option.ID] {
			return nil, "two of its options have one id"
		}
		seen[option.ID] = true
		options = append(options, option)
	}
	return options, ""
}

// selected is the answer that picks an option.
func selected(id string) any {
	return map[string]any{"outcome": map[string]string{"outcome": "selected", "optionId": id}}
}

// firstOf finds the first option of a kind.
func firstOf(options []permissions.Option, kind string) (permissions.Option, bool) {
	for _, option := range options {
		if option.Kind == kind {
			return option, true
		}
	}
	return permissions.Option{}, false
}
