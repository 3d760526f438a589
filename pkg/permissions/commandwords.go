package permissions

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
)

// commandWords is a command's words as the row of its program reads them (see internal/command).
type commandWords struct {
	files    []string // what may be opened
	paths    []string // what may be looked at, and is never opened
	programs []string // programs in the language of the row
	operands int      // how many of the words belong to no option
	tree     bool     // it reads whole trees,
	hidden   bool     // and what is hidden in them,
	only     []string // of the files those whose names have one of these ends; all of them where it is empty,
	skips    skipped  // and none of these names,
	follows  bool     // and what the links in them name
	spelled  bool     // an option does more than read that a rule spells, or that writes back what it reads
}

// readCommandWords reads the words behind the program's name. The first spelled of them stand in the rule
// itself, so their options need not be harmless. why is the first thing that is not known only to read: an
// option that is not in the row, and neither is its abbreviation, may write (sort -o), run something (rg
// --pre) or read elsewhere (wc --files0-from).
func readCommandWords(row *command.Row, args []string, spelled int) (w commandWords, why string) {
	if !row.OnlyReads() {
		return w, "nobody has looked how it reads its words"
	}
	if check := checks[row.Check]; check != nil {
		for _, word := range args {
			if why := check(word); why != "" {
				return w, why
			}
		}
	}
	read := row.Read(args)
	w.tree, w.hidden = row.Tree(read)
	w.only = nameEnds(row.Selected(read))
	files, dirs := row.Skipped(read)
	w.skips = skipped{strings.Join(files, "/"), strings.Join(dirs, "/")}
	w.follows = row.Links
	for _, o := range read.Options {
		if o.Kind == command.Command {
			continue // it is one of the act's commands, and looked at as these are
		}
		if !o.Kind.ReadsOnly() {
			why := fmt.Sprintf("its option %s %s", display.Line(o.Name), o.Kind)
			if o.Kind == command.Rewrites {
				why = keepsCopies(o.Name, args[o.At])
			}
			if o.At >= spelled && why != "" {
				return w, why
			}
			w.spelled = true
		}
		for _, value := range o.Values {
			if value.Own && value.At >= spelled && looksLikeOption(value.Text) &&
				!(row.Parser == command.Find && less(value.Text)) {
				// If the row is wrong about the one before.
				return w, fmt.Sprintf("%q could be an option", value.Text)
			}
			switch {
			case o.Kind == command.Code:
				w.programs = append(w.programs, value.Text)
			case o.Kind == command.File || !o.Kind.ReadsOnly():
				w.files = append(w.files, nameReadings(value.Text)...)
			}
		}
	}
	rest := make([]string, 0, len(read.Operands))
	for _, at := range read.Operands {
		if row.Parser != command.None && at >= spelled && looksLikeOption(args[at]) {
			// If an option before took the -- for its value.
			return w, fmt.Sprintf("%q could be an option", args[at])
		}
		if at < spelled && row.Operands == command.Nothing {
			continue // what it does with this word, a rule has said
		}
		rest = append(rest, args[at])
	}
	if harmless := languages[row.Language]; harmless != nil {
		if len(w.programs) == 0 && len(rest) > 0 {
			w.programs, rest = rest[:1], rest[1:]
		}
		for _, program := range shellReadings(strings.Join(w.programs, "\n")) {
			if why := harmless(program); why != "" {
				return w, why
			}
		}
	}
	w.operands = len(rest)
	return w.take(row.Operands, rest)
}

// keepsCopies tells why a word with an option that writes files back does more than that: what stands behind the letter is the
// end, or a pattern, of the names of copies. So is the next word to a sed of BSD's, which takes the files for programs then.
func keepsCopies(option, word string) string {
	switch {
	case runtime.GOOS != "linux":
		return "its option " + option + " takes the next word on some systems"
	case word != option && (strings.HasPrefix(option, "--") || strings.Index(word, option[1:]) != len(word)-1):
		return fmt.Sprintf("with %s it keeps copies under other names", display.Line(word))
	}
	return ""
}

// nameEnds returns the ends of names that patterns like *.go stand for, and none where one is another
// pattern: which files that selects cannot be told so easily. What stands behind a ! is left out by some
// programs, and selected by others, to which it is a name like others; alone it selects nothing.
func nameEnds(patterns []string) []string {
	var ends []string
	selects := false
	for _, pattern := range patterns {
		name, other := strings.CutPrefix(pattern, "!")
		end, ok := strings.CutPrefix(name, "*")
		if !ok && !other || end == "" || strings.ContainsAny(end, `*?{[\/`) {
			return nil
		}
		ends, selects = append(ends, end), selects || !other
	}
	if !selects {
		return nil
	}
	return ends
}

// languages say of a program in a language why it may do more than print.
var languages = map[string]func(program string) string{"sed": sedProgram, "awk": awkProgram, "jq": jqProgram}

// checks say why a program must not be given a word, whatever it is to it.
var checks = map[string]func(word string) string{"hosts": hosts, "signatures": signatures, "keys": sortKeys}

func looksLikeOption(word string) bool { return len(word) > 1 && word[0] == '-' }

// less reports whether a word is what find takes for less than a number: -7, -10k. No action of find's is
// called so.
func less(word string) bool {
	return strings.Trim(strings.TrimRight(word[1:], "bcwkMG"), "0123456789") == "" && word[1] >= '0' &&
		word[1] <= '9'
}

// take reads the words that belong to no option.
func (w commandWords) take(operands command.Operands, rest []string) (commandWords, string) {
	for i, word := range rest {
		switch {
		case operands == command.Texts:
		case operands == command.Nothing, operands == command.Formats && !strings.HasPrefix(word, "+"):
			return w, fmt.Sprintf("with %q it does more than read", word)
		case operands == command.Paths:
			w.paths = append(w.paths, nameReadings(word)...)
		case operands == command.Setting && i > 0:
			return w, fmt.Sprintf("it changes the setting %s", display.Line(rest[0]))
		case operands == command.Setting:
			if why := plainSetting(word); why != "" && len(rest) == 1 {
				return w, why
			}
		case operands == command.InputOutput && i > 0:
			return w, fmt.Sprintf("it writes its second file, %q", word)
		case operands == command.Revisions:
			names, ok := possibleFiles(word)
			if !ok {
				return w, tooMuch
			}
			w.files = append(w.files, names...)
		case operands != command.Formats:
			w.files = append(w.files, nameReadings(word)...)
		}
	}
	return w, ""
}

// hosts reports whether a word could name a file of another machine.
func hosts(word string) string {
	if strings.Contains(word, ":") {
		return fmt.Sprintf("%q could be a file of another machine", word)
	}
	return ""
}

// plainSetting keeps git config to settings that hold no secret; some have tokens in them
// (http.extraHeader, url.insteadOf).
func plainSetting(word string) string {
	name := strings.ToLower(word)
	branch := strings.HasPrefix(name, "branch.") &&
		(strings.HasSuffix(name, ".remote") || strings.HasSuffix(name, ".merge"))
	if branch || plainSettings[name] {
		return ""
	}
	return fmt.Sprintf("it is not known that the setting %q holds no secret", word)
}

var plainSettings = set(`user.name user.email init.defaultbranch core.autocrlf core.eol core.filemode
	core.ignorecase core.bare core.editor remote.origin.url remote.upstream.url pull.rebase push.default
	core.hookspath`)

// signatures reports whether a format has git run gpg: %G?, %+GS, %(signature).
func signatures(word string) string {
	for i := 0; i+1 < len(word); i++ {
		if rest := word[i:]; rest[0] == '%' && strings.HasPrefix(strings.TrimLeft(rest[1:], "+- "), "G") ||
			strings.HasPrefix(rest, "(signature") || strings.HasPrefix(rest, "(*signature") {
			return fmt.Sprintf("%q has git run gpg", word)
		}
	}
	return ""
}

// sortKeys is signatures for commands that also sort by what a format can tell: --sort=-signature:key.
func sortKeys(word string) string {
	if key := strings.TrimLeft(strings.TrimPrefix(word, "--sort="), "-*"); key == "signature" ||
		strings.HasPrefix(key, "signature:") {
		return fmt.Sprintf("%q has git run gpg", word)
	}
	return signatures(word)
}
