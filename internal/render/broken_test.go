package render

import (
	"html"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/taint"
)

var (
	anyReference    = regexp.MustCompile(`\$\{__a2a_p\[(\d+)\]\}`)
	quotedReference = regexp.MustCompile(`"\$\{__a2a_p\[(\d+)\]\}"`)
)

// literally puts what f makes of each value in the place of its reference. The prologue stays: it needs no
// value.
func literally(reference *regexp.Regexp, f func(value string) string) func(Rendered) Rendered {
	return func(r Rendered) Rendered {
		r.Script = reference.ReplaceAllStringFunc(r.Script, func(found string) string {
			n, _ := strconv.Atoi(reference.FindStringSubmatch(found)[1])
			return f(r.Values[n])
		})
		return r
	}
}

// replaced changes every reference.
func replaced(reference *regexp.Regexp, with string) func(Rendered) Rendered {
	return func(r Rendered) Rendered {
		r.Script = reference.ReplaceAllString(r.Script, with)
		return r
	}
}

// brokenEscapers are the ways in which others fill templates in, and those in which ours could go wrong.
func brokenEscapers() map[string]func(Rendered) Rendered {
	return map[string]func(Rendered) Rendered{
		"raw":                            literally(anyReference, func(v string) string { return v }),
		"HTML":                           literally(anyReference, html.EscapeString),
		"Go's %q":                        literally(quotedReference, strconv.Quote),
		"single quotes, always":          literally(anyReference, func(v string) string { return "'" + strings.ReplaceAll(v, "'", `'\''`) + "'" }),
		"single quotes with a backslash": literally(quotedReference, func(v string) string { return "'" + strings.ReplaceAll(v, "'", `\'`) + "'" }),
		"double quotes escaped":          literally(anyReference, func(v string) string { return strings.ReplaceAll(v, `"`, `\"`) }),
		"known bad signs taken out":      literally(anyReference, func(v string) string { return strings.NewReplacer(";", "", "|", "", "&", "", "`", "").Replace(v) }),
		"no quotes":                      replaced(quotedReference, `${__a2a_p[$1]}`),
		"expanded as a prompt":           replaced(anyReference, `${__a2a_p[$1]@P}`),
		"evaluated once more":            replaced(quotedReference, `"$(eval "echo ${__a2a_p[$1]}")"`),
		"through echo -e":                replaced(quotedReference, `"$$(echo -e "${__a2a_p[$1]}")"`),
		"a last line break lost":         replaced(quotedReference, `"$$(printf '%s' "${__a2a_p[$1]}")"`),
		"the value of a neighbour":       replaced(anyReference, `${__a2a_p[$1/2]}`),
	}
}

// The fuzz test above finds a broken escaper within this many templates; the worst one takes a few dozen.
const mostUntilFound = 600

// An escaper that is broken on purpose is found out by the same harness and the same templates within
// seconds. Were it not, a million runs without a finding would mean nothing.
func TestBrokenEscapersAreFound(t *testing.T) {
	t.Parallel()
	for name, broken := range brokenEscapers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			started := time.Now()
			for i := range mostUntilFound {
				program, arguments := generate(rand.New(rand.NewPCG(1, uint64(i))))
				rendered, err := generatedTemplate(t, program.script).Render(arguments)
				if err != nil {
					t.Fatal(err)
				}
				if wrong := judge(t, dir, broken(rendered), program.prints(arguments)); wrong != "" {
					t.Logf("found after %d templates, %v: %.200s", i+1, time.Since(started).Round(time.Millisecond), wrong)
					return
				}
			}
			t.Errorf("not found in %d templates", mostUntilFound)
		})
	}
}

// The proof that every rendering goes through finds them all, too: it needs no value to see that a script
// is not the author's.
func TestBrokenEscapersAreNotVerified(t *testing.T) {
	t.Parallel()
	const script = "a={{x}}\nprintf '%s' 'b{{y}}' \"c{{x}}\"\n"
	nodes, _ := parse(script)
	bindNames(script, nodes, declare(standard()), RefuseUndeclared)
	in, failure := fillBy(nodes, func(*section) int { return 1 })
	if failure != nil {
		t.Fatal(failure)
	}
	s := newSkeleton(in, chooseStem(script), script)
	a, err := taint.Analyse(s.Script, taint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	good, err := s.rewrite()
	if err != nil || s.verify(a.File, good) != nil {
		t.Fatal(err, s.verify(a.File, good))
	}
	for _, p := range s.slots { // and the way to a script goes through that proof
		right := p.Quoting
		p.Quoting = taint.SingleQuoted
		if right == taint.SingleQuoted {
			p.Quoting = taint.Unquoted
		}
		if script, err := s.prove(a.File); err == nil {
			t.Errorf("%s rewritten for the wrong quotes is proved:\n%s", p.tag.source, script)
		}
		p.Quoting = right
	}
	for name, broken := range brokenEscapers() {
		changed := broken(Rendered{Script: good, Values: []string{"v w", "it's", "$(id)"}}).Script
		if changed == good {
			t.Errorf("%s: changes nothing", name)
		} else if err := s.verify(a.File, changed); err == nil {
			t.Errorf("%s: is taken for the author's script:\n%s", name, changed)
		}
	}
}
