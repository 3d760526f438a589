package mcpserver

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// socketName is the socket's name in its directory.
const socketName = "mcp"

// longestPath is how long the path of a socket may be: sun_path of unix(7) has room for it and a final NUL.
const longestPath = len(syscall.RawSockaddrUnix{}.Path) - 1

// makeSocketDir makes a directory that is ours alone, with a name that nobody can guess, in the first of the parents where
// the path of a socket in it is short enough.
func makeSocketDir(parents []string) (string, error) {
	name := "a2a-acp-" + randomHex(8)
	var failed []error
	for _, parent := range parents {
		dir := filepath.Join(parent, name)
		if n := len(filepath.Join(dir, socketName)); n > longestPath {
			failed = append(failed, fmt.Errorf("%s: the path of a socket there would have %d bytes, and the system takes %d", parent, n, longestPath))
			continue
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			failed = append(failed, err)
			continue
		}
		return dir, nil
	}
	return "", fmt.Errorf("no directory for a socket; set TMPDIR to a directory that you can write and whose path is short: %w", errors.Join(failed...))
}

// parentsOfSockets lists where a socket's directory may be made, the best first: the user's own runtime directory, where it
// is one (XDG Base Directory Specification: owned by the user, 0700); the temporary directory; /tmp, since either may have
// too long a name.
func parentsOfSockets(runtimeDir, tempDir string) []string {
	var parents []string
	if isPrivateDir(runtimeDir) {
		parents = append(parents, runtimeDir)
	}
	if filepath.IsAbs(tempDir) {
		parents = append(parents, tempDir)
	}
	return append(parents, "/tmp")
}

// isPrivateDir tells whether a path is a directory that is ours and opens to nobody else.
func isPrivateDir(path string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

func randomHex(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails: crypto/rand ends the program when the kernel has no randomness
	return hex.EncodeToString(b)
}
