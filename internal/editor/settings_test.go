package editor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

var (
	zed  = Known()[0]
	idea = Known()[1]

	gemini = Guarded("/usr/bin/a2a-acp", "Gemini", []string{"/usr/bin/gemini", "--acp"})
	claude = Guarded("/usr/bin/a2a-acp", "Claude", []string{"/opt/a b/claude", `"<&>"`})
)

// laidOut is what settings become when gemini is entered, a row for each way of laying them out.
var laidOut = []struct{ name, before, after string }{
	{"no file", "", `{
  "agent_servers": {
    "Gemini, guarded": {
      "type": "custom",
      "command": "/usr/bin/a2a-acp",
      "args": [
        "bridge",
        "--",
        "/usr/bin/gemini",
        "--acp"
      ],
      "env": {}
    }
  }
}
`},
	{"comments, a trailing comma, tabs", `// Zed settings
//
// all of it
{
	"theme": "One Dark", // the dark one
	/* later */
	"buffer_font_size": 15, // points
	// the end
}
`, `// Zed settings
//
// all of it
{
	"theme": "One Dark", // the dark one
	/* later */
	"buffer_font_size": 15, // points
	// the end
	"agent_servers": {
		"Gemini, guarded": {ENTRY}
	},
}
`},
	{"others, without a comma", `{
    "agent_servers": {
        "Other": { "command": "x" } // mine
    }
}`, `{
    "agent_servers": {
        "Other": { "command": "x" }, // mine
        "Gemini, guarded": {ENTRY}
    }
}`},
	{"one line", `{"a":1}`, "{\"a\":1,\n  \"agent_servers\": {\n    \"Gemini, guarded\": {ENTRY}\n  }\n}"},
	{"an empty list", "{\n  \"agent_servers\": {}\n}\n", "{\n  \"agent_servers\": {\n    \"Gemini, guarded\": {ENTRY}\n  }\n}\n"},
	{"line ends of Windows, and a mark", "\xef\xbb\xbf{\r\n  \"a\": 1\r\n}\r\n", "\xef\xbb\xbf{\r\n  \"a\": 1,\r\n  \"agent_servers\": {\r\n    \"Gemini, guarded\": {ENTRY}\r\n  }\r\n}\r\n"},
}

// TestEnable checks every byte of what settings become, and that the editor reads the same out of them as
// before, beside the new entry.
func TestEnable(t *testing.T) {
	t.Parallel()
	for _, row := range laidOut {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, err := zed.enabled([]byte(row.before), []Entry{gemini})
			if err != nil {
				t.Fatal(err)
			}
			before, rest, _ := strings.Cut(row.after, "{ENTRY}")
			if !strings.HasPrefix(string(got), before) || !strings.HasSuffix(string(got), rest) {
				t.Errorf("got:\n%s\nwant:\n%s", got, row.after)
			}
			if strings.Contains(row.before, "\r\n") && strings.Count(string(got), "\n") != strings.Count(string(got), "\r\n") {
				t.Errorf("line ends are mixed: %q", got)
			}
			now := values(t, got)
			list := now["agent_servers"].(map[string]any)
			entry := list["Gemini, guarded"].(map[string]any)
			if entry["type"] != "custom" || entry["command"] != "/usr/bin/a2a-acp" {
				t.Errorf("the entry is %v", entry)
			}
			delete(list, "Gemini, guarded")
			was := values(t, []byte(row.before))
			if was["agent_servers"] == nil {
				was["agent_servers"] = map[string]any{}
			}
			if same(t, was) != same(t, now) {
				t.Errorf("beside the entry: %s, was %s", same(t, now), same(t, was))
			}
		})
	}
}

// TestDisable guards that nothing is lost: settings that nobody else has changed are what they were, byte for
// byte; where somebody has, all but our entries is there.
func TestDisable(t *testing.T) {
	t.Parallel()
	for _, row := range laidOut {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			p := Dirs{Home: home}
			path := filepath.Join(home, ".config/zed/settings.json")
			if row.before != "" {
				place(t, path, row.before)
			}
			apply(t, zed.Enable, p, gemini, claude)
			if entries, err := zed.List(p); err != nil || len(entries) < 2 || !entries[len(entries)-1].Guarded() {
				t.Fatalf("listed %v, %v", entries, err)
			}
			enabled, _ := os.ReadFile(path)
			back, err := zed.Disable(p)
			if err != nil || back.Apply() != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(path)
			if row.before == "" {
				if !os.IsNotExist(err) {
					t.Errorf("the file that was not there is %q", data)
				}
			} else if string(data) != row.before {
				t.Errorf("got:\n%s\nwant:\n%s", data, row.before)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) > 1 {
				t.Errorf("left behind: %v", left)
			}

			// Somebody adds a comment.
			changed := strings.Replace(string(enabled), "{", "{ /* mine */", 1)
			place(t, path, changed)
			if back, err = zed.Disable(p); err != nil || back.Apply() != nil {
				t.Fatal(err)
			}
			data, _ = os.ReadFile(path)
			was := values(t, []byte(row.before))
			if was["agent_servers"] == nil {
				was["agent_servers"] = map[string]any{}
			}
			if same(t, values(t, data)) != same(t, was) || !strings.Contains(string(data), "/* mine */") {
				t.Errorf("got:\n%s", data)
			}
			for _, comment := range []string{"// Zed settings", "// the dark one", "/* later */", "// points", "// the end"} {
				if strings.Contains(row.before, comment) && !strings.Contains(string(data), comment) {
					t.Errorf("%s is gone:\n%s", comment, data)
				}
			}
		})
	}
}

// TestEnableAgain checks that entries of ours are replaced where they stand, and strangers' never.
func TestEnableAgain(t *testing.T) {
	t.Parallel()
	p := Dirs{Home: t.TempDir(), Config: t.TempDir()}
	path := filepath.Join(p.Config, "zed/settings.json")
	place(t, path, "{\n  // first\n  \"agent_servers\": {\"Gemini, guarded\": {\"command\": \"/old/a2a-acp\", \"args\": [\"bridge\", \"gemini\"]}, \"Z\": {}}\n}\n")
	apply(t, zed.Enable, p, gemini)
	data, _ := os.ReadFile(path)
	if s := string(data); strings.Count(s, "guarded") != 1 || strings.Contains(s, "/old/") || strings.Index(s, "guarded") > strings.Index(s, `"Z"`) {
		t.Errorf("got:\n%s", s)
	}
	c, err := zed.Enable(p, []Entry{gemini})
	if err != nil || !c.None() {
		t.Errorf("the second time it changes %q, %v", c.After, err)
	}
	place(t, path, `{"agent_servers": {"Gemini, guarded": {"command": "/usr/bin/gemini"}}}`)
	if _, err := zed.Enable(p, []Entry{gemini}); err == nil || !strings.Contains(err.Error(), "starts /usr/bin/gemini: rename one of the two") {
		t.Errorf("over a stranger's entry: %v", err)
	}
	if c, err := zed.Disable(p); err != nil || !c.None() || len(c.Entries) > 0 {
		t.Errorf("a stranger's entry: %v, %v", c, err)
	}
}

// TestSettingsThatAreLeftAlone is about files that nobody can change without losing something.
func TestSettingsThatAreLeftAlone(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, text, want string }{
		{"broken", "{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 3"},
		{"no object", "[]", "no JSON object"},
		{"only a comment", "// nothing yet\n", "unexpected EOF"},
		{"a list of agents", `{"agent_servers": []}`, "agent_servers is no object"},
		{"two lists of agents", `{"agent_servers": {}, "agent_servers": {}}`, `"agent_servers" is there twice`},
		{"an escaped name", `{"agent_servers": {}, "agent\u005fservers": {}}`, `"agent_servers" is there twice`},
		{"one agent twice", `{"agent_servers": {"Gemini, guarded": {}, "Gemini, guarded": {}}}`, "is there twice"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := Dirs{Home: t.TempDir()}
			path := filepath.Join(p.Home, ".jetbrains/acp.json")
			place(t, path, row.text)
			if _, err := idea.Enable(p, []Entry{gemini}); err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("got %v, want %q", err, row.want)
			}
			if data, _ := os.ReadFile(path); string(data) != row.text {
				t.Errorf("it is %q now", data)
			}
		})
	}
}

// TestApply is about what happens between the look and the writing, and about links.
func TestApply(t *testing.T) {
	t.Parallel()
	p := Dirs{Home: t.TempDir()}
	path := filepath.Join(p.Home, ".config/zed/settings.json")
	real := filepath.Join(p.Home, "dotfiles/zed.json")
	place(t, real, "{}\n")
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../dotfiles/zed.json", path); err != nil {
		t.Fatal(err)
	}
	c, err := zed.Enable(p, []Entry{gemini})
	if err != nil {
		t.Fatal(err)
	}
	place(t, real, "{} // changed\n")
	if err := c.Apply(); err == nil || !strings.Contains(err.Error(), "was changed meanwhile") {
		t.Errorf("over a file that was changed meanwhile: %v", err)
	}
	if data, _ := os.ReadFile(real); string(data) != "{} // changed\n" {
		t.Errorf("it is %q now", data)
	}
	apply(t, zed.Enable, p, gemini)
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	if data, err := os.ReadFile(real + backupSuffix); err != nil || string(data) != "{} // changed\n" {
		t.Errorf("the copy is %q, %v", data, err)
	}

	// The copy is what was there before agents of ours came, whatever came since.
	apply(t, zed.Enable, p, claude)
	if data, err := os.ReadFile(real + backupSuffix); err != nil || string(data) != "{} // changed\n" {
		t.Errorf("with a second agent the copy is %q, %v", data, err)
	}
	data, _ := os.ReadFile(real)
	place(t, real, strings.Replace(string(data), "// changed", "// mine", 1))
	back, err := zed.Disable(p)
	if err != nil || back.Backup() != "" || back.Apply() != nil {
		t.Fatalf("taken out, with a copy in %q: %v", back.Backup(), err)
	}
	before, _ := os.ReadFile(real)
	apply(t, zed.Enable, p, gemini)
	if data, err := os.ReadFile(real + backupSuffix); err != nil || string(data) != string(before) {
		t.Errorf("the second time the copy is %q, %v; want %q", data, err, before)
	}
	if err := os.Remove(real); err != nil {
		t.Fatal(err)
	}
	if _, err := zed.Enable(p, []Entry{gemini}); err == nil || !strings.Contains(err.Error(), "is a link to nothing") {
		t.Errorf("through a link to nothing: %v", err)
	}
}

// FuzzSettings checks that settings keep what they say, whatever they look like: beside the entries that come
// and go, an editor reads the same.
func FuzzSettings(f *testing.F) {
	for _, row := range laidOut {
		f.Add([]byte(row.before))
	}
	f.Add([]byte(`{"agent_servers": {"a": {} , /* b */ "c": 1 /* d */ } , "e": [1, 2,], }`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := zed.enabled(data, []Entry{gemini, claude})
		if err != nil {
			return
		}
		was, now := values(t, data), values(t, got)
		list := now["agent_servers"].(map[string]any)
		if list[gemini.Name] == nil || list[claude.Name] == nil {
			t.Fatalf("an entry is missing:\n%s", got)
		}
		s, err := parse(got)
		if err != nil {
			t.Fatal(err)
		}
		gone, err := s.disable()
		if err != nil || len(gone) < 2 {
			t.Fatalf("%d entries gone, %v", len(gone), err)
		}
		if was["agent_servers"] == nil {
			was["agent_servers"] = map[string]any{}
		}
		for _, entry := range gone {
			delete(was["agent_servers"].(map[string]any), entry.Name)
		}
		if a, b := same(t, was), same(t, values(t, s.bytes())); a != b {
			t.Fatalf("it was %s, and is %s:\n%s", a, b, s.bytes())
		}
	})
}

func apply(t *testing.T, make func(Dirs, []Entry) (Change, error), p Dirs, entries ...Entry) {
	t.Helper()
	c, err := make(p, entries)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Apply(); err != nil {
		t.Fatal(err)
	}
}

func place(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// values returns what an editor reads.
func values(t *testing.T, data []byte) map[string]any {
	t.Helper()
	read := map[string]any{}
	data = []byte(strings.TrimPrefix(string(data), "\xef\xbb\xbf"))
	if strings.TrimSpace(string(data)) == "" {
		return read
	}
	plain, err := hujson.Standardize(data)
	if err != nil {
		t.Fatalf("%v:\n%s", err, data)
	}
	if err := json.Unmarshal(plain, &read); err != nil {
		t.Fatalf("%v:\n%s", err, data)
	}
	return read
}

func same(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
