package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/a2a-acp/a2a-acp/internal/governor"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestReadGovernors checks what the original format comes to, and what is said by saying nothing.
func TestReadGovernors(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/ok/governors_original.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got, told, err := ReadGovernors(File{Name: "g.yaml", Path: "/conf/g.yaml", Layer: tool.LayerUser,
		Data: data})
	if err != nil || len(told) > 0 {
		t.Fatal(told, err)
	}
	script := func(command ...string) governor.Script {
		return governor.Script{Command: command, Dir: "/conf", Network: tool.NetworkOff}
	}
	spec := func(id string, line int, kind governor.Kind, change func(*governor.Spec)) governor.Spec {
		s := governor.Spec{
			ID: id, Kind: kind, Source: tool.Source{Layer: tool.LayerUser, File: "g.yaml", Line: line,
				Column: 5}, Timeout: 5 * time.Second,
			OnError: governor.FallbackAsk, OnTimeout: governor.FallbackAsk, Script: script(),
		}
		change(&s)
		return s
	}
	want := governor.File{
		Layer: tool.LayerUser, Name: "g.yaml",
		Permission: []governor.Spec{
			spec("security-review", 3, governor.KindScript, func(s *governor.Spec) {
				s.Timeout, s.Script = 8*time.Second, script("python3", "scripts/security_review.py")
			}),
			spec("policy-server", 7, governor.KindHTTP, func(s *governor.Spec) {
				s.HTTP.URL, s.RequiresManual = "https://governor.example.com/evaluate", true
				s.HTTP.Headers = map[string]string{"Authorization": "Bearer ${GOVERNOR_TOKEN}"}
			}),
		},
		Output: []governor.Spec{spec("lint", 14, governor.KindScript, func(s *governor.Spec) {
			s.Script = script("python3", "scripts/lint.py")
		})},
		PermissionSettings: governor.Settings{
			StopOnFirstReject: true, AllApprove: true, MostFollowUps: governor.DefaultFollowUps,
			Deadline: governor.DefaultDeadline,
		},
		OutputSettings: governor.Settings{MostFollowUps: 2, Deadline: governor.DefaultDeadline},
	}
	ignore := cmpopts.IgnoreFields(governor.Spec{}, "CEL", "Found", "Limit")
	if diff := cmp.Diff(want, got, ignore, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestGovernorLayers checks which files count: a later layer replaces an entry by its id, the same one may
// not, the environment names none of the workspace, and the workspace's own is not loaded until somebody
// trusts it.
func TestGovernorLayers(t *testing.T) {
	t.Parallel()
	dir := realDirectory(t)
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cel := func(id, expression string) string {
		return "permission_governors:\n  - {id: " + id + ", type: cel, expression: \"" + expression + "\"}\n"
	}
	write("home/a2a-acp/governors.yaml", cel("shared", "true")+"  - {id: mine, type: secrets}\n")
	named := write("named.yaml", cel("shared", "false"))
	own := cel("theirs", "false")
	write("work/.a2a-acp/governors.yaml", own)
	workspace := tool.Workspace{Root: filepath.Join(dir, "work")}
	env := map[string]string{"A2A_GOVERNORS_FILE": named}
	sources := Sources{ConfigHome: filepath.Join(dir, "home"), Home: dir, Dir: dir, Workspace: workspace,
		Env: func(name string) string {
			return env[name]
		}}

	in := func(set *Set) string {
		var all []string
		for _, file := range set.Governors {
			for _, s := range file.Permission {
				all = append(all, s.ID+"="+s.CEL.Expression)
			}
		}
		return strings.Join(all, " ")
	}
	set, err := Load(sources)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := in(set), "mine= shared=false"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if said := set.Warnings.Error(); !strings.Contains(said, "until somebody trusts it") {
		t.Errorf("nothing is said about the workspace's own: %q", said)
	}
	for _, file := range set.Files {
		if file.Workspace && strings.HasSuffix(file.Name, governorsName) {
			t.Errorf("%s is among the files that count", file.Name)
		}
	}

	sources.TrustState = func(file File) TrustState {
		if string(file.Data) == own {
			return Trusted
		}
		return Changed
	}
	if set, err = Load(sources); err != nil || in(set) != "mine= shared=false theirs=false" ||
		!set.Governors[len(set.Governors)-1].Project {
		t.Errorf("trusted: got %q, %v", in(set), err)
	}
	for _, text := range []string{
		"permission_governors: [{id: x, command: [x]}]",
		"permission_governors: [{id: x, type: http, url: \"https://a.example\"}]",
		"output_governors: [{id: x, command: [x]}]",
		"permission_governors: [{id: x, type: budget, limit: {calls: 1, per: 1h}}]",
	} {
		own = text
		write("work/.a2a-acp/governors.yaml", own)
		if _, err := Load(sources); err == nil ||
			!strings.Contains(err.Error(), "a workspace's own file cannot hold") {
			t.Errorf("%s: got %v", text, err)
		}
	}
	env["A2A_GOVERNORS_FILE"] = filepath.Join(dir, "work/.a2a-acp/governors.yaml")
	if _, err := Load(sources); err == nil || !strings.Contains(err.Error(), "is in the workspace") {
		t.Errorf("a file of the workspace: got %v", err)
	}
	env["A2A_GOVERNORS_FILE"] = "governors.yaml"
	if _, err := Load(sources); err == nil || !strings.Contains(err.Error(), "absolute path") {
		t.Errorf("a relative one: got %v", err)
	}
}

func realDirectory(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
