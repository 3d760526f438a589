package permissions

import (
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// run is a command text that an agent wants a terminal for.
func (b testbed) run(text string) Request {
	r := b.request(ActionExecute, toolShell)
	script := shellscan.Scan(text)
	r.Shell, r.ShellText = &script, text
	r.Doubts = Doubtful(text)
	return r
}

// commandBed is a workspace for commands: links out of it, a secret in a corner, a directory that git could take for a
// repository.
func commandBed(t testing.TB) testbed {
	t.Helper()
	dir := tree(t, map[string]string{
		"ws/.git/HEAD": "ref: refs/heads/main", "ws/.git/config": "", "ws/README.md": "", "ws/main.go": "", "ws/docs/a.md": "",
		"ws/docs/sub/b.md": "", "ws/src/main.go": "", "ws/private/.env": "KEY=1", "ws/hidden/.cache/id_rsa": "", "ws/.env": "KEY=1",
		"ws/out": "-> ../elsewhere", "ws/docs/out.md": "-> ../../elsewhere/secret", "ws/bare/HEAD": "", "ws/bare/objects/": "",
		"ws/bare/refs/": "", "ws/bare/in/x.txt": "", "ws/src/link": "-> ../private", "elsewhere/secret": "s", "elsewhere/dir/": "", "home/": "",
		"ws/Makefile": "", "ws/x.pem": "", "ws/out.txt": "",
	})
	return testbed{dir, dir + "/ws"}
}

// What the careful preset lets run without asking.
var harmlessCommands = []string{
	"ls", "ls -la", "ls -lah src docs", "ls --color=auto -1 .",
	"pwd", "pwd -P", "cat README.md", "cat -n main.go docs/a.md", "head -20 main.go", "head -n 5 main.go", "head -c100 main.go",
	"tail -n 50 main.go", "tail --lines=5 main.go", "wc -l main.go", "nl main.go", "tac main.go",
	"grep -n func main.go", "grep -rn 'func main' src", "grep -ri TODO docs src", "grep -E 'a|b' -- main.go", "grep -c x main.go", "grep -e a -e b main.go",
	"grep --include='*.go' -rn foo src", "egrep 'a+' main.go", "fgrep x main.go",
	"rg -n func src", "rg --type go -i 'todo' docs", "rg -l foo src", "rg -A3 -B3 foo main.go",
	"find . -name '*.go'", "find src docs -type f -maxdepth 2", "find . -type d -not -path './.git/*' -print", "find . '(' -name a -o -name b ')' -print0",
	"file main.go", "file -b --mime-type main.go", "stat main.go", "stat -c %s main.go", "du -sh src", "df -h", "realpath main.go", "basename src/main.go .go", "dirname /etc/x/y",
	"echo hello", "echo -n 'a b' \"c\"", "printf '%s\\n' a b", "echo /etc/passwd ../.. .env", "true", "false", "test -f main.go", "[ -d src ]", "[ 1 -eq 2 ]",
	"which go git", "type ls", "command -v go", "uname -a", "date", "date +%F", "date -u +%s", "date -d yesterday +%F", "whoami", "id", "id -u", "hostname", "nproc", "groups", "tty", "uptime",
	"sort main.go", "sort -k2,2 -t: -u main.go", "uniq -c main.go", "cut -d: -f1 main.go", "cut -d / -f1 main.go", "tr a b < main.go", "tr / _ < main.go", "rev main.go", "paste -sd, main.go", "fold -w80 main.go", "seq 1 10", "sleep 1",
	"diff main.go src/main.go", "diff -u main.go src/main.go", "cmp main.go src/main.go", "comm -12 main.go src/main.go", "sha256sum main.go", "od -c main.go", "tree -L 2 src",
	"git status", "git status --short", "git status -sb", "git diff", "git diff --stat HEAD~1", "git diff --cached -- main.go", "git log --oneline -5", "git log -p -- main.go", "git log --format='%h %s' -n 3",
	"git log --since='2 weeks ago' --author=me", "git show HEAD", "git show HEAD:main.go", "git show --stat HEAD~2..HEAD", "git branch --list", "git branch --list 'feature/*'", "git branch -a", "git branch --show-current",
	"git rev-parse --show-toplevel", "git rev-parse HEAD", "git ls-files", "git ls-files -o --exclude-standard", "git blame -L 1,10 main.go", "git remote -v", "git stash list", "git describe --tags --always", "git merge-base main HEAD", "git grep -n foo", "git tag --list", "git shortlog -sn HEAD",
	"go version",
	"ls | head -5", "cat main.go | grep func | sort | uniq -c | sort -rn | head", "git log --oneline | wc -l", "ls && pwd", "ls; pwd", "ls & wait", "test -f x && echo yes || echo no", "! grep -q x main.go",
	"cd src && ls", "cd src && cat main.go", "cd docs && cd sub && ls", "cd docs/sub; ls -la", "cd . && git status", "(cd src && ls)", "set -e; ls", "set -euo pipefail\nls\npwd",
	"if test -f main.go; then cat main.go; fi", "for i in 1 2 3; do echo x; done", "while false; do ls; done", "{ ls; pwd; } | head", "cat < main.go", "cat <<EOF\nhello\nEOF", "cat <<< hello", "ls > /dev/null", "ls 2>/dev/null", "ls >/dev/null 2>&1", "ls 2>&1 | head",
	"cat main.go # and a comment; rm -rf /", "ls \\\n  -la", "l's' -la", "\\ls", "timeout 5 ls", "timeout -s KILL 10 git status", "nice -n 5 grep -rn x src", "command ls", "bash -c 'ls -la'", "bash -lc 'cd src && cat main.go'", "sh -c 'git status'",
	"case x in a) ls;; *) pwd;; esac", "ls; exit 1", "$'ls' -l", "cat \"main.go\"", "echo 'it costs $5'", "cat Makefile", "cat .git/HEAD", "stat .git/config", "grep -n target Makefile",
}

func TestHarmlessCommands(t *testing.T) {
	t.Parallel()
	b := commandBed(t)
	a := b.authority(presetFile(t, "careful"))
	for _, text := range harmlessCommands {
		if d := a.Decide(b.run(text)); said(d) != "approve policy" {
			t.Errorf("%s\n\t%s: %s", text, said(d), d.Reason)
		}
	}
	if len(harmlessCommands) < 60 {
		t.Errorf("only %d commands", len(harmlessCommands))
	}
}
