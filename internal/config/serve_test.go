package config

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestServeLayers has root's file replace principals of the person's by name, and a workspace's say nothing of
// the daemon, whoever trusts it.
func TestServeLayers(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	write(t, dir+"/home/a2a-acp/a2a-acp.yaml", `
serve:
  listen: 127.0.0.1:1
  principals:
    ci: {token: {env: CI}, scopes: [tools, approve, admin], at_once: 9}
    mine: {token: {env: MINE}}
  limits: {body_mb: 2}
`)
	write(t, dir+"/etc/a2a-acp.yaml", `
serve:
  principals:
    ci: {token: {file: /etc/a2a-acp/ci.token}, scopes: [tools]}
  limits: {idle: 5s}
`)
	write(t, dir+"/work/.a2a-acp/a2a-acp.yaml", `
serve: {listen: "0.0.0.0:1", plaintext: anywhere, principals: {evil: {token: {env: EVIL}, scopes: [admin]}}}
`)
	set, err := Load(Sources{ConfigHome: dir + "/home", Home: dir, SystemDir: dir + "/etc", systemOwner: os.Getuid(),
		Workspace: tool.Workspace{Root: dir + "/work"}, TrustState: func(File) TrustState { return Trusted }})
	if err != nil {
		t.Fatal(err)
	}
	got := set.Settings.Serve
	type principal struct {
		Token  string
		Scopes []serve.Scope
		AtOnce int
		Line   int
	}
	principals := map[string]principal{}
	for name, p := range got.Principals {
		principals[name] = principal{p.Token.String(), p.Scopes, p.AtOnce, p.Source.Line}
	}
	want := map[string]principal{
		"ci":   {"{file: /etc/a2a-acp/ci.token}", []serve.Scope{serve.ScopeTools}, 0, 4},
		"mine": {"{env: MINE}", serve.DefaultScopes(), 0, 6},
	}
	if diff := cmp.Diff(want, principals); diff != "" {
		t.Errorf("principals (-want +got):\n%s", diff)
	}
	if len(got.Listen) != 1 || got.Listen[0] != "127.0.0.1:1" || got.Plaintext {
		t.Errorf("listens at %q, plaintext %t", got.Listen, got.Plaintext)
	}
	limits := serve.DefaultLimits()
	limits.Body, limits.Idle = 2<<20, 5*time.Second
	if diff := cmp.Diff(limits, got.Limits); diff != "" {
		t.Errorf("limits (-want +got):\n%s", diff)
	}
}

// TestServeSettings reads every key of the daemon's.
func TestServeSettings(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/ok/settings_serve.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := ReadSettings(File{Name: "a2a-acp.yaml", Data: data}, DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	ci, corp := s.Serve.Principals["ci"], s.Serve.Issuers["corp"]
	ci.Source, corp.Source = tool.Source{}, tool.Source{}
	if diff := cmp.Diff(serve.PrincipalSpec{
		Token: tool.Reference{Env: "CI_TOKEN"}, Scopes: []serve.Scope{serve.ScopeTools, serve.ScopeAudit}, Workspace: "/srv/ci",
		Rate: serve.Rate{Count: 60, Per: time.Minute}, AtOnce: 4,
		MCP: serve.MCP{Tools: []string{"deploy*"}, Workspace: "/srv/other", Rate: serve.Rate{Count: 10, Per: time.Second}, AtOnce: 2},
	}, ci); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if corp.NameClaim != "email" || corp.ScopesClaim != "scope" || len(corp.Require["groups"]) != 2 || len(corp.Allow) != 1 ||
		corp.CA == "" || corp.Keys == "" || len(corp.Algorithms) != 2 {
		t.Errorf("%+v", corp)
	}
	if s.Serve.URL != "https://tools.example.com" || s.Serve.TLS.Key == "" || s.Serve.Grace != time.Minute || len(s.Serve.Listen) != 3 {
		t.Errorf("%+v", s.Serve)
	}
}
