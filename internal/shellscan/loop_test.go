package shellscan

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a loop over fixed words runs is told word by word; of every other its variable is one that nobody
// knows.
func TestLoops(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text string
		want string // commands; "" where the variable is not known
	}{
		{"for f in a b/c; do cat $f; done", "cat a|cat b/c"},
		{`for f in a b; do cat "x/$f.txt" && ls "${f}"; done`, "cat x/a.txt|ls a|cat x/b.txt|ls b"},
		{"for c in ls pwd; do $c x; done", ""},
		{"for o in -exec; do find . $o ls {} +; done", "find . -exec ls {} +|ls …"},
		{"for f in a b; do for g in c $f; do echo $f$g; done; done", "echo ac|echo aa|echo bc|echo bb"},
		{"for f in a; do echo $(cat $f) | wc -l; done", "echo …|cat a|wc -l"},
		{"for f in a; do if test -f $f; then (cat $f); fi; done", "test -f a|cat a"},
		{"for f in a; do bash -c 'echo $f'; done", ""},
		{"for f in a; do cat $f; done; cat $f", ""},
		{"for f in *.go; do cat $f; done", "cat …"},
		{`for f in src/*.go x; do echo "== $f"; cat "${f}"; done`, "echo …|cat …|echo == x|cat x"},
		{`for f in src/*.go; do echo $(cat "$f"); done`, "echo …|cat …"},
		{`for f in $(find src); do cat "$f"; done`, "find src|cat …"},
		{`find src | sort | while read -r f; do echo "$f:"; cat "$f"; done`, "find src|sort|echo …|cat …"},
		{`find src -print0 | while IFS= read -r -d '' f; do cat "$f"; done`, "find src -print0|cat …"},
		{`find src -print0 | while IFS= read -r f; do cat "$f"; done`, ""},
		{`for f in $(find src -print0); do cat "$f"; done`, ""},
		{`for f in $(find src) x; do cat "$f"; done`, ""},
		{`for f in "$(find src)"; do cat "$f"; done`, ""},
		{`find src | while read f; do read f; cat "$f"; done`, ""},
		{`find src | while read f g; do cat "$f"; done`, ""},
		{`find src | while IFS=/ read f; do cat "$f"; done`, ""},
		{`find src | while read f; do cat "$f"; done; IFS=x`, ""},
		{`find src | while read f; do cat "$f"; done <a`, ""},
		{`cat src | while read f; do cat "$f"; done`, ""},
		{`find() { cat src; }; find src | while read f; do cat "$f"; done`, ""},
		{"for f in **/*.go; do cat $f; done", ""},
		{"for f in */x; do cat $f; done", ""},
		{"for f in */*.go; do cat $f; done", ""},
		{"for f in .*; do cat $f; done", ""},
		{"for f in src/.*; do cat $f; done", ""},
		{"for f in [a-z].go; do cat $f; done", ""},
		{"for f in *.go; do cat ${f%x}; done", ""},
		{`for f in *.go; do cat "$f" < "$f"; done`, ""},
		{`for f in *.go; do x="$f" cat a; done`, ""},
		{`for f in *.go; do cat x$f; done`, ""},
		{`for d in src/*; do for f in $d/*; do cat $f; done; done`, ""},
		{`for d in src/*; do for f in *; do cat $f $d; done; done`, ""},
		{`for f in *.go; do bash -c "cat $f"; done`, ""},
		{`for f in *.go; do "$f"; done`, ""},
		{`for f in *.go; do for g in a b; do cat "$f$g"; done; done`, ""},
		{"for f in 'a b'; do cat $f; done", ""},
		{`for f in $x; do cat $f; done`, ""},
		{"for f in a {b,c}; do cat $f; done", ""},
		{"for f in ~; do cat $f; done", ""},
		{"for f in a; do f=b; cat $f; done", ""},
		{"for f in a; do f+=b; cat $f; done", ""},
		{"for f in a; do read f; cat $f; done", ""},
		{"for f in a; do printf -v f b; cat $f; done", ""},
		{"for f in a; do export f=b; cat $f; done", ""},
		{"for f in a; do : ${f:=b}; cat $f; done", ""},
		{"for f in a; do cat ${f%x}; done", ""},
		{"for f in a; do for f in b; do cat $f; done; cat $f; done", ""},
		{"for f in a; do x=f; cat ${!x}; done", ""},
		{"for f in a; do ls {f}>x; cat $f; done", ""},
		{"g() { f=b; }; for f in a; do g; cat $f; done", ""},
		{"for f in a; do eval f=b; cat $f; done", ""},
		{"for f in a; do $x f; cat $f; done", ""},
		{"IFS=x; for f in axb; do cat $f; done", ""},
		{"for f in axb; do IFS=x; cat $f; done", ""},
		{"for f in axb; do cat $f; done; IFS=x", ""},
		{"while :; do for f in axb; do cat $f; done; IFS=x; done", ""},
		{"export I''FS=x; for f in axb; do cat $f; done", ""},
		{"for IFS in x; do for f in axb; do cat $f; done; done", ""},
		{"for f in axb; do cat $f; done; while IFS=: read -r a; do ls; done", ""},
		{"for _ in a; do true b; cat $_; done", ""},
		{"for PIPESTATUS in a; do cat $PIPESTATUS; done", ""},
		{"for PWD in a; do cd b; cat $PWD; done", ""},
		{"for match in a; do cat $match; done", ""},
		{"for f in a/b; do cat $f:h; done", ""},
		{"for f in a/b; do cat $f:; done", "cat a/b:"},
		{`for f in a/b; do echo "$f: $(cat $f)"; done`, "echo …|cat a/b"},
		{`for f in a/b; do cat "$f:"h; done`, "cat a/b:h"},
		{`for f in a/b; do cat $f:"h"; done`, ""},
		{`for f in a; do cat "$f[2,3]"; done`, ""},
		{`for f in a; do cat "${f}[2,3]" ${f}:h; done`, "cat a[2,3] a:h"},
		{"select f in a b; do cat $f; done", ""},
		{"for f; do cat $f; done", ""},
		{"for f in " + strings.Repeat("a ", 60) + "; do cat $f; done", ""},
	} {
		told(t, row.text, row.want)
	}
}

// told checks which commands a text is said to run, and whether what its variables hold is known: not where want is "".
func told(t *testing.T, text, want string) {
	t.Helper()
	s := Scan(text, nil)
	var got []string
	for _, c := range s.Commands {
		words := []string{c.Name}
		for _, w := range c.Args {
			if !w.Fixed {
				w.Text = "…"
			}
			words = append(words, w.Text)
		}
		got = append(got, strings.Join(words, " "))
	}
	if known := len(s.Variables) == 0 && s.Certain(); known != (want != "") {
		t.Errorf("%s: variables %v, problems %v", text, s.Variables, s.Problems)
	}
	if diff := cmp.Diff(want, strings.Join(got, "|")); want != "" && diff != "" {
		t.Errorf("%s: (-want +got):\n%s", text, diff)
	}
}

// Every variable that bash gives a value itself is known to be one: it does not hold the word of its loop.
func TestGivenByShell(t *testing.T) {
	t.Parallel()
	bash := func(script string) string {
		cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-c", script)
		cmd.Dir = t.TempDir()
		out, _ := cmd.Output() // readonly ones fail
		return string(out)
	}
	names := strings.Fields(bash("compgen -v") + " _ COPROC BASH_REMATCH MAPFILE OPTARG REPLY")
	if len(names) < 20 {
		t.Fatalf("bash has only the variables %q", names)
	}
	for _, name := range names {
		held := bash("for " + name + " in a-word; do true other; cd /; [[ x =~ x ]]; true other; printf '%s' \"$" + name + "\"; done")
		s := Scan("for "+name+" in a-word; do true other; cat $"+name+"; done", nil)
		if held != "a-word" && s.Certain() && len(s.Variables) == 0 {
			t.Errorf("%s holds %q in its loop", name, held)
		}
	}
}
