//go:build amd64 || arm64

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// reachOf returns the reach of a profile on a Host that hides and protects.
func reachOf(t *testing.T, p Profile, hidden ...string) Reach {
	t.Helper()
	h, err := Open(Options{TempDir: t.TempDir(), Hidden: hidden, Protected: []string{".git/hooks", "AGENTS.md"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	if h.Level() == LevelNone {
		t.Skip(h.Why())
	}
	plan, err := h.Plan(p)
	if err != nil {
		t.Fatal(err)
	}
	return h.Reach(plan)
}

// layout makes a directory with a workspace, a neighbour, and something of ours in the workspace.
func layout(t *testing.T) (root string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	shell(t, root, "mkdir -p work/deep work/data work/.git/hooks work/own other state; touch work/AGENTS.md work/file other/file; chmod 755 . other")
	return root
}

// TestReach compares what a Reach says with what a call of the same plan can do.
func TestReach(t *testing.T) {
	t.Parallel()
	root := layout(t)
	at := func(name string) string { return filepath.Join(root, name) }
	profile := Profile{Dir: at("work"), AllowedPaths: []tool.AllowedPath{{Path: at("work")}, {Path: at("work/data"), ReadOnly: true}, {Path: at("state")}}, Own: []string{at("state")}}
	h, err := Open(Options{TempDir: t.TempDir(), Hidden: []string{at("work/own")}, Protected: []string{".git/hooks", "AGENTS.md"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	if !h.Level().hasNamespaces() {
		t.Skip(h.Why())
	}
	plan, err := h.Plan(profile)
	if err != nil {
		t.Fatal(err)
	}
	reach := h.Reach(plan)
	for _, test := range []struct {
		path string
		want Access
	}{
		{"work/file", Access{Read: true, Write: true}},
		{"work/deep/new", Access{Read: true, Write: true}},
		{"work/data/x", Access{Read: true}},
		{"work/AGENTS.md", Access{Read: true, Protected: true}},
		{"work/.git/hooks/pre-commit", Access{Read: true, Protected: true}},
		{"work/deep/AGENTS.md", Access{Read: true, Write: true}}, // only at the top of what was granted
		{"work/own/x", Access{Own: true}},
		{"other/file", Access{}},
		{"other/new", Access{}},
		{"work2/x", Access{}}, // not below work
		{"state/AGENTS.md", Access{Read: true, Write: true}},
	} {
		got := reach.Of(at(test.path))
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.path, diff)
		}
		script := "if [ -e '" + at(test.path) + "' ]; then : >>'" + at(test.path) + "'; else echo x >'" + at(test.path) + "'; fi"
		out, err := h.Run(t.Context(), plan, Process{Argv: []string{bash, "-c", script}})
		if err != nil {
			t.Fatal(err)
		}
		if wrote := out.ExitCode == 0; wrote != got.Write {
			t.Errorf("%s: a call could write: %t, the reach says %t: %s", test.path, wrote, got.Write, out.Stderr)
		}
	}
	for path, want := range map[string]Access{
		"/usr/bin/env": {Read: true}, "/etc/passwd": {Read: true}, "/etc/shadow": {}, "/proc/self/environ": {}, "/dev/sda": {}, "/": {}, "/home": {}, "/tmp": {},
		"/run/x": {}, "/var/lib/secret": {}, root: {},
	} {
		if got := reach.Of(path); got != want {
			t.Errorf("%s: got %+v, want %+v", path, got, want)
		}
	}
	if got := (Reach{}).Of("/usr/bin/env"); got != (Access{}) {
		t.Errorf("the zero Reach: %+v", got)
	}
}

// TestRefusals reads what real programs say. A line that tells of nothing that the sandbox refused gives
// nothing.
func TestRefusals(t *testing.T) {
	t.Parallel()
	root := layout(t)
	at := func(name string) string { return filepath.Join(root, name) }
	write, read := func(path, grant string) Refusal {
		return Refusal{What: RefusedWrite, Path: at(path), Grant: at(grant)}
	}, func(path string) Refusal { return Refusal{What: RefusedRead, Path: at(path), Grant: at(path)} }
	reach := reachOf(t, Profile{Dir: at("work")}, at("state"))
	for _, test := range []struct {
		name, said string
		want       []Refusal
	}{
		{"touch", "touch: cannot touch 'OTHER/new': No such file or directory", []Refusal{write("other/new", "other")}},
		{"redirection", "/dev/fd/4: line 3: OTHER/new: No such file or directory", []Refusal{write("other/new", "other")}},
		{"redirection, relative", "bash: line 1: out.txt: Read-only file system", []Refusal{write("work/out.txt", "work")}},
		{"redirection of dash", "/bin/sh: 1: cannot create deep/app: Read-only file system", []Refusal{write("work/deep/app", "work/deep")}},
		{"redirection of dash, read", "sh: 2: cannot open OTHER/file: Permission denied", []Refusal{read("other/file")}},
		{"a removed file", "rm: cannot remove 'OTHER/file': Read-only file system", []Refusal{write("other/file", "other")}},
		{"node, unlink", "Error: EACCES: permission denied, unlink 'OTHER/file'", []Refusal{write("other/file", "other")}},
		{"python, rename", "PermissionError: [Errno 13] Permission denied: 'OTHER/file' -> 'OTHER/new'", []Refusal{read("other/file")}},
		{"relative, upwards", "touch: cannot touch '../other/new': Permission denied", []Refusal{write("other/new", "other")}},
		{"cat", "cat: OTHER/file: No such file or directory", []Refusal{read("other/file")}},
		{"python", "PermissionError: [Errno 13] Permission denied: 'OTHER/file'", []Refusal{read("other/file")}},
		{"python, read-only", "OSError: [Errno 30] Read-only file system: 'WORK/x'", []Refusal{write("work/x", "work")}},
		{"node", "Error: EACCES: permission denied, open 'OTHER/file'", []Refusal{read("other/file")}},
		{"node's name of an error", "  code: 'EROFS',", nil},
		{"node, mkdir", "Error: EROFS: read-only file system, mkdir 'WORK/x'", []Refusal{write("work/x", "work")}},
		{"go", "open OTHER/file: permission denied", []Refusal{read("other/file")}},
		{"a control file", "bash: line 1: WORK/AGENTS.md: Read-only file system", []Refusal{write("work/AGENTS.md", "work/AGENTS.md")}},
		{"curl", "curl: (6) Could not resolve host: example.com", []Refusal{{What: RefusedNetwork}}},
		{"curl, an address", "curl: (7) Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server", []Refusal{{What: RefusedNetwork}}},
		{"node, an address", "Error: connect ECONNREFUSED 127.0.0.1:9", []Refusal{{What: RefusedNetwork}}},
		{"go, an address", "dial tcp 127.0.0.1:9: connect: connection refused", []Refusal{{What: RefusedNetwork}}},
		{"psql, an address", `connection to server at "127.0.0.1", port 5432 failed: Connection refused`, []Refusal{{What: RefusedNetwork}}},
		{"once", "cat: OTHER/file: Permission denied\ncat: OTHER/file: Permission denied", []Refusal{read("other/file")}},

		{"missing in any case", "cat: OTHER/nothing: No such file or directory", nil},
		{"granted", "cat: WORK/file: Permission denied", nil},
		{"our own", "cat: STATE: Permission denied\ncat: STATE/x: No such file or directory", nil},
		{"the system's", "cat: /usr/bin/env: Permission denied", nil},
		{"no name", "Permission denied", nil},
		{"escapes", "cat: 'OTHER/file\x1b[2J': Permission denied", nil},
		{"a right-to-left mark", "cat: 'OTHER/\u202efile': Permission denied", nil},
		{"no UTF-8", "cat: 'OTHER/\xff': Permission denied", nil},
		{"temporary files of its own", "touch: cannot touch '/tmp/there-is-no-such-thing/x': Permission denied", nil},
		{"a socket that is not there", "Cannot connect to the Docker daemon at unix:///no/docker.sock.", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			said := strings.NewReplacer("OTHER", at("other"), "WORK", at("work"), "STATE", at("state")).Replace(test.said)
			if diff := cmp.Diff(test.want, reach.Refusals(said)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", said, diff)
			}
		})
	}
	if got := reachOf(t, Profile{Dir: at("work"), Network: tool.NetworkOn}).Refusals("Could not resolve host: x"); got != nil {
		t.Errorf("with the network on: %+v", got)
	}
	flood := strings.Repeat("touch: cannot touch 'x"+strings.Repeat("y", 100)+"': Read-only file system\n", 10_000)
	for i := range 100 {
		flood += "touch: cannot touch '" + at("work/f"+strings.Repeat("z", i)) + "': Read-only file system\n"
	}
	if got := reach.Refusals(flood); len(got) > mostRefusals {
		t.Errorf("a flood gives %d", len(got))
	}
}

// TestRefusedRun has real programs say that they could not start another one, and that they could not read
// or write what is a program. The first is told as what it is, by the name that allowed_commands takes.
func TestRefusedRun(t *testing.T) {
	t.Parallel()
	root := layout(t)
	work := filepath.Join(root, "work")
	shell(t, work, "printf '#!/bin/sh\\necho built\\n' >build; chmod +x build; cp build tail; echo data >data.txt")
	h, err := Open(Options{TempDir: t.TempDir(), Level: LevelFull})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	if !h.Level().hasNamespaces() {
		lacking(t, h.Why())
	}
	run := func(path, name string) []Refusal { return []Refusal{{What: RefusedRun, Path: path, Grant: name}} }
	path := func(name string) string {
		found, err := LookPath(name, searchPath, "/")
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	commands := []string{"bash", "sh", "env", "xargs", "find", "timeout", "cat", "touch", "perl"}
	for _, test := range []struct {
		script string
		any    bool // any program may start
		want   []Refusal
	}{
		{"grep x /dev/null", false, run(path("grep"), "grep")}, // bash says where it found it
		{"/usr/bin/grep x /dev/null", false, run("/usr/bin/grep", "grep")},
		{"sh -c 'grep x /dev/null'", false, run(path("grep"), "grep")},
		{"env grep x /dev/null", false, run(path("grep"), "grep")},
		{"timeout 9 grep x /dev/null", false, run(path("grep"), "grep")},
		{"echo x | xargs grep x", false, run(path("grep"), "grep")},
		{"find data.txt -exec grep x {} +", false, run(path("grep"), "grep")},
		{"perl -we 'exec \"grep\", \"x\" or die \"$!\\n\"'", false, run(path("grep"), "grep")},
		{"./build", false, run(filepath.Join(work, "build"), filepath.Join(work, "build"))},
		{"echo x >/usr/bin/factor", false, []Refusal{{What: RefusedWrite, Path: path("factor")}}},
		{"touch /usr/bin/factor", false, []Refusal{{What: RefusedWrite, Path: path("factor")}}},
		{"cat /usr/bin/factor", false, []Refusal{{What: RefusedRead, Path: path("factor")}}},
		{"./data.txt", false, nil}, // nobody could start it
		// Where any program may start, the sandbox refuses none: somebody else did.
		{"echo 'bash: line 1: /usr/bin/grep: Permission denied' >&2; false", true, nil},
		{"echo x >/usr/bin/factor", true, []Refusal{{What: RefusedWrite, Path: path("factor")}}},
	} {
		profile := Profile{Dir: work, AllowedPaths: []tool.AllowedPath{{Path: work}}, Commands: commands, Limits: tool.DefaultLimits()}
		if test.any {
			profile.Commands = nil
		}
		plan, err := h.Plan(profile)
		if err != nil {
			t.Fatal(err)
		}
		out, err := h.Run(t.Context(), plan, Process{Argv: []string{bash, "-c", test.script}})
		if err != nil {
			t.Fatal(err)
		}
		want := test.want
		if os.Geteuid() != 0 && len(want) > 0 && want[0].What == RefusedWrite {
			want = nil // the user could not do it without a sandbox either
		}
		got := h.Reach(plan).Refusals(string(out.Stderr))
		for i := range got {
			if got[i].What != RefusedRun {
				got[i].Grant = ""
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %d %s(-want +got):\n%s", test.script, out.ExitCode, out.Stderr, diff)
		}
	}
}

// FuzzRefusals looks for words that make a refusal of what was granted, is ours, or cannot be shown.
func FuzzRefusals(f *testing.F) {
	root, err := filepath.EvalSymlinks(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	for _, dir := range []string{"work", "state", "other"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			f.Fatal(err)
		}
	}
	reach := Reach{granted: []reachGrant{{path: filepath.Join(root, "work"), write: true}}, hidden: []string{filepath.Join(root, "state")}, start: filepath.Join(root, "work")}
	for _, seed := range []string{"cat: 'ROOT/state/x': Permission denied", "open ROOT/work/x: read-only file system", "x: line 1: ROOT/other/\u202e: EACCES", "dial unix ROOT/state: connect: permission denied"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, said string) {
		list := reach.Refusals(strings.ReplaceAll(said, "ROOT", root))
		if len(list) > mostRefusals {
			t.Fatalf("%d refusals", len(list))
		}
		for _, r := range list {
			access := reach.Of(r.Path)
			if r.Path != "" && (!printable(r.Path) || access.Own || access.Write || strings.ContainsRune(r.Path, '\n') || len(r.Path) > longestSaid+len(root)*8) {
				t.Fatalf("%q gives %+v", said, r)
			}
		}
	})
}
