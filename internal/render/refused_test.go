package render

import (
	"strings"
	"testing"
)

// refused are scripts that must not compile, each with a part of the reason. The parameters are those of standard().
var refused = []struct{ name, script, reason string }{
	// Code.
	{"eval", `eval "{{x}}"`, "shell code that eval runs"},
	{"eval of several words", `eval echo {{x}}`, "shell code that eval runs"},
	{"bash -c, double quotes", `bash -c "echo {{x}}"`, "shell code that bash -c runs"},
	{"bash -c, single quotes", `bash -c 'echo {{x}}'`, "shell code that bash -c runs"},
	{"bash -c, the whole", `bash -c {{x}}`, "shell code that bash -c runs"},
	{"bash -ec", `bash -ec "{{x}}"`, "shell code that bash -c runs"},
	{"bash -c after options", `bash --norc -o pipefail -c {{x}}`, "shell code that bash -c runs"},
	{"bash -c, an enum could be another command", `bash -c "{{e}}"`, "shell code"},
	{"sh file", `sh {{x}}`, "file of code"},
	{"sudo bash -c", `sudo -u bob bash -c "echo {{x}}"`, "shell code that bash -c runs"},
	{"env sh -c", `env FOO=1 sh -c "ls {{x}}"`, "shell code that sh -c runs"},
	{"env -S", `env -S "ls {{x}}"`, "shell code that env -S runs"},
	{"unknown wrapper", `mywrapper --fast bash -c "ls {{x}}"`, "shell code that bash -c runs"},
	{"docker run sh -c", `docker run --rm -v /a:/b alpine sh -c "ls {{x}}"`, "shell code that sh -c runs"},
	{"git's own command, which may be an alias", `git {{x}}`, "chooses which command git runs"},
	{"git's own command, elsewhere", `git -C repo --no-pager {{x}} -- file`, "chooses which command git runs"},
	{"git's own command, part of it", `git ls-{{x}}`, "chooses which command git runs"},
	{"cargo's own command", `timeout 9 cargo -q {{x}}`, "chooses which command cargo runs"},
	{"a script of package.json", `npm {{x}}`, "chooses which command npm runs"},
	{"git's own command in a variable", `C={{x}}; git "$C" file`, "chooses which command git runs"},
	{"docker exec", `docker exec -it web {{x}}`, "chooses which command"},
	{"kubectl exec python", `kubectl exec pod -- python3 -c "{{x}}"`, "python code"},
	{"nice timeout bash -c", `nice -n 5 timeout 3 bash -c {{x}}`, "shell code that bash -c runs"},
	{"timeout with a value first", `timeout {{n}} bash -c {{x}}`, "shell code that bash -c runs"},
	{"flock -c", `flock /tmp/lock -c "{{x}}"`, "shell code that flock -c runs"},
	{"su -c", `su bob -c "{{x}}"`, "shell code that su -c runs"},
	{"find -exec sh -c", `find . -exec sh -c 'echo {{x}}' \;`, "shell code that sh -c runs"},
	{"xargs sh -c", `xargs sh -c '{{x}}'`, "shell code that sh -c runs"},
	{"xargs -I sh -c", `xargs -I{} sh -c "cp {} {{x}}"`, "shell code that sh -c runs"},
	{"ssh", `ssh host "ls {{x}}"`, "shell code that ssh runs"},
	{"ssh -o", `ssh -o "ProxyCommand={{x}}" host`, "configuration code that ssh -o runs"},
	{"watch", `watch "ls {{x}}"`, "shell code that watch runs"},
	{"parallel", `parallel echo ::: {{x}}`, "shell code that parallel runs"},
	{"trap", `trap '{{x}}' EXIT`, "shell code that trap runs"},
	{"source", `source "{{x}}"`, "file of code"},
	{"dot", `. {{x}}`, "file of code"},
	{"awk", `awk '{print "{{x}}"}' f`, "awk code"},
	{"awk with an option whose argument is unknown", `awk --unknown y {{x}}`, "awk code"},
	{"sed", `sed "s/a/{{x}}/" f`, "sed code"},
	{"sed -e", `sed -n -e "s/a/{{x}}/" f`, "sed code"},
	{"sed --expression=", `sed --expression="s/a/{{x}}/" f`, "sed code"},
	{"sed, an option of which is shortened", `sed --expr="s/a/{{x}}/" f`, "sed code"},
	{"jq", `jq ".a == \"{{x}}\"" f`, "jq code"},
	{"yq", `yq ".a = \"{{x}}\"" f`, "yq code"},
	{"python -c", `python3 -c "print('{{x}}')"`, "python code"},
	{"python -c without a blank", `python3 -c{{x}}`, "python code"},
	{"python file", `python3 {{x}}`, "file of code"},
	{"perl -e", `perl -e '{{x}}'`, "perl code"},
	{"perl -ne opens its operands as commands", `perl -ne 'print' {{x}}`, "shell code that perl <> runs"},
	{"node -e", `node -e "f('{{x}}')"`, "javascript code"},
	{"node --eval=", `node --eval="{{x}}"`, "javascript code"},
	{"psql, part of the SQL", `psql -c "select * from t where a = '{{x}}'"`, "SQL code that psql -c runs"},
	{"psql, all of the SQL", `psql -c "{{x}}"`, "the whole argument is SQL"},
	{"psql --command=", `psql --command="{{x}}"`, "SQL code"},
	{"psql -o pipes into commands", `psql -o "{{x}}" -c 'select 1'`, "shell code that psql -o runs"},
	{"psql, code: sql but only a part", `psql -c "select * from t where {{q}}"`, "SQL code that psql -c runs"},
	{"sqlite3, the second operand", `sqlite3 db.sqlite "select {{x}}"`, "SQL code"},
	{"sqlite3 without -safe", `sqlite3 db.sqlite {{q}}`, "SQL can run programs"},
	{"sqlite3 without -safe, which another has", `sqlite3 -safe a.db 'select 1'; sqlite3 db.sqlite "{{q}}"`, "SQL can run programs"},
	{"sqlite3 -safe as text", `sqlite3 db.sqlite {{q}} # -safe`, "SQL can run programs"},
	{"sqlite3 -cmd without -safe", `sqlite3 -cmd {{q}} db.sqlite`, "SQL can run programs"},
	{"duckdb without -safe", `duckdb db -c {{q}}`, "SQL can run programs"},
	{"sqlite3, a command that runs", `sqlite3 -safe db.sqlite ".shell {{x}}"`, "SQL code"},
	{"sqlite3, a command that writes", `sqlite3 -safe db.sqlite ".output {{x}}"`, "SQL code"},
	{"sqlite3, any command", `sqlite3 -safe db.sqlite ".{{x}}"`, "SQL code"},
	{"sqlite3, a command that goes on", `sqlite3 -safe db.sqlite ".schema{{x}}"`, "SQL code"},
	{"sqlite3, a command without quotes", `T={{x}}; sqlite3 -safe db.sqlite .schema\ $T`, "without quotes"},
	{"Jinja's if", "echo a\n{% if x %}\necho b\n{% endif %}", "this is Jinja's"},
	{"Jinja's for, trimmed", "{%- for i in list -%}echo {{x}}{%- endfor -%}", "this is Jinja's"},
	{"Jinja's comment", "echo a {# not for {% the #} shell #}", "this is Jinja's"},
	{"Jinja's comment, alone", "echo a {# not for the shell #}", "this is Jinja's"},
	{"sqlite3 -cmd", `sqlite3 -cmd "{{x}}" db.sqlite`, "SQL"},
	{"git -c", `git -c "{{x}}" status`, "configuration code that git -c runs"},
	{"git config key", `git config {{x}} y`, "configuration code"},
	{"git rebase -x", `git rebase -x "{{x}}" main`, "shell code that git rebase -x runs"},
	{"tar --checkpoint-action", `tar cf a.tar --checkpoint=1 --checkpoint-action="{{x}}" .`, "shell code"},
	{"tar -I", `tar -I {{x}} -cf a.tar .`, "shell code that tar -I runs"},
	{"sort --compress-program", `sort --compress-program={{x}} f`, "chooses which command"},
	{"rsync -e", `rsync -e "{{x}}" a b`, "shell code that rsync -e runs"},
	{"make operand", `make {{x}}`, "make code"},
	{"vim -c", `vim -c "{{x}}" f`, "editor code"},
	{"socat", `socat - {{x}}`, "shell code that socat runs"},
	{"expr", `expr {{x}} + 1`, "arithmetic code that expr runs"},
	{"mapfile -C", `mapfile -C "{{x}}" -c 1 < f`, "shell code that mapfile -C runs"},
	{"compgen", `compgen -W "{{x}}"`, "shell code"},
	{"written to a file that is run", "cat > t.py <<EOF\nprint('{{x}}')\nEOF\npython3 t.py", "which the script runs"},
	{"written to a file of a variable that is run", "T=$(mktemp)\necho \"{{x}}\" > \"$T\"\nbash $T", "which the script runs"},
	{"written by tee to a file that is sourced", "echo \"{{x}}\" | tee settings.sh > /dev/null\n. ./settings.sh", "which the script runs"},

	// The command.
	{"command", `{{x}} --version`, "chooses which command runs"},
	{"command, an enum", `{{e}} --version`, "chooses which command runs"},
	{"command in double quotes", `"{{x}}" --version`, "chooses which command runs"},
	{"command, part of it", `bin/{{x}} --version`, "chooses which command runs"},
	{"wrapped command", `sudo {{x}} -la`, "chooses which command sudo runs"},
	{"timeout's command", `timeout 5 {{x}}`, "chooses which command timeout runs"},
	{"env's command", `env A=b {{x}}`, "chooses which command env runs"},
	{"find -exec", `find . -exec {{x}} {} \;`, "chooses which command find runs"},
	{"after a command that is not fixed", `$CMD {{x}}`, "cannot be told"},
	{"after options that are not fixed", `psql $OPTIONS {{x}}`, ""},
	{"shell after options that are not fixed", `bash $OPTIONS {{x}}`, "cannot be told"},
	{"list in command position", `{{#list}} "{{.}}" {{/list}}`, "chooses which command runs"},

	// Standard input.
	{"pipe into bash", `echo "{{x}}" | bash`, "standard input of bash, which runs it as shell"},
	{"pipe into sudo bash -s", `echo "{{x}}" | sudo bash -s`, "standard input of bash"},
	{"pipe through cat into bash", `echo "{{x}}" | cat | bash`, "standard input of bash"},
	{"pipe into a group", `echo "{{x}}" | { cat; bash; }`, "standard input of bash"},
	{"pipe into a subshell", `echo "{{x}}" | ( bash )`, "standard input of bash"},
	{"pipe into an if", `echo "{{x}}" | if true; then bash; fi`, "standard input of bash"},
	{"pipe into a function", "f() { bash; }\necho \"{{x}}\" | f", "standard input of bash"},
	{"pipe out of a function", "f() { echo \"{{x}}\"; }\nf | bash", "standard input of bash"},
	{"pipe into a substitution", `echo "{{x}}" | echo "$(bash)"`, "standard input of bash"},
	{"pipe into xargs", `echo {{x}} | xargs rm`, "which runs it as arguments"},
	{"pipe into xargs -0 sort, which has an option that runs", `echo {{x}} | tr '\n' '\0' | xargs -0 sort`, "which runs it as arguments"},
	{"pipe into xargs -0 -I sh -c", `printf '%s\0' {{x}} | xargs -0 -I@ sh -c 'echo @'`, "which runs it as arguments"},
	{"pipe into bc", `echo "{{x}}" | bc`, "standard input of bc"},
	{"pipe into crontab", `echo "{{x}}" | crontab -`, "standard input of crontab"},
	{"pipe into ssh", `echo "{{x}}" | ssh host`, "standard input of ssh"},
	{"pipe into an unknown command", `echo "{{x}}" | $CMD`, "cannot be told"},
	{"pipe into docker exec sh", `echo "{{x}}" | docker exec -i web sh`, "standard input of"},
	{"here-document of bash", "bash <<EOF\necho {{x}}\nEOF\n", "standard input of bash"},
	{"quoted here-document of bash", "bash <<'EOF'\necho {{x}}\nEOF\n", "standard input of bash"},
	{"here-document of psql", "psql <<EOF\nselect '{{x}}';\nEOF\n", "standard input of psql, which runs it as SQL"},
	{"here-document of python -", "python3 - <<'EOF'\nprint('{{x}}')\nEOF\n", "standard input of python3"},
	{"here-document of sh /dev/stdin", "sh /dev/stdin <<EOF\n{{x}}\nEOF\n", "standard input of sh"},
	{"here-string of bash", `bash <<< "echo {{x}}"`, "standard input of bash"},
	{"file of bash's standard input", `bash < {{x}}`, "names the file that bash runs"},
	{"exec with a here-string", "exec <<< \"{{x}}\"\nbash", "standard input of bash"},
	{"process substitution as a script", `bash <(echo "{{x}}")`, "file of code"},
	{"process substitution that is sourced", `. <(echo "{{x}}")`, "file of code"},
	{"output process substitution", `echo "{{x}}" > >(bash)`, "standard input of bash"},
	{"tee into a process substitution", `echo "{{x}}" | tee >(bash)`, "standard input of bash"},
	{"pipe into eval of what is read", `echo "{{x}}" | eval "$(cat)"`, "shell code that eval runs"},
	{"pipe into a group that evals what is read", `echo "{{x}}" | { echo; eval "$(cat)"; }`, "shell code that eval runs"},
	{"pipe into a function that evals what is read", "f() { eval \"$(cat)\"; }\necho \"{{x}}\" | f", "shell code that eval runs"},
	{"pipe into arithmetic", `echo "{{x}}" | echo $(( $(cat) ))`, "only a number is safe in arithmetic"},
	{"file that is read and run", `{ eval "$(cat)"; } < {{x}}`, "shell code that eval runs"},
	{"variable into eval of what is read", `X={{x}}; echo "$X" | eval "$(cat)"`, "through $X"},
	{"standard input in a circle", `echo "{{x}}" | echo <"$(bash)"`, "standard input of bash"},
	{"process substitution on standard input", `bash < <(echo "{{x}}")`, "standard input of bash"},
	{"coprocess", "coproc bash\necho \"{{x}}\" >&\"${COPROC[1]}\"", "coprocess bash runs what it reads"},

	// Names.
	{"name of a variable", `echo ${{x}}`, "part of a variable's name"},
	{"name of a variable in quotes", `echo "${{x}}"`, "part of a variable's name"},
	{"a variable in front of a tag", `echo "$HOME{{x}}"`, "part of a variable's name"},
	{"in an expansion", `echo "${A:-{{x}}}"`, "inside ${…}"},
	{"in a pattern", `echo "${A#{{x}}}"`, "inside ${…}"},
	{"assigned name", `{{x}}=5`, "name of a variable"},
	{"exported name", `export {{x}}`, "name of a variable"},
	{"declare", `declare "{{x}}=5"`, "option of declare or the name of a variable"},
	{"declare -i", `declare -i n="{{x}}"`, "evaluates the value again"},
	{"declare -n", `declare -n n={{x}}`, "evaluates the value again"},
	{"declare -a", `declare -a A="{{x}}"`, "evaluates the value again"},
	{"declare of an array", "A=()\ndeclare A=\"{{x}}\"", "is an array elsewhere"},
	{"local of an array", "f() { local -a A; local A={{x}}; }\nf", "is an array elsewhere"},
	{"declare -i in another place", "declare -i n\nn={{x}}", "declare -i"},
	{"declare -n in another place", "declare -n r\nr={{x}}", "declare -n"},
	{"read", `read {{x}}`, "name of a variable for read"},
	{"unset", `unset "{{x}}"`, "name of a variable for unset"},
	{"printf -v", `printf -v "{{x}}" hi`, "name of a variable for printf -v"},
	{"test -v", `test -v {{x}}`, "name of a variable for test -v"},
	{"[ -v", `[ -v {{x}} ]`, "name of a variable for [ -v"},
	{"[ with two values", `[ {{x}} {{y}} ]`, "name of a variable for ["},
	{"[[ -v", `[[ -v {{x}} ]]`, "takes the value for a variable name"},
	{"for's name", `for {{x}} in a b; do :; done`, "a name in the shell's own syntax"},
	{"function's name", `{{x}}() { :; }`, "a name in the shell's own syntax"},
	{"marker of a here-document", "cat <<{{x}}\nhi\n{{x}}\n", ""},
	{"special: RANDOM", `RANDOM={{x}}`, "bash evaluates what is assigned to RANDOM"},
	{"special: PATH", `PATH="{{x}}:$PATH" ls`, "PATH changes"},
	{"special: LD_PRELOAD", `LD_PRELOAD={{x}} ls`, "LD_PRELOAD"},
	{"special: BASH_ENV by export", `export BASH_ENV="{{x}}"`, "BASH_ENV"},
	{"special: env", `env PYTHONSTARTUP={{x}} ls`, "PYTHONSTARTUP"},
	{"special: for", `for PATH in "{{x}}"; do ls; done`, "PATH changes"},
	{"special: printf -v", `printf -v IFS %s "{{x}}"`, "IFS changes"},

	// Arithmetic.
	{"$(( ))", `echo $(( {{x}} + 1 ))`, "only a number is safe in arithmetic"},
	{"$(( )), an enum of words", `echo $(( {{e}} + 1 ))`, "only a number is safe in arithmetic"},
	{"$(( )), part of a word", `echo $(( 1{{n}} + 1 ))`, "part of a longer word"},
	{"(( ))", `(( {{x}} > 1 )) && echo y`, "only a number is safe in arithmetic"},
	{"$[ ]", `echo $[ {{x}} + 1 ]`, "only a number is safe in arithmetic"},
	{"let", `let "a={{x}}"`, "only a number is safe in arithmetic"},
	{"for (( ))", `for ((i=0;i<{{x}};i++)); do :; done`, "only a number is safe in arithmetic"},
	{"subscript", `A[{{x}}]=5`, "only a number is safe in arithmetic"},
	{"subscript of an element", `A=([{{x}}]=5)`, "only a number is safe in arithmetic"},
	{"subscript in ${…}", `echo "${A[{{x}}]}"`, "only a number is safe in arithmetic"},
	{"offset in ${…}", `echo "${A:{{x}}:2}"`, "only a number is safe in arithmetic"},
	{"[[ -gt ]]", `[[ {{x}} -gt 3 ]]`, "only a number is safe here"},
	{"a command in $(( ))", `echo $(( $(echo {{x}}) ))`, "only a number is safe in arithmetic"},
	{">&", `echo hi >&{{x}}`, "only a number is safe as the target"},
	{">& of a command", `echo hi >& "$(echo {{x}})"`, "twice"},
	{"letters after -", `head -{{x}}`, "only a number is safe here"},
	{"the name of a long option", `curl --{{x}} url`, "picks the options"},
	{"part of the name of a long option", `curl --data-{{x}} url`, "picks the options"},
	{"set without --", `set {{x}}`, "picks the options"},

	// Quoting.
	{"backquotes", "echo `echo {{x}}`", "inside `…`"},
	{"backslash in quotes", `echo "\{{x}}"`, "backslash right in front"},
	{"backslash", `echo \{{x}}`, "backslash right in front"},
	{"backslash in a here-document", "cat <<EOF\n\\{{x}}\nEOF", "backslash right in front"},
	{"dollar quotes with backslash", `echo $'\{{x}}'`, "backslash right in front"},
	{"dollar quotes with \\c", `echo $'\c{{x}}'`, `\c right in front`},
	{"dollar quotes with an escape that has no digits yet", `echo $'\x{{n}}'`, "could go on in the value"},
	{"dollar quotes with an escape that is not full", `echo $'a\\\u12{{x}}'`, "could go on in the value"},
	{"an assignment in arithmetic whose target is a tag", `let v={{n}}=1`, "write the tag as an operand of its own"},
	{"a word that only the parser takes for an assignment", `--a={{x}}[[ -n {{x}} ]]-{{n}}`, "is no name of a variable"},
	{"locale quotes", `echo $"{{x}}"`, "translated by the locale"},
	{"extended glob", `case a in @({{x}}|b)) ;; esac`, "extended glob"},
	{"a section opens quotes", `{{#b}}"{{/b}}{{x}}"`, ""},
	{"a section opens quotes of a command", `{{#b}}echo "{{/b}}{{x}}`, ""},
	{"a section closes quotes", `echo '{{#b}}'{{/b}}{{x}}'`, ""},
	{"a section changes the quotes", `{{#b}}echo "{{/b}}{{^b}}echo '{{/b}}{{x}}{{#b}}"{{/b}}{{^b}}'{{/b}}`, "a section changes the quoting"},
	{"a section makes it a command", `{{#b}}echo {{/b}}{{x}}`, "chooses which command runs"},
	{"a comment that ends in a backslash", "echo ok # \\\n  eval {{x}}", "a backslash stands at the end of a comment"},
	{"a comment that ends in a backslash, behind a tag", "echo # {{x}} \\\n{{y}}", "a backslash stands at the end of a comment"},
	{"a comment that ends in a backslash, in a substitution", "echo \"$(true # \\\n eval {{x}}\n)\"", "a backslash stands at the end of a comment"},
	{"a comment that ends in a backslash, in code of a shell", "bash -c 'echo # \\\n eval \"$1\"' _ {{x}}", "a backslash stands at the end of a comment"},
	{"a comment of a list that ends in a backslash", "a=(1 # b \\\n {{x}}\n)\necho \"${a[@]}\"", "a backslash stands at the end of a comment"},
	{"a here-document's marker in front of a #", "v={{x}}\ncat <<'E'# ; eval \"$v\"\nE\n", "a # stands right behind a word"},
	{"a subshell that a process substitution begins with", "v={{x}}\necho <((true) && true #) ; eval \"$v\"\n)", "bash takes <(( for arithmetic at first"},
	{"a carriage return in code of a shell", `bash -c $'echo \\\r\n eval "$1"' _ {{x}}`, "it holds a carriage return"},
	{"a process substitution in an expansion", "v={{x}}\necho ${w:-<(eval \"$v\")}", "bash takes <( or >( in ${…}"},
	{"a coprocess whose name is a command", "coproc {{x}} >| f", "bash takes the name of this coprocess for a command"},
	{"a comment that ends too late", `echo # {{#b}}
{{/b}} {{x}}`, "chooses which command runs"},
	{"not bash", `if then {{x}}`, "not valid bash"},

	// What changes how bash reads the rest.
	{"shopt -s extglob", `shopt -s extglob; echo {{x}}`, "shopt extglob changes how bash reads"},
	{"shopt by builtin", `builtin shopt -s expand_aliases; echo {{x}}`, "changes how bash reads"},
	{"alias", `alias e=eval; e {{x}}`, "alias changes how bash reads"},
	{"set -k", `set -k; echo {{x}}`, "set -k changes how bash reads"},
	{"set -o posix", `set -o posix; echo {{x}}`, "set posix changes how bash reads"},

	// Through variables.
	{"$x in $(( ))", `X="{{x}}"; echo $((X+1))`, "through $X"},
	{"$x in $(( )), with $", `X="{{x}}"; echo $(($X+1))`, "through $X"},
	{"the name of a name in $(( ))", `Y=X; X="{{x}}"; echo $((Y))`, "through $Y"},
	{"an enum that is a name in $(( ))", `fast="{{x}}"; Y={{e}}; echo $((Y))`, "through $Y"},
	{"$x in [[ -gt ]]", `X="{{x}}"; [[ $X -gt 1 ]]`, "through $X"},
	{"x in [[ -gt ]]", `X="{{x}}"; [[ X -gt 1 ]]`, "through $X"},
	{"$x in let", `X="{{x}}"; let "y = X"`, "through $X"},
	{"$x as a subscript", `X="{{x}}"; A[$X]=1`, "through $X"},
	{"$x as a subscript in ${…}", `X="{{x}}"; echo "${A[X]}"`, "through $X"},
	{"$x as an offset", `X="{{x}}"; echo "${Y:X}"`, "through $X"},
	{"$x@P", `X="{{x}}"; echo "${X@P}"`, "through $X"},
	{"${!x}", `X="{{x}}"; echo "${!X}"`, "through $X"},
	{"eval of the eval of x", `X="{{x}}"; Y="pre $X"; eval "$Y"`, "through $Y"},
	{"eval of ${!y}", `X="{{x}}"; Y=X; eval "${!Y}"`, "through $!Y"},
	{"bash -c $x", `X="{{x}}"; bash -c "$X"`, "through $X"},
	{"$x as a command", `X="{{x}}"; $X`, "through $X"},
	{"$x without quotes", `X="{{x}}"; ls $X`, "without quotes"},
	{"for", `for f in "{{x}}"; do bash -c "cat $f"; done`, "through $f"},
	{"for without in", "f() { for v; do eval \"$v\"; done; }\nf {{x}}", "through $v"},
	{"substitution", `eval "$(printf %s "{{x}}")"`, "shell code that eval runs"},
	{"substitution of a variable", `X="{{x}}"; eval "$(echo "$X")"`, "through $X"},
	{"substitution that was assigned", `X="{{x}}"; Y=$(echo "$X"); eval "$Y"`, "through $Y"},
	{"substitution that reads a pipe", "echo \"{{x}}\" | { Y=$(cat); eval \"$Y\"; }", "through $Y"},
	{"substitution that reads a here-string", "{ Y=$(cat); eval \"$Y\"; } <<< \"{{x}}\"", "through $Y"},
	{"substitution in a function that reads a pipe", "f() { Y=$(cat); eval \"$Y\"; }\necho \"{{x}}\" | f", "through $Y"},
	{"substitution of a function", "X={{x}}\nf() { echo \"$X\"; }\nY=$(f)\neval \"$Y\"", "through $Y"},
	{"function prints a tag", "f() { echo {{x}}; }\neval \"$(f)\"", "shell code that eval runs"},
	{"$x to >&", `X={{x}}; echo hi >& "$X"`, "twice"},
	{"$x to SRANDOM", `X="{{x}}"; SRANDOM=$X`, "bash evaluates"},
	{"$x into a pipe", `X="{{x}}"; echo "$X" | bash`, "standard input of bash"},
	{"environment of bash -c", `Q="{{x}}" bash -c 'eval "$Q"'`, "through $Q"},
	{"environment of bash -c, by $x", `X="{{x}}"; Q="$X" bash -c 'eval "$Q"'`, "through $Q"},
	{"environment of a here-document's bash", "export X={{x}}\nbash <<'EOF'\neval \"$X\"\nEOF", "through $X"},
	{"parameter of bash -c", `bash -c 'eval "$1"' _ {{x}}`, "through $1"},
	{"parameter 0 of bash -c", `bash -c 'eval "$0"' {{x}}`, "through $0"},
	{"parameter of bash -s", "bash -s {{x}} <<'EOF'\neval \"$1\"\nEOF", "through $1"},
	{"parameter of find -exec sh -c", `find . -exec sh -c 'eval "$2"' _ {} {{x}} \;`, "through $2"},
	{"assignment within eval", `X={{x}}; eval 'Y=$X'; eval "$Y"`, "through $Y"},
	{"trap", `X={{x}}; trap 'eval "$X"' EXIT`, "through $X"},
	{"function", `f() { eval "$1"; }; f "{{x}}"`, "through $1"},
	{"function with $(( ))", `f() { echo $(($1)); }; f "{{x}}"`, "through $1"},
	{"set --", `set -- "{{x}}"; eval "$1"`, "through $1"},
	{"$@ as a command", `set -- {{x}}; "$@"`, "through $@"},
	{"read", `read -r l <<< "{{x}}"; echo $((l))`, "through $l"},
	{"REPLY", `read -r <<< "{{x}}"; eval "$REPLY"`, "through $REPLY"},
	{"mapfile", `mapfile -t a <<< "{{x}}"; eval "${a[0]}"`, "through $a"},
	{"printf -v", `printf -v Y %s "{{x}}"; eval "$Y"`, "through $Y"},
	{"array", `A=({{x}}); eval "${A[0]}"`, "through $A"},
	{"array as a command", `A=({{x}}); "${A[@]}"`, "through $A"},
	{"array as options of psql", `A=(-c {{x}}); psql "${A[@]}"`, "through $A"},
	{"${x:=…}", `: "${W:=$Y}"; Y={{x}}; eval "$W"`, "through $W"},
	{"BASH_REMATCH", `[[ {{x}} =~ (.*) ]]; eval "${BASH_REMATCH[1]}"`, "through $BASH_REMATCH"},
	{"$_", `: {{x}}; eval "$_"`, "through $_"},
	{"getopts", `getopts a: o -a {{x}}; eval "$OPTARG"`, "through $OPTARG"},
	{"PWD", `cd -- {{x}}; eval "$PWD"`, "through $PWD"},
	{"select", `select v in a; do eval "$REPLY"; break; done <<< {{x}}`, "through $REPLY"},
	{"let in quotes", `X={{x}}; 'let' y=X`, "through $X"},
	{"an extended glob that is a subshell to bash", `X={{x}}; !(eval "$X")`, "extended glob"},
	{"a command that is not fixed with code", `X={{x}}; "$SHELL" -c 'eval "$X"'`, "through $X"},
	{"nameref", `X={{x}}; declare -n R=X; eval "$R"`, "through $R"},
	{"written to a file that is run, by a variable", "X={{x}}\necho \"$X\" > run.sh\nbash run.sh", "which the script runs"},

	// Mustache.
	{"docker --format", `docker ps --format '{{.Names}}'`, "no name of a parameter"},
	{"three braces", `echo {{{x}}}`, "raw tags"},
	{"ampersand", `echo {{&x}}`, "raw tags"},
	{"|raw", `echo {{x|raw}}`, "raw tags"},
	{"partial", `{{> other}}`, "partials"},
	{"unknown filter", `echo {{x|upper}}`, "no filter |upper"},
	{"default of a call", `echo {{x|default(uuid())}}`, "default() takes"},
	{"never closed tag", `echo {{x`, "never closed"},
	{"never closed section", `{{#x}}echo`, "never closed"},
	{"closed twice", `{{#b}}echo{{/b}}{{/b}}`, "no section to close"},
	{"crossed", `{{#b}}{{#x}}echo{{/b}}{{/x}}`, "must be closed first"},
	{"undeclared", `echo {{nobody}}`, `no parameter "nobody" is declared`},
	{"dot outside", `echo {{.}}`, "no section here"},
	{"tag in the first line", "#!/bin/{{x}}\necho", "tags are only possible in bash scripts"},
	{"tag in the options of the first line", "#!/bin/bash -{{x}}\necho", "must be fixed"},
	{"python", "#!/usr/bin/env python3\nprint('{{x}}')", "only possible in bash scripts"},
	{"section in python", "#!/usr/bin/python3\n{{#b}}print(){{/b}}", "only possible in bash scripts"},
	{"reserved name", `echo "${__a2a_p[0]}" {{x}}`, "reserved"},
	{"carriage return", "echo {{x}}\r\n", "carriage return"},
	{"default that the place refuses", `head -{{n|default('x')}}`, "the default cannot stand here"},
	// Files that the script writes and then runs.
	{"file, then < into a shell", `echo {{x}} > f; bash < f`, "standard input of bash"},
	{"file, then a pipe into a shell", `echo {{x}} > f; cat f | bash`, "standard input of bash"},
	{"file, then eval", `echo {{x}} > f; eval "$(cat f)"`, "shell code that eval runs"},
	{"file, then eval of $(<f)", `echo {{x}} > f; eval "$(<f)"`, "shell code that eval runs"},
	{"file, then a variable", `echo {{x}} > f; v=$(<f); eval "$v"`, "shell code that eval runs"},
	{"file, then arithmetic", `echo {{x}} > f; v=$(cat f); echo $((v))`, "evaluated as arithmetic"},
	{"file, then arithmetic at once", `echo {{x}} > f; echo $(( $(cat f) + 1 ))`, "through the file f"},
	{"file, then source <()", `echo {{x}} > f; source <(cat f)`, ""},
	{"file, then a filter and a shell", `echo {{x}} > f; sed s/a/b/ f | sh`, "standard input of sh"},
	{"file, then >(sh)", `echo {{x}} > f; cp f >(sh)`, "standard input of sh"},
	{"file, then a copy", `echo {{x}} > f; cp f g; bash g`, "the file is run here"},
	{"file, then moved", `echo {{x}} > f; mv f g; . ./g`, "the file is run here"},
	{"file, from another directory", `echo {{x}} > d/f; cd d; bash f`, "the file is run here"},
	{"file, by a path with a variable", `echo {{x}} > d/f; bash "$PWD/d/f"`, "the file is run here"},
	{"file, by a variable", `f=t.sh; echo {{x}} > $f; bash t.sh`, "the file is run here"},
	{"file, as another language", `echo {{x}} > f; python3 < f`, "standard input of python3"},
	{"file, in a nested shell", `echo {{x}} > f; bash -c 'bash < f'`, "standard input of bash"},
	{"file, by a descriptor", `echo {{x}} > f; exec 3< f; bash <&3`, "standard input of bash"},
	{"file that tee writes", `echo {{x}} | tee f; cat f | bash`, "standard input of bash"},
	{"file that curl writes", `curl -o f -- {{x}}; bash f`, "the file is run here"},
	{"file that is named by the value", `cp -- {{x}} f; bash f`, "the file is run here"},
	{"a named pipe", `mkfifo p; bash < p & echo {{x}} > p`, "standard input of bash"},
	// The standard input of nested shells, and their environment.
	{"bash in bash -c", `cat <<< {{x}} | bash -c 'bash'`, "standard input of bash"},
	{"sh in a pipe in sh -c", `sudo sh -c 'cat | sh' <<< {{x}}`, "standard input of"},
	{"eval in bash -c", `cat <<< {{x}} | bash -c 'eval "$(cat)"'`, "shell code that eval runs"},
	{"source in bash -c", `bash -c 'source /dev/stdin' <<< {{x}}`, "standard input of"},
	{"bash by ssh", `cat <<< {{x}} | ssh host bash`, "standard input of bash"},
	{"env and sh -c", `env X={{x}} sh -c 'eval "$X"'`, "shell code that eval runs"},
	{"sudo and sh -c", `sudo X={{x}} sh -c '$X'`, "chooses which command"},
	// Programs that run a word, their input or their environment.
	{"docker run", `docker run --rm -v /a:/b alpine {{x}}`, "chooses which command"},
	{"docker run --entrypoint", `docker run --entrypoint {{x}} alpine`, "chooses which command"},
	{"kubectl exec", `kubectl exec -it pod -- {{x}}`, "chooses which command"},
	{"fish", `fish -c {{x}}`, "another shell code"},
	{"csh", `csh -c "ls {{x}}"`, "another shell code"},
	{"csh on a pipe", `echo {{x}} | tcsh`, "standard input of tcsh"},
	{"PowerShell", `pwsh -Command {{x}}`, "another shell code"},
	{"nu of sudo", `sudo nu -c {{x}}`, "another shell code"},
	{"guile", `guile -c {{x}}`, "code that guile -c runs"},
	{"racket", `racket -e {{x}}`, "code that racket -e runs"},
	{"sbcl", `sbcl --eval {{x}}`, "code that sbcl --eval runs"},
	{"raku", `raku -e {{x}}`, "code that raku -e runs"},
	{"erlang", `erl -noshell -eval {{x}}`, "code that erl"},
	{"ghostscript", `gs -c {{x}}`, "PostScript code"},
	{"TeX", `pdflatex {{x}}`, "TeX code"},
	{"SQL of another client", `sqlcmd -Q {{x}}`, "the whole argument is SQL"},
	{"SQL of clickhouse", `clickhouse-client --query "select {{x}}"`, "SQL code"},
	{"SQL of cqlsh", `cqlsh -e {{x}}`, "SQL"},
	{"julia", `julia -e {{x}}`, "julia code"},
	{"elixir", `elixir -e {{x}}`, "elixir code"},
	{"m4", `m4 <<< {{x}}`, "standard input of m4"},
	{"nix-shell", `nix-shell --run {{x}}`, "shell code that nix-shell --run runs"},
	{"the environment of make", `A={{x}} make all`, "make runs $(shell …)"},
	{"CC", `CC={{x}} ./configure`, "can name code"},
	// Descriptors that stay open.
	{"exec into a shell", `exec > >(bash); echo {{x}}`, "goes to bash, which runs it"},
	{"exec of another descriptor into a shell", `exec 5> >(bash); echo {{x}} >&5`, "goes to bash, which runs it"},
	{"source of a descriptor", `exec 3<<< {{x}}; source /dev/fd/3`, "reads from /dev/fd/3"},
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for _, row := range refused {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			template, findings := Compile(row.script, standard(), Options{})
			bad := errorsOf(findings)
			if template != nil || len(bad) == 0 {
				t.Fatalf("accepted:\n%s\n%s", row.script, report(findings))
			}
			for _, f := range bad {
				if f.Line < 1 || f.Message == "" {
					t.Errorf("incomplete finding: %+v", f)
				}
				if strings.Contains(f.String(), "internal") {
					t.Errorf("internal error: %s", f)
				}
			}
			for _, f := range bad {
				if strings.Contains(f.String(), row.reason) {
					return
				}
			}
			t.Errorf("refused for another reason than %q:\n%s\n%s", row.reason, row.script, report(bad))
		})
	}
}

// TestCheckedScriptsAreProvedAtTheCall: a script that is said to be checked is not believed. In whatever way a call fills its
// sections in, it is refused as it would have been before.
func TestCheckedScriptsAreProvedAtTheCall(t *testing.T) {
	t.Parallel()
	full := map[string]any{
		"x": "a", "y": "b", "n": number("1"), "e": "fast", "b": true, "q": "1", "d": "c", "list": []any{"a"}, "map": map[string]any{"k": "v"},
	}
	empty := map[string]any{"x": "a", "y": "b", "e": "fast", "b": false, "q": "1", "d": "c", "list": []any{}, "map": map[string]any{}}
	late := 0
	for _, row := range refused {
		if row.name == "a section changes the quotes" {
			continue // refused because nobody can read it; each way by itself is quoted right
		}
		template, findings := Compile(row.script, standard(), Options{Checked: true})
		if template == nil {
			if len(errorsOf(findings)) == 0 {
				t.Errorf("%s: not compiled, and no reason", row.name)
			}
			continue
		}
		late++
		_, err := template.Render(full)
		_, without := template.Render(empty)
		if err == nil && without == nil {
			t.Errorf("%s: rendered\n%s", row.name, row.script)
		}
	}
	if late == 0 {
		t.Error("nothing was left to the call")
	}
}
