package unasked

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// opencodeHarmless are the settings of a repository that run nothing, load no code and send nothing.
var opencodeHarmless = strings.Fields(`$schema agent autoupdate command compaction default_agent
	disabled_providers enabled_providers keybinds layout logLevel mode model permission small_model
	snapshot theme tools tui username watcher`)

// findOpencode finds code which opencode would load or start by itself, asking nobody: a plugin could switch ours off,
// and a formatter runs behind each edit. opencode looks in the directories above, too. That it is to pass over what is a
// repository's (OPENCODE_DISABLE_PROJECT_CONFIG) counts for nothing: at the first prompt it loads plugins and starts
// servers all the same (1.18.33).
func findOpencode(dir string, environ []string) ([]Finding, error) {
	return inRepository(dir, environ, opencodeFindings)
}

func opencodeFindings(dir string) (found []Finding) {
	told := func(what string, files ...string) {
		found = append(found, Finding{Dir: dir, Files: files, What: what})
	}
	for _, name := range []string{"plugin", "plugins", "tool", "tools"} {
		name = ".opencode/" + name
		switch files, all := filesIn(dir, name); {
		case !all:
			told(filepath.Join(dir, name) + " holds code")
		case len(files) > 0:
			told(filepath.Join(dir, name)+" holds code", files...)
		}
	}
	for _, name := range []string{"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc",
		"tui.json", "tui.jsonc", ".opencode/tui.json", ".opencode/tui.jsonc"} {
		members, cannot := settings(dir, name)
		if cannot != "" {
			told(cannot, name)
			continue
		}
		if data, _ := text(dir, name); bytes.Contains(data, []byte("{file:")) || bytes.Contains(data, []byte("{env:")) {
			told(filepath.Join(dir, name)+" has settings that cannot be told", name)
			continue
		}
		inTerminal := strings.HasPrefix(filepath.Base(name), "tui.")
		for _, key := range slices.Sorted(maps.Keys(members)) {
			if inTerminal && !strings.HasPrefix(key, "plugin") { // how it looks there
				continue
			}
			if key == "instructions" {
				files, own := named(dir, members[key])
				if !own {
					told(filepath.Join(dir, name)+" has instructions that stand elsewhere", name)
				}
				found = append(found, ledAway(dir, files...)...)
			} else if !slices.Contains(opencodeHarmless, key) && !keepsToItself(key, members[key]) {
				told(filepath.Join(dir, name)+" has "+key, name)
			}
		}
	}
	found = slices.Concat(found, opencodeInstalls(dir), opencodeImportsFrom(dir))
	var texts []string
	for _, name := range strings.Fields("agent agents command commands mode modes") {
		texts = append(texts, ".opencode/"+name)
	}
	return append(found, instructions(dir, opencodeInstructions, texts, ".opencode/skill", ".opencode/skills", ".claude/skills",
		".agents/skills")...)
}

// opencodeInstructions are the files that opencode tells its model in each directory that it works or reads in.
var opencodeInstructions = strings.Fields("AGENTS.md CLAUDE.md CONTEXT.md")

// keepsToItself reports whether a setting is one by which opencode does not put conversations on a server of its
// maker's (https://opencode.ai/docs/share).
func keepsToItself(key string, value json.RawMessage) bool {
	return key == "share" && slices.Contains([]string{`"manual"`, `"disabled"`}, string(value)) ||
		key == "autoshare" && string(value) == "false"
}
