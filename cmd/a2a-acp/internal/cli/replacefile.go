package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/a2a-acp/a2a-acp/internal/atomicfile"
)

// ReplaceFile puts a file in the place of another, or of none, so that nobody ever reads a part. One that
// is there keeps its permissions, and a link goes on leading to it.
func ReplaceFile(path string, data []byte, mode fs.FileMode) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is no plain file", path)
		}
		mode = info.Mode().Perm()
	}
	return atomicfile.Write(path, data, mode)
}
