package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/internal/unixsocket"
)

// listener is a place that is listened at.
type listener struct {
	net.Listener
	url    string // as a client writes it
	secure bool   // TLS is spoken
	ours   bool   // a socket of ours, for our user alone
}

// listen opens an address.
func (r rules) listen(a Address) (*listener, error) {
	if a.socket != "" {
		l, err := listenUnix(a.socket)
		if err != nil {
			return nil, err
		}
		return &listener{Listener: l, url: "unix:" + a.socket, ours: true}, nil
	}
	at, err := net.ResolveTCPAddr("tcp", a.host)
	if err != nil {
		return nil, err
	}
	secure, err := r.secure(a, at.IP.IsLoopback())
	if err != nil {
		return nil, err
	}
	l, err := net.ListenTCP("tcp", at)
	if errors.Is(err, syscall.EADDRINUSE) {
		err = errors.New("another program listens there: end it, or choose another with --listen")
	}
	if err != nil {
		return nil, err
	}
	return newTCP(l, secure), nil
}

// inherit takes a socket that the service manager has opened.
func (r rules) inherit(file *os.File) (*listener, error) {
	l, err := net.FileListener(file)
	if err != nil {
		return nil, err
	}
	at, ok := l.Addr().(*net.TCPAddr)
	if !ok { // who may connect is the service manager's word
		return &listener{Listener: l, url: "unix:" + l.Addr().String()}, nil
	}
	secure, err := r.secure(Address{}, at.IP.IsLoopback())
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	return newTCP(l, secure), nil
}

func newTCP(l net.Listener, secure bool) *listener {
	scheme := "http"
	if secure {
		scheme = "https"
	}
	return &listener{Listener: l, url: scheme + "://" + l.Addr().String(), secure: secure}
}

// longestSocketPath is how long the path of a socket may be: sun_path of unix(7) has room for it and a NUL.
const longestSocketPath = len(syscall.RawSockaddrUnix{}.Path) - 1

// listenUnix makes a socket that our user alone can connect to, in place of one that nobody listens at any
// more.
func listenUnix(path string) (net.Listener, error) {
	dir, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	if mode := dir.Mode(); mode.Perm()&0o002 != 0 && mode&fs.ModeSticky == 0 {
		return nil, fmt.Errorf("everybody could put another socket in its place, in %s (%s)", filepath.Dir(path), mode)
	}
	if err := removeDead(path); err != nil {
		return nil, err
	}
	config := net.ListenConfig{Control: func(_, _ string, conn syscall.RawConn) error {
		return conn.Control(func(fd uintptr) { _ = unix.Fchmod(int(fd), 0o600) }) // Linux makes the socket with it
	}}
	l, err := config.Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// removeDead removes a socket of ours that nobody listens at.
func removeDead(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("there is something else than a socket (%s): remove it, or choose another path", info.Mode())
	}
	conn, err := net.Dial("unix", path)
	if err == nil {
		conn.Close()
		return errors.New("another program listens there: end it, or choose another with --listen")
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return err
	}
	return os.Remove(path)
}

// admits reports whether whoever has connected may: at a socket of ours only our own user, and root.
func (l *listener) admits(conn net.Conn) bool {
	socket, ok := conn.(*net.UnixConn)
	if !ok || !l.ours {
		return true
	}
	who, err := unixsocket.PeerOf(socket)
	return err == nil && (!who.Known || who.UID == os.Geteuid() || who.UID == 0)
}
