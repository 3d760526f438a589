//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// gitServer serves a repository that can be pushed to over TCP, and gives its address. It is "" without
// git. For each connection there is a git daemon, as inetd starts it (git-daemon(1)).
func gitServer(t *testing.T) string {
	t.Helper()
	git := systemProgram("git")
	if git == "" {
		return ""
	}
	repository := bareRepository(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	mustDo(t, err)
	var serving sync.WaitGroup
	t.Cleanup(func() {
		listener.Close()
		serving.Wait()
	})
	serving.Go(func() { // ends when the listener is closed
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { // ends with the client
				defer conn.Close()
				socket, err := conn.(*net.TCPConn).File()
				if err != nil {
					t.Error(err)
					return
				}
				defer socket.Close()
				cmd := exec.CommandContext(t.Context(), git, "daemon", "--inetd", "--export-all", "--enable=receive-pack",
					"--base-path="+filepath.Dir(repository), filepath.Dir(repository))
				cmd.Stdin, cmd.Stdout = socket, socket
				// Git believes only repositories of its own user, and says why not in its log.
				cmd.Env = append(os.Environ(), "HOME="+filepath.Dir(repository))
				_ = cmd.Run() // the client tells of what goes wrong
			})
		}
	})
	return "git://" + listener.Addr().String() + "/" + filepath.Base(repository)
}

// postgresPath is where Debian has the server's programs beside the usual places.
const postgresPath = "/usr/lib/postgresql/*/bin"

// postgresServer serves a database on a UNIX socket, and gives the directory that the socket is in and the
// socket. They are "" where there is no server.
func postgresServer(t *testing.T) (dir, socket string) {
	t.Helper()
	found, _ := filepath.Glob(filepath.Join(postgresPath, "postgres"))
	if len(found) == 0 || systemProgram("psql") == "" {
		return "", ""
	}
	// Not the test's own directory: the path of a socket has 107 bytes at most (unix(7)).
	dir, err := os.MkdirTemp("", "pg")
	mustDo(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	attributes := &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT} // a server that is killed outright leaves shared memory
	if os.Geteuid() == 0 {
		mustDo(t, os.Chown(dir, ordinaryUser, ordinaryUser)) // it refuses to run as root
		attributes.Credential = &syscall.Credential{Uid: ordinaryUser, Gid: ordinaryUser}
	}
	mustDo(t, os.Chmod(dir, 0o755))
	data := filepath.Join(dir, "data")
	bin := filepath.Dir(found[0])
	initdb := exec.CommandContext(t.Context(), filepath.Join(bin, "initdb"), "-D", data, "-U", "tool", "-A", "trust", "-N", "--locale=C", "-E", "UTF8")
	initdb.SysProcAttr, initdb.Dir = attributes, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v: %s", err, out)
	}
	// It writes its state into the file when it is ready.
	var log bytes.Buffer
	server := exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-k", dir, "-h", "", "-F", "-c", "unix_socket_permissions=0777")
	server.SysProcAttr, server.Dir, server.Stdout, server.Stderr = attributes, dir, &log, &log
	mustDo(t, server.Start())
	ended := make(chan struct{})
	go func() { // ends with the server
		_ = server.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGINT) // fast shutdown; it may have ended
		<-ended
	})
	for state := ""; state != "ready"; {
		select {
		case <-ended:
			t.Fatalf("postgres ended: %s", log.String())
		default:
		}
		text, _ := os.ReadFile(filepath.Join(data, "postmaster.pid"))
		if lines := bytes.Split(text, []byte("\n")); len(lines) > 7 {
			state = string(bytes.TrimSpace(lines[7]))
		}
		unix.Poll(nil, 10) // how often we look makes no difference
	}
	return dir, filepath.Join(dir, ".s.PGSQL.5432")
}
