package permissions

import (
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

func TestPrograms(t *testing.T) {
	t.Parallel()
	for _, language := range []struct {
		name    string
		check   func(string) string
		good    []string
		refused []string
	}{
		{"sed", sedProgram, []string{
			"", "p", "1p", "1,5p", "$p", "$!p", "/a/p", "/a/,/b/p", "0,/a/p", "1~2p", "2,+3p", "2,~4p", "/a/I,/b/Mp", "1,5d;s/x/y/", "s/a/b/g", "s|a|b|2p", "s,/,_,g", "s/[a-z]/x/", "s/[]a]/x/", "s/[^]a]/x/",
			`s/\//x/`, `s|\||x|`, "y/abc/xyz/", "/a/{s/b/c/;p}", "{p;{d}}", "5q", "5q3", "n;d", "$=", "N;P;D", "x;G;h;H;g", "1 , 3 ! p", "s/a/b/ ; p", "\np\n\nd\n", "s/a;b/c}d/",
		}, []string{
			"w x", "1w x", "/a/w x", "W x", "r x", "R x", "e", "1e ls", "F", "v", "a x", "i x", "c x", ":a", "b", "ta", "s/a/b/w x", "s/a/b/e", "s/a/b/ge", "s/a/b/gw x", "s/a/b", "s/a", "s", "s\\a\\b\\", "s\na\nb\n",
			"saxbxc", "s a b c", "y/a/b", "p p", "pw x", "}", "{p", "p}", "{w x}", "1,p", "1,2,3p", "/a", `\,a,p`, "s/[/]/b/", "s/[[:alpha:]]/x/", `s/[\]/x/`, "s/a/b\nc/", "s/a/b\\\nc/", "#n", "p #x", "z;w x", "l w", "q;w x",
			"s/x/y/\nw z", "1!w x", "1,5!{w x\n}", "\x00", "y/a\\\n/b/", "=w", "s/a/b/3e", "s/a/b/mw x", "s/a/b/;;;w x", "s#a#b#w x", "1~w", "2,+w x",
		}},
		{"awk", awkProgram, []string{
			"{print $1}", "NR==5", "/a/ {n++} END {print n}", "$1 >= 5 || $2 <= 6", `BEGIN {OFS="\t"} {print $1, $2}`, "length", "{print substr($0, 1, 5)}", "a||b", "{ printf \"%s\\n\", $1 }",
		}, []string{
			`BEGIN{system("x")}`, `{print > "x"}`, `{print >> "x"}`, `{print | "x"}`, `{"x" | getline}`, `{getline < "x"}`, "BEGIN{ARGV[1]=\"x\"}", "{print ENVIRON[\"x\"]}", "@load \"x\"", `BEGIN{@f()}`, "sys\\\ntem(1)",
			"a|||b", `"a"|&"b"`, "$1 > 5", "$1>=5>\"x\"", "/a|b/", `{close("x"); print |"y"}`, "BEGIN{PROCINFO[\"x\"]}",
		}},
		{"jq", jqProgram, []string{".", ".a.b[0]", "map(.x) | add", `.[] | select(.a == "b")`, "keys", `"\(.a): \(.b)"`, "input"}, []string{
			"env", "$ENV", "env.HOME", "$ENV.HOME", `import "a" as a; .`, `include "a"; .`, `"a" | modulemeta`, `"\(env)"`, ".[env.x]",
		}},
	} {
		for _, text := range language.good {
			if why := language.check(text); why != "" {
				t.Errorf("%s: %q is refused: %s", language.name, text, why)
			}
		}
		for _, text := range language.refused {
			if language.check(text) == "" {
				t.Errorf("%s: %q is taken", language.name, text)
			}
		}
	}
}

// GNU sed has a mode in which it refuses programs that write, read or run. Of the programs that we take it
// refuses none.
func TestSedSandboxAgrees(t *testing.T) {
	t.Parallel()
	sed, err := exec.LookPath("sed")
	if err != nil {
		t.Skip("found no sed, wanted GNU's to compare with")
	}
	refuses := func(program string) bool {
		out, _ := exec.CommandContext(t.Context(), sed, "--sandbox", "-n", program, "/dev/null").CombinedOutput()
		return strings.Contains(string(out), "disabled in sandbox mode")
	}
	if !refuses("w x") {
		t.Skip("found another sed, wanted GNU's, which has --sandbox")
	}
	pieces := strings.Split(`p|d|s|y|w x|e|r x|W x|;|;|{|}|\|/|/|/|,|[|]|^|$|!|1|5|~|+|*|a|b|.|g|I|M|w|e|#|:a|ta| |	|s/a/b/|s,a,b,|/x/|s/[/]|]/w x|n|N|q|=|x|\n|\\|y/a/b/|0|&|@|%`, "|")
	pieces = append(pieces, "|", "\n")
	random := rand.New(rand.NewPCG(41, 0))
	taken, most := 0, 1000
	if testing.Short() {
		most = 100
	}
	for taken < most {
		var b strings.Builder
		for range 1 + random.IntN(9) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		program := b.String()
		if strings.TrimSpace(program) == "" || sedProgram(program) != "" {
			continue
		}
		taken++
		if refuses(program) {
			t.Errorf("%q is taken, and sed says that it writes, reads or runs", program)
		}
	}
}
