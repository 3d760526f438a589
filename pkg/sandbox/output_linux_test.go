//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

func TestOutput(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		host := openHost(t)
		for _, test := range []struct {
			name           string
			text           string
			limit          int64
			stdout, stderr string
			truncated      bool
		}{
			{"nothing", "exit 0", 10, "", "", false},
			{"both", "echo out; echo err >&2", 10, "out\n", "err\n", false},
			{"as much as may be", "printf 0123456789; printf abcdefghij >&2", 10, "0123456789", "abcdefghij", false},
			{"one byte more", "printf 0123456789x; sleep 1000", 10, "0123456789", "", true},
			{"one byte more at the end", "printf 0123456789x", 10, "0123456789", "", true},
			{"too much on stderr only", "printf ok; printf 0123456789x >&2; sleep 1000", 10, "ok", "0123456789", true},
			{"no limit", "head -c 3000000 /dev/zero | tr '\\0' z", 0, strings.Repeat("z", 3_000_000), "", false},
			{"no text", `printf '\x00\xff\xfe\r\n'`, 10, "\x00\xff\xfe\r\n", "", false},
			{"through /dev/stderr", "echo x > /dev/stderr; echo y > /proc/self/fd/1", 10, "y\n", "x\n", false},
			{"closed streams", "exec >&- 2>&-; sleep 0.05; exit 0", 10, "", "", false},
		} {
			t.Run(test.name, func(t *testing.T) {
				limits := tool.DefaultLimits()
				limits.Output = test.limit
				var copied bytes.Buffer
				out := script{text: test.text, limits: limits, stdout: &copied}.run(t.Context(), t, host)
				if string(out.Stdout) != test.stdout || string(out.Stderr) != test.stderr || out.Truncated != test.truncated {
					t.Errorf("got %.40q, %.40q, truncated %t; want %.40q, %.40q, %t", out.Stdout, out.Stderr, out.Truncated, test.stdout, test.stderr, test.truncated)
				}
				if hit := len(out.LimitsHit) > 0; hit != test.truncated {
					t.Errorf("got limits hit %q", out.LimitsHit)
				}
				if copied.String() != test.stdout {
					t.Errorf("the writer got %.40q, want %.40q", copied.String(), test.stdout)
				}
				kept := int64(len(out.Stdout) + len(out.Stderr))
				if test.truncated && out.OutputBytes <= kept || !test.truncated && out.OutputBytes != kept {
					t.Errorf("got %d bytes of output, %d of them kept", out.OutputBytes, kept)
				}
			})
		}
	})
}

// TestOutputFlood checks that a call which writes without end is ended soon, and costs little memory until
// then.
func TestOutputFlood(t *testing.T) {
	alone(t, func(t *testing.T) {
		host := openHost(t)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		limits := tool.DefaultLimits()
		limits.Output = 1 << 20
		out := script{text: "yes | head -c 1G & yes >&2 & wait", limits: limits}.run(t.Context(), t, host)
		runtime.ReadMemStats(&after)
		if !out.Truncated || len(out.Stdout) > 1<<20 || len(out.Stderr) > 1<<20 {
			t.Errorf("got truncated %t, %d and %d bytes", out.Truncated, len(out.Stdout), len(out.Stderr))
		}
		if out.OutputBytes > 4<<20 {
			t.Errorf("%d bytes were read before the call was ended", out.OutputBytes)
		}
		// Two buffers that double until they hold a megabyte.
		if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
			t.Errorf("%d bytes were allocated", used)
		}
	})
}

// TestOutputLast is about a caller that keeps the output itself: it gets every byte, and the outcome holds
// the end of it.
func TestOutputLast(t *testing.T) {
	alone(t, func(t *testing.T) {
		host := openHost(t)
		for _, test := range []struct {
			text   string
			limit  int64
			stdout string
			total  int64
		}{
			{"printf 0123456789abc", 0, "56789abc", 13},
			{"printf 0123", 0, "0123", 4},
			{"printf 01234567; sleep 0.05; printf 89; sleep 0.05; printf abc", 0, "56789abc", 13},
			{"head -c 40M /dev/zero | tr '\\0' x; printf 01234567", 0, "01234567", 40<<20 + 8},
			{"printf 0123456789; yes", 10, "23456789", 10},
		} {
			got := &counted{}
			limits := tool.DefaultLimits()
			limits.Output = test.limit
			out := script{text: test.text, limits: limits, stdout: got, last: 8}.run(t.Context(), t, host)
			if string(out.Stdout) != test.stdout || got.n != test.total || out.Truncated != (test.limit > 0) {
				t.Errorf("%s: got %q, %d bytes, truncated %t", test.text, out.Stdout, got.n, out.Truncated)
			}
			// What else the program allocates meanwhile, by the clock, is not the output's.
			if kept := cap(out.Stdout); kept > 1024 {
				t.Errorf("%s: room for %d bytes is kept", test.text, kept)
			}
		}
	})
}

// counted counts what it is given.
type counted struct{ n int64 }

func (c *counted) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

// TestOutputHeldElsewhere checks that a result does not wait for a program that is no part of the call and
// was handed its standard output, as a daemon could be over a socket.
func TestOutputHeldElsewhere(t *testing.T) {
	t.Parallel()
	host := openHost(t)
	dir := t.TempDir()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	held := make(chan *os.File, 1)
	var server sync.WaitGroup
	server.Go(func() {
		conn, err := listener.AcceptUnix()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		// The peer is the call; its standard output is taken from /proc, which is as good as being sent it.
		raw, _ := conn.SyscallConn()
		var peer *unix.Ucred
		raw.Control(func(fd uintptr) { peer, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
		if err != nil {
			t.Error(err)
			return
		}
		f, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/1", peer.Pid), os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
			return
		}
		held <- f
	})
	r := role("connect")
	r.env["SANDBOX_TEST_SOCKET"] = filepath.Join(dir, "s")
	// A machine without namespaces grants all sockets or none.
	r.profile = func(p *Profile) { p.Sockets, p.BestEffort = []string{filepath.Join(dir, "s")}, true }
	out := r.run(t.Context(), t, host)
	listener.Close() // or a call that did not come would be waited for
	server.Wait()
	if string(out.Stdout) != "before\nafter\n" || out.ExitCode != 0 {
		t.Errorf("got %q, code %d\n%s", out.Stdout, out.ExitCode, out.Stderr)
	}
	(<-held).Close()
}

// playConnect connects, waits until the other side has closed, and ends.
func playConnect() error {
	fmt.Println("before")
	conn, err := net.Dial("unix", os.Getenv("SANDBOX_TEST_SOCKET"))
	if err != nil {
		return err
	}
	if _, err := io.ReadAll(conn); err != nil {
		return err
	}
	fmt.Println("after")
	return nil
}

// TestBackgroundHolder checks that a background process which holds the output does not keep the result back.
func TestBackgroundHolder(t *testing.T) {
	t.Parallel()
	host := openHost(t)
	limits := tool.DefaultLimits()
	limits.Timeout = time.Minute
	out := script{text: "(sleep 50; echo late) & disown; echo early", limits: limits}.run(t.Context(), t, host)
	if string(out.Stdout) != "early\n" || out.TimedOut || out.Killed == 0 {
		t.Errorf("got %q, timed out %t, %d killed", out.Stdout, out.TimedOut, out.Killed)
	}
}

// TestWriterFails checks that a writer which fails costs the call nothing.
func TestWriterFails(t *testing.T) {
	t.Parallel()
	host := openHost(t)
	out := script{text: "echo one; sleep 0.05; echo two", stdout: failing{}}.run(t.Context(), t, host)
	if string(out.Stdout) != "one\ntwo\n" {
		t.Errorf("got %q", out.Stdout)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("gone") }
