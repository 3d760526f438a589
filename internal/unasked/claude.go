package unasked

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// claudeHarmless are the settings of a repository that run nothing and change nothing of what is run
// (https://code.claude.com/docs/en/settings). What they permit is asked about all the same, and that hooks are switched
// off, ours says otherwise.
var claudeHarmless = strings.Fields(`$schema alwaysThinkingEnabled attribution autoMemoryEnabled availableModels
	claudeMdExcludes cleanupPeriodDays companyAnnouncements disableAllHooks disabledMcpjsonServers effortLevel
	enableAllProjectMcpServers enabledMcpjsonServers includeCoAuthoredBy includeGitInstructions language model outputStyle
	permissions prefersReducedMotion respectGitignore showThinkingSummaries showTurnDuration spinnerTipsEnabled
	spinnerTipsOverride spinnerVerbs theme`)

// claudeOfAgents is what the head of an agent below may say, likewise (https://code.claude.com/docs/en/sub-agents).
var claudeOfAgents = strings.Fields(`name description tools disallowedTools model color permissionMode maxTurns memory
	background effort initialPrompt`)

// findClaude finds what has Claude start programs when a session begins, or within it (hooks, MCP servers, helpers), or
// gives its commands other variables. It was measured with claude-agent-acp 0.100.0: over ACP Claude asks nobody
// about any of it, and reads .mcp.json and, in a work tree of git's, local settings above its directory, too.
func findClaude(dir string, environ []string) ([]Finding, error) {
	found, err := inRepository(dir, environ, claudeFindings)
	if err != nil {
		return nil, err
	}
	// In a further work tree local settings, agents and skills of the main one count, too (2.1.316).
	if main := mainWorkTree(dir); main != "" && !slices.Contains(homesIn(environ), main) {
		for _, f := range claudeFindings(main) {
			if !slices.ContainsFunc(found, func(other Finding) bool { return other.What == f.What }) {
				found = append(found, f)
			}
		}
	}
	return found, nil
}

func claudeFindings(dir string) (found []Finding) {
	told := func(file, what string) {
		found = append(found, Finding{Dir: dir, Files: []string{file}, What: what})
	}
	for _, name := range []string{".claude/settings.json", ".claude/settings.local.json"} {
		members, cannot := settings(dir, name)
		if cannot != "" {
			told(name, cannot)
		}
		for _, key := range slices.Sorted(maps.Keys(members)) {
			if !slices.Contains(claudeHarmless, key) {
				told(name, filepath.Join(dir, name)+" has "+key)
			}
		}
	}
	const servers = ".mcp.json"
	members, cannot := settings(dir, servers)
	var named map[string]json.RawMessage
	switch all, there := members["mcpServers"]; {
	case cannot != "":
		told(servers, cannot)
	case there && json.Unmarshal(all, &named) != nil:
		told(servers, filepath.Join(dir, servers)+" has settings that cannot be told")
	case len(named) > 0:
		told(servers, filepath.Join(dir, servers)+" has servers: "+strings.Join(slices.Sorted(maps.Keys(named)), ", "))
	}
	const agents = ".claude/agents"
	files, all := filesIn(dir, agents)
	if !all {
		found = append(found, Finding{Dir: dir, What: filepath.Join(dir, agents) + " cannot be read"})
	}
	for _, name := range files {
		if data, cannot := text(dir, name); cannot != "" {
			told(name, cannot)
		} else if key := claudeAgentSays(data); key != "" {
			told(name, filepath.Join(dir, name)+" has "+key)
			if key == "skills" { // what these say is run when the agent begins (2.1.316), and no hook asks
				found[len(found)-1].Files = append([]string{name}, skillsIn(dir, ".claude/skills")...)
			}
		}
	}
	found = append(found, claudePlugins(dir)...)
	return append(found, claudeTold(dir)...)
}

// claudeTold finds what of a directory is told to Claude's model and is not the repository's own.
func claudeTold(dir string) []Finding {
	const rules, skills = ".claude/rules", ".claude/skills"
	texts := []string{rules, ".claude/commands", ".claude/agents", ".claude/output-styles"}
	own, _ := textsIn(dir, rules, false) // where that is not all, instructions finds that
	return append(instructions(dir, claudeInstructions, texts, skills), included(dir, append(own, claudeInstructions...)...)...)
}

// claudeInstructions are the files that Claude tells its model in each directory that it works or reads in. AGENTS.md
// it takes where there is no CLAUDE.md (2.1.316).
var claudeInstructions = strings.Fields("CLAUDE.md CLAUDE.local.md .claude/CLAUDE.md AGENTS.md .claude/AGENTS.md")

// claudePlugins finds skills that are plugins: what these have of hooks and servers Claude starts where a person has
// trusted the directory, whatever came into it since (2.1.316).
func claudePlugins(dir string) (found []Finding) {
	const skills = ".claude/skills"
	for _, name := range below(dir, skills) {
		plugin := filepath.Join(dir, name, ".claude-plugin")
		_, err := os.Stat(plugin)
		if (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) && !ofAProcess(plugin) {
			continue
		}
		f := Finding{Dir: dir, What: filepath.Join(dir, name) + " is a plugin"}
		if files, all := filesIn(dir, name); all {
			f.Files = files
		}
		found = append(found, f)
	}
	return found
}

var claudeHeadKey = lazyregexp.New(`^([A-Za-z][A-Za-z0-9_-]*):(?:\s|$)`)

// claudeAgentSays returns what the head of an agent below says that is not known to be harmless; "" for nothing.
func claudeAgentSays(data []byte) string {
	data = bytes.TrimPrefix(bytes.ReplaceAll(data, []byte("\r"), []byte("\n")), []byte("\ufeff"))
	head, found := bytes.CutPrefix(bytes.TrimLeft(data, " \t\n"), []byte("---"))
	if !found {
		return ""
	}
	for line := range strings.Lines(string(head)) {
		line = strings.TrimRight(line, " \t\n")
		key := claudeHeadKey.FindStringSubmatch(line)
		switch {
		case line == "---":
			return ""
		case line == "" || strings.ContainsRune(" \t#", rune(line[0])) || strings.HasPrefix(line, "- "):
		case key == nil:
			return "a head that cannot be told"
		case !slices.Contains(claudeOfAgents, key[1]):
			return key[1]
		}
	}
	return ""
}
