package display

import "testing"

func TestShellWord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"/srv/a-b_1.txt": "/srv/a-b_1.txt", "": "''", "~/x": "'~/x'", "a b": "'a b'", "it's": `'it'\''s'`,
		"1; touch /tmp/m": "'1; touch /tmp/m'", "$(id)": "'$(id)'", "a\nb": `'a\nb'`, "a\x1b[2J": `'a\u{1b}[2J'`, "`id`": "'`id`'",
	} {
		if got := ShellWord(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
