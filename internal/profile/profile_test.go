package profile

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// What the program brings along can be read, has the default, and grants nobody's keys.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Named(Default); err != nil {
		t.Error(err)
	}
	// An agent gets the key to its own model, and no other.
	own := map[string][]string{
		"gemini": {"GEMINI_API_KEY", "GOOGLE_API_KEY"}, "claude": {"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"},
		"codex": {"OPENAI_API_KEY", "CODEX_API_KEY"}, "opencode": {"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY", "OPENCODE_API_KEY"},
	}
	home := func(name string) string { return map[string]string{"HOME": "/home/u"}[name] }
	for _, p := range all {
		for _, path := range p.Paths("/work", home) {
			for _, secret := range []string{
				"/home/u/.ssh", "/home/u/.gnupg", "/home/u/.aws", "/home/u/.netrc", "/home/u/.npmrc", "/home/u/.docker", "/home/u/.kube",
				"/home/u/.cargo/credentials.toml", "/home/u/.m2/settings.xml", "/home/u/.gradle/gradle.properties", "/home/u/.config/a2a-acp",
				"/home/u/.config/git/credentials", "/home/u/.git-credentials", "/home/u/.bashrc", "/home/u/.config/gh",
			} {
				if path.Path == secret || strings.HasPrefix(secret, path.Path+"/") {
					t.Errorf("profile %s grants %s, in which %s lies", p.Name, path.Path, secret)
				}
			}
			if path.Path == "/home/u" || path.Path == "/" {
				t.Errorf("profile %s grants %s", p.Name, path.Path)
			}
		}
		for _, variable := range p.Environment {
			if slices.Contains(own[p.Name], variable) {
				continue
			}
			if slices.ContainsFunc([]string{"TOKEN", "SECRET", "KEY", "PASS", "PRELOAD", "BASH_ENV", "NODE_OPTIONS", "PROXY_"}, func(part string) bool { return strings.Contains(variable, part) }) {
				t.Errorf("profile %s passes %s on", p.Name, variable)
			}
		}
	}
	terminal, err := Named("terminal")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tool.Limits{}, terminal.Limits); diff != "" {
		t.Errorf("the profile for builds has limits (-want +got):\n%s", diff)
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	p := Profile{Write: []string{".", "./out", "~/.npm", "$XDG_CACHE_HOME", "/srv/x/"}, Read: []string{"$XDG_DATA_HOME/uv"}}
	writable := func(path string) tool.AllowedPath { return tool.AllowedPath{Path: path} }
	readable := func(path string) tool.AllowedPath { return tool.AllowedPath{Path: path, ReadOnly: true} }
	tests := []struct {
		name string
		env  map[string]string
		want []tool.AllowedPath
	}{
		{
			name: "a home and nothing else",
			env:  map[string]string{"HOME": "/h"},
			want: []tool.AllowedPath{writable("/w"), writable("/w/out"), writable("/h/.npm"), writable("/h/.cache"), writable("/srv/x"), readable("/h/.local/share/uv")},
		},
		{
			name: "places elsewhere; a relative one is passed over, as XDG says",
			env:  map[string]string{"HOME": "/h", "XDG_CACHE_HOME": "/c", "XDG_DATA_HOME": "data"},
			want: []tool.AllowedPath{writable("/w"), writable("/w/out"), writable("/h/.npm"), writable("/c"), writable("/srv/x"), readable("/h/.local/share/uv")},
		},
		{
			name: "no home",
			want: []tool.AllowedPath{writable("/w"), writable("/w/out"), writable("/srv/x")},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := p.Paths("/w", func(name string) string { return test.env[name] })
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, file, err string }{
		{"an unknown key", "profiles: [{name: p, says: x, network: on, writes: []}]", "writes"},
		{"an unknown limit", "profiles: [{name: p, says: x, network: on, limits: {memory: 3}}]", "memory"},
		{"no name", "profiles: [{says: x, network: on}]", "name"},
		{"no sentence", "profiles: [{name: p, network: on}]", "says"},
		{"no network", "profiles: [{name: p, says: x}]", "network"},
		{"a relative path", "profiles: [{name: p, says: x, network: on, read: [a/b]}]", "a/b"},
		{"the whole home", "profiles: [{name: p, says: x, network: on, read: ['~']}]", "everything"},
		{"another's home", "profiles: [{name: p, says: x, network: on, read: ['~bob/x']}]", "~bob"},
		{"another variable", "profiles: [{name: p, says: x, network: on, write: [$HOME/x]}]", "$HOME"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, err := read([]byte(test.file)); err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("got %v, want an error about %s", err, test.err)
			}
		})
	}
}
