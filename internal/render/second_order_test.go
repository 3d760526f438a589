package render

import (
	"strings"
	"testing"
)

// secondOrder are scripts in which the value becomes code one step later: in another shell, out of a file,
// a descriptor or a variable that the author's own text is in. Each one ran a payload before it was
// refused.
var secondOrder = []struct{ name, script, reason string }{
	{"exported function", `f() { eval "$1"; }; export -f f; bash -c 'f "$1"' _ {{x}}`, "through $1"},
	{"exported function by find", `f() { eval "$1"; }; export -f f; find . -exec bash -c 'f "$1"' _ {{x}} \;`, "through $1"},
	{"exported function by xargs", `f() { eval "$1"; }; export -f f; printf '%s\0' {{x}} | xargs -0 -n1 bash -c 'f "$1"' _`, "through $1"},
	{"items of xargs", `printf '%s\0' {{x}} | xargs -0 -n1 bash -c 'eval "$1"' _`, "through $1"},
	{"items of xargs in arithmetic", `printf '%s\0' {{x}} | xargs -0 sh -c 'echo $(($1))' _`, "through $1"},
	{"code in a variable", `C='eval "$1"'; bash -c "$C" _ {{x}}`, "through $1"},
	{"code in a variable, by the environment", `C='eval "$X"'; export X={{x}}; bash -c "$C"`, "through $X"},
	{"option in a variable", `OPT=-c; bash "$OPT" {{x}}`, "shell code that bash -c runs"},
	{"option in a variable, perl", `OPT=-e; perl "$OPT" {{x}}`, "perl code"},
	{"option in a variable, sed", `OPT=-n; sed "$OPT" {{x}} f`, "sed code"},
	{"one of two options in a variable", `for o in -x -c; do bash "$o" {{x}}; done`, "cannot be told"},
	{"option as a function's argument", `f() { bash "$1" "$2"; }; f -c {{x}}`, "cannot be told"},
	{"callback of mapfile", `mapfile -C eval -c 1 a <<< {{x}}`, "mapfile -C gives what it reads to eval"},
	{"callback of mapfile, a function", `cb() { eval "$2"; }; mapfile -C cb -c 1 a <<< {{x}}`, "mapfile -C gives what it reads to cb"},

	{"files by a pattern", `cat > a.sh <<< {{x}}; bash *.sh`, "the file is run here"},
	{"files by a pattern in a loop", `cat > a.sh <<< {{x}}; for f in ./*.sh; do . "$f"; done`, "the file is run here"},
	{"files that find finds", `cat > a.sh <<< {{x}}; find . -name '*.sh' -exec bash {} \;`, "the file is run here"},
	{"file by a part of its name", `cat > a.sh <<< {{x}}; F=a; bash $F.sh`, "the file is run here"},
	{"file by a default", `cat > a.sh <<< {{x}}; bash "${PWD}/${F:-a}.sh"`, "the file is run here"},
	{"file by $1", `cat > a.sh <<< {{x}}; set -- a.sh; bash "$1"`, "the file is run here"},
	{"file by a function's argument", `f() { cat > "$1"; }; f a.sh <<< {{x}}; bash a.sh`, "the file is run here"},
	{"file of xargs -a", `xargs -a {{x}} bash -c`, "xargs -a runs"},
	{"file of xargs -a, which the script writes", `printf %s {{x}} > f; xargs -a f bash -c`, "f"},
	{"file of split", `split -b 10 - part <<< {{x}}; bash partaa`, "the file is run here"},
	{"file of split, from a file", `echo {{x}} > f; split -l 1 f; . ./xaa`, "the file is run here"},
	{"module of Python", `echo {{x}} > mod.py; python3 -c 'import sys; from mod import f'`, "mod.py"},
	{"file in a list of options", `A=(-name x -exec bash t.sh ';'); echo {{x}} > t.sh; find . "${A[@]}"`, "the file may be run here"},
	{"file in a list of options, put there later", `A=(-exec bash); A[2]=./t.sh; A+=(';'); echo {{x}} > t.sh; find . "${A[@]}"`, "the file may be run here"},
	{"file in a list of options, by a variable", `T=$(mktemp); A=(-exec bash "$T" ';'); echo {{x}} > "$T"; find . "${A[@]}"`, "the file may be run here"},
	{"file by an element of a list", `A=(a.sh); echo {{x}} > "${A[0]}"; bash a.sh`, "the file is run here"},
	{"source by a pattern", `w() { cat > "$1"; }; w t.sh <<< {{x}}; . ./?.sh`, "the file is run here"},
	{"source by a pattern, in words", `echo {{x}} > t.sh; source *.sh`, "the file is run here"},
	{"command by a pattern", `echo {{x}} > tt; chmod +x tt; ./t*`, "the file is run here"},
	{"file in PATH", `mkdir -p bin; echo {{x}} > bin/hello; PATH=$PWD/bin:$PATH; hello`, "the file is run here"},
	{"file that everything is printed to", `exec > f; echo {{x}}; bash f`, "the file is run here"},
	{"file of a descriptor", `exec 5> f; echo {{x}} >&5; bash f`, "the file is run here"},
	{"file of dd", `echo {{x}} | dd of=f; sh f`, "the file is run here"},
	{"file of dd, from standard input's name", `dd if=/dev/stdin of=f <<< {{x}}; sh f`, "the file is run here"},
	{"file that cp makes of standard input", `cp /dev/stdin f <<< {{x}}; sh f`, "the file is run here"},
	{"file that install makes of standard input", `install /dev/stdin f <<< {{x}}; sh f`, "the file is run here"},
	{"file of sponge", `echo {{x}} | sponge f; sh f`, "which the script runs"},
	{"file of dd, by a pattern", `dd of=t.sh <<< {{x}}; for s in *.sh; do bash "$s"; done`, "the file is run here"},
	{"package.json", "cat > package.json <<EOF\n{\"scripts\": {\"test\": {{x|tojson}}}}\nEOF\nnpm test", "runs what the file holds"},
	{"package.json of another directory", `mkdir -p a; printf '{"scripts":{"test":"%s"}}' {{x}} > a/package.json; cd a && npm test`, "runs what the file holds"},
	{"package.json by jq", `jq --arg v {{x}} '.scripts.test=$v' package.json > t && mv t package.json; npm run test`, "runs what the file holds"},
	{"Cargo's build script", `echo {{x}} > build.rs; cargo build`, "runs what the file holds"},
	{"conftest.py", `echo {{x}} > tests/conftest.py; pytest tests`, "runs what the file holds"},
	{"justfile", `echo {{x}} >> justfile; just build`, "runs what the file holds"},
	{"CMakeLists.txt", `echo {{x}} > CMakeLists.txt; cmake -B build`, "runs what the file holds"},
	{"Makefile by a wrapper", "echo {{x}} > Makefile; timeout 9 make", "runs what the file holds"},
	{"makefile", "cat > Makefile <<EOF\nall:\n\techo {{x}}\nEOF\nmake", "runs what the file holds"},
	{"file that sqlite3 reads", "cat > q.sql <<< {{x}}; sqlite3 db '.read q.sql'", "which the script runs"},

	{"descriptor of a here-string", `{ bash <&5; } 5<<< {{x}}`, "through a descriptor"},
	{"descriptor of a nested shell", `bash -c 'bash <&5' 5<<< {{x}}`, "through a descriptor"},
	{"descriptor of a function", `f() { bash <&5; }; f 5<<< {{x}}`, "through a descriptor"},
	{"copy of standard input", `echo {{x}} | { exec 5<&0; bash <&5; }`, "through a descriptor"},
	{"coprocess's output", `coproc { echo {{x}}; }; bash <&"${COPROC[0]}"`, "through a descriptor"},
	{"coprocess's output, eval", `coproc { echo {{x}}; }; eval "$(cat <&"${COPROC[0]}")"`, "shell code that eval runs"},
	{"coprocess's output, a variable", `coproc { echo {{x}}; }; v=$(cat <&"${COPROC[0]}"); eval "$v"`, "through $v"},
	{"descriptor by its name", `exec {fd}< <(echo {{x}}); . /dev/fd/$fd`, "it cannot be told what"},

	{"exported to make", "export X={{x}}\nmake all", "make runs $(shell …)"},
	{"exported to make afterwards", "X={{x}}; export X; make", "make runs $(shell …)"},
	{"exported to make by set -a", "set -a; X={{x}}; make", "make runs $(shell …)"},
	{"exported and printed", `V={{x}}; export V; env | sh`, "printed to the standard input of sh"},
	{"exported and printed by name", `export V={{x}}; printenv V | sudo bash`, "printed to the standard input of bash"},
	{"exported and filled in", `export V={{x}}; envsubst < t | cat | sh`, "printed to the standard input of sh"},
	{"all exported and printed", `set -a; V={{x}}; (env; echo) | { bash; }`, "printed to the standard input of bash"},
	{"operands that perl reads by name", `perl -e 'print readline' {{x}}`, "perl <>"},
	{"git config of an alias", `git config alias.x {{x}}`, "git runs what this setting names"},
	{"git config of a pager", `git config --global core.pager {{x}}`, "git runs what this setting names"},
	{"git config of hooks", `git config set core.hooksPath {{x}}`, "git runs what this setting names"},
	{"git difftool -x", `git difftool -x {{x}}`, "shell code"},
	{"git filter-branch", `git filter-branch --tree-filter {{x}}`, "shell code"},
}

func TestSecondOrder(t *testing.T) {
	t.Parallel()
	for _, row := range secondOrder {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			template, findings := Compile(row.script, standard(), Options{})
			if template != nil {
				t.Fatalf("accepted:\n%s\n%s", row.script, report(findings))
			}
			if found := report(errorsOf(findings)); !strings.Contains(found, row.reason) || strings.Contains(found, "internal") {
				t.Errorf("refused for another reason than %q:\n%s", row.reason, found)
			}
		})
	}
}

// The same constructions with nothing to fear in them stay possible.
func TestSecondOrderOfData(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		`f() { echo "$1"; }; export -f f; bash -c 'f "$1"' _ {{x}}`,
		`printf '%s\0' {{x}} | xargs -0 -n1 bash -c 'echo "$1"' _`,
		`printf '%s\0' {{x}} | xargs -0 rm --`,
		`C='echo "$1"'; bash -c "$C" _ {{x}}`,
		`OPT=-i; grep "$OPT" -- {{x}} f`,
		`mapfile -C echo -c 1 a <<< {{x}}`,
		`echo {{x}} > log.txt; for f in *.txt; do cat "$f"; done; bash run.sh`,
		`echo {{x}} > log.txt; bash "$HOME/run.sh"; T=$(mktemp); echo date > "$T"; bash "$T"`,
		`exec > log.txt 2>&1; echo {{x}}; bash run.sh`,
		`exec 3<&0; read -r l <&3; echo "$l" {{x}}`,
		`while read -r l <&3; do echo "$l"; done 3<<< {{x}}`,
		`coproc cat; echo {{x}} >&"${COPROC[1]}"; read -r l <&"${COPROC[0]}"; echo "$l"`,
		`dd if=/dev/zero of=f bs=1 count={{n}}; sh run.sh; echo {{x}}`,
		`echo {{x}} > data.txt; split -l 1 data.txt part; cat part*; bash run.sh; python3 -c 'import json; print(json.load(open("data.txt")))'`,
		`printf '%s\0' {{x}} > f; xargs -0 -a f rm --; xargs -0 -a {{x}} echo`,
		`git {{e}} -- {{x}}; git -C {{x}} log --oneline -{{n}} {{y}}; npm run build -- {{x}}; cargo test {{x}}`,
		`export X={{x}}; cmake --build .`,
		`X={{x}}; echo "$X"; make all`,
		`git config user.name -- {{x}}`,
		`export V={{x}}; env | sort; printenv V | wc -c; echo ls | sh`,
		`cat > notes.sql <<< {{x}}; sqlite3 db '.tables'`,
		`PATH=$PWD/bin:$PATH; echo {{x}} > out.txt; hello`,
		`options=(--no-color); options+=(--stat); git --no-pager diff "${options[@]}" -- {{x}} > "$TMPDIR/out"; head -c 9 < "$TMPDIR/out"`,
		`options="--no-color --stat"; git --no-pager diff $options -- > out; echo {{x}} >> out`,
	} {
		compile(t, script, standard(), Options{})
	}
}

// What fixed code in another language does with a value is its author's business, and he is told so.
func TestWarnsOfEvaluators(t *testing.T) {
	t.Parallel()
	for script, warned := range map[string]bool{
		`awk -v a={{x}} 'BEGIN { system(a) }'`:                                        true,
		`awk -v a={{x}} 'BEGIN { print a | "sh" }'`:                                   true,
		`awk -v a={{x}} 'BEGIN { a | getline b }'`:                                    true,
		`awk -v a={{x}} '$1 == a || $2 == a { print }' f`:                             false,
		`printf %s {{x}} | sed 's/^/touch /e'`:                                        true,
		`printf %s {{x}} | sed -n '1e'`:                                               true,
		`printf %s {{x}} | sed 's/one/eleven/; s/e/g/g'`:                              false,
		`printf %s {{x}} | perl -ne 'system $_'`:                                      true,
		`perl -e 'print "@ARGV"' {{x}}`:                                               false,
		`A={{x}} python3 -c 'import os; os.system(os.environ["A"])'`:                  true,
		`python3 -c 'import sys; print(sys.argv[1])' {{x}}`:                           false,
		`node -e 'require("child_process").execSync(process.argv[1])' {{x}}`:          true,
		`node -e 'console.log(process.argv[1])' {{x}}`:                                false,
		`node -e 'import(process.argv[1])' {{x}}`:                                     true,
		`echo {{x}} | perl -pe 's/(.*)/$1/ee'`:                                        true,
		`echo {{x}} | perl -pe 's/a/tee/; s/free/been/'`:                              false,
		`python3 -c 'import importlib as i, sys; i.import_module(sys.argv[1])' {{x}}`: true,
	} {
		_, findings := Compile(script, standard(), Options{})
		if got := strings.Contains(report(findings), "can run texts by itself"); got != warned {
			t.Errorf("%s: warned %v, want %v\n%s", script, got, warned, report(findings))
		}
	}
}
