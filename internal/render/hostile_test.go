package render

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// fragments are what hostile values are made of.
var fragments = append([]string{
	`$(touch PWNED)`, "`touch PWNED`", `;touch PWNED;`, `|touch PWNED`, `&touch PWNED&`, "\ntouch PWNED\n", `&&touch PWNED`, `||touch PWNED`, `'$(touch PWNED)'`, `"$(touch PWNED)"`,
	`'"'"'`, `'\''`, `"'"`, `\'`, `\"`, `\$(touch PWNED)`, `\x27`, `\047`, `\u0027`, `$'\''`, "\\\n", "$\\\n(touch PWNED)", `${x@P}`, `${!x}`, "\n}", "esac", ";;", "done",
	"b", "0", "-", "--", ":", ",", ".", "/", "eval touch PWNED", "/dev/tcp/127.0.0.1/9", "@/etc/passwd", "\u2028", "\xc3", "\n\tEOF\ntouch PWNED\n",
	"\n__CODEX_PATCH__\ntouch PWNED\n", "\n$CONTENT_DELIM\ntouch PWNED\n", "zA2Aq1z", "zA2Aqq0z", "[0]", "${__a2a_p[1]}", "a[$(touch PWNED)]=1", "BASH_ENV",
}, nasty[:len(nasty)-1]...)

// hostile makes a value.
func hostile(r *rand.Rand) string {
	var b strings.Builder
	switch r.IntN(10) {
	case 0: // any bytes but NUL
		for range r.IntN(40) {
			b.WriteByte(byte(1 + r.IntN(255)))
		}
	case 1: // long
		b.WriteString(strings.Repeat(fragments[r.IntN(len(fragments))]+"x", 1+r.IntN(300)))
	case 2: // one piece, or nothing
		if r.IntN(3) > 0 {
			b.WriteString(fragments[r.IntN(len(fragments))])
		}
	default:
		for range 1 + r.IntN(8) {
			b.WriteString(fragments[r.IntN(len(fragments))])
		}
	}
	return b.String()
}

// inParallel calls f with every number below total, each with a source of randomness of its own that only
// depends on the number, so that a failure can be repeated.
func inParallel(t *testing.T, total int, f func(i int, r *rand.Rand, dir string)) {
	t.Helper()
	var next atomic.Int64
	var workers sync.WaitGroup
	seed := fuzzSeed()
	for range runtime.GOMAXPROCS(0) {
		dir := t.TempDir()
		workers.Go(func() { // ends when every number is taken
			for i := int(next.Add(1)) - 1; i < total && !t.Failed(); i = int(next.Add(1)) - 1 {
				f(i, rand.New(rand.NewPCG(seed, uint64(i))), dir)
			}
		})
	}
	workers.Wait()
}

// Whatever a value holds, every script of the table prints exactly it.
func TestHostileValues(t *testing.T) {
	t.Parallel()
	templates := make([]*Template, len(exact))
	for i, row := range exact {
		templates[i] = compile(t, row.script, standard(), Options{})
	}
	inParallel(t, fuzzRuns(1000), func(i int, r *rand.Rand, dir string) {
		n := i % len(exact)
		checkExact(t, dir, templates[n], exact[n].script, hostile(r))
	})
}

// The harness bites: with the same values, a renderer that puts them into the script runs the payloads.
func TestBaseline(t *testing.T) {
	t.Parallel()
	scripts := []string{`printf '%s\0' {{x}}`, `printf '%s\0' "{{x}}"`, `printf '%s\0' '{{x}}'`, "{ cat <<'EOF'\n{{x}}\nEOF\n} | head -c -1; printf '\\0'"}
	var ran, wrong atomic.Int64
	runs := 100
	if testing.Short() {
		runs = 40
	}
	inParallel(t, runs, func(i int, r *rand.Rand, dir string) {
		value := hostile(r)
		o := run(t, dir, Rendered{Script: strings.ReplaceAll(scripts[i%len(scripts)], "{{x}}", value)})
		switch {
		case o.pwned:
			ran.Add(1)
		case o.stdout != value+"\x00":
			wrong.Add(1)
		}
	})
	t.Logf("raw interpolation: %d of %d calls ran the payload, %d more came to something else than the value", ran.Load(), runs, wrong.Load())
	if least := int64(runs / 20); ran.Load() < least || wrong.Load() < least {
		t.Errorf("the values are harmless: %d payloads ran, %d wrong results", ran.Load(), wrong.Load())
	}
}

// The parts of random templates: words and quotes in every order, and ways for a value to go through
// variables.
var (
	templatePieces = []string{
		`{{x}}`, `"{{x}}"`, `'{{x}}'`, `$'{{x}}'`, `"a{{x}}b"`, `'a{{x}}b'`, `$(echo {{x}})`, `"$(echo "{{x}}")"`, `$((1))`, `$(( {{n}} ))`, `<(echo {{x}})`, `a{{x}}b`, `"$HOME{{x}}"`, `\{{x}}`,
		`${A:-{{x}}}`, `"${A:-{{x}}}"`, "`echo {{x}}`", `"\\{{x}}"`, `"\{{x}}"`, `{{#b}}{{x}}{{/b}}`, `{{#b}}"{{x}}"{{/b}}`, `"{{#b}}{{x}}{{/b}}"`, `'{{#b}}{{x}}{{/b}}'`, `{{#b}}"{{/b}}`, `{{#b}}'{{/b}}`,
		`{{^b}}"{{/b}}`, `{{#list}}{{.}} {{/list}}`, `"{{#list}}{{.}}{{/list}}"`, `{{#map}}{{key}}={{value}} {{/map}}`, `{{e}}`, `-{{n}}`, `{{x|tojson}}`, `{{y|default('$(touch PWNED)')}}`,
		`"`, `'`, `\`, `$`, `#`, ` # {{x}}` + "\n", `;`, `|`, `&&`, `(`, `)`, `{ `, ` }`, "\n", ` `, ` `, ` `, `[[ {{x}} = {{x}} ]]`, `[[ -n {{x}} ]]`, `[[ {{n}} -eq {{n}} ]]`, "<<EOF\n{{x}}\nEOF\n",
		"<<'EOF'\n$a `b` \\ {{x}}\nEOF\n", "<<-EOF\n\t{{x}}\n\tEOF\n", "<<-'EOF'\n\t{{x}}\nEOF\n", `<<<{{x}}`, `>{{f}}`, `2>&1`, `>&{{n}}`, `if true; then `, `; fi`, `case {{x}} in {{x}}) `, `;; esac`, `for i in {{x}} a; do `, `; done`,
		`A={{x}} `, `A+=({{x}}) `, `A[{{n}}]={{x}} `, `~{{x}}`, `*{{x}}*`, `{a,{{x}}}`, `!`, `$"{{x}}"`, `${#A}`, `"${A}{{x}}"`, `=`, `~`, `{{x}}{{x}}`, `"{{x}}"'{{x}}'`, ` echo `, ` : `, ` true `, ` local v=`, ` export v=`,
		"$(cat <<E\n{{x}}\nE\n)", "$(cat <<'E'\n{{x}} $x\nE\n)", "<<A <<'B'\n{{x}}\nA\n{{y}}\nB\n", "<<E\n$(cat <<'I'\n{{x}}\nI\n)\nE\n", "<<\"E\"\n{{x}}\nE\n", "<<E\n`echo {{x}}`\nE\n", `[[ a =~ {{x}} ]]`,
		`[[ {{x}} < {{y}} ]]`, `[[ a == *{{x}}* ]]`, `${A[{{n}}]}`, `${A:{{n}}}`, `{1..{{n}}}`, `(( {{n}} ))`, `let v={{n}}`, `@({{x}})`, `[{{x}}]`, `?{{x}}`, "\\\n{{x}}", "{{x}}\\\n", "{{! {{x}\n}}", "{{#b}}\n{{=<% %>=}}<%x%><%={{ }}=%>\n{{/b}}",
		`{{^list}}{{x}}{{/list}}`, `{{#map}}"{{value}}"{{/map}}`, `{{map|tojson}}`, `'{{list|tojson}}'`, `~+/{{x}}`, `&>{{f}}`, `{fd}>{{f}}`, `<>{{f}}`, `time `, `coproc `, `select i in {{x}}; do `, `; done <<< 1`, `until {{e}}; do `,
		`function g { `, ` |& `, `;& {{x}}) `, `# {{#list}}{{.}}` + "\n" + `{{/list}}`, `$(<{{f}})`, `"${A[@]/{{x}}/b}"`, `"${A:={{x}}}"`, `$'\x{{n}}'`, `"$'{{x}}'"`, `a={{x}}`, `--{{e}}={{x}}`, `--a={{x}}`, ` -- `,
		`$(( {{x}} ))`, `-{{x}}`, `>&{{x}}`, `[[ {{x}} -eq {{y}} ]]`, `A[{{x}}]={{y}} `, // template_safety: warn
	}
	valueFlows = []string{
		`X="{{x}}"; `, `Y="$X"; `, `Y=$(echo "$X"); `, `read -r Y <<< "$X"; `, `mapfile -t Y <<< "{{x}}"; `, `printf -v Y '%s' "$X"; `, `f() { echo "$1"; }; f "$X"; `, `f() { eval "$1"; }; f "$X"; `, `f() { echo $(($1)); }; f "$X"; `,
		`set -- "$X"; `, `"$1"`, `eval "$1"; `, `echo "$X" `, `echo $((X)); `, `echo $((Y)); `, `[[ $X -eq 1 ]]; `, `[[ $Y == 1 ]]; `, `echo a >&"$X"; `, `echo a >"$Y"; `, `eval "$Y"; `, `echo ${!X}; `, `unset "$X"; `,
		`printf -v "$X" a; `, `read "$X" </dev/null; `, `A[$X]=1; `, `A[X]=1; `, `echo "${A[$X]}"; `, `echo "${A[X]}"; `, `RANDOM=$X; `, `RANDOM={{x}}; `, `declare "$X"; `, `declare -i Z="$X"; `, `declare Z="$X"; `, `declare -a Z="$X"; `,
		`Z=(); `, `declare Z="$X"; `, `local_() { local -a Z; local Z="$X"; }; local_; `, `declare -i Z; `, `Z="$X"; `, `Z=X; `, `test -v "$X"; `, `[ -n "$X" ]; `, `[ "$X" "$Y" ]; `, `[ $X ]; `, `echo "${X@P}"; `, `echo "${X@Q}"; `,
		`echo "${Y:$X}"; `, `echo "${Y:X}"; `, `trap "$X" EXIT; `, `trap 'eval "$X"' EXIT; `, `source "$X"; `, `bash -c "$X"; `, `bash -c 'echo "$1"' _ "$X"; `, `bash -c 'eval "$1"' _ "$X"; `, `bash -c 'eval "$0"' "$X"; `, `bash <<< "$X"; `,
		`echo "$X" | bash; `, `echo "$X" | { bash; }; `, `g() { bash; }; echo "$X" | g; `, `g() { echo "$X"; }; g | bash; `, `eval "$(g)"; `, `printf '%s' "$X" | cat; `, `for i in "$X"; do echo "$i"; done; `, `for i in "$X"; do eval "$i"; done; `,
		`for i; do eval "$i"; done; `, `Z=("$X"); `, `echo "${Z[0]}"; `, `echo "${Z[@]}"; `, `"${Z[@]}"; `, `bash "${Z[@]}"; `, `echo $((Z)); `, `let Z="$X"; `, `exec 5>&"$X"; `, `while read -r l; do echo "$l"; done <<< "$X"; `,
		`while read -r l; do echo $((l)); done <<< "$X"; `, `while read -r l; do eval "$l"; done <<< "$X"; `, `PS4="$X"; set -x; `, `declare -n R="$X"; `, `declare -n R=X; `, `R=1; `, `echo "$R"; `, `eval "$R"; `, `local_() { local v="$X"; echo $((v)); }; local_; `,
		`export Q="$X"; `, `Q="$X" bash -c 'echo hi'; `, `Q="$X" bash -c 'eval "$Q"'; `, `export Q="$X"; bash -c 'echo $((Q))'; `, `X=5; `, `X+="{{x}}"; `, `case "$X" in a) ;; esac; `, `echo "${X%%"$Y"}"; `, `echo "${X/a/$Y}"; `,
		`echo "${X:-$Y}"; `, `: "${W:={{x}}}"; `, `: "${W:=$X}"; `, `echo $((W)); `, `eval "$W"; `, `(( X > 1 )); `, `for ((i=X;i<1;i++)); do :; done; `, `getopts a "$X"; `, `getopts a: o -a "$X"; `, `eval "$OPTARG"; `, `wait -p "$X" -n; `,
		`echo "$(echo "$X")"; `, `echo $(echo "$X"); `, `eval "$(echo "$X")"; `, `eval 'Y=$X'; `, `eval 'echo "$X"'; `, `eval "$_"; `, `: "$X"; `, `[[ $X =~ (.*) ]]; `, `eval "${BASH_REMATCH[1]}"; `, `Y=X; `, `eval "${!Y}"; `, `echo "$X" > t.sh; `,
		`bash t.sh; `, `. ./t.sh; `, `bash <(echo "$X"); `, `echo "$X" > >(bash); `, `echo "$X" | tee >(bash); `, `cat <<< "$X"; `, `mapfile -C "$X" -c 1 <<< a; `, `compgen -W "$X"; `, `IFS="$X"; `, `cd -- "$X"; eval "$PWD"; `, `n=${X//[^0-9]/}; `, `echo $((n)); `,
		`declare -A M; M[$X]=1; `, `M["$X"]=1; `, `unset "M[$X]"; `, `echo "${#X}"; `, `select v in "$X"; do eval "$v"; break; done <<< 1; `, `time eval "$X"; `, `if eval "$X"; then :; fi; `, `xargs -0 echo <<< "$X"; `, `xargs -I{} bash -c {} <<< "$X"; `,
		`find . -maxdepth 0 -exec bash -c "$X" \; `, `find . -maxdepth 0 -exec bash -c 'eval "$1"' _ "$X" \; `, `awk "$X" /dev/null; `, `awk -v v="$X" 'BEGIN { print v }'; `, `sed "$X" /dev/null; `, `perl -e "$X"; `, `perl -e 'print @ARGV' "$X"; `, `perl -ne 1 "$X"; `, `env "$X"; `, `env -S "$X"; `,
		`command "$X"; `, `builtin eval "$X"; `, `nice -n 1 bash -c "$X"; `, `timeout 5 bash -c "$X"; `,
		`bash < t.sh; `, `cat t.sh | bash; `, `eval "$(cat t.sh)"; `, `Y=$(<t.sh); `, `Y=$(cat t.sh); `, `cp t.sh u.sh; `, `mv t.sh u.sh; `, `. ./u.sh; `, `bash < u.sh; `, `exec > >(bash); `, `exec 5> >(bash); `,
		`echo "$X" >&5; `, `exec 3< t.sh; bash <&3; `, `exec 3<<< "$X"; `, `. /dev/fd/3; `, `F=t.sh; `, `echo "$X" > $F; `, `bash "$F"; `, `tee t.sh <<< "$X" > /dev/null; `, `echo "$X" | tee -a u.sh > t.sh; `, `printf '%s' "$X" >> u.sh; `,
		`bash -c 'bash' <<< "$X"; `, `sh -c 'eval "$(cat)"' <<< "$X"; `, `echo "$X" | bash -c 'cat | sh'; `, `bash -c 'read -r l; eval "$l"' <<< "$X"; `, `env Q="$X" bash -c 'eval "$Q"'; `, `env Q="$X" bash -c 'echo "$Q"'; `,
		`HISTCMD=$X; `, `for RANDOM in "$X"; do :; done; `, `mapfile -t RANDOM <<< "$X"; `, `bash -c '. ./t.sh'; `, `source <(cat t.sh); `, `sed s/q/r/ t.sh | sh; `, `while read -r l; do eval "$l"; done < t.sh; `, `ln -s t.sh u.sh; `,
		`mkdir -p d; echo "$X" > d/t.sh; `, `cd d; bash t.sh; `, `( bash ) < t.sh; `, `f() { bash; }; f < t.sh; `, `cat < t.sh | { bash; }; `, `cat t.sh; `, `Z="$(cat t.sh)"; `, `: > t.sh; `, `g > t.sh; `, `echo "$Y" > t.sh; `, `cat <<< "$Y" >> t.sh; `,
	}
	// Ways by which a value comes to something that runs it one step later.
	laterFlows = []string{
		`f() { eval "$1"; }; export -f f; `, `f() { echo "$1"; }; export -f f; `, `bash -c 'f "$1"' _ "$X"; `, `printf '%s\0' "$X" | xargs -0 -n1 bash -c 'eval "$1"' _; `, `printf '%s\0' "$X" | xargs -0 -n1 bash -c 'echo "$1"' _; `,
		`printf '%s\0' "$X" | xargs -0 bash -c 'f "$1"' _; `, `C='eval "$1"'; `, `C='echo "$1"'; `, `bash -c "$C" _ "$X"; `, `O=-c; `, `O=-x; `, `bash "$O" "$X"; `, `for O in -c -x; do bash "$O" "$X"; done; `, `perl "$O" "$X"; `, `P() { bash "$1" "$2"; }; P -c "$X"; `,
		`mapfile -C eval -c 1 A <<< "$X"; `, `mapfile -C echo -c 1 A <<< "$X"; `, `for s in *.sh; do bash "$s"; done; `, `bash *.sh; `, `. ./?.sh; `, `find . -name '*.sh' -exec bash {} \; `, `find . -name '*.sh' -exec cat {} \; `, `N=t; `, `bash "$N.sh"; `, `bash "${N:-t}.sh"; `,
		`echo "$X" > "$N.sh"; `, `w() { cat > "$1"; }; w t.sh <<< "$X"; `, `r() { bash "$1"; }; r t.sh; `, `set -- t.sh; bash "$1"; `, `L=(t.sh); `, `echo "$X" > "${L[0]}"; `, `bash "${L[0]}"; `, `PATH=.:$PATH; `, `echo "$X" > tt; chmod +x tt; `, `tt; `, `./tt; `, `./t*; `,
		`exec > t.sh; echo "$X"; `, `exec 5> t.sh; echo "$X" >&5; `, `exec 5<<< "$X"; `, `bash <&5; `, `{ bash <&5; } 5<<< "$X"; `, `{ cat <&5; } 5<<< "$X"; `, `f <&5; `, `echo "$X" | { exec 5<&0; bash <&5; }; `, `read -r -u 5 l; eval "$l"; `, `eval "$(cat <&5)"; `, `v=$(cat <&5); eval "$v"; `, `v=$(cat <&5); echo "$v"; `,
		`coproc { echo "$X"; }; `, `bash <&"${COPROC[0]}"; `, `read -r l <&"${COPROC[0]}"; echo "$l"; `, `read -r l <&"${COPROC[0]}"; eval "$l"; `, `exec {fd}< <(echo "$X"); . /dev/fd/$fd; `, `. /dev/fd/5; `, `echo "$X" | dd of=t.sh 2> /dev/null; `, `dd if=/dev/stdin of=t.sh 2> /dev/null <<< "$X"; `,
		`cp /dev/stdin t.sh <<< "$X"; `, `install /dev/stdin t.sh <<< "$X"; `, `sh ./t.sh; `, `(cd . && . ./t.sh); `, `printf 'all:\n\t%s\n' "$X" > Makefile; `, `export X; `, `make -s all; `, `set -a; Q="$X"; `, `bash -c 'eval "$Q"'; `, `bash -c 'echo "$Q"'; `, `declare -A D; D["$X"]=1; `, `eval "${!D[@]}"; `, `for k in "${!D[@]}"; do echo "$k"; done; `,
		`for k in "${!D[@]}"; do (( k )); done; `, `(( D[$X]++ )); `, `[[ -v D[$X] ]]; `, `u() { local -n r=$1; echo "$r"; }; u "$X"; `, `u() { printf -v "$1" a; }; u "$X"; `, `eval "B=(${A[*]@K})"; `, `A=("$X"); echo "${A[@]@P}"; `, `declare -p X > t.sh; `, `eval "$(declare -p X)"; `,
		`O=-n; sed "$O" "$X" /dev/null; `, `git config alias.x "$X"; `, `case "$O" in -c) bash "$O" "$X";; esac; `, `while read -r s; do bash "$s"; done < <(ls *.sh); `, `bash "$(ls t.sh)"; `, `bash "$PWD/t.sh"; `, `cat t.sh | xargs -0 -n1 bash -c 'eval "$1"' _; `, `xargs -0 -a t.sh bash -c 'eval "$1"' _; `,
	}
	payloads = []string{"a[$(touch PWNED)]", "$(touch PWNED)", "X[$(touch PWNED)]=1", "touch PWNED", "A[$(touch PWNED)]", "Z[$(touch PWNED)]", "($(touch PWNED))", "([$(touch PWNED)]=1)", "-c touch PWNED", "-v a[$(touch PWNED)]", "BEGIN { system(\"touch PWNED\") }", "1e touch PWNED", "touch PWNED|", "-v"}
)

func randomTemplate(r *rand.Rand, i int) string {
	var b strings.Builder
	if i%2 == 0 {
		b.WriteString(`X="{{x}}"; `)
		for range 1 + r.IntN(5) {
			flows := valueFlows
			if r.IntN(2) == 0 {
				flows = laterFlows
			}
			b.WriteString(flows[r.IntN(len(flows))])
		}
		return b.String()
	}
	b.WriteString([]string{"echo ", ": ", ""}[r.IntN(3)])
	for range 1 + r.IntN(6) {
		b.WriteString(templatePieces[r.IntN(len(templatePieces))])
	}
	return b.String()
}

// What Compile accepts is safe: no value runs, whatever the script does with it.
func TestRandomTemplates(t *testing.T) {
	t.Parallel()
	var accepted, runs atomic.Int64
	inParallel(t, 6*fuzzRuns(600), func(i int, r *rand.Rand, dir string) {
		script := randomTemplate(r, i)
		parameters := append(standard(), tool.Parameter{Name: "f", Type: tool.TypeString, Format: tool.FormatPath})
		template, findings := Compile(script, parameters, Options{Lenient: i%3 == 1})
		for _, f := range findings {
			if strings.Contains(f.Message, "internal") {
				t.Errorf("%q: %s", script, f)
			}
		}
		if template == nil || !strings.Contains(script, "{{") {
			return
		}
		accepted.Add(1)
		for range 2 {
			value := hostile(r)
			switch r.IntN(8) {
			case 0, 1, 2, 3:
				value = payloads[r.IntN(len(payloads))]
			case 4:
				value = fmt.Sprint(r.IntN(12) - 2)
			}
			rendered, err := template.Render(map[string]any{
				"x": value, "n": number(fmt.Sprint(r.IntN(9))), "f": "void", "b": r.IntN(2) == 0, "e": "fast",
				"list": []any{value, "a"}, "map": map[string]any{value: value},
			})
			if err != nil {
				if strings.Contains(err.Error(), "internal") {
					t.Errorf("%q: %v", script, err)
				}
				continue
			}
			runs.Add(1)
			if o := run(t, dir, rendered); o.pwned {
				t.Errorf("a value ran: %q in %q\n%s", value, script, rendered.Script)
			}
			empty(t, dir) // what one script wrote, another could run
		}
	})
	t.Logf("%d templates accepted, %d bash processes", accepted.Load(), runs.Load())
	if accepted.Load() == 0 {
		t.Error("no template was accepted, so nothing was tried")
	}
}

// empty removes everything in a directory.
func empty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Error(err)
	}
	for _, entry := range entries {
		os.RemoveAll(filepath.Join(dir, entry.Name()))
	}
}
