package cli

import (
	"path/filepath"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Allowed reads the paths of --allow.
func Allowed(dir string, paths []string) []tool.AllowedPath {
	var list []tool.AllowedPath
	for _, path := range paths {
		path, readOnly := strings.CutSuffix(path, ":ro")
		list = append(list, tool.AllowedPath{Path: Absolute(dir, path), ReadOnly: readOnly})
	}
	return list
}

// Absolute returns path as it is seen from dir.
func Absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
