package governor

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/secret"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// house is Governors with a real sandbox, a workspace and a place for scripts.
type house struct {
	t         *testing.T
	governors *Governors
	workspace string
	scripts   string
	env       map[string]string
}

// host is the sandbox of all tests: what a machine enforces is found out once.
var host *sandbox.Host

func TestMain(m *testing.M) {
	os.Exit(withHost(m))
}

func withHost(m *testing.M) (code int) {
	dir, err := os.MkdirTemp("", "governor-test-")
	if err == nil {
		defer os.RemoveAll(dir)
		host, err = sandbox.Open(sandbox.Options{TempDir: dir, Grace: 50 * time.Millisecond})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if err := host.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "close the sandbox:", err)
			code = 1
		}
	}()
	return m.Run()
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, workspace: realDir(t), scripts: realDir(t), env: map[string]string{}}
	if !host.Level().AtLeast(sandbox.LevelLandlock) {
		if os.Getenv("REQUIRE_SANDBOX") != "" {
			t.Fatalf("REQUIRE_SANDBOX is set, but: %s", host.Why())
		}
		t.Skip(host.Why())
	}
	h.governors = New(Options{
		Host: func() (Host, error) { return host, nil }, StateDir: realDir(t),
		Vault: &secret.Vault{Environ: func(name string) string { return h.env[name] }},
	})
	return h
}

func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// script writes a program and gives the governor that runs it.
func (h *house) script(name, text string) Spec {
	h.t.Helper()
	path := filepath.Join(h.scripts, name)
	if err := os.WriteFile(path, []byte("#!/bin/bash\n"+text+"\n"), 0o755); err != nil {
		h.t.Fatal(err)
	}
	return spec(name, KindScript, func(s *Spec) { s.Script = Script{Command: []string{path}, Dir: h.scripts} })
}

// spec makes a governor with what a file would give it.
func spec(id string, kind Kind, change func(*Spec)) Spec {
	s := Spec{
		ID: id, Kind: kind, Source: tool.Source{File: "governors.yaml", Line: 3}, Timeout: time.Minute,
		OnError: FallbackAsk, OnTimeout: FallbackAsk,
	}
	if change != nil {
		change(&s)
	}
	return s
}

// has puts permission governors in force.
func (h *house) has(specs ...Spec) {
	settings := DefaultSettings()
	settings.Deadline = time.Minute
	h.governors = h.governors.With([]File{{Permission: specs, PermissionSettings: settings, OutputSettings: settings}})
}

// review is a write that a rule has approved.
func (h *house) review() permissions.Review {
	r := permissions.Request{
		Door: tool.DoorMCP, Action: permissions.ActionCall, Tools: []string{"note"}, Dir: h.workspace,
		Arguments: map[string]any{"text": "hello", "token": "[secret]"}, Workspace: tool.Workspace{Root: h.workspace},
		Paths: []permissions.Path{{Name: "a.txt", Write: true}}, Agent: "agent", Session: "s1",
	}
	r.SetShellText("ls -l a.txt")
	d := permissions.Decision{Verdict: permissions.Approve, Source: permissions.SourcePolicy, Rule: "r1"}
	review := permissions.NewReview(r, d, r.Arguments, func(s string) string { return s })
	review.CallID, review.Digest = "call-1", "d1"
	return review
}

// screens puts output governors in force.
func (h *house) screens(specs ...Spec) {
	settings := DefaultSettings()
	settings.Deadline = time.Minute
	h.governors = h.governors.With([]File{{Output: specs, PermissionSettings: settings, OutputSettings: settings}})
}
