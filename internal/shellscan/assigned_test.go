package shellscan

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A variable that the text gives a value first, once, and surely, holds it in what comes behind; of every other the value is not
// known. What is known is what bash hands on.
func TestAssigned(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text string
		want string // commands; "" where the variable is not known
	}{
		{"x=a/b; p $x", "p a/b"},
		{`x=a.b; p "$x" c/${x}d "e $x"`, "p a.b c/a.bd e a.b"},
		{"x=a\ny=b\np $x $y", "p a b"},
		{"x=a && p $x && p $x", "p a|p a"},
		{"true && x=a && p $x", "true|p a"},
		{"x=a || true; p $x", "true|p a"},
		{"x=a && false || p $x", "false|p a"},
		{`x="a b"; p "$x"`, "p a b"},
		{"x=a; (p $x) | p $x &", "p a|p a"},
		{"x=a; if p $x; then p $x; fi", "p a|p a"},
		{"x=a; for y in b c; do p $x $y; done", "p a b|p a c"},
		{`x=a; printf '%s\n' "$x"; p $x`, `printf %s\n a|p a`},
		{`x=$(p b); echo "$x" "c $x"`, "p b|echo … …"},
		{`x="$(p b) c"; echo "$x"`, "p b|echo …"},
		{`n=$(p | wc -l); echo $n`, "p|wc -l|echo …"},
		{"x=-x; p $x", "p -x"},

		{"p $x; x=a", ""},
		{"x=a; x=b; p $x", ""},
		{"x=a; x+=b; p $x", ""},
		{"x=a y=b; p $x", ""},
		{"x=a p; p $x", ""},
		{"x=a; x=b p $x", ""},
		{"false && x=a; p $x", ""},
		{"true || x=a; p $x", ""},
		{"true || x=a && p $x", ""},
		{"true && x=a || p $x", ""},
		{"true && x=a && false || p $x", ""},
		{"x=a & p $x", ""},
		{"x=a | p; p $x", ""},
		{"(x=a); p $x", ""},
		{"if true; then x=a; fi; p $x", ""},
		{"while p; do x=a; done; p $x", ""},
		{"! x=a; p $x", ""},
		{"x=a <b; p $x", ""},
		{"x=a; read x; p $x", ""},
		{"x=a; unset x; p $x", ""},
		{"x=a; export x=b; p $x", ""},
		{`x=a; ex\port x=b; p $x`, ""},
		{`x=a; "export" x=b; p $x`, ""},
		{"x=a; command export x=b; p $x", ""},
		{"x=a; printf -v x b; p $x", ""},
		{"x=a; printf x%n x; p $x", ""},
		{"x=a; printf x%5n x; p $x", ""},
		{"x=a; for x in b; do p; done; p $x", ""},
		{"x=a; : ${x:=b}; p $x", ""},
		{"x=a; : $((x=5)); p $x", ""},
		{"x=a; eval x=b; p $x", ""},
		{"x=a; . ./y; p $x", ""},
		{"trap 'x=b' DEBUG; x=a; p $x", ""},
		{"readonly x=b; x=a; p $x", ""},
		{"declare -n x=y; x=a; p $x", ""},
		{"f() { x=b; }; x=a; f; p $x", ""},
		{"x=a; bash -c 'p $x'", ""},
		{"x=a; p ${x%b}", ""},
		{"x=a; y=x; p ${!y}", ""},
		{"x=a; p $x:h", ""},
		{"x=a; $x", ""},
		{"x=; p $x", ""},
		{"x=*; p $x", ""},
		{"x=~; p $x", ""},
		{"x=~/a; p $x", ""},
		{"x='a b'; p $x", ""},
		{"x='*'; p $x", ""},
		{`x='$(q)'; p "$x"`, ""},
		{"x=a; IFS=a; p $x", ""},
		{"IFS=a; x=bac; p $x", ""},
		{"x=$y; p $x", ""},
		{`x="$y"; echo "$x"`, ""},
		{"x=$(p); echo $x", ""},
		{"x=$(wc -l '*'); echo $x", ""},
		{"x=$(wc -l 2>&1); echo $x", ""},
		{"x=$(wc -l; p); echo $x", ""},
		{`x=$(p); echo "$x" > "$x"`, ""},
		{`x=$(p); find a -name "$x" | xargs p "$y"`, ""},
		{"path=a; p $path", ""},
		{"status=a; p $status", ""},
		{"PWD=a; p $PWD", ""},
		{"NAME=a; p $NAME", ""},
		{"_=a; p $_", ""},
		{"x=a; coproc x { p; }; p $x", ""},
		{"x=a; p {x}<b; p $x", ""},
	} {
		told(t, row.text, row.want)
	}
}

// Bash hands on the words that Scan tells, whatever combination of assignments, lists and uses it is.
func TestAssignedInBash(t *testing.T) {
	t.Parallel()
	sets := []string{"x=a", "true && x=a", "false && x=a", "true || x=a", "false || x=a", "(x=a)", "x=a | true", "if false; then x=a; fi", "! x=a", "{ x=a; }"}
	joins := []string{"; ", " && ", " || ", "; true && ", "; false || ", " && true || false && "}
	uses := []string{"p $x", `p "$x"`, "{ p $x; }", "(p $x)", "true | p $x", "for y in 1 2; do p $x; done", "x=c; p $x", "false && x=c; p $x", "if true; then p $x; fi", "while p $x && false; do x=c; done"}
	var texts []string
	var script strings.Builder
	script.WriteString("p() { printf '<%s>' \"$@\"; }\n")
	for _, set := range sets {
		for _, join := range joins {
			for _, use := range uses {
				text := set + join + use
				if s := Scan(text, nil); !s.Certain() || len(s.Variables) > 0 {
					continue
				}
				texts = append(texts, text)
				script.WriteString("(x=before\n" + text + "\n) || true\necho\n")
			}
		}
	}
	cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-c", script.String())
	cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=" + os.Getenv("PATH")}
	out, err := cmd.Output()
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if err != nil || len(lines) != len(texts) || len(texts) < 30 {
		t.Fatalf("bash: %v; %d lines of %d texts", err, len(lines), len(texts))
	}
	for i, text := range texts {
		if strings.Trim(lines[i], "<a>") != "" {
			t.Errorf("%s hands on %s, and a is told", text, lines[i])
		}
	}
}
