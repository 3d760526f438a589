package agents

import "testing"

// The title of a Gemini's search says its directory where it can be read in one way only.
func TestSearchDir(t *testing.T) {
	t.Parallel()
	agent, known := ByCommand([]string{"gemini", "--acp"})
	if !known {
		t.Fatal("Gemini is not known")
	}
	for title, want := range map[string]string{
		"'hello' within sub":              "sub",
		"'a b' within ./":                 "./",
		"'x' within ../../home":           "../../home",
		"'x\ny' within sub":               "sub",
		"'hello'":                         "", // it may search directories of its settings, too
		"'hello' in *.go within sub":      "",
		"'a' within b' within /etc":       "",
		"'a' within b'":                   "",
		"'x' within a/.../b":              "", // shortened
		".":                               ".",
		"src/a-b":                         "src/a-b",
		"'x' within a b":                  "",
		"Searching the web for: \"x\"":    "",
		"Searching for 'hello' within su": "",
	} {
		if got, lists := agent.SearchDir(title); got != want || lists != (want != "" && title[0] != '\'') {
			t.Errorf("%q: %q (listed: %t), want %q", title, got, lists, want)
		}
	}
	if got, _ := (Agent{}).SearchDir("'hello' within sub"); got != "" {
		t.Errorf("another agent: %q", got)
	}
}
