package shellscan

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// harmlessLetters are options of set and of the shells' command lines that change nothing about which
// commands a text runs.
const harmlessLetters = "aefhmnuvxbBCEPT"

var (
	// harmlessNames are the same for set -o.
	harmlessNames = set(`allexport braceexpand emacs errexit errtrace functrace hashall ignoreeof interactive-comments monitor
		noclobber noexec noglob nolog notify nounset physical pipefail verbose vi xtrace`)
	// harmlessShopts are the same for shopt.
	harmlessShopts = set(`nullglob dotglob globstar failglob nocaseglob nocasematch inherit_errexit lastpipe checkwinsize
		globasciiranges globskipdots`)
)

// shellOptions looks at the options of a shell. Its code, script and input are found by their roles.
func (c *simpleCommand) shellOptions(n int) {
	span := c.Programs[n]
	base := shellwords.Base(c.words[span.At].Text)
	if informs(c.words[span.At+1 : span.End]) {
		c.Stdin = shellwords.Data
		return
	}
	for i := span.At + 1; i < span.End; i++ {
		switch w, kind := c.words[i], c.Roles[i].Kind; {
		case kind == shellwords.Argument && strings.HasSuffix(c.words[i-1].Text, "o"):
			if !w.Fixed || !harmlessNames[w.Text] {
				c.cannot(fmt.Sprintf("%s is given the option %s, which changes what words mean", base, w.Text))
			}
		case kind != shellwords.Option:
		case w.Text == "--", w.Text == "--login", w.Text == "--norc", w.Text == "--noprofile",
			w.Text == "--noediting", w.Text == "--verbose":
		case strings.HasPrefix(w.Text, "--") || strings.Trim(w.Text[1:], harmlessLetters+"clo") != "":
			c.cannot(fmt.Sprintf("%s is given the option %s, which changes what it runs or what words mean",
				base, w.Text))
		}
	}
}

// informs reports whether a program is only asked what it is.
func informs(words []shellwords.Word) bool {
	for _, w := range words {
		if !w.Fixed || w.Text != "--version" && w.Text != "--help" {
			return false
		}
	}
	return len(words) > 0
}

// standard is the language that the program sh reads on this machine: nobody knows, so both are tried, but
// it is the same for every sh of a text.
type standard int

const (
	standardUnknown standard = iota
	standardBash
	standardPOSIX
)

// eitherShell reads the code as bash and as a POSIX shell would, and believes both: 'echo $'\'; rm x #' is
// one word to one and a command to the other.
func (c *simpleCommand) eitherShell(code string, via []string) {
	read := func(language syntax.LangVariant, sh standard) Script {
		t := *c.text
		t.scan, t.sh = &scan{commands: c.commands}, sh
		t.nested(code, language, false, via, c.line)
		return t.Script
	}
	switch c.sh {
	case standardBash:
		c.nested(code, syntax.LangBash, false, via, c.line)
	case standardPOSIX:
		c.nested(code, syntax.LangPOSIX, false, via, c.line)
	default:
		bash, posix := read(syntax.LangBash, standardBash), read(syntax.LangPOSIX, standardPOSIX)
		c.merge(bash)
		if !reflect.DeepEqual(bash, posix) {
			c.merge(posix)
		}
	}
}

func (s *scan) merge(other Script) {
	for _, c := range other.Commands {
		s.add(c)
	}
	for _, p := range other.Problems {
		s.problem(p.Line, p.Text)
	}
	if s.Unlike == "" {
		s.Unlike = other.Unlike
	}
	if !s.stopped {
		s.Writes = append(s.Writes, other.Writes...)
		s.Reads = append(s.Reads, other.Reads...)
		s.Redirections = append(s.Redirections, other.Redirections...)
	}
	for _, name := range other.Variables {
		s.uses(name)
	}
	for _, name := range other.Sets {
		if !slices.Contains(s.Sets, name) {
			s.Sets = append(s.Sets, name)
		}
	}
	for _, name := range other.SetsMore {
		if !slices.Contains(s.SetsMore, name) {
			s.SetsMore = append(s.SetsMore, name)
		}
	}
}
