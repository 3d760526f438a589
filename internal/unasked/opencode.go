package unasked

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
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
	var names []string
	named := map[string][]string{} // by whose settings
	found, err := inRepository(dir, environ, func(at string) []Finding {
		found, own := opencodeFindings(at)
		names, named[at] = append(names, own...), own
		return found
	})
	if err != nil || len(names) == 0 {
		return found, err
	}
	slices.Sort(names)
	names = slices.Compact(names)
	// Whichever of these directories names them, they are looked for in all of them (1.18.33).
	led, err := inRepository(dir, environ, func(at string) (led []Finding) {
		files, all := meant(at, named[at])
		if !all {
			led = append(led, tooMuch(at, at))
		}
		others, _ := meant(at, slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return slices.Contains(named[at], name) || begins(name) == "." && !withinRepository(dir, at)
		}))
		return append(led, ledAway(at, append(files, others...)...)...)
	})
	return append(found, led...), err
}

// withinRepository reports whether a directory above another is in the work tree of git's that this is in: further up
// there is too much that is no repository's.
func withinRepository(dir, above string) bool {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			real, err := filepath.EvalSymlinks(at)
			return strings.HasPrefix(above+"/", at+"/") || err == nil && strings.HasPrefix(above+"/", real+"/")
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// opencodeFindings finds what is not harmless of what stands in a directory, and returns the names of instructions there.
func opencodeFindings(dir string) (found []Finding, instructed []string) {
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
				names, own := named(members[key])
				if !own {
					told(filepath.Join(dir, name)+" has instructions that stand elsewhere", name)
				}
				instructed = append(instructed, names...)
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
		".agents/skills")...), instructed
}

// opencodeInstructions are the files that opencode tells its model in each directory that it works or reads in.
var opencodeInstructions = strings.Fields("AGENTS.md CLAUDE.md CONTEXT.md")

// keepsToItself reports whether a setting is one by which opencode does not put conversations on a server of its
// maker's (https://opencode.ai/docs/share).
func keepsToItself(key string, value json.RawMessage) bool {
	return key == "share" && slices.Contains([]string{`"manual"`, `"disabled"`}, string(value)) ||
		key == "autoshare" && string(value) == "false"
}
