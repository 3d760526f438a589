package hook

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestGeminiRules(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	at := Endpoint{Socket: filepath.Join(dir, "socket")}
	ours := []string{"--admin-policy", filepath.Join(dir, "ask.toml")}
	words, err := geminiRules([]string{"HOME=" + home}, at)
	if err != nil || !slices.Equal(words, ours) {
		t.Errorf("without rules of the person's: %q, %v", words, err)
	}
	if text, err := os.ReadFile(words[1]); err != nil || string(text) != geminiPolicy {
		t.Errorf("%q, %v", text, err)
	}
	theirs := filepath.Join(home, ".gemini", "policies")
	if err := os.MkdirAll(theirs, 0o700); err != nil {
		t.Fatal(err)
	}
	words, err = geminiRules([]string{"HOME=/nowhere", "GEMINI_CLI_HOME=" + home}, at)
	if err != nil || !slices.Equal(words, append(ours, "--admin-policy", theirs)) {
		t.Errorf("with rules of the person's: %q, %v", words, err)
	}
}
