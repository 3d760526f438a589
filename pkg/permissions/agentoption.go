package permissions

import "slices"

// Option is one answer that an agent offers with its question. The id is the agent's own word; the kind is
// the protocol's.
type Option struct{ ID, Name, Kind string }

// The kinds of ACP 1. Version 2 of the protocol allows others; nobody knows what they mean, so they are
// never chosen.
const (
	kindAllowOnce    = "allow_once"
	kindAllowAlways  = "allow_always"
	kindRejectOnce   = "reject_once"
	kindRejectAlways = "reject_always"
)

// aliases are the words that policy files use for an answer, and the ids by which agents call it. The
// original system had a few of them; the ids are those that Gemini, Codex, Claude and OpenCode were seen to
// offer (facts of November 2026). Only an option of the given kind counts, so that "allow" never turns into
// "always".
var aliases = []struct {
	names []string
	kind  string
	ids   []string
}{
	{[]string{"approved", "allow", "allow_once"}, kindAllowOnce,
		[]string{"approved", "allow", "allow_once", "allow-once", "once", "proceed_once"}},
	{[]string{"allow_always"}, kindAllowAlways,
		[]string{"allow_always", "allow-always", "always", "proceed_always"}},
	{[]string{"abort", "reject", "deny", "reject_once"}, kindRejectOnce,
		[]string{"abort", "reject", "reject_once", "reject-once", "deny", "decline", "cancel"}},
}

// ChooseOption finds the offered option that says what was decided: the one that the rule names, if its
// kind fits the verdict; else the first that is offered for this once; of a rejection else the first for
// always, since that only stops. It is false where nothing offered says it, or where the id would not tell
// it from another option, and for a decision to ask. An "always" that allows is never chosen unless the
// rule names it.
func ChooseOption(d Decision, options []Option) (Option, bool) {
	if d.Verdict != Approve && d.Verdict != Reject {
		return Option{}, false
	}
	if option, ok := named(d, options); ok {
		return option, true
	}
	wanted := []string{kindAllowOnce}
	if d.Verdict == Reject {
		wanted = []string{kindRejectOnce, kindRejectAlways}
	}
	for _, kind := range wanted {
		for _, option := range options {
			if option.Kind == kind && distinct(option, options) {
				return option, true
			}
		}
	}
	return Option{}, false
}

// named finds the option that the rule wishes for, by its id or by what agents are known to call it.
func named(d Decision, options []Option) (Option, bool) {
	if d.Option == "" {
		return Option{}, false
	}
	for _, option := range options {
		if option.ID == d.Option {
			return option, fits(option.Kind, d.Verdict) && distinct(option, options)
		}
	}
	var found []Option
	for _, alias := range aliases {
		if !slices.Contains(alias.names, d.Option) || !fits(alias.kind, d.Verdict) {
			continue
		}
		for _, option := range options {
			if option.Kind == alias.kind && slices.Contains(alias.ids, option.ID) {
				found = append(found, option)
			}
		}
	}
	if len(found) != 1 || !distinct(found[0], options) {
		return Option{}, false
	}
	return found[0], true
}

// fits reports whether a kind says what was decided.
func fits(kind string, verdict Verdict) bool {
	switch verdict {
	case Approve:
		return kind == kindAllowOnce || kind == kindAllowAlways
	case Reject:
		return kind == kindRejectOnce || kind == kindRejectAlways
	}
	return false
}

// distinct reports whether the option's id names it and no other.
func distinct(option Option, options []Option) bool {
	same := 0
	for _, other := range options {
		if other.ID == option.ID {
			same++
		}
	}
	return same == 1 && option.ID != ""
}
