package config

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/a2a-acp/a2a-acp/internal/governor"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// What a row says is what the first tools that it matches have: times, levels, and governors.
func TestMiddleware(t *testing.T) {
	t.Parallel()
	const text = `version: 2
middleware:
  - match: {tools: [get, "list_*"]}
    timeout: 60
    limit: {count: 2, per: 10s, key: client}
    log: full
  - match: {tools: ["*"]}
    timeout: 5
    redact: ["SECRET"]
    validate: {max_args: 2, max_kb: 1}
tools:
  get: {script: echo get}
  list_pods: {script: echo list, sandbox: {timeout: 10}, audit: metadata}
  delete: {script: echo delete, sandbox: {timeout: 300}}
  sleep: {script: echo sleep, sandbox: {timeout: 1}}
`
	source := func(line int) tool.Source {
		return tool.Source{Layer: tool.LayerUser, File: "tools.yaml", Line: line, Column: 5}
	}
	first := tool.Middleware{Source: source(3), Timeout: time.Minute, Limit: tool.CallLimit{Count: 2, Per: 10 * time.Second, Key: tool.LimitClient}, Audit: tool.AuditFull}
	second := tool.Middleware{Source: source(7), Timeout: 5 * time.Second, MostArguments: 2, MostBytes: 1 << 10, Redact: []string{"SECRET"}}
	tools, err := ReadTools(File{Name: "tools.yaml", Layer: tool.LayerUser, Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]struct {
		timeout    time.Duration
		audit      tool.AuditLevel
		middleware tool.Middleware
	}{
		"get": {time.Minute, tool.AuditFull, first}, "list_pods": {10 * time.Second, tool.AuditMetadata, first},
		"delete": {5 * time.Second, "", second}, "sleep": {time.Second, "", second},
	}
	for _, loaded := range tools {
		w, got := want[loaded.Tool.ID], loaded.Tool
		if got.Sandbox.Limits.Timeout != w.timeout || got.Audit != w.audit {
			t.Errorf("%s: %s, %q", got.ID, got.Sandbox.Limits.Timeout, got.Audit)
		}
		if diff := cmp.Diff(w.middleware, got.Middleware); diff != "" {
			t.Errorf("%s (-want +got):\n%s", got.ID, diff)
		}
	}
	l := &loading{set: &Set{Tools: tools}}
	l.addMiddleware()
	base := governor.Spec{Timeout: governor.DefaultTimeout, Required: true, OnError: governor.FallbackReject, OnTimeout: governor.FallbackReject}
	limit, redact := base, base
	limit.ID, limit.Source, limit.Kind, limit.AppliesTo = "limit of tools.yaml:3", source(3), governor.KindRate, []string{"get", "list_pods"}
	limit.Limit = governor.Limit{Calls: 2, Per: 10 * time.Second, Key: governor.KeyAgent, Beyond: governor.VerbReject}
	redact.ID, redact.Source, redact.Kind, redact.AppliesTo = "redact of tools.yaml:7", source(7), governor.KindPatterns, []string{"delete", "sleep"}
	redact.Patterns, redact.Found = []string{"SECRET"}, governor.VerbRedact
	wanted := []governor.File{{Layer: tool.LayerUser, Name: "tools.yaml", Permission: []governor.Spec{limit}, Output: []governor.Spec{redact},
		PermissionSettings: governor.DefaultSettings(), OutputSettings: governor.DefaultSettings()}}
	if diff := cmp.Diff(wanted, l.set.Governors, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A tool that a later file has in place of one with middleware has none of it.
func TestMiddlewareOfReplacedTools(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	configured := "version: 2\nmiddleware: [{redact: [x], limit: {count: 1, per: 1s}}]\ntools: {a: {script: echo a}, b: {script: echo b}}\n"
	other := "version: 2\ntools: {a: {script: echo other}}\n"
	for name, row := range map[string]struct {
		user, flag string
		want       []string
	}{"replaced": {configured, other, []string{"b"}}, "replacing": {other, configured, []string{"a", "b"}}} {
		home := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Join(home, directoryName), 0o700); err != nil {
			t.Fatal(err)
		}
		for path, text := range map[string]string{filepath.Join(home, directoryName, toolsName): row.user, filepath.Join(home, "flag.yaml"): row.flag} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		set, err := Load(Sources{ConfigHome: home, Home: dir, Dir: dir, Tools: []string{name + "/flag.yaml"}})
		if err != nil {
			t.Fatal(err)
		}
		if len(set.Governors) != 1 {
			t.Fatalf("%s: %d files of governors", name, len(set.Governors))
		}
		if diff := cmp.Diff(row.want, set.Governors[0].Output[0].AppliesTo); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
