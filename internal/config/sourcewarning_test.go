package config

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSourceWarnings has what is odd about a source be said once, and about each tool that sends requests to it.
func TestSourceWarnings(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tools.yaml")
	if err := os.WriteFile(file, []byte(`version: 2
sources:
  inside: {base_url: https://10.1.2.3}
  outside: {base_url: http://example.com, auth: {bearer: {secret: S}}}
tools:
  a: {description: a, http: {source: inside, get: /a}}
  b: {description: b, http: {source: inside, get: /b}}
  c: {description: c, http: {source: outside, get: /c}}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := Load(Sources{Tools: []string{file}})
	if err != nil {
		t.Fatal(err)
	}
	for tool, want := range map[string]int{"": 2, "a": 1, "b": 1, "c": 1} {
		if about := set.About(tool); len(about) != want {
			t.Errorf("about %q: %v", tool, about)
		}
	}
}
