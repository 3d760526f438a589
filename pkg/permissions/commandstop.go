package permissions

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// touches reports whether a command of the act is one that the list names. A rule that stops means the
// program wherever it lies, by whatever it is run, and with whatever options stand between the words.
func (l *commandList) touches(v *evaluation) (holds, string) {
	if v.shell == nil {
		if v.Action == ActionExecute {
			return maybe, ""
		}
		return no, "it runs no command"
	}
	result := no
	for _, c := range v.Shell.Commands {
		if l.online {
			if v.reachesNetwork(c) == "" {
				continue
			}
			if len(l.prefixes) == 0 {
				return yes, ""
			}
		}
		for _, prefix := range l.prefixes {
			switch mayBegin(c, prefix) {
			case yes:
				return yes, ""
			case maybe:
				result = maybe
			}
		}
	}
	if result == maybe || !v.Shell.Certain() {
		return maybe, ""
	}
	return no, "none of its commands is one of the rule's"
}

// mayBegin reports whether a command begins with the words. Options and their values may stand between them,
// and options of the rule may be written in another way. A word that is not fixed could be any.
func mayBegin(c shellscan.Command, prefix []string) holds {
	if len(prefix) == 1 && slices.ContainsFunc(strings.Fields(c.Via), func(name string) bool {
		return sameProgram(name, prefix[0])
	}) {
		return yes
	}
	if !sameProgram(c.Name, prefix[0]) {
		return no
	}
	var words, options []string
	for _, word := range prefix[1:] {
		if strings.HasPrefix(word, "-") {
			options = append(options, word)
			continue
		}
		words = append(words, word)
	}
	unfixed, afterOption := false, false
	for _, arg := range c.Args {
		switch {
		case !arg.Fixed:
			unfixed = true
		case strings.HasPrefix(arg.Text, "-"):
			afterOption = true
			continue
		case len(words) > 0 && arg.Text == words[0]:
			words = words[1:]
		case len(words) > 0 && !afterOption && !unfixed:
			return no
		}
		afterOption = false
	}
	switch {
	case len(words) == 0 && hasOptions(c.Args, options):
		return yes
	case unfixed:
		return maybe
	}
	return no
}

// hasOptions reports whether a command has all the options: letters in any order and any words, names in full
// or shortened.
func hasOptions(args []shellscan.Word, wanted []string) bool {
	letters, names := "", []string{}
	for _, arg := range args {
		if name, long := strings.CutPrefix(arg.Text, "--"); long {
			name, _, _ = strings.Cut(name, "=")
			names = append(names, name)
		} else if strings.HasPrefix(arg.Text, "-") {
			letters += arg.Text[1:]
		}
	}
	for _, option := range wanted {
		name, long := strings.CutPrefix(option, "--")
		if long && !slices.ContainsFunc(names, func(given string) bool {
			return given != "" && strings.HasPrefix(name, given) || given == name
		}) {
			return false
		}
		if !long && strings.ContainsFunc(option[1:], func(r rune) bool {
			return !strings.ContainsRune(letters, r)
		}) {
			return false
		}
	}
	return true
}

// sameProgram compares by name: /bin/RM is rm to a rule that stops it.
func sameProgram(name, wanted string) bool {
	return strings.EqualFold(name, wanted) || strings.EqualFold(filepath.Base(name), wanted)
}
