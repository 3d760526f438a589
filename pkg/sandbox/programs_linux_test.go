//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestPrograms runs real programs at LevelFull with the default limits, but for the time: a machine that is
// busy with other things takes longer for everything. What is not installed is skipped by name.
func TestPrograms(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		host := openFull(t)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "served") }))
		t.Cleanup(server.Close)
		remote, gitAddress := bareRepository(t), gitServer(t)
		var database, databaseSocket string
		if !testing.Short() {
			database, databaseSocket = postgresServer(t)
		}
		rows := []struct {
			name     string
			needs    string // the program
			text     string
			want     string // a part of the output
			env      map[string]string
			allowed  []tool.AllowedPath
			sockets  []string
			network  bool
			slow     bool
			fileSize int64 // where the default does not suffice
		}{
			{name: "bash", needs: "bash", text: "set -euo pipefail\nmapfile -t lines < <(printf 'a\\nb\\n' | sort -r)\necho \"${lines[*]} $BASHPID\"", want: "b a"},
			{name: "python", needs: "python3", text: `python3 -c 'import json, subprocess, tempfile, threading
with tempfile.TemporaryFile() as f: f.write(b"x")
t = threading.Thread(target=lambda: print(json.dumps({"thread": 1}))); t.start(); t.join()
print(subprocess.run(["echo", "child"], capture_output=True, text=True).stdout)'`, want: `{"thread": 1}` + "\nchild"},
			{name: "node", needs: "node", text: `node -e 'require("child_process").execFile("echo", ["child"], (e, out) => console.log(e, [...Array(3).keys()].join(), out))'`, want: "null 0,1,2 child"},
			{
				name: "go build", needs: "go", want: "built",
				text: `printf 'module example.test/hello\n\ngo 1.21\n' >go.mod
printf 'package main\n\nfunc main() { println("built") }\n' >main.go
go build -o hello . && ./hello 2>&1`,
				env: map[string]string{"GOCACHE": "/tmp/cache", "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOTELEMETRY": "off", "CGO_ENABLED": "0"},
				// The archive of the runtime has some 16 MB, where a file may have 10.
				slow: true, fileSize: 32 << 20,
			},
			{
				name: "git commit", needs: "git", want: "one file",
				text: `git init -q && echo x >file && git add file && git commit -q -m 'one file' && git log --format=%s && git status --short`,
				env:  gitIdentity,
			},
			{
				name: "git push to a repository that was granted", needs: "git", want: "to main",
				text: `git init -q -b main && echo x >file && git add file && git commit -q -m 'one file' && git push -q "$REMOTE" main && echo "to $(git --git-dir="$REMOTE" branch --format='%(refname:short)')"`,
				env:  merged(gitIdentity, map[string]string{"REMOTE": remote}), allowed: []tool.AllowedPath{{Path: remote}},
			},
			{
				name: "git push to a server", needs: "git", want: "to main", network: true,
				text: `git init -q -b main && echo x >file && git add file && git commit -q -m 'one file' && git push -q "$REMOTE" main 2>&1 && echo "to $(git ls-remote --heads "$REMOTE" | sed 's,.*/,,')"`,
				env:  merged(gitIdentity, map[string]string{"REMOTE": gitAddress}),
			},
			{
				name: "git push to a server without the network", needs: "git", want: "unable to connect",
				text: `git init -q -b main && echo x >file && git add file && git commit -q -m 'one file'; git push -q "$REMOTE" main 2>&1; exit 0`,
				env:  merged(gitIdentity, map[string]string{"REMOTE": gitAddress}),
			},
			{name: "java", needs: "java", text: "java -version 2>&1", want: "version"},
			{name: "curl with the network", needs: "curl", text: "curl -sS " + server.URL, want: "served", network: true},
			{name: "curl without", needs: "curl", text: "curl -sS " + server.URL + " 2>&1; echo \"code $?\"", want: "code 7"},
			{name: "gh", needs: "gh", text: "gh --version", want: "gh version"},
			{name: "psql", needs: "psql", text: "psql --version", want: "psql"},
			{
				name: "psql with a socket that was granted", needs: "psql", want: "answer 42", slow: true, sockets: []string{databaseSocket},
				text: `psql -X -h "$DATABASE" -U tool -d postgres -At -c "create table t as select 'answer ' || 6*7 as a" -c 'select a from t' -c 'drop table t'`,
				env:  map[string]string{"DATABASE": database},
			},
			{
				name: "psql without the grant", needs: "psql", want: "code 2", slow: true,
				text: `psql -X -h "$DATABASE" -U tool -d postgres -c 'select 1'; echo "code $?"`,
				env:  map[string]string{"DATABASE": database},
			},
		}
		for _, row := range rows {
			t.Run(row.name, func(t *testing.T) {
				t.Parallel()
				if row.slow && testing.Short() {
					t.Skip("it compiles the runtime of Go, or starts a database")
				}
				if _, ok := row.env["DATABASE"]; ok && database == "" {
					t.Skipf("want a server of PostgreSQL in %s, found none", postgresPath)
				}
				program := systemProgram(row.needs)
				if program == "" {
					t.Skipf("want %s where every call finds it (%s), found none", row.needs, systemPath)
				}
				limits := tool.DefaultLimits()
				limits.Timeout = 4 * time.Minute
				limits.FileSize = max(limits.FileSize, row.fileSize)
				env := merged(map[string]string{"PATH": systemPath}, row.env)
				s := script{text: row.text, env: env, isolate: true, limits: limits, allowed: row.allowed}
				s.profile = func(p *Profile) {
					if row.network {
						p.Network = tool.NetworkOn
					}
					p.Sockets = row.sockets
				}
				outcome := s.run(t.Context(), t, host)
				if outcome.ExitCode != 0 || !strings.Contains(string(outcome.Stdout), row.want) || len(outcome.LimitsHit) > 0 {
					t.Errorf("%s came to %d, limits %v, hints %q\nstdout %q, want %q in it\nstderr %q",
						program, outcome.ExitCode, outcome.LimitsHit, outcome.Hints, outcome.Stdout, row.want, outcome.Stderr)
				}
			})
		}
	})
}

// systemPath is where programs are that every call can run, Go's own place included.
const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/go/bin"

// systemProgram finds a program there; "" when there is none. One in somebody's home is nothing that a call
// can see.
func systemProgram(name string) string {
	for _, dir := range filepath.SplitList(systemPath) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}

// gitIdentity is what git wants to know before it commits.
var gitIdentity = map[string]string{
	"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.test", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.test",
}

// merged gives both, where the second wins.
func merged(a, b map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range []map[string]string{a, b} {
		for name, value := range m {
			all[name] = value
		}
	}
	return all
}

// bareRepository makes a repository that can be pushed to, in a directory of the test's. It is "" without
// git.
func bareRepository(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "remote.git")
	git := systemProgram("git")
	if git == "" {
		return dir
	}
	if out, err := exec.Command(git, "init", "-q", "--bare", "-b", "main", dir).CombinedOutput(); err != nil {
		t.Fatalf("git init --bare: %v: %s", err, out)
	}
	return dir
}
