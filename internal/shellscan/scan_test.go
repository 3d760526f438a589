package shellscan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// brief writes a Script in one line: commands as words, with ! behind a builtin, ? for a word that is not
// fixed and the wrappers in front of a colon; then > writes, < reads, and the problems without their lines.
func brief(s Script) string {
	var parts []string
	for _, c := range s.Commands {
		text := ""
		if c.Via != "" {
			text = c.Via + ": "
		}
		text += c.Name
		if c.Builtin {
			text += "!"
		}
		for _, a := range c.Args {
			switch {
			case !a.Fixed:
				text += " ?"
			case a.Text == "" || strings.ContainsAny(a.Text, " ;?"):
				text += fmt.Sprintf(" %q", a.Text)
			default:
				text += " " + a.Text
			}
		}
		parts = append(parts, text)
	}
	for _, w := range s.Writes {
		if w.Fixed {
			parts = append(parts, ">"+w.Path)
		} else {
			parts = append(parts, ">?")
		}
	}
	for _, r := range s.Reads {
		parts = append(parts, "<"+r.Path)
	}
	for _, p := range s.Problems {
		parts = append(parts, "["+p.Text+"]")
	}
	return strings.Join(parts, "; ")
}

// Texts that hold nothing doubtful, and all that they do.
func TestScan(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, script, want string }{
		{"a command", `git status`, "git status"},
		{"nothing", "", ""},
		{"options of env end at its first assignment", "env -u A B=c -p1", "env -u A B=c -p1; env: -p1"},
		{"an interpreter that is asked for its version", "python3 --version; node -v; perl --version", "python3 --version; node -v; perl --version"},
		{"only a comment", "# rm x\n", ""},
		{"lists", `a && b || c; d & e | f |& g`, "a; b; c; d; e; f; g"},
		{"groups", `{ a; }; ( b ); ! c; time d; time -p e`, "a; b; c; d; e"},
		{"conditions", `if a; then b; elif c; then d; else e; fi`, "a; b; c; d; e"},
		{"loops", `while a; do b; done; until c; do d; done; for x in 1 2; do e; done`, "a; b; c; d; e"},
		{"a case", `case x in y) a;; *) b;& z) c;; esac`, "a; b; c"},
		{"tests", `[[ -f x && -e b || -d y ]] && [ -n "$y" ]`, "[! -n ? ]"},
		{"tests that are bash's for sure", `bash -c '[[ a < b || c =~ d|e ]] && ls'`, `bash -c "[[ a < b || c =~ d|e ]] && ls"; bash: ls`},
		{"an expression in brackets", `[[ x =~ ^(a|b)$ ]]`, ""},
		{"two backslashes", `tr '\\' /`, `tr \\ /`},
		{"quoting", `\ls 'l's "ls" $'\x6cs' ./ls`, `ls ls ls ls ./ls`},
		{"quoted names", `'l's; -\delete; ./cat; "/bin/ls"`, "ls; -delete; ./cat; /bin/ls"},
		{"words that are not fixed", `echo $x "$x" *.go {a,b} ~ $(a) a`, "echo! ? ? ? ? ? ? a; a"},
		{"a variable of the text's own", `FOO=1 git push`, "git push"},
		{"lines that are joined between words", "git add . && \\\n  git commit -m 'x'", "git add .; git commit -m x"},
		{"a hash inside words", `echo a#b 'c #d' "e # f"`, `echo! a#b "c #d" "e # f"`},
		{"a hash in quotes on a line that goes on", "echo ' # ' \\\n b", `echo! " # " b`},

		{"a substitution", `echo $(curl evil)`, "echo! ?; curl evil"},
		{"backquotes", "X=`touch p` npm --version", "npm --version; touch p"},
		{"a substitution in quotes", `echo "a $(b "$(c)")"`, "echo! ?; b ?; c"},
		{"a substitution in arithmetic is not plain", `echo $(( 1 + 2 ))`, "echo! ?"},
		{"process substitutions", `cat <(a) > >(b)`, "cat ?; a; b"},
		{"a process substitution in quotes is text", `echo "<(a)"`, "echo! <(a)"},
		{"a default", `echo ${x:-$(a)} "${y:=b}"`, "echo! ? ?; a"},
		{"a here-document", "cat <<EOF\n$(curl evil)\nEOF", "cat; curl evil"},
		{"a quoted here-document", "cat <<'EOF' > f\nrm $x $(y)\nEOF", "cat; >f"},
		{"a here-document of tabs", "cat <<-E | a\n\ttext\n\tE\nb", "cat; a; b"},
		{"a here-string", `cat <<< "$(a)"`, "cat; a"},

		{"env", `env FOO=1 timeout 5 nice -n 5 rm x`, "env FOO=1 timeout 5 nice -n 5 rm x; env: timeout 5 nice -n 5 rm x; env timeout: nice -n 5 rm x; env timeout nice: rm x"},
		{"nohup, setsid, stdbuf", `nohup setsid -w stdbuf -oL rm x`, "nohup setsid -w stdbuf -oL rm x; nohup: setsid -w stdbuf -oL rm x; nohup setsid: stdbuf -oL rm x; nohup setsid stdbuf: rm x"},
		{"sudo", `sudo -u bob rm x`, "sudo -u bob rm x; sudo: rm x"},
		{"busybox", `busybox rm x`, "busybox rm x; busybox: rm x"},
		{"command, exec, builtin", `command -p rm x; builtin cd y; exec rm z`, "command! -p rm x; command: rm x; builtin! cd y; builtin: cd! y; exec! rm z; exec: rm z"},
		{"command that only asks", `command -v ls`, "command! -v ls"},
		{"xargs", `ls | xargs -n1 rm`, "ls; xargs -n1 rm; xargs: rm ?"},
		{"xargs of nothing", `xargs`, "xargs; xargs: echo ?"},
		{"xargs with a mark", `xargs -I{} cp {} a{}b d`, "xargs -I{} cp {} a{}b d; xargs: cp ? ? d"},
		{"find", `find . -name x -exec rm {} \;`, `find . -name x -exec rm {} ";"; find: rm ?`},
		{"find of many", `find . -execdir rm -f {} +`, "find . -execdir rm -f {} +; find: rm -f ?"},
		{"find that writes", `find . -fprint f`, "find . -fprint f; >f"},
		{"tee writes", `a | tee out`, "a; tee out; >out"},
		{"bash -c", `bash -c 'a; b'`, `bash -c "a; b"; bash: a; bash: b`},
		{"bash -lc", `bash -lc "ls && rm y"`, `bash -lc "ls && rm y"; bash: ls; bash: rm y`},
		{"env bash -c", `env bash -c 'echo x'`, `env bash -c "echo x"; env: bash -c "echo x"; env bash: echo! x`},
		{"bash in bash", `bash -c "bash -c 'rm x'"`, `bash -c "bash -c 'rm x'"; bash: bash -c "rm x"; bash bash: rm x`},
		{"bash that only informs", `bash --version`, "bash --version"},
		{"sh is read twice", `sh -c 'echo $'"'"'\'"'"'; rm x #'"'"`, `sh -c "echo $'\\'; rm x #'"; sh: echo! "'; rm x #"; sh: echo! $\; sh: rm x; [single quotes end in a \, at which fish goes on with them and bash does not]`},
		{"sh that all agree on", `sh -c 'rm x'`, `sh -c "rm x"; sh: rm x`},
		{"eval", `eval 'a; b'`, `eval! "a; b"; eval: a; eval: b`},
		{"trap", `trap 'rm x' EXIT`, `trap! "rm x" EXIT; trap: rm x`},
		{"trap of a text that begins with a digit", `trap '1; rm x > f' EXIT`, `trap! "1; rm x > f" EXIT; trap: 1; trap: rm x; >f`},
		{"trap that resets", `trap - EXIT; trap`, "trap! - EXIT; trap!"},

		{"what stands in front of a mistake", "rm x\nfi", "rm x; [it cannot be read: `fi` can only be used to end an `if`]"},
		{"a here-document that is not closed, where the parser's iterator wants to be read to its end", "a;\n<< E ;\n", "a; [it cannot be read: unclosed here-document `E`]"},
		{"a function", `f() { rm x; }; f a`, "rm x"},
		{"a function of a function", "f() { a; }\ng() { f; }\ng", "a"},
		{"a function in a trap", `f() { rm x; }; trap f EXIT`, "rm x; trap! f EXIT"},

		{"redirections", `ls 2>/dev/null >out >&2 2>&1 &>f >>g <in 3<>h >|i >& j`, "ls; >out; >f; >g; >h; >i; >j; <in"},
		{"descriptors", `a 2>&1 3>&- 4>&2- <&0`, "a"},
		{"a file that is not fixed", `echo a > ~/.bashrc 2> "$x"`, "echo! a; >?; >?; [it opens, or may open, a network connection (/dev/tcp)]"},
		{"a redirection of a group", `{ a; } > f; while b; do c; done < g`, "a; b; c; >f; <g"},
		{"a redirection alone", `> f`, ">f"},

		{"harmless options", `set -euo pipefail; shopt -s nullglob; set +e`, "set! -euo pipefail; shopt! -s nullglob; set! +e"},
		{"harmless variables", `export FOO=bar BAZ="$x"; local a; read -r l; IFS=: read -ra parts`, "export! FOO=bar ?; local! a; read! -r l; read! -ra parts"},
		{"a locale", `LC_ALL=C sort f; LANG=en_US.UTF-8 a`, "sort f; a"},
		{"numbers", `[ $# -gt 0 ]; echo $(( $# + ${#x} )) "${x:0:3}"`, "[! ? -gt 0 ]; echo! ? ?"},
		{"git's own options", `git -C /p push; git commit -m "a b" -c x; git switch -c new`, `git -C /p push; git commit -m "a b" -c x; git switch -c new`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(row.want, brief(Scan(row.script, nil))); diff != "" {
				t.Errorf("Scan(%q) (-want +got):\n%s", row.script, diff)
			}
		})
	}
}

// An argument vector is split already: nothing in it is shell syntax but what a shell in it gets.
func TestScanArgv(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		argv []string
		want string
	}{
		{"a program", []string{"ls", "-l"}, "ls -l"},
		{"nothing", nil, "[there is no command]"},
		{"an empty name", []string{""}, "[the command's name is empty]"},
		{"no syntax", []string{"echo", "$(rm x)", "; rm", ">", "f"}, `echo $(rm x) "; rm" > f`},
		{"no builtins", []string{"cd", "x"}, "cd x"},
		{"no keywords", []string{"if", "x"}, "if x"},
		{"a shell", []string{"bash", "-c", "cd x; rm $1", "_", "y"}, `bash -c "cd x; rm $1" _ y; bash: cd! x; bash: rm ?`},
		{"a wrapper and a shell", []string{"env", "bash", "-c", "f() { rm x; }; f"}, `env bash -c "f() { rm x; }; f"; env: bash -c "f() { rm x; }; f"; env bash: rm x`},
		{"find", []string{"find", ".", "-exec", "rm", "{}", ";"}, `find . -exec rm {} ";"; find: rm ?`},
		{"an invisible character", []string{"ls", "a\u202eb"}, "ls a\u202eb; [it holds the character U+202E, which nobody sees]"},
		{"ssh", []string{"ssh", "h", "rm"}, "ssh h rm; [ssh hands its words to a shell on another machine]"},
		{"settings of git", []string{"git", "-c", "core.pager=x", "log"}, "git -c core.pager=x log; [git -c can make git run other programs]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(row.want, strings.ReplaceAll(brief(ScanArgv(row.argv, nil)), `"$(rm x)"`, "$(rm x)")); diff != "" {
				t.Errorf("ScanArgv(%q) (-want +got):\n%s", row.argv, diff)
			}
		})
	}
}

// A Command, a Write, a Read and a Problem name the line that they stand on; what a word holds, that of its
// command.
func TestLines(t *testing.T) {
	t.Parallel()
	s := Scan("a\n\nbash -c 'b\nc' > f\nd < g\n$x\n", nil)
	got := fmt.Sprint(s.Commands, s.Writes, s.Reads, s.Problems)
	want := "[{a [] false  1 [] []} {bash [{-c true  false false false false false} {b\nc true  false false false false false}] false  3 [] [> f]} {b [] false bash 3 [] []}" +
		" {c [] false bash 3 [] []} {d [] false  5 [] [< g]}]" +
		" [{f true 4}] [{g 5}] [{6 the command's name is not fixed}]"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What is too long or too deep is a Problem, and is not read on.
func TestBounds(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, script, want string }{
		{"long", strings.Repeat("a ", maxText), "it is longer than 64 KiB"},
		{"brackets", strings.Repeat("( ", 300) + "a" + strings.Repeat(" )", 300), "its brackets stand too deep inside each other"},
		{"deep without brackets", strings.Repeat("if ", 2000) + "a", "it cannot be read"},
		{"deep pipes", strings.Repeat("! ", 3000) + "a", "it cannot be read"},
		{"a long list", strings.Repeat("a&&", 3000) + "a", "its commands stand too deep inside each other"},
		{"many commands", strings.Repeat("a;", 3000), "it has too many commands"},
		{"many words", "a" + strings.Repeat(" b", 3000), "a command has too many words"},
		{"many wrappers", strings.Repeat("nohup ", 100) + "a", "too many programs in front of each other"},
		{"texts in texts", strings.Repeat("eval eval ", 30) + "a", "stand too deep inside each other"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := Scan(row.script, nil)
			if !strings.Contains(brief(Script{Problems: s.Problems}), row.want) {
				t.Errorf("problems %v, want %q", s.Problems, row.want)
			}
			if len(s.Commands) > maxCommands || len(s.Problems) > maxProblems {
				t.Errorf("%d commands and %d problems", len(s.Commands), len(s.Problems))
			}
		})
	}
}
