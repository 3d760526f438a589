package permissions

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// mostMatches bounds how many names the patterns of a command may stand for.
const mostMatches = 1000

// expand returns the words of a command as bash would hand them on: each pattern replaced by the names that
// it stands for in dir, or by itself where it stands for none. why tells what cannot be told.
//
// Between this look and bash's own somebody may make a file whose name is an option. So a pattern must not
// be able to begin with a dash, unless the program's row says that no option of it harms, or that its
// options are whole words (find's), and the pattern ends in something like .go, which no option ends in; or
// unless it is the value of a long option that is never opened.
func (v *evaluation) expand(c shellscan.Command, dir string, row *command.Row) (args []string, why string) {
	for _, word := range c.Args {
		switch {
		case word.Fixed:
			args = append(args, word.Text)
			continue
		case word.Pipe:
			args = append(args, "/dev/null") // as harmless as what is written to it
			continue
		case (word.Found || word.FoundMany) && v.shell.changesPatterns:
			return nil, "one of its words is not fixed"
		case word.Found, word.FoundMany:
			names, why := v.foundNames(c, dir, row)
			if why != "" {
				return nil, why
			}
			if word.FoundMany { // more than any option takes
				names = slices.Repeat(names[:1], mostFoundWords)
			}
			args = append(args, names...)
			continue
		case word.Pattern == "" || v.shell.changesPatterns || strings.Contains(word.Pattern, `\\\\`): // of two backslashes
			return nil, "one of its words is not fixed"
		case valued(row, word.Pattern):
			args = append(args, unescape(word.Pattern)) // whatever it stands for is a value of the same option
			continue
		case !beginsPlain(word.Pattern) &&
			!(row != nil && (row.NoOptionHarms || row.Parser == command.Find) && endsPlain(word.Pattern)):
			return nil, fmt.Sprintf("a name that %s stands for could be an option: write ./%[1]s",
				display.Line(word.Pattern))
		}
		if !v.workOn(dir + "/" + word.Pattern) {
			return nil, tooMuch
		}
		names, ok := v.matchPattern(dir, word.Pattern)
		switch {
		case !ok:
			return nil, tooMuch
		case len(args)+len(names) > mostMatches+len(c.Args):
			return nil, fmt.Sprintf("%s stands for too many names to look at", display.Line(word.Pattern))
		case len(names) == 0 || v.shell.stopsPatterns:
			names = append(names, unescape(word.Pattern))
		}
		if at := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, "-") }); at >= 0 {
			return nil, fmt.Sprintf("%s stands for %s, too, which could be an option",
				display.Line(word.Pattern), display.Line(names[at]))
		}
		args = append(args, names...)
	}
	return args, ""
}

// valued reports whether a pattern is a long option whose value is all that is not fixed, and is never
// opened: --include=*.go.
func valued(row *command.Row, pattern string) bool {
	name, value, given := strings.Cut(pattern, "=")
	if row == nil || !given || row.Parser == command.Find || !strings.HasPrefix(name, "--") ||
		strings.ContainsAny(name, `*?\`) || strings.Contains(value, "/") {
		return false
	}
	read := row.Read([]string{name + "=x"})
	if len(read.Options) != 1 {
		return false
	}
	tree, hidden := row.Tree(read)
	plainTree, plainHidden := row.Tree(command.Reading{})
	switch read.Options[0].Kind {
	case command.Plain, command.Number, command.Optional:
		return tree == plainTree && hidden == plainHidden
	}
	return false
}

// beginsPlain reports whether no name that the pattern stands for can begin with a dash.
func beginsPlain(pattern string) bool { return !strings.ContainsRune(`*?\-`, rune(pattern[0])) }

// endsPlain reports whether names that the pattern stands for lie in the directory itself and end in a dot
// and letters.
func endsPlain(pattern string) bool {
	tail := pattern[strings.LastIndexAny(pattern, "*?")+1:]
	return !strings.ContainsAny(pattern, `/\`) && strings.HasPrefix(tail, ".") && len(tail) > 1
}

// unescape returns the text that a pattern is when it stands for nothing.
func unescape(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' && i+1 < len(pattern) {
			i++
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}

// matchPattern lists the names that a pattern of * and ? stands for in dir, spelled as bash spells them. ?
// is taken for *, since how many bytes it stands for depends on the locale. (bash(1), Pathname Expansion,
// with no option of shopt's.) ok is false where there is more to look at than can be.
func (v *evaluation) matchPattern(dir, pattern string) (names []string, ok bool) {
	found := []string{""}
	if strings.HasPrefix(pattern, "/") {
		found = []string{"/"}
	}
	parts := strings.Split(strings.TrimLeft(pattern, "/"), "/")
	for i, part := range parts {
		var next []string
		for _, before := range found {
			names, ok := v.matchPart(dir, before, part)
			if !ok {
				return nil, false
			}
			for _, name := range names {
				if i < len(parts)-1 {
					name += "/"
				}
				next = append(next, before+name)
			}
		}
		if found = next; len(found) > mostMatches {
			break
		}
	}
	return found, true
}

// matchPart lists what one name of a pattern stands for in the directory dir/before. Links may lead many
// names to one large directory, so every entry counts each time.
func (v *evaluation) matchPart(dir, before, part string) (names []string, ok bool) {
	in := before
	if !filepath.IsAbs(before) {
		in = dir + "/" + before
	}
	var literal, pattern strings.Builder // the latter as path.Match reads it
	wild, star := false, false           // the pattern ends with a star
	for i := 0; i < len(part); i++ {
		switch c := part[i]; {
		case c == '*' || c == '?':
			if !star {
				pattern.WriteByte('*')
			}
			wild, star = true, true
			continue
		case c == '\\' && i+1 < len(part):
			i++
		}
		star = false
		literal.WriteByte(part[i])
		pattern.WriteByte('\\')
		pattern.WriteByte(part[i])
	}
	if !wild { // a plain name, or nothing behind the last slash
		if v.facts.exists(in + literal.String()) {
			return []string{literal.String()}, true
		}
		return nil, true
	}
	names = []string{".", ".."}       // .* stands for them in bash before 5.2
	entries, _ := v.facts.readDir(in) // as far as it can be read: bash finds no more
	if !v.work((1 + len(entries)) * (1 + len(part)/partBytes)) {
		return nil, false
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	whole := pattern.String()
	return slices.DeleteFunc(names, func(name string) bool {
		matches, err := path.Match(whole, name)
		return err != nil || !matches || whole[0] == '*' && strings.HasPrefix(name, ".")
	}), true
}
