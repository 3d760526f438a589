package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// BroughtWith returns the directory that holds both a path and a directory that is worked in, where whoever
// wrote the latter could have brought the former along, and set the variable that names it: direnv does that
// for a repository. It returns "" where he could not: nobody brings what holds the home of our account, which
// no variable says, nor what root made for another, nor the directories that each system has for everybody.
func BroughtWith(path, dir, home string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	for p := dir; p != filepath.Dir(p); p = filepath.Dir(p) {
		switch {
		case home != "" && within(home, p), isRoots(p), slices.Contains(everybodys, p):
			return ""
		case within(path, p):
			return p
		}
	}
	return ""
}

// everybodys are the directories that a system has for everybody's files, by the Filesystem Hierarchy Standard
// 3.0 (3.8, 3.18, 5.15): they were there before anything was unpacked in them. They matter to root alone, for
// whom no other directory is root's.
var everybodys = []string{"/home", "/tmp", "/var/tmp"}

// isRoots reports whether a directory is root's, and we are not root.
func isRoots(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil || os.Getuid() == 0 {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == 0
}

// within reports whether a clean path is dir or lies in it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// Admit says why nobody may work in a directory while these files count: whoever wrote what is in it could
// have brought one of them along.
func (s Sources) Admit(dir string, files []File) error {
	for _, file := range files {
		if file.Path == "" || file.Layer != tool.LayerUser && file.Layer != tool.LayerEnvironment {
			continue
		}
		for _, step := range pathSteps(file.Path) {
			if in := BroughtWith(step.path, dir, s.Home); in != "" {
				return fmt.Errorf("%s counts for every session and lies in %s, whose author could have brought it along; "+
					"move it, or name it with a flag", file.Name, in)
			}
		}
	}
	return nil
}
