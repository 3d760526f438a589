package render

import (
	"strings"
	"testing"
)

// exact are scripts that print the value of x, each time followed by a NUL, and nothing else.
var exact = []struct{ name, script string }{
	{"word", `printf '%s\0' {{x}}`},
	{"double quotes", `printf '%s\0' "{{x}}"`},
	{"single quotes", `printf '%s\0' '{{x}}'`},
	{"dollar quotes", `printf '%s\0' $'{{x}}'`},
	{"between empty quotes", `printf '%s\0' ""{{x}}''`},
	{"two in one word", `a="{{x}}{{x}}"; b={{x}}'{{x}}'; [[ "$a" == "$b" ]] && printf '%s\0' "${a:0:${#a}/2}"`},
	{"within a word", `a=pre{{x}}post; a=${a#pre}; printf '%s\0' "${a%post}"`},
	{"within quotes", `a="pre $HOME/{{x}}post"; a=${a#"pre $HOME/"}; printf '%s\0' "${a%post}"`},
	{"within single quotes", `a='pre $HOME ${x} {{x}}post'; a=${a#'pre $HOME ${x} '}; printf '%s\0' "${a%post}"`},
	{"within dollar quotes", `a=$'p\'\\\n\x41{{x}}po\'st'; a=${a#$'p\'\\\nA'}; printf '%s\0' "${a%"po'st"}"`},
	{"after two backslashes", `a="\\{{x}}"; printf '%s\0' "${a#\\}"`},
	{"after a variable", `H=/h; a="${H}{{x}}"; printf '%s\0' "${a#/h}"`},
	{"after a dollar in single quotes", `a='${{x}}'; printf '%s\0' "${a#\$}"`},
	{"after $$", `a="$${{x}}"; printf '%s\0' "${a#$$}"`},
	{"tilde in front", `a=~{{x}}; printf '%s\0' "${a#\~}"`},
	{"braces around", `printf '%s\0' {"{{x}}",{{x}}}`},
	{"assignment", `A={{x}}; printf '%s\0' "$A"`},
	{"two assignments", `A="{{x}}" B='{{x}}'; printf '%s\0' "$A" "$B"`},
	{"appended", `A=; A+={{x}}; printf '%s\0' "$A"`},
	{"local", `f() { local v="{{x}}"; printf '%s\0' "$v"; }; f`},
	{"declare", `declare v="{{x}}"; printf '%s\0' "$v"`},
	{"declare -r", `declare -r v={{x}}; printf '%s\0' "$v"`},
	{"export", `export v='{{x}}'; printf '%s\0' "$v"`},
	{"array", `A=({{x}} "{{x}}" '{{x}}'); printf '%s\0' "${A[@]}"`},
	{"local array", `f() { local -a A=({{x}} {{x}}); printf '%s\0' "${A[@]}"; }; f`},
	{"array element", `A[1]={{x}}; printf '%s\0' "${A[1]}"`},
	{"associative array", `declare -A m; m[k]={{x}}; printf '%s\0' "${m[k]}"`},
	{"for", `for f in {{x}} '{{x}}'; do printf '%s\0' "$f"; done`},
	{"for over arguments", `f() { for v; do printf '%s\0' "$v"; done; }; f {{x}} "{{x}}"`},
	{"case", `case {{x}} in {{x}}) printf '%s\0' "{{x}}";; *) echo no;; esac`},
	{"case in quotes", `case "{{x}}" in a|"{{x}}") printf '%s\0' '{{x}}';; esac`},
	{"[[ == ]]", `[[ {{x}} == {{x}} ]] && printf '%s\0' {{x}}`},
	{"[[ = ]] in quotes", `[[ "{{x}}" = '{{x}}' ]] && printf '%s\0' {{x}}`},
	{"[[ =~ ]]", `[[ {{x}} =~ ^{{x}}$ ]] && printf '%s\0' {{x}}`},
	{"[", `[ "{{x}}" = '{{x}}' ] && printf '%s\0' {{x}}`},
	{"substitution", `a=$(printf '%s' "{{x}}"; echo x); printf '%s\0' "${a%x}"`},
	{"substitution in quotes", `a="$(printf '%s' '{{x}}'; printf '%s' "$(printf '%s' {{x}} >/dev/null)"; echo x)"; printf '%s\0' "${a%x}"`},
	{"quotes of all kinds", `x='{{x}}' y="$(printf '%s' 'a"b'"{{x}}"; echo x)"; y=${y%x}; printf '%s\0' "$x" "${y#a\"b}"`},
	{"here-document", "{ cat <<EOF\n{{x}}\nEOF\n} | head -c -1; printf '\\0'"},
	{"quoted here-document", "{ cat <<'EOF'\n{{x}}\nEOF\n} | head -c -1; printf '\\0'"},
	{"here-document with a dash", "{ cat <<-\tEOF\n\t{{x}}\n\tEOF\n} | head -c -1; printf '\\0'"},
	{"quoted here-document with a dash", "{ cat <<-'EOF'\n\t{{x}}\n\tEOF\n} | head -c -1; printf '\\0'"},
	{"here-document with a marker like a variable", "{ cat <<'$D'\n{{x}}\n$D\n} | head -c -1; printf '\\0'"},
	{"here-document with a backslash in its marker", "{ cat <<\\EOF\n{{x}}\nEOF\n} | head -c -1; printf '\\0'"},
	{"quoted here-document keeps its text", "a=$(cat <<'EOF'\n$a `b` \\ ${c} $(d) \\$ \\\\\n{{x}}\nEOF\necho x); printf -v b '%s\\n' '$a `b` \\ ${c} $(d) \\$ \\\\'; a=${a#\"$b\"}; printf '%s\\0' \"${a%$'\\n'x}\""},
	{"here-document in a substitution", "A=$(cat <<EOF\n{{x}}\nEOF\necho x); printf '%s\\0' \"${A%$'\\n'x}\""},
	{"two here-documents", "{ cat <<A - /dev/fd/7 7<<'B'\nA2A_END\n{{x}}\nA\n{{x}}\nB\n} > two; { printf 'A2A_END\\n'; printf '%s\\n' {{x}} {{x}}; } | cmp - two && printf '%s\\0' {{x}}"},
	{"here-string", `cat <<< {{x}} | head -c -1; printf '\0'`},
	{"here-string in quotes", `cat <<< "{{x}}" | head -c -1; printf '\0'`},
	{"process substitution", `cat < <(printf '%s\0' '{{x}}')`},
	{"process substitution as an argument", `cat <(printf '%s\0' {{x}})`},
	{"comments", "# {{x}}\nprintf '%s\\0' {{x}} # {{x}}\n"},
	{"comment in an array", "A=( # {{x}}\n  {{x}}\n)\nprintf '%s\\0' \"${A[@]}\""},
	{"parameter of bash -c", `bash -c 'printf "%s\0" "$1"' _ {{x}}`},
	{"environment", `V={{x}} bash -c 'printf "%s\0" "$V"'`},
	{"environment of env", `env "V={{x}}" bash -c 'printf "%s\0" "$V"'`},
	{"compound commands", `if true; then ( printf '%s\0' {{x}} ) ; fi`},
	{"background", `printf '%s\0' {{x}} & wait`},
	{"lists", `! false && { printf '%s\0' "{{x}}"; } || true`},
	{"pipe", `printf '%s' {{x}} | { cat; printf '\0'; }`},
	{"xargs -0", `printf '%s\0' {{x}} | xargs -0 printf '%s\0'`},
	{"a number in code", `printf '%s\0' {{x}} | sed -n "{{n}},\$p" | head -c -1; printf '\0'`},
	{"a number in bash -c", `bash -c "sleep 0.{{n}}" ; printf '%s\0' {{x}}`},
	{"arithmetic", `(( {{n}} + 5-{{n}} == 5 )) && printf '%s\0' {{x}}`},
	{"arithmetic of all kinds", `for ((i={{n}}; i<={{n}}; i++)); do A[{{n}}]={{x}}; let "j=1" k={{n}}; printf '%s\0' "${A[{{n}}]}"; done`},
	{"offsets", `a=ab{{x}}; printf '%s\0' "${a:$[ {{n}} + 1 ]}"`},
	{"descriptor", `printf '%s\0' {{x}} >&{{n}}`},
	{"number after a dash", `printf '%s\n' {{x}} | head -c -{{n}}; printf '\0'`},
	{"file", `printf '%s\0' {{x}} > "f{{n}}"; cat "f{{n}}"; rm "f{{n}}"`},
	{"section", `{{#b}}printf '%s\0' "{{x}}"{{/b}}`},
	{"section with a dot", `{{#list}}printf '%s\0' '{{.}}';{{/list}}`},
	{"section of the whole", "{{#list}}\nprintf '%s\\0' {{.}}\n{{/list}}"},
	{"section with item and index", `{{#list}}A[{{list_index}}]={{list_item}};{{/list}} printf '%s\0' "${A[@]}"`},
	{"section over entries", `{{#map}}printf '%s\0' {{value}} "{{map_value}}";{{/map}}`},
	{"section over an object", `{{#map}}printf '%s\0' {{only}};{{/map}}`},
	{"field", `printf '%s\0' {{map.only}}`},
	{"inverted section", `printf '%s\0' {{^y}}{{x}}{{/y}}`},
	{"sections in quotes", `printf '%s\0' "{{#b}}{{x}}{{/b}}" '{{^y}}{{x}}{{/y}}'`},
	{"other delimiters", `{{=<% %>=}}a='{{<%x%>'; printf '%s\0' "${a#??}"`},
	{"template comment", "{{! not {{x}\n}}printf '%s\\0' {{x}}{{!}}"},
	{"pattern of ${…} from a variable", `X="{{x}}"; a="pre$X"; printf '%s\0' "${a#pre}" "${a#"${a%%"$X"}"}"`},
	{"through read -d", `IFS= read -r -d '' v < <(printf '%s\0' {{x}}); printf '%s\0' "$v"`},
	{"digits of what was read", `read -r l <<< "7"; n=${l//[^0-9]/}; (( n == 7 )) && printf '%s\0' {{x}}`},
	{"lines that are counted", `X={{x}}; n=$(printf '%s' "$X" | wc -c); (( n >= 0 )) && printf '%s\0' "$X"`},
	{"function", `f() { printf '%s\0' "$1" "$2"; }; f {{x}} "{{x}}"`},
	{"eval of something else", `X={{x}}; eval 'printf "%s\0" "$X"'`},
	{"trap", `X={{x}}; trap 'printf "%s\0" "$X"' EXIT`},
	{"set --", `set -- {{x}}; printf '%s\0' "$1" "$@"`},
}

// nasty are values that have broken out of shells before, and some that break their readers.
var nasty = []string{
	``, ` `, `a`, `a b`, `it's`, `"`, `'`, "`", `\`, `\\`, `$`, `$$`, `!`, `!!`, `#`, `*`, `?`, `~`, `~root`, `{a,b}`, `[a-z]`, `&`, `|`, `;`,
	`$(touch PWNED)`, "`touch PWNED`", `";touch PWNED;"`, `';touch PWNED;'`, `$IFS`, `${IFS}`, `$((1+1))`, `a[$(touch PWNED)]`, `x[$(touch PWNED)]=1`,
	"\n", "a\n", "\n\n", "a\nb", "\ntouch PWNED\n", "\r\n", "\t", "\ta\n\tb", "EOF", "\nEOF\ntouch PWNED\n", "\n$D\ntouch PWNED\n", "\nA2A_END\ntouch PWNED\n", "A\nB\n",
	`-n`, `-e`, `--help`, `-c touch PWNED`, `%s%n%d`, `\n\t\x41`, `\c`, `a=b`, `PATH=.`, `=`, `{{x}}`, `{{{x}}}`, `${__a2a_p[0]}`, `__a2a_p`, `zA2Aq0z`,
	"\x01", "\x7f", "\x1b[2J", "\x80", "\xff\xfe", "é", "日本語", "\u202e", "&", `\&`, `>PWNED`, `<(touch PWNED)`, `)`, `(`, `]]`, `}`, `fi`, "\nfi\ntouch PWNED\n", `*)touch PWNED;;`,
	strings.Repeat("long ", 20000),
}

func TestExact(t *testing.T) {
	t.Parallel()
	for n, row := range exact {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			template := compile(t, row.script, standard(), Options{})
			dir := t.TempDir()
			every := 3
			if testing.Short() {
				every = len(nasty) / 2
			}
			for i, value := range nasty {
				// Each row takes a third of the values, another one than its neighbours.
				if (i+n)%every == 0 || fuzzRuns(0) > 0 {
					checkExact(t, dir, template, row.script, value)
				}
			}
		})
	}
}

// checkExact runs a script that prints x and compares.
func checkExact(t *testing.T, dir string, template *Template, script, value string) {
	t.Helper()
	r, err := template.Render(exactArguments(value))
	if err != nil {
		t.Errorf("value %.80q in %q: %v", value, script, err)
		return
	}
	o := run(t, dir, r)
	if o.pwned {
		t.Errorf("value %.80q in %q ran its payload\n%s", value, script, r.Script)
	}
	if o.err != nil || !strings.HasSuffix(o.stdout, "\x00") {
		t.Errorf("value %.80q in %q: %v, stdout %.200q, stderr %.400q\n%s", value, script, o.err, o.stdout, o.stderr, r.Script)
		return
	}
	for _, got := range strings.Split(strings.TrimSuffix(o.stdout, "\x00"), "\x00") {
		if got != value {
			t.Errorf("in %q: got %.200q, want %.200q\n%s", script, got, value, r.Script)
			return
		}
	}
}

func exactArguments(value string) map[string]any {
	return map[string]any{
		"x": value, "n": number("1"), "e": "fast", "b": true, "list": []any{value, value}, "map": map[string]any{"only": value},
	}
}

// accepted are further scripts that must compile, with what a call of them must come to.
var accepted = []struct {
	name      string
	script    string
	arguments map[string]any
	stdout    string
}{
	{"enum in awk", `awk "BEGIN { print \"{{e}}\" }"`, map[string]any{"e": "slow"}, "slow\n"},
	{"enum after a dash", `printf '%s\n' -{{e}}`, map[string]any{"e": "slow"}, "-slow\n"},
	{"negative number in arithmetic", `echo $(( 5-{{n}} ))`, map[string]any{"n": number("-3")}, "8\n"},
	{"number in canonical form", `echo {{x}} {{y}} {{d}}`, map[string]any{"x": number("1e21"), "y": number("-0.50"), "d": number("1.5e-3")}, "1000000000000000000000 -0.5 0.0015\n"},
	{"boolean", `echo {{b}}`, map[string]any{"b": false}, "false\n"},
	{"0 shows its section", `echo {{#n}}n{{/n}}{{^n}}none{{/n}}`, map[string]any{"n": number("0")}, "n\n"},
	{"default", `echo {{x|default('a b')}} {{n|default(7)}} {{b|default(true)}}`, nil, "a b 7 true\n"},
	{"default of null", `echo {{x|default("it's")}}`, map[string]any{"x": nil}, "it's\n"},
	{"empty text is no default", `echo "<{{x|default('d')}}>"`, map[string]any{"x": ""}, "<>\n"},
	{"default with every hazard", `printf %s {{x|default('$(touch PWNED) "; ` + "`touch PWNED`" + ` | &')}}`, nil, `$(touch PWNED) "; ` + "`touch PWNED`" + ` | &`},
	{"tojson in single quotes", `printf %s '{{map|tojson}}'`, map[string]any{"map": map[string]any{"b": "it's <&>", "a": []any{number("1e2"), nil, true}}}, `{"a":[100,null,true],"b":"it's <&>"}`},
	{"object without tojson", `printf %s {{map}}`, map[string]any{"map": map[string]any{"a": number("1")}}, `{"a":1}`},
	{"entries are sorted", `{{#map}}printf '%s=%s ' {{key}} {{value}};{{/map}}`, map[string]any{"map": map[string]any{"c": "3", "a": "1", "b": "2"}}, "a=1 b=2 c=3 "},
	{"empty object", `printf '<%s>' {{#map}}"{{key}}"{{/map}}`, map[string]any{"map": map[string]any{}}, "<>"},
	{"lists in lists", "{{#list}}{{#b}}printf '%s ' {{list_index}} {{list_item}};{{/b}}{{/list}}", map[string]any{"b": true, "list": []any{"a", "b"}}, "0 a 1 b "},
	{"leading dash allowed by the author", `printf '%s\n' a -x- | grep {{d}} -`, map[string]any{"d": "-x"}, ""},
	{"extended glob in [[ ]]", `[[ {{x}}.png == *.@(jpg|png) ]] && echo yes`, map[string]any{"x": "*"}, "yes\n"},
	{"dash after --", `printf '%s\n' a -x- | grep -- {{x}}`, map[string]any{"x": "-x"}, "-x-\n"},
	{"dash after an option that takes it", `printf '%s\n' a -x- | grep -e {{x}}`, map[string]any{"x": "-x"}, "-x-\n"},
	{"dash glued to an option that takes it", `printf '%s\n' a -x- | grep -e{{x}}`, map[string]any{"x": "-x"}, "-x-\n"},
	{"options of the first line", "#!/bin/bash -eu\nfalse\necho {{x}}", map[string]any{"x": "a"}, ""},
	{"lines of the first line", "#!/bin/bash\necho $LINENO {{x}}\necho $LINENO", map[string]any{"x": "a"}, "2 a\n3\n"},
	{"lines without a first line", "echo $LINENO {{x}}\necho $LINENO", map[string]any{"x": "a"}, "1 a\n2\n"},
	{"comment on the first line", "# {{x}}\necho $LINENO {{x}}", map[string]any{"x": "a"}, "2 a\n"},
	{"comment that a tag with a backslash ends", ": # a\\{{x}}\necho {{x}}", map[string]any{"x": "a"}, "a\n"},
	{"empty first line", "\necho $LINENO {{x}}", map[string]any{"x": "a"}, "2 a\n"},
	{"no tags", "#!/bin/sh\necho a; ls /proc/self/fd/4 2>/dev/null", nil, "a\n"},
	{"descriptors are closed", `for f in 3 4; do if { true <&$f; } 2>/dev/null; then echo "{{x}} $f is open"; fi; done`, map[string]any{"x": ""}, ""},
	{"values are not inherited", `env | grep -c a2a_p; echo {{x}}`, map[string]any{"x": "a"}, "0\na\n"},
	{"a file that is read as data", `echo {{x}} > f; cat f | tr a b; wc -l < f; v=$(cat f); echo "$v"; n=$(wc -c < f); echo $((n+1)); rm f`, map[string]any{"x": "a"}, "b\n1\na\n3\n"},
	{"a file beside one that is run", `echo {{x}} > f; echo 'echo run' > g; bash g; cat f`, map[string]any{"x": "a"}, "run\na\n"},
	{"a file for a program of the author's", `T=$(mktemp); cat > "$T" <<< {{x}}; python3 -c 'import sys; print(open(sys.argv[1]).read(), end="")' "$T"; rm "$T"`, map[string]any{"x": "a"}, "a\n"},
	{"a log of everything", `exec > >(cat); echo {{x}}; exec >&-; wait`, map[string]any{"x": "a"}, "a\n"},
	{"data for a nested shell", `bash -c 'cat' <<< {{x}}; printf '%s' {{x}} | sh -c 'wc -c'`, map[string]any{"x": "a"}, "a\n1\n"},
	{"environment for a nested shell", `env X={{x}} sh -c 'echo "$X"'`, map[string]any{"x": "$(a)"}, "$(a)\n"},
	{"values cannot be changed", `{ __a2a_p=b; } 2>/dev/null; echo {{x}}`, nil, ""},
}

func TestAccepted(t *testing.T) {
	t.Parallel()
	for _, row := range accepted {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if strings.Contains(row.script, valuesName+"=") {
				if template, _ := Compile(row.script, standard(), Options{}); template != nil {
					t.Fatal("a script that names the array of the values was accepted")
				}
				return
			}
			template := compile(t, row.script, standard(), Options{})
			r, err := template.Render(row.arguments)
			if err != nil {
				t.Fatal(err)
			}
			o := run(t, t.TempDir(), r)
			if o.pwned || o.stdout != row.stdout {
				t.Errorf("got %q (stderr %q, payload ran: %v), want %q\n%s", o.stdout, o.stderr, o.pwned, row.stdout, r.Script)
			}
		})
	}
}
