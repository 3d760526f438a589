package agents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// WithoutHooks says why an agent of a version cannot be made to ask us before each of its own acts; "" where
// it can, and where the version is not known.
func (a Agent) WithoutHooks(version string) string {
	switch {
	case a.Hooks == "":
		return a.Title + " has no hooks that ask anybody over ACP"
	case version != "" && older(version, a.Hooks):
		return fmt.Sprintf("%s %s is older than %s, the first version whose hooks are known to ask before each act; update it: %s",
			a.Title, version, a.Hooks, a.Install())
	}
	return ""
}

// WithoutHooks says the same of the agent that a command starts, as it is installed.
func WithoutHooks(command []string) string {
	agent, known := ByCommand(command)
	if !known {
		return "it is not known whether " + filepath.Base(command[0]) + " has hooks"
	}
	return agent.WithoutHooks(agent.installed(command))
}

// installed returns the version of the agent that a command starts, from the manifest of its npm package; ""
// where there is none.
func (a Agent) installed(command []string) string {
	for _, word := range command {
		path, err := filepath.EvalSymlinks(word)
		if err != nil || !filepath.IsAbs(path) {
			continue
		}
		for dir := filepath.Dir(path); dir != "/"; dir = filepath.Dir(dir) {
			var manifest struct{ Name, Version string }
			text, err := os.ReadFile(filepath.Join(dir, "package.json"))
			if err == nil && json.Unmarshal(text, &manifest) == nil && manifest.Name == a.Package {
				return manifest.Version
			}
		}
	}
	return ""
}

// older reports whether a version is older than another. One before a release (1.2.0-beta) is older than that.
func older(version, than string) bool {
	version, _, _ = strings.Cut(version, "+")
	version, before, _ := strings.Cut(version, "-")
	ours, theirs := strings.Split(version, "."), strings.Split(than, ".")
	for i := range max(len(ours), len(theirs)) {
		if a, b := number(ours, i), number(theirs, i); a != b {
			return a < b
		}
	}
	return before != ""
}

// number returns a part of a version; 0 for one that is not there or is no number.
func number(parts []string, at int) int {
	if at >= len(parts) {
		return 0
	}
	n, err := strconv.Atoi(parts[at])
	if err != nil {
		return 0
	}
	return n
}
