package permissions

import (
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// isFree reports whether bash does a command itself that no rule needs to name.
func isFree(c shellscan.Command) bool {
	_, free := builtins[c.Name]
	return free && c.Builtin
}

// builtins are what bash does itself and what no rule needs to name, since it harms nobody with the words
// that are let through here. Each gives the reason why its words are not, "" when they are. cd is looked at
// where directories are (see shellText.gatherDirs). bash(1), SHELL BUILTIN COMMANDS; the traps are those of [[ -v
// 'a[$(cmd)]' ]] and its like, where bash evaluates a word.
var builtins = map[string]func(args []string) string{
	"cd":       anyWords, // see shellText.gatherDirs
	":":        anyWords,
	"true":     anyWords,
	"false":    anyWords,
	"echo":     anyWords,
	"printf":   printsOnly,
	"pwd":      onlyFlags("LP"),
	"test":     testWords,
	"[":        testWords,
	"exit":     onlyNumbers,
	"return":   onlyNumbers,
	"break":    onlyNumbers,
	"continue": onlyNumbers,
	"shift":    onlyNumbers,
	"set":      someWords(setWords), // alone they print every variable, secrets included
	"local":    someWords(plainNames),
	"export":   someWords(plainNames),
	"type":     onlyNamesAfter("afptP"),
	"command":  lookUp,
	"umask":    noWords,
	"wait":     noWords,
	"times":    noWords,
}

func anyWords([]string) string { return "" }

func noWords(args []string) string {
	if len(args) > 0 {
		return fmt.Sprintf("%q changes something", args[0])
	}
	return ""
}

func someWords(check func([]string) string) func([]string) string {
	return func(args []string) string {
		if len(args) == 0 {
			return "alone it prints every variable"
		}
		return check(args)
	}
}

// printsOnly keeps printf from assigning: -v does, and evaluates a subscript; %n in its format does, so that
// printf x%n PATH has bash look for programs in the directory 1.
func printsOnly(args []string) string {
	switch {
	case len(args) > 0 && args[0] == "--":
		args = args[1:]
	case len(args) > 0 && strings.HasPrefix(args[0], "-"):
		return fmt.Sprintf("its option %s assigns a variable", args[0])
	}
	if len(args) > 0 && counts(args[0]) {
		return "its format holds %n, which assigns a variable"
	}
	if len(args) > 1 {
		return numbers(args[0], args[1:])
	}
	return ""
}

// numbers keeps the words that printf takes for numbers from being more: zsh evaluates them as arithmetic,
// so that printf %d 'path[$(cmd)]' runs cmd, and %d PATH=0 assigns, whoever wrote the word: a file that a
// command prints, too.
func numbers(format string, args []string) string {
	taken := ""
	for {
		_, rest, found := strings.Cut(format, "%")
		if !found {
			break
		}
		format = strings.TrimLeft(rest, "-+ #0'123456789*.$hlLjzt")
		between := rest[:len(rest)-len(format)]
		if strings.Contains(between, "$") { // which word is meant stands there, as in %2$d
			taken = "d"
			break
		}
		taken += strings.Repeat("d", strings.Count(between, "*"))
		if format != "" {
			taken, format = taken+strings.Trim(format[:1], "%"), format[1:]
		}
	}
	for i, arg := range args {
		if taken != "" && !strings.Contains("sbqc", taken[i%len(taken):i%len(taken)+1]) && !plainNumber(arg) {
			return fmt.Sprintf("its format takes %s for a number, which zsh evaluates", display.Line(arg))
		}
	}
	return ""
}

// plainNumber reports whether a word is a number and nothing else, or '. or ". for the number of a character.
func plainNumber(word string) bool {
	return word == "" || strings.ContainsAny(word[:1], `'"`) || onlyNumber.MatchString(word)
}

var onlyNumber = lazyregexp.New(`\A[-+ ]?[0-9.][0-9.a-fxA-FX]*\z`)

// counts reports whether a format of printf's holds the conversion n, whatever flags, widths and lengths
// stand before it.
func counts(format string) bool {
	for {
		_, rest, found := strings.Cut(format, "%")
		if !found {
			return false
		}
		if percent, ok := strings.CutPrefix(rest, "%"); ok { // %% is a %
			format = percent
			continue
		}
		format = strings.TrimLeft(rest, "-+ #0'123456789*.$hlLjzt")
		if strings.HasPrefix(format, "n") {
			return true
		}
	}
}

func onlyNumbers(args []string) string {
	for _, arg := range args {
		if strings.Trim(arg, "0123456789") != "" {
			return fmt.Sprintf("%q is no number", arg)
		}
	}
	return ""
}

// onlyFlags lets options of those letters through.
func onlyFlags(letters string) func([]string) string {
	return func(args []string) string {
		for _, arg := range args {
			if !strings.HasPrefix(arg, "-") || strings.Trim(arg[1:], letters) != "" {
				return fmt.Sprintf("%q is not one of -%s", arg, letters)
			}
		}
		return ""
	}
}

// onlyNamesAfter lets options of those letters through, and words after them.
func onlyNamesAfter(letters string) func([]string) string {
	return func(args []string) string {
		for _, arg := range args {
			if strings.HasPrefix(arg, "-") && strings.Trim(arg[1:], letters) != "" {
				return fmt.Sprintf("%q is not one of -%s", arg, letters)
			}
		}
		return ""
	}
}

// lookUp lets command tell what a name means. Without -v or -V it runs it.
func lookUp(args []string) string {
	if len(args) == 0 || args[0] != "-v" && args[0] != "-V" {
		return "without -v it runs a command"
	}
	return ""
}

// testWords lets the operators of test through that only compare or look at files: not -v and -R, which
// evaluate a word, and none that compares numbers with a word that is none, which mksh evaluates.
func testWords(args []string) string {
	for i, arg := range args {
		if numberOperators[arg] {
			for _, word := range args[max(0, i-1):min(i+2, len(args))] {
				if word != arg && !onlyNumber.MatchString(word) {
					return fmt.Sprintf("test %s takes %s for a number, which some shells evaluate", arg, display.Line(word))
				}
			}
		}
		if len(arg) > 1 && arg[0] == '-' && strings.Trim(arg[1:], "0123456789") != "" && !testOperators[arg] {
			return fmt.Sprintf("test %s may evaluate a word", arg)
		}
	}
	return ""
}

var numberOperators = set("-eq -ne -lt -le -gt -ge")

var testOperators = set("-a -b -c -d -e -f -g -h -k -o -p -r -s -u -w -x -G -L -N -O -S -n -z -ef -nt -ot -eq -ne -lt " +
	"-le -gt -ge")

// setWords lets through the options by which a script fails early. set -k and its like change how words are
// read. To fish -x is another option: alone it prints the exported variables.
func setWords(args []string) string {
	if letters := strings.Join(args, ""); strings.Contains(letters, "x") && strings.Trim(letters, "-xf") == "" {
		return "alone set -x prints every exported variable in fish"
	}
	for i := 0; i < len(args); i++ {
		letters := strings.TrimLeft(args[i], "-+")
		switch {
		case letters == args[i] || strings.Trim(letters, "eufxCo") != "":
			return fmt.Sprintf("set %s changes how commands are read", args[i])
		case strings.HasSuffix(letters, "o") && (i+1 >= len(args) || !shellOptions[args[i+1]]):
			return "it sets an option of the shell that is not known here"
		case strings.HasSuffix(letters, "o"):
			i++
		case strings.Contains(letters, "o"):
			return fmt.Sprintf("set %s cannot be told", args[i])
		}
	}
	return ""
}

var shellOptions = set("pipefail errexit nounset xtrace noglob noclobber")

// plainNames lets export and local through where they name variables, or give them a value: shellscan has
// told those apart that change what commands do, as it does where an assignment stands in front of a
// command.
func plainNames(args []string) string {
	for _, arg := range args {
		name, _, _ := strings.Cut(arg, "=")
		for i, r := range name {
			if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
				return fmt.Sprintf("%q is more than a name", arg)
			}
		}
	}
	return ""
}
