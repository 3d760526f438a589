package config

import (
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is the number of links that a path may lead through (Linux, path_resolution(7)).
const maxLinks = 40

// pathStep is one name on the way to a file, with the links before it resolved.
type pathStep struct {
	path string
	link bool
}

// pathSteps returns every name that the system looks at on the way to an absolute path, links and their
// targets included. It ends with the first name that does not exist, with the file itself, or where there are
// too many links.
func pathSteps(path string) []pathStep {
	var steps []pathStep
	current := string(filepath.Separator)
	pending := strings.Split(path, string(filepath.Separator))
	for links := 0; len(pending) > 0; {
		name := pending[0]
		pending = pending[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			current = filepath.Dir(current)
			continue
		}
		next := filepath.Join(current, name)
		info, err := os.Lstat(next)
		if err != nil {
			return append(steps, pathStep{path: next})
		}
		if info.Mode()&os.ModeSymlink == 0 {
			steps = append(steps, pathStep{path: next})
			current = next
			continue
		}
		steps = append(steps, pathStep{path: next, link: true})
		target, err := os.Readlink(next)
		if links++; err != nil || links > maxLinks {
			return steps
		}
		if filepath.IsAbs(target) {
			current = string(filepath.Separator)
		}
		pending = append(strings.Split(target, string(filepath.Separator)), pending...)
	}
	return steps
}
