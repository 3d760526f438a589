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

// makeSocketDir makes a directory that is ours alone, with a name that nobody can guess, in the first of
// the parents where the path of a socket in it is short enough.
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

// parentsOfSockets lists where a socket's directory may be made, the best first: the user's own runtime
// directory, where it is one (XDG Base Directory Specification: owned by the user, 0700); the temporary
// directory; /tmp, since either may have too long a name.
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

// isPrivateDir reports whether a path is a directory that is ours and opens to nobody else.
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

// isGiven reports whether a socket is one that root made for us: it is ours, and lies in a directory that
// belongs to the user who listens there, and that nobody else can change, us included. In a user namespace
// where only we have a number, root shows as the number that stands for all others, like the directory's
// owner (user_namespaces(7)).
func isGiven(socket string, listener int) bool {
	file, err := os.Lstat(socket)
	if err != nil || file.Mode()&os.ModeSocket == 0 {
		return false
	}
	dir, err := os.Lstat(filepath.Dir(socket))
	if err != nil || !dir.IsDir() || dir.Mode().Perm()&0o022 != 0 {
		return false
	}
	owner := func(info os.FileInfo) int {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			return int(stat.Uid)
		}
		return -1
	}
	return owner(file) == os.Geteuid() && owner(dir) == listener
}

func randomHex(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails: crypto/rand ends the program when the kernel has no randomness
	return hex.EncodeToString(b)
}
