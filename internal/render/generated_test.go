package render

import (
	"fmt"
	"math/rand/v2"
	"os"
	"sort"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/argument"
)

// generated is a template made by chance, and what it prints: the generator builds both side by side.
type generated struct {
	script string
	prints func(call map[string]any) string
}

// generator makes templates of every kind of word, quoting and statement in which a value can be printed as
// it is.
type generator struct {
	r     *rand.Rand
	names int
}

func (g *generator) name() string {
	g.names++
	return fmt.Sprintf("v%d", g.names)
}

func (g *generator) pick(all []string) string { return all[g.r.IntN(len(all))] }

func fixed(s string) func(map[string]any) string { return func(map[string]any) string { return s } }

func valueOf(name string) func(map[string]any) string {
	return func(call map[string]any) string {
		text, _ := argument.Text(call[name])
		return text
	}
}

// word makes a word that is never empty to the parser.
func (g *generator) word() generated {
	var all []generated
	for range 1 + g.r.IntN(3) {
		all = append(all, g.part())
	}
	return generated{join(all, ""), printsAll(all, "")}
}

func join(all []generated, with string) string {
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = one.script
	}
	return strings.Join(texts, with)
}

func printsAll(all []generated, end string) func(map[string]any) string {
	return func(call map[string]any) string {
		text := ""
		for _, one := range all {
			text += one.prints(call) + end
		}
		return text
	}
}

// around puts a part between two texts that mean themselves.
func around(before string, g generated, after, beforeMeans, afterMeans string) generated {
	return generated{before + g.script + after, func(call map[string]any) string { return beforeMeans + g.prints(call) + afterMeans }}
}

func (g *generator) part() generated {
	name := g.pick([]string{"x", "y", "x", "d", "e", "n", "b"})
	tag := generated{"{{" + name + "}}", valueOf(name)}
	switch g.r.IntN(8) {
	case 0:
		tag.script = "{{ " + name + " | default('it is not') }}"
	case 1:
		tag.script = "{{missing|default(\"a 'b' $c\")}}"
		tag.prints = fixed("a 'b' $c")
	case 2:
		tag.script = "{{" + name + "|tojson}}"
		tag.prints = func(call map[string]any) string {
			text, _ := argument.JSON(call[name])
			return text
		}
	}
	switch g.r.IntN(14) {
	case 0:
		return tag
	case 1:
		return around(`"`, tag, `"`, "", "")
	case 2:
		return around(`'`, tag, `'`, "", "")
	case 3:
		return around(`$'`, tag, `'`, "", "")
	case 4:
		return around(`"a $((1+1)) \$x '`, tag, "' \\\\\"", `a 2 $x '`, `' \`)
	case 5:
		return around("'$x `y` \\ \"", tag, `"'`, "$x `y` \\ \"", `"`)
	case 6:
		return around(`$'\t\'`, tag, `\x41'`, "\t'", "A")
	case 7:
		return around(`"$(printf '%s' "`, tag, `"; echo .)"`, "", ".")
	case 8:
		return around(`"$(printf '%s' '`, tag, `'; printf '%s' "$(printf '%s' {{x}} > /dev/null)"; echo .)"`, "", ".")
	case 9:
		return generated{`"` + tag.script + `{{y}}"`, func(call map[string]any) string { return tag.prints(call) + valueOf("y")(call) }}
	case 10:
		return generated{`"{{#b}}` + tag.script + `{{/b}}{{^b}}none{{/b}}"`, func(call map[string]any) string {
			if call["b"] == true {
				return tag.prints(call)
			}
			return "none"
		}}
	case 11:
		return generated{`$(( 5-{{n}} ))`, func(call map[string]any) string { return fmt.Sprint(5 - digit(call)) }}
	case 12:
		return generated{`"{{#list}}<{{.}}>{{/list}}"`, func(call map[string]any) string {
			text := ""
			for _, item := range call["list"].([]any) {
				text += "<" + item.(string) + ">"
			}
			return text
		}}
	}
	literal := g.pick([]string{`lit`, `"a b"`, `'c$d'`, `\"`, `$'\t'`, `\;`, `"\\"`, `''`})
	means := map[string]string{`lit`: "lit", `"a b"`: "a b", `'c$d'`: "c$d", `\"`: `"`, `$'\t'`: "\t", `\;`: ";", `"\\"`: `\`, `''`: ""}[literal]
	return generated{literal, fixed(means)}
}

func digit(call map[string]any) int { return int(call["n"].(fmt.Stringer).String()[0] - '0') }

// each prints words, each followed by a NUL.
func (g *generator) words(n int) []generated {
	all := make([]generated, n)
	for i := range all {
		all[i] = g.word()
	}
	return all
}

// statement makes lines that print.
func (g *generator) statement(depth int) generated {
	w := g.words(1 + g.r.IntN(2))
	one, all, words := w[0], join(w, " "), printsAll(w, "\x00")
	v, f := g.name(), g.name()
	if depth > 0 && g.r.IntN(3) == 0 {
		inner := g.statement(depth - 1)
		switch g.r.IntN(10) {
		case 0:
			return around("{\n", inner, "\n}", "", "")
		case 1:
			return around("(\n", inner, "\n)", "", "")
		case 2:
			next := g.statement(depth - 1)
			return generated{inner.script + "\n" + next.script, printsAll([]generated{inner, next}, "")}
		case 3:
			return around("if [[ "+one.script+" == "+one.script+" ]]; then\n", inner, "\nelse printf 'no\\0'; fi", "", "")
		case 4:
			return around("case "+one.script+" in\n"+one.script+")\n", inner, "\n;;\n*) printf 'no\\0';;\nesac", "", "")
		case 5:
			return generated{":\n{{#b}}\n" + inner.script + "\n{{/b}}", func(call map[string]any) string {
				if call["b"] == true {
					return inner.prints(call)
				}
				return ""
			}}
		case 6:
			return generated{":\n{{^b}}" + inner.script + "\n{{/b}}", func(call map[string]any) string {
				if call["b"] != true {
					return inner.prints(call)
				}
				return ""
			}}
		case 7:
			return generated{":\n{{#list}}\n" + inner.script + "\n{{/list}}", func(call map[string]any) string {
				return strings.Repeat(inner.prints(call), len(call["list"].([]any)))
			}}
		case 8:
			return around("# {{x}} $(touch "+canary+")\n", inner, " # {{y}}", "", "")
		default:
			return around(f+"() {\n", inner, "\n}\n"+f, "", "")
		}
	}
	quoted := v + "=" + one.script + "\n"
	simple := func(script string) generated { return generated{script, words} }
	single := func(script string) generated { return generated{script, printsAll(w[:1], "\x00")} }
	switch g.r.IntN(22) {
	case 0:
		return single(quoted + `printf '%s\0' "$` + v + `"`)
	case 1:
		return simple(v + "=(" + all + `); printf '%s\0' "${` + v + `[@]}"`)
	case 2:
		return simple(f + `() { printf '%s\0' "$@"; }; ` + f + " " + all)
	case 3:
		return single(f + `() { local l="$1"; printf '%s\0' "$l"; }; ` + f + " " + one.script)
	case 4:
		return simple("for i in " + all + `; do printf '%s\0' "$i"; done`)
	case 5:
		return simple(`bash -c 'printf "%s\0" "$@"' _ ` + all)
	case 6:
		return single(`V=` + one.script + ` bash -c 'printf "%s\0" "$V"'`)
	case 7:
		return single("cat <<< " + one.script + ` | head -c -1; printf '\0'`)
	case 8:
		return simple("set -- " + all + `; printf '%s\0' "$@"`)
	case 9:
		return simple(`while IFS= read -r -d '' l; do printf '%s\0' "$l"; done < <(printf '%s\0' ` + all + `)`)
	case 10:
		return simple(`mapfile -d '' -t ` + v + ` < <(printf '%s\0' ` + all + `); printf '%s\0' "${` + v + `[@]}"`)
	case 11:
		return simple(`printf '%s\0' ` + all + ` | xargs -0 printf '%s\0'`)
	case 12:
		return simple(`printf '%s\0' ` + all + ` > "f{{n}}"; cat "f{{n}}"; rm "f{{n}}"`)
	case 13:
		return single(quoted + `eval 'printf "%s\0" "$` + v + `"'`)
	case 14:
		return generated{"{ cat <<E\n$((1+1)) {{x}}'\"\\$\n{{y}}\nE\n} | head -c -1; printf '\\0'", func(call map[string]any) string {
			return "2 " + valueOf("x")(call) + "'\"$\n" + valueOf("y")(call) + "\x00"
		}}
	case 15:
		return generated{"{ cat <<'E'\n$((1)) {{x}}'\"\\$\n`a` {{y}}\nE\n} | head -c -1; printf '\\0'", func(call map[string]any) string {
			return "$((1)) " + valueOf("x")(call) + "'\"\\$\n`a` " + valueOf("y")(call) + "\x00"
		}}
	case 16:
		return generated{"{ cat <<-'E'\n\t$x {{x}}\n\tE\n} | head -c -1; printf '\\0'", func(call map[string]any) string {
			return "$x " + valueOf("x")(call) + "\x00"
		}}
	case 17:
		return generated{":\n{{#list}}printf '%s\\0' {{.}} \"{{x}}\" '{{list_index}}'\n{{/list}}", func(call map[string]any) string {
			text := ""
			for i, item := range call["list"].([]any) {
				text += item.(string) + "\x00" + valueOf("x")(call) + "\x00" + fmt.Sprint(i) + "\x00"
			}
			return text
		}}
	case 18:
		return generated{":\n{{#map}}printf '%s\\0' {{key}} \"{{value}}\"\n{{/map}}", func(call map[string]any) string {
			object := call["map"].(map[string]any)
			keys := make([]string, 0, len(object))
			for key := range object {
				keys = append(keys, key)
			}
			sort.Strings(keys)
			text := ""
			for _, key := range keys {
				text += key + "\x00" + object[key].(string) + "\x00"
			}
			return text
		}}
	}
	return simple(`printf '%s\0' ` + all)
}

// generate makes a template and the arguments of a call.
func generate(r *rand.Rand) (generated, map[string]any) {
	g := &generator{r: r}
	program := g.statement(3)
	list := []any{}
	for range r.IntN(3) {
		list = append(list, hostile(r))
	}
	object := map[string]any{}
	for range r.IntN(3) {
		object[hostile(r)] = hostile(r)
	}
	return program, map[string]any{
		"x": hostile(r), "y": hostile(r), "d": "-" + hostile(r), "e": g.pick([]string{"fast", "slow"}), "n": number(fmt.Sprint(r.IntN(9))),
		"b": r.IntN(2) == 0, "list": list, "map": object,
	}
}

func generatedTemplate(t testing.TB, script string) *Template {
	t.Helper()
	return compile(t, script, append(standard(), stringsNamed("missing")...), Options{})
}

// judge runs a rendered template and says what is wrong, "" when it printed exactly what it should and did
// nothing else.
func judge(t testing.TB, dir string, r Rendered, want string) string {
	t.Helper()
	o := run(t, dir, r)
	left, err := os.ReadDir(dir)
	switch {
	case o.pwned:
		return "a payload ran"
	case err != nil || len(left) > 0:
		return fmt.Sprintf("files were left: %v, %v", left, err)
	case o.stdout != want:
		return fmt.Sprintf("got %q, want %q (stderr %q)", o.stdout, want, o.stderr)
	}
	return ""
}

// Whatever the template and whatever the values, bash prints exactly the values, and nothing else happens.
func TestHostileValuesInGeneratedTemplates(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	inParallel(t, fuzzRuns(600), func(i int, r *rand.Rand, dir string) {
		program, arguments := generate(r)
		rendered, err := generatedTemplate(t, program.script).Render(arguments)
		if err != nil {
			t.Errorf("%q with %q: %v", program.script, arguments, err)
			return
		}
		runs.Add(1)
		if wrong := judge(t, dir, rendered, program.prints(arguments)); wrong != "" {
			t.Errorf("number %d: %s\n%s\n%s\n%q", i, wrong, program.script, rendered.Script, rendered.Values)
			empty(t, dir)
		}
	})
	t.Logf("%d bash processes", runs.Load())
}

// No script holds a value, whatever the template, and two calls of one shape have one script and one hash.
func TestGeneratedScriptsHoldNoValue(t *testing.T) {
	t.Parallel()
	const mark = "a mark of every value"
	scripts, marked := map[string]string{}, 0 // the scripts by their hash
	programs := 400
	if testing.Short() {
		programs = 40
	}
	for i := range programs {
		r := rand.New(rand.NewPCG(5, uint64(i)))
		program, arguments := generate(r)
		arguments["x"], arguments["y"] = mark+arguments["x"].(string), arguments["y"].(string)+mark
		template := generatedTemplate(t, program.script)
		first, err := template.Render(arguments)
		if err != nil {
			t.Fatal(err)
		}
		second, err := generatedTemplate(t, program.script).Render(sameShape(r, arguments, mark))
		if err != nil {
			t.Fatal(err)
		}
		if first.Script != second.Script || first.Hash != second.Hash || first.Shown != second.Shown {
			t.Errorf("two scripts for one shape:\n%s\n%s", first.Script, second.Script)
		}
		if other, known := scripts[first.Hash]; known && other != first.Script || first.Hash != hashOf(first.Script) {
			t.Errorf("a hash of two scripts:\n%s\n%s", other, first.Script)
		}
		scripts[first.Hash] = first.Script
		for _, value := range append(first.Values, second.Values...) {
			if strings.Contains(value, mark) {
				marked++
			}
		}
		if strings.Contains(first.Script+second.Script, mark) {
			t.Errorf("the script holds a value:\n%s", first.Script)
		}
		arguments["b"] = arguments["b"] != true
		if third, err := template.Render(arguments); err != nil || (third.Shown == first.Shown) != (third.Hash == first.Hash) {
			t.Errorf("another shape, %v:\n%s\n%s", err, first.Script, third.Script)
		}
	}
	if marked < programs {
		t.Errorf("only %d values were marked", marked)
	}
}

// sameShape makes other arguments that fill every section in alike.
func sameShape(r *rand.Rand, arguments map[string]any, mark string) map[string]any {
	list, object := []any{}, map[string]any{}
	for range arguments["list"].([]any) {
		list = append(list, hostile(r))
	}
	for len(object) < len(arguments["map"].(map[string]any)) {
		object[hostile(r)] = hostile(r)
	}
	return map[string]any{
		"x": hostile(r) + mark, "y": mark + hostile(r), "d": "-" + hostile(r), "e": "slow", "n": number(fmt.Sprint(r.IntN(9))), "b": arguments["b"], "list": list, "map": object,
	}
}

// Values of megabytes go through bash as they are, and do not take long: they never meet its parser. In the
// script such a value would take bash most of a minute.
func TestBigValues(t *testing.T) {
	t.Parallel()
	size := 6 << 20
	if testing.Short() {
		size = 1 << 20
	}
	value := strings.Repeat("it's $(touch "+canary+") \"`\\\n", size/24)
	for _, script := range []string{"printf '%s' '{{x}}'", "cat <<'E' | head -c -1\n{{x}}\nE\n", "head -c -1 <<< {{x}}", "X=\"{{x}}\"; printf '%s' \"$X\""} {
		rendered, err := compile(t, script, stringsNamed("x"), Options{}).Render(map[string]any{"x": value})
		if err != nil {
			t.Fatal(err)
		}
		started := time.Now()
		if o := run(t, t.TempDir(), rendered); o.pwned || o.stdout != value {
			t.Errorf("%s: got %d bytes, want %d; %v, %.200s", script, len(o.stdout), len(value), o.err, o.stderr)
		}
		t.Logf("%v for %d bytes in %q", time.Since(started).Round(time.Millisecond), len(value), script)
	}
}
