package render

import (
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/taint"
)

// A rewritten script that is not the author's, or in which a value would be more than data, is found out.
func TestVerifyFindsBrokenRewrites(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, script, old, new string }{
		{"quotes dropped", `echo {{x}}`, `"${__a2a_p[0]}"`, `${__a2a_p[0]}`},
		{"quotes dropped in a case", `case {{x}} in a) ;; esac`, `"${__a2a_p[0]}"`, `${__a2a_p[0]}`},
		{"single quotes that do not open again", `echo 'a{{x}}b' 'c'`, `"'b'`, `"b'`},
		{"reference within single quotes", `echo 'a{{x}}b'`, `'"${__a2a_p[0]}"'`, `${__a2a_p[0]}`},
		{"another value", `echo {{x}} {{y}}`, `[0]`, `[1]`},
		{"a value twice", `echo {{x}}`, `"${__a2a_p[0]}"`, `"${__a2a_p[0]}${__a2a_p[0]}"`},
		{"no value", `echo {{x}}`, `"${__a2a_p[0]}"`, `""`},
		{"indirect", `echo {{x}}`, `${__a2a_p[0]}`, `${!__a2a_p[0]}`},
		{"with an operator", `echo {{x}}`, `[0]}`, `[0]@P}`},
		{"with a default", `echo {{x}}`, `[0]}`, `[0]:-a}`},
		{"a length", `echo {{x}}`, `${__a2a_p[0]}`, `${#__a2a_p[0]}`},
		{"a sliced value", `echo {{x}}`, `[0]}`, `[0]:1}`},
		{"without braces", `echo {{x}}`, `"${__a2a_p[0]}"`, `"$__a2a_p[0]"`},
		{"computed index", `echo {{x}}`, `[0]`, `[0+0]`},
		{"all values", `echo {{x}}`, `[0]`, `[@]`},
		{"a word more", `echo {{x}}`, `"${__a2a_p[0]}"`, `"${__a2a_p[0]}" a`},
		{"a word split", `echo a{{x}}b`, `}"b`, `}" b`},
		{"fixed text changed", `echo a {{x}}`, `echo a`, `echo b`},
		{"command changed", `echo {{x}}`, `echo`, `eval`},
		{"operator changed", `true && echo {{x}}`, `&&`, `||`},
		{"redirection changed", `echo {{x}} > f`, `>`, `>>`},
		{"quotes of another word changed", `echo {{x}} "$y"`, `"$y"`, `$y`},
		{"quotes of another kind", `echo {{x}} '$y'`, `'$y'`, `"$y"`},
		{"substitution for text", `echo {{x}} '$(y)'`, `'$(y)'`, `"$(y)"`},
		{"arithmetic without its brackets", `echo $(( 5-{{n}} ))`, `(${__a2a_p[0]})`, `${__a2a_p[0]}`},
		{"negation", `echo {{x}}`, `echo`, `! echo`},
		{"background", `echo {{x}}`, `}"`, `}" &`},
		{"here-document without quotes", "cat <<'EOF'\n$(a) {{x}}\nEOF\n", `\$(a)`, `$(a)`},
		{"here-document with another text", "cat <<'EOF'\na\\b {{x}}\nEOF\n", `a\\b`, `a\b\\`},
		{"here-document's tabs", "cat <<-'EOF'\n\t{{x}}\nEOF\n", `<<-`, `<<`},
		{"comment that swallows", "echo {{x}} # a\necho b", `#`, `# \`},
		{"statement behind a comment", "echo {{x}} # a", `#`, `;`},
		{"not bash", `echo {{x}}`, `echo`, `echo (`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			nodes, _ := parse(row.script)
			bindNames(row.script, nodes, declare(standard()), RefuseUndeclared)
			in, failure := fillBy(nodes, func(*section) int { return 1 })
			if failure != nil {
				t.Fatal(failure)
			}
			s := newSkeleton(in, chooseStem(row.script), row.script)
			a, err := taint.Analyse(s.Script, taint.Options{})
			if err != nil {
				t.Fatal(err)
			}
			good, err := s.rewrite()
			if err != nil {
				t.Fatal(err)
			}
			if err := s.verify(a.File, good); err != nil {
				t.Fatalf("%v:\n%s", err, good)
			}
			broken := strings.Replace(good, row.old, row.new, 1)
			if broken == good {
				t.Fatalf("%q does not stand in:\n%s", row.old, good)
			}
			if err := s.verify(a.File, broken); err == nil && row.name != "comment that swallows" {
				t.Errorf("not found out:\n%s", broken)
			}
		})
	}
}
