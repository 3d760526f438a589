package shellscan

import (
	"strings"
	"testing"
)

// Texts of which it cannot be told what they do, each with a part of the Problem that says why.
func TestProblems(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, script, want string }{
		// Names of commands.
		{"a variable as a name", `$CMD x`, "the command's name is not fixed"},
		{"part of a name", `${x}ls`, "the command's name is not fixed"},
		{"a pattern as a name", `/bin/c?t x`, "the command's name is not fixed"},
		{"braces as a name", `{rm,-rf,/}`, "the command's name is not fixed"},
		{"a substitution as a name", `$(echo rm) x`, "the command's name is not fixed"},
		{"an empty name", `'' x`, "the command's name is empty"},
		{"a name behind a wrapper", `sudo $X`, "the command's name is not fixed"},
		{"a name behind find", `find . -exec {} \;`, "the command's name is not fixed"},
		{"a name behind xargs", `xargs -I{} {} x`, "the command's name is not fixed"},
		{"an assignment to an element, or a command", `*[b] c`, "the command's name holds a ["},
		{"time with an option", `time -- rm`, "time is given an option"},
		{"a keyword where none is", `x=1 if a`, "if stands where bash may read it as its own word"},
		{"a name with a =", `env -- a=b=c 'x=y' ls; 'a=b'`, "is no name of a command"},

		// What other shells read as another command.
		{"quotes of bash, to sh", `echo $'\' ; rm x #'`, "at which sh ends the quotes"},
		{"quotes, to fish", `echo 'a\' 'b; rm x #'`, "at which fish goes on"},
		{"a comparison, to sh", `[[ a > b ]]`, "opens a file"},
		{"an or, to sh", `[[ a || rm ]]`, "the one to run then"},
		{"an or of a not, to sh", `[[ -f a || ! (rm) ]]`, "the one to run then"},
		{"an expression, to sh", `[[ a =~ b|rm ]]`, "a pipe to the next"},
		{"an or in front of an and, to sh", `true || [[ a && rm ]]`, "one to run by itself"},
		{"an and that is negated, to sh", `! [[ a && rm ]]`, "one to run by itself"},
		{"an and behind a comparison, to sh", `! [[ a == b && ! rm ]]`, "one to run by itself"},
		{"a test of two lines, to sh", "[[\nrm ]]", "the next line another one"},
		{"a test of two lines with a not, to sh", "[[ !\nrm ]]", "the next line another one"},
		{"a test with a comment, to sh", "[[ # a\nrm ]]", "the next line another one"},
		{"a test that goes on, to sh", "[[ -f a &&\n-f b ]]", "the next line another one"},
		{"arithmetic, to sh", `((1/2))`, "two subshells"},
		{"arithmetic that compares, to sh", `if ((1>3)); then ls; fi`, "two subshells"},
		{"a time with an assignment, to sh", `time A=b/c ls`, "the name of what to run"},
		{"a program's file, to zsh", `cat =ls`, "zsh replaces =NAME"},
		{"a program's file that is read, to zsh", `cat < =ls`, "zsh replaces =NAME"},
		{"a program's file with quotes, to zsh", `cat ="ls"`, "zsh replaces =NAME"},
		{"a subscript, to zsh", `echo "$?[PATH=1]"`, "begins a subscript or a modifier"},
		{"a subscript of another number, to zsh", `echo "$$[PATH=1]" "$![a]"`, "begins a subscript or a modifier"},
		{"a subscript of a length, to zsh", `echo "$#a[PATH=1]"`, "begins a subscript or a modifier"},
		{"a subscript of a number's length, to zsh", `echo "$#?[PATH=1]"`, "begins a subscript or a modifier"},
		{"a subscript that is assigned, to zsh", `x=$?[PATH=1]`, "begins a subscript or a modifier"},
		{"a subscript in a here-document, to zsh", "cat <<E\n$?[PATH=1]\nE", "begins a subscript or a modifier"},
		{"a subscript in a here-string, to zsh", `cat <<< "$?[PATH=1]"`, "begins a subscript or a modifier"},
		{"a subscript in a loop, to zsh", `for x in $?[PATH=1]; do ls; done`, "begins a subscript or a modifier"},
		{"a subscript in a case, to zsh", `case $?[PATH=1] in a) ls;; esac`, "begins a subscript or a modifier"},
		{"a modifier, to zsh", `echo "$?:F:PATH=1:h"`, "begins a subscript or a modifier"},
		{"a modifier of a length, to zsh", `echo $#a:F:PATH=1:h`, "begins a subscript or a modifier"},
		{"an escape that is none, to zsh", `cat $'\.\./f'`, "that bash keeps, and zsh may not"},
		{"a letter that is none, to zsh", `cat < $'\C-n'`, "that bash keeps, and zsh may not"},
		{"a variable's value, to zsh", `cat $=HOME/f`, "to zsh $= begins"},
		{"the value of no variable, to zsh", `cat $=/etc/f`, "to zsh $= begins"},
		{"a value in quotes, to zsh", `cat "$~HOME/f"`, "to zsh $~ begins"},
		{"a value of which the rest is quoted, to zsh", `cat $^"/etc/f"`, "to zsh $^ begins"},
		{"whether there is a value, to zsh", `echo "$+a[PATH=1]"`, "to zsh $+ begins"},
		{"a value in a here-document, to zsh", "cat <<E\n$=HOME\nE", "to zsh $= begins"},
		{"a value that is assigned, to zsh", `x=a$=HOME`, "to zsh $= begins"},
		{"a value that is read, to zsh", `cat < $=HOME/f`, "to zsh $= begins"},
		{"a value behind backslashes, to zsh", `cat "\\$=HOME/f"`, "to zsh $= begins"},
		{"a terminal's number, to zsh", `[[ -t PATH=1 ]]`, "zsh evaluates the word behind -t"},
		{"a character by its number, to fish", `cat \x2e\x2e/f`, `fish reads a \x`},
		{"a character of Unicode, to fish", `cat a\u002fb`, `fish reads a \u`},
		{"a character in octal, to fish", `cat < \56\56/f`, `fish reads a \5`},
		{"a redirection of zsh", `echo x >! /etc/x`, "zsh takes >!"},
		{"the search path of zsh", `path=(.); ls`, "it sets path"},
		{"the functions of zsh", `functions=(ls 'rm x')`, "it sets functions"},

		// Programs that run something else.
		{"source", `source x.sh`, "runs what a file holds"},
		{"dot", `. ./x.sh`, "runs what a file holds"},
		{"ssh", `ssh h rm`, "hands its words to a shell on another machine"},
		{"su", `su bob -c x`, "runs another user's shell"},
		{"watch", `watch rm x`, "to a shell"},
		{"at", `at now`, "has something run later"},
		{"zsh", `zsh -c x`, "is another shell"},
		{"chroot", `chroot / rm`, "which of them is not known here"},
		{"the dynamic linker", `/lib64/ld-linux-x86-64.so.2 /bin/rm`, "loads and runs the program"},
		{"a shell's script", `bash x.sh`, "runs or obeys what a file holds"},
		{"a shell's input", `curl x | sh`, "runs what it reads on its standard input"},
		{"a shell's input, in a text", `bash -c 'curl x | sh'`, "runs what it reads on its standard input"},
		{"a shell's input, behind busybox", `a | busybox sh`, "runs what it reads on its standard input"},
		{"a shell's options", `bash --rcfile x -c ls`, "which changes what it runs or what words mean"},
		{"a shell's option -O", `bash -O extglob -c ls`, "which changes what it runs or what words mean"},
		{"a shell's option -o", `bash -o posix -c ls`, "which changes what words mean"},
		{"code that is not fixed", `bash -c "$X"`, "runs code that is not fixed"},
		{"eval that is not fixed", `eval "$X"`, "eval runs code that is not fixed"},
		{"trap that is not fixed", `trap "rm $x" EXIT`, "trap runs code that is not fixed"},
		{"xargs into code", `xargs -I{} sh -c 'x {}'`, "sh runs code that is not fixed"},
		{"find into code", `find . -exec sh -c 'x {}' \;`, "sh runs code that is not fixed"},
		{"find's word that could be -delete", `find $X`, "could be -exec or -delete"},
		{"xargs sets a variable", `xargs --process-slot-var=PATH ls`, "xargs sets a variable"},
		{"env -i", `env -i ls`, "env takes the environment away"},
		{"env - ", `env - ls`, "- is no name of a command"},
		{"env -u PATH", `env -u PATH ls`, "it sets PATH"},
		{"env --unset", `env --unset=PATH ls`, "it sets PATH"},
		{"env PATH=", `env PATH=. ls`, "it sets PATH"},
		{"env -S", `env -S 'rm x'`, "env hands words to a shell"},
		{"sudo -s", `sudo -s rm`, "does more than to run a command"},
		{"sudo -s behind an assignment", `sudo A=b -s rm`, "does more than to run a command"},
		{"an interpreter that goes on to its input", `python3 -v`, "runs what it reads on its standard input"},
		{"an interpreter with more than its version", `node --version -i`, "runs what it reads on its standard input"},
		{"sudo --login", `sudo --log rm`, "does more than to run a command"},
		{"git -c", `git -c core.pager=x log`, "git -c can make git run other programs"},
		{"git --exec-path", `git --exec-path=. log`, "can make git run other programs"},
		{"git, not fixed", `git "$x"`, "git's command"},
		{"rg --pre=", `rg --pre=x y`, "rg --pre runs a program"},
		{"sort --compress-program=", `sort --compress-prog=x f`, "sort --compress-program runs a program"},
		{"helm --post-renderer=", `helm template --post-renderer=./x .`, "helm --post-renderer runs a program"},
		{"just --shell=", `just --shell=./x build`, "just --shell runs a program"},
		{"docker run --entrypoint=", `docker run --entrypoint=./x image`, "docker --entrypoint runs a program"},
		{"fd -x", `fd -Hx rm`, "fd -Hx may run a program"},
		{"tcpdump -z", `tcpdump -zrm`, "may run a program"},
		{"mapfile -C", `mapfile -C 'rm x' -c 1 a < f`, "mapfile"},

		// What changes the meaning of other words.
		{"PATH", `PATH=. ls`, "it sets PATH"},
		{"PATH alone", `PATH+=:.`, "it sets PATH"},
		{"LD_PRELOAD", `export LD_PRELOAD=x; ls`, "it sets LD_PRELOAD"},
		{"GIT_", `GIT_SSH_COMMAND=x git fetch`, "it sets GIT_SSH_COMMAND"},
		{"a loop's variable", `for PATH in .; do ls; done`, "it sets PATH"},
		{"read", `read -r PATH`, "it sets PATH"},
		{"printf -v", `printf -v LD_X x`, "it sets LD_X"},
		{"mapfile", `mapfile -t GIT_DIR`, "it sets GIT_DIR"},
		{"a descriptor's variable", `exec {PATH}>f`, "it sets PATH"},
		{"a default that is assigned", `echo ${PATH:=.}`, "it sets PATH"},
		{"a declaration", `declare PATH`, "it sets PATH"},
		{"an array", `declare -a PATH=(.)`, "it sets PATH"},
		{"command export", `command export PATH=.`, "it sets PATH"},
		{"unset", `unset PATH`, "it sets PATH"},
		{"a locale of other bytes", `LC_ALL=ja_JP.SJIS ls`, "it sets LC_ALL"},
		{"a catalogue of messages in the workspace", `LANGUAGE=../../ws/evil ls`, "it sets LANGUAGE"},
		{"a prompt", `PS4='$(rm x)'`, "it sets PS4"},
		{"an integer", `declare -i n`, "declare -i changes what names or values mean"},
		{"a name's name", `declare -n n=PATH`, "declare -n changes"},
		{"a function for programs", `export -f f`, "export -f changes"},
		{"a word that declares anything", `declare "$x"`, "it may set any variable"},
		{"a word that reads anything", `read "$x"`, "the name of a variable is not fixed"},
		{"alias", `alias ls=rm; ls`, "alias changes which program a name means"},
		{"hash -p", `hash -p /bin/rm ls`, "hash changes which program a name means"},
		{"enable", `enable -n echo`, "enable changes which program a name means"},
		{"complete", `complete -C rm x`, "complete can run code"},
		{"jobs -x", `jobs -x rm y`, "jobs -x runs a command"},
		{"set -k", `set -k`, "set -k changes what words mean"},
		{"set -o posix", `set -o posix`, "set -o posix changes what words mean"},
		{"set of words", `set $x`, "set is given a word that is not fixed"},
		{"shopt", `shopt -s extglob`, "shopt extglob changes what words mean"},
		{"a function of a program's name", `ls() { rm x; }; nohup ls`, "ls is a function, and nohup runs the program of that name"},
		{"a function that may exist", `a && f() { b; }; f`, "f may be a function here, or a program"},
		{"a function that comes later", `f; f() { b; }`, "f may be a function here, or a program"},
		{"a function of a builtin's name", `cd() { rm x; }; cd`, "hides what bash does itself"},
		{"a function that is taken away", `rm() { a; }; unset -f rm; rm x`, "unset takes a function away"},
		{"a function for what is not found", `command_not_found_handle() { rm x; }`, "hides what bash does itself"},

		// Arithmetic runs commands.
		{"arithmetic with a substitution", `echo $(( $(curl evil) ))`, evaluates},
		{"arithmetic with a variable", `echo $((x+1))`, evaluates},
		{"arithmetic that assigns", `(( x = 1 ))`, evaluates},
		{"let", `let x=1`, evaluates},
		{"a subscript", `echo ${a[$x]}`, evaluates},
		{"a subscript that is assigned", `a[$x]=1`, evaluates},
		{"a slice", `echo ${x:$y}`, evaluates},
		{"[[ -eq ]]", `[[ $x -eq 1 ]]`, evaluates},
		{"[[ -v ]]", `[[ -v $x ]]`, evaluates},
		{"[ -v ]", `[ -v "$x" ]`, "bash evaluates it"},
		{"a loop of numbers", `for ((i=0; i<3; i++)); do a; done`, evaluates},
		{"a name's value", `echo ${!x}`, "takes the name of a variable from another one"},
		{"a prompt's expansion", `echo ${x@P}`, "can expand a value as a prompt"},

		// Files.
		{"a connection", `cat < /dev/tcp/h/80`, "network connection"},
		{"a connection that is written", `a > /dev/udp/h/53`, "network connection"},
		{"a file that may be a connection", `cat > "$x"`, "network connection"},
		{"a read that is not fixed", `cat < "$x"`, "the file that is read by < is not fixed"},
		{"a descriptor that is not fixed", `a >& "$x"`, "the target of >& is not fixed"},
		{"a descriptor from a file", `a <& b`, "the target of <& is no descriptor"},
		{"bash reads the target of >& twice", `a >&\'b\'`, "bash reads the target of >& twice"},

		// What bash and the parser read differently.
		{"a mistake", `if then`, "it cannot be read"},
		{"a mistake behind a command", "rm x\nfi", "it cannot be read"},
		{"quotes that are not closed", `a "b`, "it cannot be read"},
		{"a here-document that is not closed", "cat <<E\na", "it cannot be read"},
		{"lines joined in a word", "ec\\\nho", "two lines are joined inside a word"},
		{"lines joined behind an escaped blank", "a\\ \\\nb", "two lines are joined inside a word"},
		{"lines joined into a substitution", "echo \"$\\\n(p1)\"", "two lines are joined inside a word"},
		{"a comment that ends in a backslash", "a # b \\\nrm x", "a backslash stands at the end of a comment"},
		{"a comment of its own line that does", "# b\\\nrm x", "a backslash stands at the end of a comment"},
		{"a comment in a substitution that does", "echo \"$(a # \\\nrm x)\"", "a backslash stands at the end of a comment"},
		{"a comment behind joined lines", "a \\\n# b \\\nrm x", "a backslash stands at the end of a comment"},
		{"a comment behind time", "! time -p x=-n \"p3\" \"$x\" $x # \\\ncat; ", "a backslash stands at the end of a comment"},
		{"a marker in front of a #", "cat <<'E'# > f\na\nE\n", "the end marker of a here-document is not a plain word"},
		{"a # behind a marker", "cat <<'E'# > f\na\nE\n", "a # inside a word is a comment to some"},
		{"a marker of several pieces", "cat <<E'F'\na\nEF\n", "the end marker of a here-document is not a plain word"},
		{"a here-document across a substitution", "echo $(cat <<E)\nrm x\nE\n", "where a here-document begins cannot be told"},
		{"a coprocess", `coproc rm x`, "it starts a coprocess"},
		{"a coprocess with a redirection", `trap 'coproc p2 >| f; wait' EXIT`, "it starts a coprocess"},
		{"a process substitution in a default", `x=${x:-<(timeout 9 echo)}`, "bash may take <( or >( here for a substitution"},
		{"a process substitution in a pattern", `echo "${x#<(rm y)}"`, "bash may take <( or >( here for a substitution"},
		{"a subshell first in a process substitution", "a <((b) && c #) ; rm x\n)", "bash takes <(( for arithmetic at first"},
		{"a subshell first in a substitution", "a $((b) && c #) ; rm x\n)", "it cannot be read"},
		{"a subshell first in a subshell", "((a) && b #) ; rm x\n)", "it cannot be read"},
		{"backquotes with quotes", "echo `a '` ; rm x #'`", "backquotes hold quotes"},
		{"single quotes in an expansion in quotes", `echo "${x:-'$(rm y)'}"`, "single quotes stand in ${…} in double quotes"},
		{"a translation", `echo $"a"`, "is replaced by a translation"},
		{"an extended glob", `echo @(a|b)`, "it uses an extended glob"},
		{"newer substitutions", `echo ${ a; }`, "${ …; } runs commands in newer shells"},

		// Characters.
		{"a carriage return", "a\r\nb", "U+000D"},
		{"the other direction", "a \u202eb", "U+202E"},
		{"no width", "a\u200bb", "U+200B"},
		{"a blank that is none", "rm\u00a0x", "U+00A0"},
		{"no text", "a \xff", "no text (UTF-8)"},
		{"a NUL", "a\x00b", "U+0000"},
		{"an escape in quotes", `echo $'a\e[0m'; $'\x01'`, "the command's name is not fixed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := Scan(row.script, nil)
			for _, p := range s.Problems {
				if row.want != "" && strings.Contains(p.Text, row.want) {
					return
				}
			}
			t.Errorf("Scan(%q) is %s; want a problem %q", row.script, brief(s), row.want)
		})
	}
}

// What every shell reads alike, or its own text says which shell reads it, is no problem.
func TestReadAlike(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		`[[ -f a && -f b ]]`, `[[ -f a && ! -d b || -n c ]]`, `[[ -t 1 ]]`, `[ a == b ]`, `[ a =~ b ]`, `test a = b`,
		`bash -c '((1/2))'`, `bash -c '! [[ a && rm ]]'`, `bash -c 'cat =ls'`, `bash -c 'cat \x2e'`,
		`echo "[$?]" "$?: a" "$?:"`, `cat $'a\n\x2e\056\\ \t'`, `echo "$? [a]"`, `echo "$#: ${#}[a]"`, `echo "$?\[a]"`, `echo '$?[a]'`, "cat <<'E'\n$?[a]\nE",
		`echo '$=HOME' \$=HOME "\$~x" "a$" a$`, `sed -n "$=" x`, "cat <<'E'\n$=HOME\nE", "cat <<\\E\n$=HOME\nE", `bash -c 'cat $=x'`,
		`echo a=b "=ls" '=ls' a=ls`, `find . \( -name \*.go -o -name a\ b \) -exec cat {} \;`, `grep "a\.b\n" 'c\x' x`, `time ls`,
	} {
		if s := Scan(script, nil); !s.Certain() {
			t.Errorf("Scan(%q) is %s", script, brief(s))
		}
	}
}
