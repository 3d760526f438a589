package unasked

import (
	"path/filepath"
	"slices"
	"strings"
)

// ownSettings are the variables that say where an agent has the person's own settings, which nobody looks at.
var ownSettings = map[string]string{
	"claude": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME", "gemini": "GEMINI_CLI_HOME",
	"opencode": "XDG_CONFIG_HOME OPENCODE_CONFIG OPENCODE_CONFIG_DIR",
}

// ownInRepository finds variables by which a repository's settings would count as the person's own (direnv sets some).
func ownInRepository(agent, dir string, environ []string) (found []Finding) {
	within := func(path string) bool {
		return strings.HasPrefix(path+"/", filepath.Clean(dir)+"/") || withinRepository(dir, path)
	}
	var usual []string // where they are without a variable, in which somebody may work
	for _, home := range homesIn(environ) {
		if within(home) {
			return nil
		}
		for _, name := range []string{".config", ".codex", ".claude"} {
			usual = append(usual, filepath.Join(home, name))
		}
	}
	for _, name := range strings.Fields(ownSettings[agent]) {
		value := variable(environ, name)
		path := joined(dir, value)
		if value == "" || slices.Contains(usual, path) {
			continue
		}
		real, err := filepath.EvalSymlinks(path)
		if within(path) || err == nil && within(real) {
			found = append(found, Finding{Dir: dir, What: name + " leads to " + path + ", which lies in the repository",
				Instead: "set it to a directory of your own"})
		}
	}
	return found
}
