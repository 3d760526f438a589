package config

import (
	"errors"
	"os"

	"github.com/a2a-acp/a2a-acp/internal/pathwalk"
)

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
	errGone := errors.New("it does not exist")
	_, _ = pathwalk.Walk(path, func(name string) (string, error) { // what was seen until an error is what counts
		info, err := os.Lstat(name)
		step := pathStep{path: name, link: err == nil && info.Mode()&os.ModeSymlink != 0}
		steps = append(steps, step)
		switch {
		case err != nil:
			return "", errGone
		case !step.link:
			return "", nil
		}
		return os.Readlink(name)
	})
	return steps
}
