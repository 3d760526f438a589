package editor

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"runtime"
	"strings"
)

// The forms that most clients have.
func stdioEntry(s Server) any { return plainEntry{Command: s.Command, Args: s.Args, Env: s.Env} }
func typedEntry(s Server) any {
	return plainEntry{Type: "stdio", Command: s.Command, Args: s.Args, Env: s.Env}
}

type plainEntry struct {
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
}

// urlEntry returns the form of clients that have a URL under a name, and refer to a variable in their own way.
func urlEntry(kind, name, reference string) func(Server) any {
	return func(s Server) any {
		e := ordered{}
		if kind != "" {
			e = append(e, pair{"type", kind})
		}
		e = append(e, pair{name, s.URL})
		if s.Token != "" && reference != "" {
			bearer := "Bearer " + strings.ReplaceAll(reference, "NAME", s.Token)
			e = append(e, pair{"headers", ordered{{"Authorization", bearer}}})
		}
		return e
	}
}

// claudeFile is where Claude Code keeps its settings: in the home itself, unless it was given a directory for them.
func claudeFile(p Dirs) string {
	if p.Claude != "" {
		return filepath.Join(p.Claude, ".claude.json")
	}
	return filepath.Join(p.Home, ".claude.json")
}

// Clients returns the MCP clients whose settings are known.
func Clients() []Client {
	under := func(parts ...string) func(Dirs) string {
		return func(p Dirs) string { return filepath.Join(append([]string{p.Home}, parts...)...) }
	}
	inConfig := func(parts ...string) func(Dirs) string {
		return func(p Dirs) string {
			base := p.config()
			if runtime.GOOS == "darwin" {
				base = filepath.Join(p.Home, "Library", "Application Support")
			}
			return filepath.Join(append([]string{base}, parts...)...)
		}
	}
	clients := []Client{
		// https://modelcontextprotocol.io/docs/develop/connect-local-servers
		{Name: "claude-desktop", Title: "Claude Desktop", file: inConfig("Claude", "claude_desktop_config.json"), section: "mcpServers",
			stdio: stdioEntry},
		// https://code.claude.com/docs/en/mcp
		{Name: "claude-code", Title: "Claude Code", file: claudeFile, project: ".mcp.json", section: "mcpServers",
			stdio: typedEntry, url: urlEntry("http", "url", "${NAME}")},
		// https://cursor.com/docs/context/mcp
		{Name: "cursor", Title: "Cursor", file: under(".cursor", "mcp.json"), project: ".cursor/mcp.json", section: "mcpServers",
			stdio: stdioEntry, url: urlEntry("", "url", "${env:NAME}")},
		// https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
		{Name: "vscode", Title: "VS Code", file: inConfig("Code", "User", "mcp.json"), project: ".vscode/mcp.json",
			section: "servers", stdio: typedEntry, url: urlEntry("http", "url", "${env:NAME}")},
		// https://docs.windsurf.com/windsurf/cascade/mcp
		{Name: "windsurf", Title: "Windsurf", file: under(".codeium", "windsurf", "mcp_config.json"), section: "mcpServers",
			stdio: stdioEntry, url: urlEntry("", "serverUrl", "${env:NAME}")},
		// https://junie.jetbrains.com/docs/junie-cli-mcp-configuration.html
		{Name: "junie", Title: "Junie", file: under(".junie", "mcp", "mcp.json"), project: ".junie/mcp/mcp.json", section: "mcpServers",
			stdio: stdioEntry, url: urlEntry("", "url", "${NAME}")},
		// https://geminicli.com/docs/tools/mcp-server
		{Name: "gemini-cli", Title: "Gemini CLI", file: under(".gemini", "settings.json"), project: ".gemini/settings.json",
			section: "mcpServers", stdio: stdioEntry, url: urlEntry("", "httpUrl", "${NAME}")},
		// https://developers.openai.com/codex/mcp
		{Name: "codex", Title: "Codex", file: under(".codex", "config.toml"), project: ".codex/config.toml",
			section: "mcp_servers", toml: true, stdio: stdioEntry, url: func(s Server) any { return s }},
		// https://opencode.ai/docs/mcp-servers
		{Name: "opencode", Title: "opencode",
			file:    func(p Dirs) string { return filepath.Join(p.config(), "opencode", "opencode.json") },
			project: "opencode.json", section: "mcp",
			stdio: func(s Server) any {
				e := ordered{{"type", "local"}, {"command", append([]string{s.Command}, s.Args...)}}
				if len(s.Env) > 0 {
					e = append(e, pair{"environment", s.Env})
				}
				return append(e, pair{"enabled", true})
			},
			url: urlEntry("remote", "url", "{env:NAME}")},
		// https://zed.dev/docs/ai/mcp
		{Name: "zed", Title: "Zed", file: func(p Dirs) string { path, _ := Known()[0].Settings(p); return path },
			project: ".zed/settings.json", section: "context_servers", stdio: stdioEntry, url: urlEntry("", "url", "")},
	}
	for i := range clients {
		clients[i].own = owner{ServerName, "mcp"}
	}
	return clients
}

// pair is a member, and ordered an object whose members stay in their order.
type pair struct {
	name  string
	value any
}

type ordered []pair

// MarshalJSON implements json.Marshaler.
func (o ordered) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, p := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(p.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(p.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
