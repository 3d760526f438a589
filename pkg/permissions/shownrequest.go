package permissions

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/internal/display"
)

// What people read of a request: its commands, the files that it names, the hosts that it reaches.

// plainLetters mean nothing but themselves in a shell's word.
const plainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"

// QuoteArgv writes an argument vector as a shell would have to be given it, for people and for comparing.
func QuoteArgv(argv []string) string {
	quoted := make([]string, len(argv))
	for i, arg := range argv {
		if arg != "" && strings.Trim(arg, plainLetters) == "" {
			quoted[i] = arg
			continue
		}
		quoted[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}

// NamedFiles lists the files that a command surely names, by absolute names: those of its redirections, and words that are
// names of files outside of the directory that it runs in. It is for people: there may be others.
func (r Request) NamedFiles() (files []Path) {
	if r.Shell == nil {
		return nil
	}
	v := &evaluation{Request: r, home: home(), facts: newFacts(machine{})}
	dirs := newShellText(v).dirs
	add := func(name string, write, there bool) {
		switch rest, inHome := strings.CutPrefix(name, "~/"); {
		case inHome:
			name = filepath.Join(v.home, rest)
		case !filepath.IsAbs(name) && len(dirs) != 1: // a cd may fail
			return
		case !filepath.IsAbs(name):
			name = filepath.Join(dirs[0], name)
		}
		if _, err := v.facts.lstat(name); there && err != nil || strings.HasPrefix(name, "/dev/") || strings.HasPrefix(name, "/proc/") {
			return // those in the sandbox are others
		}
		files = append(files, Path{Name: name, Write: write})
	}
	for _, w := range r.Shell.Writes {
		if w.Fixed {
			add(w.Path, true, false)
		}
	}
	for _, read := range r.Shell.Reads {
		add(read.Path, false, false)
	}
	for _, c := range r.Shell.Commands {
		for _, word := range c.Args {
			starts := func(with string) bool { return strings.HasPrefix(word.Text, with) }
			if word.Fixed && slices.ContainsFunc([]string{"/", "~/", "../"}, starts) {
				add(word.Text, false, true)
			}
		}
	}
	return files
}

// ShownCommands lists for people what the request can run, one command a line as a shell would have to be given it, with … for
// a word that is not known.
func (r Request) ShownCommands() []string {
	if r.Shell == nil {
		return nil
	}
	var lines []string
	for _, c := range r.Shell.Commands {
		words := []string{QuoteArgv([]string{c.Name})}
		for _, word := range c.Args {
			switch {
			case word.Fixed:
				words = append(words, QuoteArgv([]string{word.Text}))
			case word.Pattern != "":
				words = append(words, quotePattern(word.Pattern))
			default:
				words = append(words, "…")
			}
		}
		line := strings.Join(append(words, c.Redirections...), " ")
		if c.Via != "" {
			line += " (run by " + c.Via + ")"
		}
		lines = append(lines, display.Line(line))
	}
	for _, redirected := range r.Shell.Redirections {
		lines = append(lines, display.Line(redirected))
	}
	return lines
}

// Reached lists for people what the commands of the act reach over the network: the hosts of the URLs in their words, and for a
// command that has none its program. Each stands there once.
func (r *Request) Reached() (list []string) {
	if r.Shell == nil {
		return nil
	}
	for _, c := range r.Shell.Commands {
		program := r.reachesNetwork(c)
		if program == "" {
			continue
		}
		var hosts []string
		for _, word := range c.Args {
			if word.Fixed {
				hosts = append(hosts, HostsIn(word.Text)...)
			}
		}
		if hosts == nil {
			hosts = []string{"what " + display.Line(program) + " is told or set to"}
		}
		for _, host := range hosts {
			if !slices.Contains(list, host) {
				list = append(list, host)
			}
		}
	}
	return list
}

// The bounds of HostsIn: more than anybody reads.
const (
	mostHosts    = 50
	mostHostText = 64 << 10 // bytes
)

// HostsIn lists for people the hosts of the URLs in texts, each once, as far as its bounds go.
func HostsIn(texts ...string) (hosts []string) {
	left := mostHostText
	for _, text := range texts {
		text = text[:min(len(text), left)]
		left -= len(text)
		for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune(" \t\r\n=,;()<>\"'`", c) }) {
			to, err := url.Parse(word)
			switch {
			case len(hosts) >= mostHosts:
				return hosts
			case err != nil, to.Host == "", strings.EqualFold(to.Scheme, "file"):
				continue
			}
			if host := display.Line(to.Host); !slices.Contains(hosts, host) {
				hosts = append(hosts, host)
			}
		}
	}
	return hosts
}

// quotePattern writes a pattern, in which * and ? stand for others, as a shell would have to be given it.
func quotePattern(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern):
			b.WriteByte(c)
			i++
		case c < utf8.RuneSelf && c != '*' && c != '?' && !strings.ContainsRune(plainLetters, rune(c)):
			b.WriteByte('\\')
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}

// CommandLines lists for governors what the request can run, one command a line, the words with a blank between them and with …
// for one that is not known. What a person's governor compares stays as it is, whatever ShownCommands adds.
func (r Request) CommandLines() []string {
	if r.Shell == nil {
		return nil
	}
	var lines []string
	for _, c := range r.Shell.Commands {
		words := []string{c.Name}
		for _, word := range c.Args {
			switch {
			case word.Fixed:
				words = append(words, word.Text)
			case word.Pattern != "":
				words = append(words, word.Pattern)
			default:
				words = append(words, "…")
			}
		}
		line := display.Line(strings.Join(words, " "))
		if c.Via != "" {
			line += " (run by " + display.Line(c.Via) + ")"
		}
		lines = append(lines, line)
	}
	return lines
}
