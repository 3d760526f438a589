// Package editor edits the settings of editors, in which agents are entered.
package editor

import (
	"os"
	"path/filepath"
)

// Editor is an editor that starts ACP agents by what its settings say.
type Editor struct {
	Name  string // what `a2a-acp editor enable NAME` calls it
	Title string
	// settings lists where its settings can be; without any of them, the first is made.
	settings func(Dirs) []string
	// custom says that an entry has to say that it is no agent of the editor's own registry.
	custom bool
}

// Dirs are where a person's settings are.
type Dirs struct {
	Home   string // absolute
	Config string // $XDG_CONFIG_HOME, or "" for its default
	Claude string // $CLAUDE_CONFIG_DIR, or "" for its default
}

// DirsOf returns the directories that an environment names.
func DirsOf(getenv func(string) string) Dirs {
	return Dirs{Home: getenv("HOME"), Config: getenv("XDG_CONFIG_HOME"), Claude: getenv("CLAUDE_CONFIG_DIR")}
}

// Known returns the editors whose settings are data. Those of Neovim and Emacs are programs.
func Known() []Editor {
	return []Editor{
		{
			// https://zed.dev/docs/ai/external-agents; Flatpak keeps an application's settings in a place of
			// its own.
			Name: "zed", Title: "Zed", custom: true, settings: func(p Dirs) []string {
				return []string{filepath.Join(p.config(), "zed", "settings.json"),
					filepath.Join(p.Home, ".var", "app", "dev.zed.Zed", "config", "zed", "settings.json")}
			},
		},
		{
			// https://www.jetbrains.com/help/ai-assistant/acp.html
			Name: "jetbrains", Title: "JetBrains IDEs", settings: func(p Dirs) []string {
				return []string{filepath.Join(p.Home, ".jetbrains", "acp.json")}
			},
		},
	}
}

// Settings returns the file that the editor reads, and whether it is there.
func (e Editor) Settings(p Dirs) (path string, exists bool) {
	paths := e.settings(p)
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			return path, true
		}
	}
	return paths[0], false
}

func (p Dirs) config() string {
	if filepath.IsAbs(p.Config) {
		return p.Config
	}
	return filepath.Join(p.Home, ".config")
}
