package shellscan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is told of words that are not fixed.
func TestWordsThatAreNotFixed(t *testing.T) {
	t.Parallel()
	unknown := Word{}
	pattern := func(text string) Word { return Word{Pattern: text} }
	printed, pipe := Word{Printed: true}, Word{Pipe: true}
	for _, row := range []struct {
		word string
		want Word
	}{
		{`*.go`, pattern(`*.go`)}, {`./a?/*`, pattern(`./a?/*`)}, {`"a b"*`, pattern(`a b*`)}, {`\*?`, pattern(`\*?`)}, {`'a\'*`, pattern(`a\\*`)},
		{`'[a]'*`, pattern(`\[a]*`)}, {`$'\x61'*`, pattern(`a*`)}, {`/etc/*`, pattern(`/etc/*`)}, {`.*`, pattern(`.*`)},
		{`**`, unknown}, {`'*'*`, unknown}, {`\a*`, pattern(`\a*`)}, {`a**b`, unknown}, {`[a-z]*`, unknown}, {`{a,b}*`, unknown}, {`~/*`, unknown}, {`a=~/*`, unknown}, {`$x*`, unknown}, {`"$x"*`, unknown}, {`$(a)*`, unknown},
		{`$'\u0061'*`, unknown}, {`@(a)*`, unknown}, {`[*`, unknown},
		{`$?`, printed}, {`"$?"`, printed}, {`x$#y`, printed}, {`"exit: $? $$"`, printed}, {`"$(a)"`, printed}, {`"a $(b) c"'d'`, printed}, {"\"`a`\"", printed},
		{`$(a)`, unknown}, {`"$x"`, unknown}, {`"$(a) $x"`, unknown}, {`"${#x}"`, unknown}, {`"$1"`, unknown}, {`"$@"`, unknown}, {`"$_"`, unknown}, {`"$-"`, unknown},
		{`"$(a)"*`, unknown}, {`~"$(a)"`, unknown}, {`{a,"$(b)"}`, unknown}, {`"${x:-$(a)}"`, unknown}, {`$"a$?"`, unknown}, {`"$((1))"`, unknown},
		{`<(a)`, pipe}, {`>(a)`, unknown}, {`<()`, unknown}, {`<( )`, unknown}, {`x<(a)`, unknown}, {`"<(a)"`, Word{Text: "<(a)", Fixed: true}},
	} {
		s := Scan("p "+row.word, nil)
		at := -1
		for i, c := range s.Commands {
			if c.Name == "p" {
				at = i
			}
		}
		if at < 0 || len(s.Commands[at].Args) != 1 {
			t.Errorf("%s: %s", row.word, brief(s))
			continue
		}
		if diff := cmp.Diff(row.want, s.Commands[at].Args[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.word, diff)
		}
	}
}

// The variables that a text uses the value of, wherever it does.
func TestVariables(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text string
		want []string
	}{
		{`a $x "${y:-$z}"`, []string{"x", "y", "z"}}, {"cat <<E\n$x\nE", []string{"x"}}, {"cat <<'E'\n$x\nE", nil}, {`cat <<< $x`, []string{"x"}}, {`[[ $x ]]`, []string{"x"}},
		{`case $x in "$y") a;; esac`, []string{"x", "y"}}, {`a $? $# $$ $!`, nil}, {`a $1 "$@" $* $0 $_ $-`, []string{"1", "@", "*", "0", "_", "-"}}, {`a ${#x}`, []string{"x"}},
		{`bash -c 'a $x'; eval 'b $y'`, []string{"x", "y"}}, {`sh -c 'a $x'`, []string{"x"}}, {`a '$x' \$y`, nil}, {`x=1; a $x $x`, nil}, {`if a; then x=1; fi; a $x $x`, []string{"x"}}, {`x=$y`, []string{"y"}},
		{`a $HOME "$PWD/a" ${USER}`, nil}, {`a ${HOME#/} ${#PWD} ${!USER}`, []string{"HOME", "PWD", "USER"}},
		{`a > $x`, []string{"x"}}, {`for x in $y; do a; done`, []string{"y"}},
	} {
		if diff := cmp.Diff(row.want, Scan(row.text, nil).Variables); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.text, diff)
		}
	}
}
