package trust

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/a2a-acp/a2a-acp/internal/dirs"
)

// Root returns the directory that stands for a workspace in the store: absolute and without links. The error
// says why nothing in it can ever be trusted.
func Root(o Options, dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(o.Dir, dir)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is no directory; name the workspace, not a file of it", real)
	}
	if (dirs.Dirs{Getenv: o.Getenv}).Workspace(real, nil).Root == "" {
		return "", fmt.Errorf("%s is no workspace: it is the root, the home directory, or one that our own files lie in; "+
			"trust the project's own directory", real)
	}
	return real, mayTrust(o, real)
}

// FileName returns the name under which a file is trusted: absolute and without links. It is "" for what is
// no file.
func FileName(o Options, path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(o.Dir, path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err != nil || info.IsDir() {
		return "", err
	}
	return real, mayTrust(o, filepath.Dir(real))
}
