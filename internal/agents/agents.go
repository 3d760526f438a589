// Package agents lists the agents that people put behind the bridge: how each is installed, found and
// started, and what the bridge sees of it.
package agents

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// Agent is an agent CLI that speaks ACP over its standard input and output.
type Agent struct {
	Name    string // what `a2a-acp bridge NAME` calls it
	Title   string
	Program string   // on PATH
	Args    []string // that make it speak ACP
	Package string   // its npm package
	sees    Coverage // but for Own, of which coverage.go knows
	// Hooks is the first version whose hooks, or rules, were seen to have it ask before each of its own acts; ""
	// for none.
	Hooks string
	// ByRules is set where it asks about each act by rules of its own, and not by hooks.
	ByRules bool
	// UnaskedActs says of a kind of acts what it does of that itself without asking. Measured with the real
	// agents.
	UnaskedActs map[string]string
	// UnaskedModes are its modes in which it asks nobody before it acts.
	UnaskedModes []string
	// searchTitle finds the directory in the titles of its searches, which name it nowhere else; nil where it does.
	searchTitle *lazyregexp.Regexp
	// EmptyWhereMissing is set where it reads a file before it makes it, and takes an error for a failure.
	EmptyWhereMissing bool
	// Key is the variable by which it is given the key of its model's API; "" for none that is known.
	Key string
	// Asking is the variable, NAME=VALUE, that starts it in a mode in which it asks; "" where it does so
	// anyway.
	Asking string
}

// Coverage is what a bridge can and cannot say no to. It was measured with the real agents.
type Coverage struct {
	Files     string
	Terminals string
	Prompts   string
	Own       string // what the agent does by itself
}

// Map returns the coverage as the record carries it.
func (c Coverage) Map() map[string]string {
	return map[string]string{"files": c.Files, "terminals": c.Terminals, "prompts": c.Prompts, "own": c.Own}
}

// Confined is the coverage of the agent in the sandbox, under a profile.
func (c Coverage) Confined(profile string) Coverage {
	if c.Files != neverUsed {
		c.Files += ", and held to profile " + profile
	}
	if c.Terminals != neverUsed {
		c.Terminals += ", and run in the agent's sandbox"
	}
	c.Prompts += "; never more than the profile"
	c.Own = "confined: whatever it does, its shell and its MCP servers too, stays within profile " + profile
	return c
}

// SearchDir returns the directory that a search of the agent's goes through, by the title of its question, or that it only
// lists; "" where that does not say it to everybody in the same way.
func (a Agent) SearchDir(title string) (dir string, lists bool) {
	if a.searchTitle == nil {
		return "", false
	}
	found := a.searchTitle.FindStringSubmatch(title)
	if found == nil || strings.Contains(found[1], "...") { // it has shortened it
		return "", false
	}
	return found[1], !strings.HasPrefix(title, "'")
}

// CoverageOf returns the coverage of the agent that a command starts; hooked is while its hooks ask us.
func CoverageOf(command []string, hooked bool) Coverage {
	agent, _ := ByCommand(command)
	return agent.Coverage(hooked)
}

// Coverage returns the coverage of an agent, or of one that nobody knows; hooked is while its hooks ask us.
func (a Agent) Coverage(hooked bool) Coverage {
	c := a.sees
	if a.Name == "" {
		c = Coverage{Files: decided, Terminals: decided, Prompts: "decided here or put to you"}
	}
	c.Own = a.own(hooked)
	return c
}

const (
	decided   = "decided here"
	neverUsed = "not used by this agent"
)

// Known lists the agents, by name.
func Known() []Agent {
	return []Agent{
		{
			Name: "claude", Title: "Claude", Program: "claude-agent-acp",
			Package: "@agentclientprotocol/claude-agent-acp", Hooks: "0.100.0", Key: "ANTHROPIC_API_KEY",
			sees: Coverage{
				Files: neverUsed, Terminals: neverUsed, Prompts: "decided here or put to you",
			},
			UnaskedModes: []string{"bypassPermissions"},
			UnaskedActs: map[string]string{
				"read": "Claude reads files without asking", "search": "Claude searches files without asking",
				"write":   "Claude asks before edits, but for its modes acceptEdits and bypassPermissions",
				"execute": "Claude asks before commands, but for those that it takes for harmless, and its mode bypassPermissions",
			},
		},
		{
			Name: "codex", Title: "Codex", Program: "codex-acp", Package: "@agentclientprotocol/codex-acp",
			Hooks: "2.6.0", Key: "OPENAI_API_KEY",
			sees: Coverage{
				Files: neverUsed, Terminals: neverUsed,
				Prompts: "decided here or put to you; its mode `agent` asks nobody",
			},
			// Measured with 2.6.0: `agent` has a model review in a person's place, and read-only asks about
			// edits, other servers' tools and commands that leave Codex' own sandbox.
			UnaskedModes: []string{"agent", "agent-full-access", "full-access"},
			Asking:       "INITIAL_AGENT_MODE=read-only",
			UnaskedActs: map[string]string{
				"read": "Codex reads files by its own shell without asking", "search": "Codex searches files by its own shell without asking",
				"write":   "Codex asks before edits in its mode read-only alone",
				"execute": "Codex asks before a command only where that is to leave Codex' own sandbox, and in its mode agent never",
			},
		},
		{
			Name: "gemini", Title: "Gemini CLI", Program: "gemini", Args: []string{"--acp"},
			Package: "@google/gemini-cli", Hooks: "0.61.0", ByRules: true, Key: "GEMINI_API_KEY", EmptyWhereMissing: true,
			// 'PATTERN' within DIR, relative to its own, and a DIR that is listed (0.61.0, getDescription of grep.ts,
			// ripGrep.ts, glob.ts and ls.ts; that of web-search.ts has blanks). Without a DIR it may search directories of its
			// settings, too, and a quote in PATTERN could be the end of it.
			searchTitle: lazyregexp.New(`\A(?:'[^']*' within )?([^'\s]+)\z`),
			sees: Coverage{
				Files: "writes and the reads before them are decided here", Terminals: neverUsed,
				Prompts: "decided here or put to you",
			},
			UnaskedModes: []string{"yolo"},
			UnaskedActs: map[string]string{
				"read": "Gemini reads files without asking", "search": "Gemini searches files without asking",
				"write":   "Gemini has the editor write, where the file lies in its directory; another it asks about",
				"execute": "Gemini asks before commands, but for those that it takes for harmless, such as cat, and its mode yolo",
			},
		},
		{
			Name: "opencode", Title: "opencode", Program: "opencode", Args: []string{"acp"}, Package: "opencode-ai", Hooks: "1.18.33",
			sees: Coverage{
				Files: "the editor is told of writes, which it also makes itself", Terminals: neverUsed,
				Prompts: "decided here or put to you",
			},
			UnaskedActs: map[string]string{
				"read": "opencode reads files without asking", "search": "opencode searches files without asking",
				"write":   "opencode asks before edits where its own settings say so",
				"execute": "opencode asks before commands where its own settings say so",
			},
		},
	}
}

// ByName finds an agent by its name.
func ByName(name string) (Agent, bool) {
	for _, agent := range Known() {
		if agent.Name == name {
			return agent, true
		}
	}
	return Agent{}, false
}

// BySelf finds an agent by what it calls itself, which has its name in it: @agentclientprotocol/claude-agent-acp, gemini-cli.
func BySelf(name string) (Agent, bool) {
	for _, agent := range Known() {
		if strings.Contains(strings.ToLower(name), agent.Name) {
			return agent, true
		}
	}
	return Agent{}, false
}

// Short is what people call an agent that gives its own name as a known one does: claude for
// @agentclientprotocol/claude-agent-acp. Any other name stays as it is, so that none is taken for a known one.
func Short(name string) string {
	for _, agent := range Known() {
		if name == agent.Package || name == filepath.Base(agent.Package) || name == agent.Program || name == agent.Title {
			return agent.Name
		}
	}
	return name
}

// Pattern returns a pattern for rules that stands for an agent by whatever it calls itself, in an editor and in a terminal;
// "" for an agent that nobody knows.
func Pattern(name string) string {
	if agent, ok := BySelf(name); ok {
		return "*" + agent.Name + "*"
	}
	return ""
}

// ByCommand recognises an agent by the command that starts it: its program, or a script of its npm package.
func ByCommand(command []string) (Agent, bool) {
	for _, agent := range Known() {
		for _, word := range command {
			if filepath.Base(word) == agent.Program || strings.Contains(word, "/node_modules/"+agent.Package+"/") {
				return agent, true
			}
		}
	}
	return Agent{}, false
}

// ToolName returns the name under which the agent's model knows a tool of an MCP server. Measured with the
// real agents; those of codex and opencode for names of letters, digits and _ only.
func (a Agent) ToolName(server, name string) string {
	plain := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, name)
	switch a.Name {
	case "gemini":
		return "mcp_" + server + "_" + name
	case "opencode":
		return server + "_" + plain
	case "claude", "codex":
		return "mcp__" + server + "__" + plain
	}
	return name
}

// Install is the line that installs the agent.
func (a Agent) Install() string { return "npm install -g " + a.Package }

// ErrNotFound is returned for an agent that is not on this machine.
var ErrNotFound = errors.New("not found")

// Finder looks for agents on this machine.
type Finder struct {
	// LookPath finds a program on PATH. Required; os/exec's does.
	LookPath func(string) (string, error)
	// Home is the home directory; Data is $XDG_DATA_HOME, or "" for its default.
	Home, Data string
}

// Find returns the command that starts the agent, with absolute paths: the one on PATH, else the newest of
// those that Zed has installed for itself. The error wraps ErrNotFound and says how to install it.
func (f Finder) Find(agent Agent) ([]string, error) {
	if path, err := f.LookPath(agent.Program); err == nil {
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
		return append([]string{path}, agent.Args...), nil
	}
	if command := f.zeds(agent); command != nil {
		return command, nil
	}
	return nil, fmt.Errorf("%s is %w: %q is neither on PATH nor among Zed's own agents; install it with: %s",
		agent.Title, ErrNotFound, agent.Program, agent.Install())
}

// zeds looks through Zed's directory of agents: npm packages below NAME/VERSION/node_modules, programs below
// registry/NAME/VERSION. The newest by its time of installation is taken; nil when there is none.
func (f Finder) zeds(agent Agent) []string {
	zed := filepath.Join(f.dataHome(), "zed")
	var newest []string
	var when int64
	consider := func(path string, command []string) {
		info, err := os.Stat(path)
		if err == nil && command != nil && info.ModTime().UnixNano() > when {
			newest, when = command, info.ModTime().UnixNano()
		}
	}
	for _, pattern := range []string{"external_agents/*/*/node_modules",
		"external_agents/registry/*/*/node_modules", "external_agents/registry/*/node_modules"} {
		for _, manifest := range glob(filepath.Join(zed, pattern, agent.Package, "package.json")) {
			if script := packageProgram(manifest, agent.Program); script != "" {
				if node := f.node(zed); node != "" {
					consider(manifest, append([]string{node, script}, agent.Args...))
				}
			}
		}
	}
	for _, program := range glob(filepath.Join(zed, "external_agents/registry/*/*", agent.Program)) {
		if info, err := os.Stat(program); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			consider(program, append([]string{program}, agent.Args...))
		}
	}
	return newest
}

// node finds the Node.js to run an npm package with: the one on PATH, else the one that Zed brought.
func (f Finder) node(zed string) string {
	if path, err := f.LookPath("node"); err == nil {
		if path, err = filepath.Abs(path); err == nil {
			return path
		}
	}
	found := glob(filepath.Join(zed, "node", "node-*", "bin", "node"))
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1]
}

func (f Finder) dataHome() string {
	if f.Data != "" {
		return f.Data
	}
	return filepath.Join(f.Home, ".local", "share")
}

func glob(pattern string) []string {
	found, err := filepath.Glob(pattern)
	if err != nil {
		return nil
	}
	slices.Sort(found)
	return found
}

// packageProgram returns the script of an npm package that its manifest calls by the program's name; ""
// when there is none.
func packageProgram(manifest, program string) string {
	data, err := os.ReadFile(manifest)
	if err != nil {
		return ""
	}
	var m struct {
		Bin json.RawMessage `json:"bin"`
	}
	if json.Unmarshal(data, &m) != nil {
		return ""
	}
	var one string
	if json.Unmarshal(m.Bin, &one) != nil {
		var several map[string]string
		if json.Unmarshal(m.Bin, &several) != nil {
			return ""
		}
		one = several[program]
	}
	script := filepath.Join(filepath.Dir(manifest), one)
	if one == "" || !filepath.IsLocal(one) {
		return ""
	}
	if info, err := os.Stat(script); err != nil || info.Mode()&fs.ModeType != 0 {
		return ""
	}
	return script
}
