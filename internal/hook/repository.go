package hook

import (
	"path/filepath"
	"strings"
)

// inRepository looks for something in a directory and those above it, in which agents find a repository's
// settings. From the home on they are the person's own. It returns what find says first, "" for nothing.
func inRepository(dir string, environ []string, find func(dir string) string) (what string, err error) {
	home := ""
	for _, variable := range environ {
		if value, is := strings.CutPrefix(variable, "HOME="); is {
			home = value
		}
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	for _, start := range []string{filepath.Clean(dir), real} {
		for at := start; at != home && !strings.HasPrefix(home, strings.TrimSuffix(at, "/")+"/"); at = filepath.Dir(at) {
			if what := find(at); what != "" {
				return what, nil
			}
			if at == "/" {
				break
			}
		}
	}
	return "", nil
}
