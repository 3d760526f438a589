package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// CheckPaths says which paths that a tool's calls may use are not there, so that the calls are not given them. It is for
// whoever asks: a path may come and go, and no call is refused for it. What is relative is so to a call's directory.
func CheckPaths(loaded *Loaded) yamldoc.Errors {
	var found yamldoc.Errors
	for _, allowed := range loaded.allowed {
		if !filepath.IsAbs(allowed.path) {
			continue
		}
		if _, err := os.Stat(allowed.path); errors.Is(err, fs.ErrNotExist) {
			found = append(found, yamldoc.Error{
				File: loaded.Tool.Source.File, Line: allowed.line, Column: allowed.column, Severity: yamldoc.SeverityWarning,
				Rule: "missing-path", Message: "allowed_paths: " + yamldoc.Quote(allowed.path) + " does not exist, so no call is given it",
				Hint: "make it, or take the entry out",
			}.Escaped())
		}
	}
	return found
}

// placedPath is a path, and where it stands in the file.
type placedPath struct {
	path         string
	line, column int
}

func pathAt(path string, v yamldoc.Value) placedPath {
	return placedPath{path, v.Node.Line, v.Node.Column}
}
