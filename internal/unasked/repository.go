package unasked

import (
	"fmt"
	"path/filepath"
	"strings"
)

// inRepository looks for something in a directory and those above it, in which agents find a repository's
// settings. From the home on they are the person's own.
func inRepository(dir string, environ []string, find func(dir string) []Finding) (all []Finding, err error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("%q is no absolute path of a directory to work in", dir)
	}
	home := variable(environ, "HOME")
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	starts := []string{filepath.Clean(dir), real}
	if starts[0] == real {
		starts = starts[1:]
	}
	for _, start := range starts {
		for at := start; at != home && !strings.HasPrefix(home, strings.TrimSuffix(at, "/")+"/"); at = filepath.Dir(at) {
			all = append(all, find(at)...)
			if at == "/" {
				break
			}
		}
	}
	return all, nil
}

// variable returns the value of an environment variable; "" for one that is not there.
func variable(environ []string, name string) (value string) {
	for _, v := range environ {
		if is, named := strings.CutPrefix(v, name+"="); named {
			value = is
		}
	}
	return value
}
