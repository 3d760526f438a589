// Package unixsocket provides UNIX sockets that only one user can connect to.
package unixsocket

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// socketName is the socket's name in its directory.
const socketName = "socket"

// Options says where a socket is made, and for whom. The zero value is for our own user.
type Options struct {
	RuntimeDir string // best made here ($XDG_RUNTIME_DIR); used if it is ours alone
	TempDir    string // made here otherwise; default os.TempDir()
	User       int    // who may connect, where that is another than ours; only root can make such a socket
}

// Listener is a socket in a directory of its own, with a name that nobody can guess. Close it.
type Listener struct {
	*net.UnixListener
	dir   string
	user  int
	close func() error
}

// Listen makes a socket. Who connects is not looked at before Admits.
func Listen(o Options) (*Listener, error) {
	if o.TempDir == "" {
		o.TempDir = os.TempDir()
	}
	if o.User == 0 {
		o.User = os.Geteuid()
	}
	dir, err := makeSocketDir(parentsOfSockets(o.RuntimeDir, o.TempDir))
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, socketName)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err == nil {
		err = open(dir, path, o.User)
	}
	if err != nil {
		if listener != nil {
			listener.Close()
		}
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	l := &Listener{UnixListener: listener, dir: dir, user: o.User}
	l.close = sync.OnceValue(func() error { return errors.Join(l.UnixListener.Close(), os.RemoveAll(l.dir)) })
	return l, nil
}

// Path returns the path to connect to.
func (l *Listener) Path() string { return filepath.Join(l.dir, socketName) }

// Close ends accepting, and removes the socket and its directory. Closing twice is harmless.
func (l *Listener) Close() error { return l.close() }

// Admits tells who has connected, and returns an error where that is nobody whom the socket is for.
func (l *Listener) Admits(conn *net.UnixConn) (Peer, error) {
	who, err := PeerOf(conn)
	if err != nil {
		return who, fmt.Errorf("the system does not tell whose it is: %w", err)
	}
	if who.Known && who.UID != l.user {
		return who, errors.New("another user")
	}
	return who, nil
}

// Dial connects to a socket. Who listens there may learn a secret next, so it must be our own user, or
// whoever made the socket's directory for us.
func Dial(ctx context.Context, path string) (*net.UnixConn, error) {
	made, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	conn := made.(*net.UnixConn)
	who, err := PeerOf(conn)
	if err == nil && who.Known && who.UID != os.Geteuid() && !isGiven(path, who.UID) {
		err = fmt.Errorf("the socket belongs to user %d, and this process to user %d", who.UID, os.Geteuid())
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// open lets the one user get to the socket, and nobody else. For another than ours the directory can be
// entered, though not listed, and stays ours, so that nobody can put another socket in the place of this
// one.
func open(dir, socket string, user int) error {
	if err := os.Chmod(socket, 0o600); err != nil || user == os.Geteuid() {
		return err
	}
	if err := os.Chown(socket, user, -1); err != nil {
		return err
	}
	return os.Chmod(dir, 0o711)
}

// longestPath is how long the path of a socket may be: sun_path of unix(7) has room for it and a final NUL.
const longestPath = len(syscall.RawSockaddrUnix{}.Path) - 1

// makeSocketDir makes a directory that is ours alone, with a name that nobody can guess, in the first of
// the parents where the path of a socket in it is short enough.
func makeSocketDir(parents []string) (string, error) {
	name := "a2a-acp-" + Token(8)
	var failed []error
	for _, parent := range parents {
		dir := filepath.Join(parent, name)
		if n := len(filepath.Join(dir, socketName)); n > longestPath {
			failed = append(failed, fmt.Errorf("%s: the path of a socket there would have %d bytes, and the system takes %d",
				parent, n, longestPath))
			continue
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			failed = append(failed, err)
			continue
		}
		return dir, nil
	}
	return "", fmt.Errorf("no directory for a socket; "+
		"set TMPDIR to a directory that you can write and whose path is short: %w", errors.Join(failed...))
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

// Token returns n random bytes, in hexadecimal.
func Token(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails: crypto/rand ends the program when the kernel has no randomness
	return hex.EncodeToString(b)
}
