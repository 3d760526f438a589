package editor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func clientNamed(t *testing.T, name string) Client {
	t.Helper()
	for _, c := range Clients() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no client %q", name)
	return Client{}
}

var ourServer = Server{Command: "/usr/bin/a2a-acp", Args: []string{"mcp"}, Env: map[string]string{"PATH": "/bin:\"x\\"}}

// TestClients enters our server into settings of all forms and takes it out again: every old byte is kept, and
// what was there before comes back as it was.
func TestClients(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, client, before string }{
		{"none", "claude-desktop", "\x00none"}, {"empty", "cursor", ""}, {"an empty object", "vscode", "{}"},
		{"others", "claude-desktop", `{"globalShortcut": "x", "mcpServers": {"other": {"url": "https://x/mcp"}}, "preferences": {"a": 1}}`},
		{"comments and commas", "vscode", "// mine\n{\n\t\"servers\": {\n\t\t// the one\n\t\t\"a\": {\"command\": \"x\",}, // it\n\t},\n\t\"inputs\": [],\n}\n"},
		{"CRLF and a mark", "cursor", "\xef\xbb\xbf{\r\n  \"mcpServers\": {\r\n    \"a\": {}\r\n  }\r\n}\r\n"},
		{"big numbers and odd escapes", "claude-code", `{"n": 12345678901234567890.10, "s": "\u00e9\/<", "mcpServers": {}}`},
		{"no newline at the end", "opencode", "{\n  \"$schema\": \"x\",\n  \"mcp\": {}\n}"},
		{"zed", "zed", "{\n  // theme\n  \"theme\": \"x\",\n  \"context_servers\": {\"y\": {\"command\": \"z\", \"args\": []}}\n}\n"},
		{"TOML", "codex", "# mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = \"y\" # it\n\n[profiles.a]\nb = 1\n"},
		{"TOML without an end", "codex", "model = 'x'"},
		{"TOML with CRLF", "codex", "model = \"x\"\r\n[a]\r\nb = 1\r\n"},
		{"no TOML", "codex", "\x00none"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := clientNamed(t, row.client)
			path := filepath.Join(t.TempDir(), "a", "settings")
			if row.before != "\x00none" {
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(row.before), 0o640); err != nil {
					t.Fatal(err)
				}
			}
			enter := func(s Server) {
				t.Helper()
				change, err := c.Enable(path, s)
				if err == nil {
					err = change.Apply()
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			enter(ourServer)
			after, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if want := os.FileMode(0o640); row.before != "\x00none" && info.Mode().Perm() != want {
				t.Errorf("mode %v", info.Mode())
			}
			if row.before == "\x00none" && info.Mode().Perm() != 0o600 {
				t.Errorf("mode of a new file %v", info.Mode())
			}
			list, err := c.Servers(path)
			ours := 0
			for _, l := range list {
				if l.Ours {
					ours++
					if l.Name != ServerName || l.Command != "/usr/bin/a2a-acp" {
						t.Errorf("%+v", l)
					}
				}
			}
			if err != nil || ours != 1 {
				t.Errorf("%d of ours in %s: %v", ours, after, err)
			}
			if row.client != "codex" { // what is left without our entry is what was there, in its order
				left := string(after)
				for _, piece := range strings.FieldsFunc(strings.TrimPrefix(row.before, "\x00none"), func(r rune) bool { return strings.ContainsRune("{}\r\n", r) }) {
					at := strings.Index(left, strings.Trim(piece, " \t,"))
					if at < 0 {
						t.Fatalf("%q is gone: %s", piece, after)
					}
					left = left[at:]
				}
			}
			enter(ourServer) // twice is once
			if again, _ := os.ReadFile(path); string(again) != string(after) {
				t.Errorf("a second time it is %s", again)
			}
			change, err := c.Disable(path)
			if err == nil {
				err = change.Apply()
			}
			if err != nil {
				t.Fatal(err)
			}
			now, err := os.ReadFile(path)
			if row.before == "\x00none" {
				if !os.IsNotExist(err) {
					t.Errorf("what was not there is there: %q", now)
				}
			} else if string(now) != row.before {
				t.Errorf("it was %q and is %q", row.before, now)
			}
			left, err := os.ReadDir(filepath.Dir(path))
			if row.before == "\x00none" && !os.IsNotExist(err) || row.before != "\x00none" && len(left) != 1 {
				t.Errorf("left are %v, %v", left, err)
			}
		})
	}
}

// TestClientsAfterEdits takes only ours out of settings that somebody has changed since.
func TestClientsAfterEdits(t *testing.T) {
	t.Parallel()
	for client, row := range map[string]struct{ before, old, new, want string }{
		"cursor": {"{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n", `"a": {}`, `"a": {"url": "x"}`, "{\n  \"mcpServers\": {\n    \"a\": {\"url\": \"x\"}\n  }\n}\n"},
		"codex":  {"model = \"x\"\n", `"x"`, `"y"`, "model = \"y\"\n"},
	} {
		c := clientNamed(t, client)
		path := filepath.Join(t.TempDir(), "settings")
		if err := os.WriteFile(path, []byte(row.before), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, step := range []func() (Change, error){
			func() (Change, error) { return c.Enable(path, ourServer) },
			func() (Change, error) { return c.Disable(path) },
		} {
			change, err := step()
			if err == nil {
				err = change.Apply()
			}
			if err != nil {
				t.Fatal(err)
			}
			if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), ServerName) {
				if err := os.WriteFile(path, []byte(strings.Replace(string(text), row.old, row.new, 1)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != row.want {
			t.Errorf("%s: %q, want %q (%v)", client, now, row.want, err)
		}
	}
}

// TestClientsThatAreLeftAlone are settings that are not touched: broken ones, and ones where our name is
// somebody else's or stands twice.
func TestClientsThatAreLeftAlone(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ client, data, want string }{
		{"cursor", `{"mcpServers": {`, "cannot be changed"},
		{"cursor", `[]`, "no JSON object"},
		{"cursor", `{"mcpServers": []}`, "is no object"},
		{"cursor", `{"mcpServers": {}, "mcpServers": {}}`, "there twice"},
		{"cursor", `{"mcpServers": {"a2a-acp": {"command": "a2a-acp", "args": ["mcp"]}, "a2a-acp": {}}}`, "there twice"},
		{"cursor", `{"mcpServers": {"a2a-acp": {"command": "/usr/bin/other", "args": ["mcp"]}}}`, "not ours"},
		{"codex", "[mcp_servers.a2a-acp]\ncommand = \"other\"\n", "not ours"},
		{"codex", "model = \n", "cannot be changed"},
		{"codex", "[a]\n[a]\n", "cannot be changed"},
		{"codex", "mcp_servers = { other = { command = \"x\" } }\n", "cannot be changed"},
		{"codex", "mcp_servers = 1\n", "cannot be changed"},
	} {
		path := filepath.Join(t.TempDir(), "settings")
		if err := os.WriteFile(path, []byte(row.data), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := clientNamed(t, row.client).Enable(path, ourServer); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", row.data, err, row.want)
		}
	}
	for _, client := range []string{"cursor", "codex"} {
		_, err := clientNamed(t, client).Enable(filepath.Join(t.TempDir(), "x"), Server{Command: "/opt/acp-guard", Args: []string{"mcp"}})
		if err == nil || !strings.Contains(err.Error(), `called "acp-guard", and its entry would not be found again`) {
			t.Errorf("%s: a program of another name is entered: %v", client, err)
		}
	}
	if _, err := clientNamed(t, "claude-desktop").Enable(filepath.Join(t.TempDir(), "x"), Server{URL: "http://localhost/mcp"}); err == nil {
		t.Error("Claude Desktop takes an URL")
	}
}
