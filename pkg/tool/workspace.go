package tool

import (
	"path/filepath"
	"strings"
)

// Workspace is the set of directories that a session works in: its working directory and the additional
// ones that the editor named. The zero Workspace contains nothing.
type Workspace struct {
	Root       string   // absolute, clean, links resolved; "" when the session has no workspace
	Additional []string // likewise
}

// Contains reports whether path lies in the workspace, or is one of its directories. The path must be
// absolute and clean, with its links resolved: Contains compares names and never looks at the disk.
func (w Workspace) Contains(path string) bool {
	_, ok := w.Rel(path)
	return ok
}

// Rel gives path relative to the workspace directory that contains it ("." for the directory itself).
func (w Workspace) Rel(path string) (string, bool) {
	for _, dir := range w.Dirs() {
		if path == dir {
			return ".", true
		}
		if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, "/")+"/"); ok {
			return rest, true
		}
	}
	return "", false
}

// Dirs lists the directories, the root first.
func (w Workspace) Dirs() []string {
	var dirs []string
	for _, dir := range append([]string{w.Root}, w.Additional...) {
		if filepath.IsAbs(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
