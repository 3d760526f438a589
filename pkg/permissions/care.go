package permissions

import (
	"fmt"
	"slices"
	"strings"
)

// harmless is a program that only reads and prints, as long as it is given nothing but what its row lists. An option that
// is not in the row is not covered by a rule that does not spell it, nor is its abbreviation: what nobody has looked at
// may write (sort -o), run something (rg --pre) or read elsewhere (wc --files0-from).
//
// Options are written in the manner of getopt(3), with one sign behind each that takes a value:
//
//	n     no value
//	n=    a value, which is never opened: head -n 5
//	n:    a value that is, or might be, a file: grep -f words
//	n?    a value only in the same word: ls --color=auto
//	n&    two values, the next two words, which are never opened: jq --arg name value
//	n%    a value that is a program in the language that program reads: sed -e p
//
// TestRowsAgreeWithThePrograms asks the real programs.
type harmless struct {
	short string // letters; "*" for any word that begins with '-'
	long  string // names without their dashes, blanks between them
	rest  rest   // what the other words are
	// trees are the options, letters and names, with which it reads every file below a directory; "*" means always. hidden
	// are those with which it does so for files whose name begins with a dot.
	trees, hidden string
	// noOptionHarms marks a program of which no option at all, in the row or not, writes or runs anything.
	noOptionHarms bool
	// program, if there is one, tells why a program that the first word holds, or an option's value, may do more than print.
	program func(text string) string
	// refuses, if there is one, tells why any word must not be given.
	refuses func(word string) string
	// bundled marks a program whose first word is letters of options, with or without a dash: tar tf x.
	bundled bool
	// oneDash marks a program whose long options have one dash, and which has no letters: find.
	oneDash bool
}

// rest says what the words are that belong to no option.
type rest int

const (
	files     rest = iota // names of files; grep's pattern counts as one, since an option can make it one
	texts                 // never opened
	oneFile               // at most one file: the second would be written
	formats               // each begins with '+': date would set the clock by any other
	nothing               // there are none: hostname would set one
	revisions             // files, revisions, and files of revisions: HEAD:a.go
)

// words is a command's words as its row reads them.
type words struct {
	files    []string // what may be opened
	programs []string // programs that options gave
	operands int      // how many of the words belong to no option
	tree     bool     // it reads whole trees,
	hidden   bool     // and what is hidden in them
	spelled  bool     // a rule spells an option that the row does not know, so the program may do more than read
}

// read reads the words behind the program's name. The first spelled of them stand in the rule itself, so their options
// need not be in the row. why is the first word that the row does not know.
func (h *harmless) read(args []string, spelled int) (w words, why string) {
	w.tree, w.hidden = h.trees == "*", h.hidden == "*"
	var rest []string
	ended := false // "--" came
	for i := 0; i < len(args); i++ {
		word := args[i]
		if h.bundled && i == 0 && !strings.HasPrefix(word, "-") {
			word = "-" + word
		}
		if h.refuses != nil {
			if why := h.refuses(word); why != "" {
				return w, why
			}
		}
		switch {
		case word == "-" || !strings.HasPrefix(word, "-") || h.short == "*":
			rest = append(rest, word)
			continue
		case ended && i >= spelled:
			return w, fmt.Sprintf("%q could be an option", word) // if an option before took the -- for its value
		case word == "--" || ended:
			ended = true
			continue
		}
		o, known := h.option(word)
		if !known {
			if i >= spelled {
				return w, fmt.Sprintf("with the option %s it could do more than read", word)
			}
			w.spelled = true
		}
		w.tree, w.hidden = w.tree || o.tree, w.hidden || o.hidden
		w.files = append(w.files, o.files...)
		w.programs = append(w.programs, o.programs...)
		for range o.next {
			if i+1 == len(args) {
				break
			}
			i++
			if i >= spelled && strings.HasPrefix(args[i], "-") && len(args[i]) > 1 && !(h.oneDash && less(args[i])) {
				return w, fmt.Sprintf("%q could be an option", args[i]) // if the row is wrong about the one before
			}
			if h.refuses != nil {
				if why := h.refuses(args[i]); why != "" {
					return w, why
				}
			}
			if o.opens {
				w.files = append(w.files, args[i])
			}
			if o.runs {
				w.programs = append(w.programs, args[i])
			}
		}
	}
	if h.program != nil {
		if len(w.programs) == 0 && len(rest) > 0 {
			w.programs, rest = rest[:1], rest[1:]
		}
		if why := h.program(strings.Join(w.programs, "\n")); why != "" {
			return w, why
		}
	}
	w.operands = len(rest)
	return h.operands(w, rest)
}

// less tells whether a word is what find takes for less than a number: -7, -10k. No action of find's is called so.
func less(word string) bool {
	return strings.Trim(strings.TrimRight(word[1:], "bcwkMG"), "0123456789") == "" && word[1] >= '0' && word[1] <= '9'
}

// operands reads the words that belong to no option.
func (h *harmless) operands(w words, rest []string) (words, string) {
	for i, word := range rest {
		switch {
		case h.rest == texts:
		case h.rest == nothing, h.rest == formats && !strings.HasPrefix(word, "+"):
			return w, fmt.Sprintf("with %q it does more than read", word)
		case h.rest == oneFile && i > 0:
			return w, fmt.Sprintf("it writes its second file, %q", word)
		case h.rest == revisions:
			w.files = append(w.files, possibleFiles(word)...)
		case h.rest != formats:
			w.files = append(w.files, word)
		}
	}
	return w, ""
}

// option is one word that begins with a dash, as a row reads it.
type option struct {
	next         int      // how many of the next words are its values
	opens        bool     // the value is or might be a file
	runs         bool     // the value is a program
	tree, hidden bool     // see harmless
	files        []string // files that the word itself names
	programs     []string // programs that it holds
}

// option reads a word. It is known when every option in it is.
func (h *harmless) option(word string) (option, bool) {
	if h.oneDash {
		return h.named(word[1:])
	}
	if name, long := strings.CutPrefix(word, "--"); long {
		return h.named(name)
	}
	var o option
	for i := 1; i < len(word); i++ {
		at := strings.IndexByte(h.short, word[i])
		if at < 0 || isSign(word[i]) {
			return o, false
		}
		o.tree, o.hidden = o.tree || has(h.trees, word[i:i+1]), o.hidden || has(h.hidden, word[i:i+1])
		if sign := h.short[at+1:]; sign != "" && isSign(sign[0]) {
			o.value(sign[0], word[i+1:], word[i+1:] != "")
			return o, true
		}
	}
	return o, true
}

// named reads a long option.
func (h *harmless) named(text string) (option, bool) {
	name, value, given := strings.Cut(text, "=")
	o := option{tree: has(h.trees, name), hidden: has(h.hidden, name)}
	for entry := range strings.FieldsSeq(h.long) {
		bare := strings.TrimRight(entry, "=:?&%")
		if bare != name {
			continue
		}
		if bare == entry {
			return o, !given
		}
		o.value(entry[len(bare)], value, given)
		return o, true
	}
	return o, false
}

// value reads the value of an option with a sign, given in the same word or not.
func (o *option) value(sign byte, value string, given bool) {
	o.opens, o.runs = sign == ':', sign == '%'
	switch {
	case given && o.opens:
		o.files = append(o.files, value)
	case given && o.runs:
		o.programs = append(o.programs, value)
	case given || sign == '?':
	case sign == '&':
		o.next = 2
	default:
		o.next = 1
	}
}

func isSign(c byte) bool { return strings.IndexByte("=:?&%", c) >= 0 }

func has(list, name string) bool { return slices.Contains(strings.Fields(list), name) }

// possibleFiles lists what a word could name: itself, and what stands behind a sign that programs read as the end of an
// option or of a part: --file=/etc/passwd, @/etc/passwd, HEAD:.env, a,b. Addresses of other machines are no files.
func possibleFiles(word string) []string {
	names := []string{word}
	for i := 0; i < len(word); i++ {
		if strings.IndexByte("=:,@", word[i]) < 0 {
			continue
		}
		if rest := word[i+1:]; rest != "" && !(word[i] == ':' && strings.HasPrefix(rest, "//") && !strings.HasSuffix(strings.ToLower(word[:i]), "file")) {
			names = append(names, rest)
		}
	}
	if parts := strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune("=:,@", r) }); len(parts) > 1 {
		for i, part := range parts[:len(parts)-1] {
			if i > 0 && strings.HasPrefix(part, "//") && !strings.HasSuffix(strings.ToLower(parts[i-1]), "file") {
				continue // of an address
			}
			names = append(names, part)
		}
	}
	if strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && len(word) <= longestOption {
		for i := 2; i < len(word); i++ {
			names = append(names, word[i:]) // -f/etc/passwd, -xf../a
		}
	}
	return names
}

// longestOption is the length, in bytes, up to which an option is searched for the names that it could hold.
const longestOption = 256
