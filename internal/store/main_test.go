package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// roleVariable makes a copy of the test binary play a process of its own; see roles.
const roleVariable = "A2A_TEST_STORE_ROLE"

// roles are what other processes do with the database that their first argument names. They say a line on
// stdout when they are ready, and go on when their stdin gives a line.
var roles = map[string]func(ctx context.Context, s *Store, args []string) error{
	// ask ID puts a question and waits; asksame ID one that can be asked again.
	"ask": func(ctx context.Context, s *Store, args []string) error {
		if _, err := s.Put(ctx, question(args[0])); err != nil {
			return err
		}
		fmt.Println("asked")
		a, err := s.Wait(ctx, args[0])
		fmt.Println(a.State, a.Approver, err)
		return nil
	},
	"asksame": func(ctx context.Context, s *Store, args []string) error {
		if _, err := s.Put(ctx, same(args[0])); err != nil {
			return err
		}
		fmt.Println("asked")
		a, err := s.Wait(ctx, args[0])
		fmt.Println(a.State, a.UsedBy, err)
		return nil
	},
	// asksettle ID puts a question that can be asked again and is answered where it was asked.
	"asksettle": func(ctx context.Context, s *Store, args []string) error {
		if _, err := s.Put(ctx, same(args[0])); err != nil {
			return err
		}
		a, err := s.Settle(ctx, args[0], Answer{Approved: true, Approver: "editor"})
		fmt.Println(a.State, a.UsedBy, err)
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		return nil
	},
	// answer ID WHO approves it as soon as it is told to.
	"answer": func(ctx context.Context, s *Store, args []string) error {
		fmt.Println("ready")
		if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
			return err
		}
		a, err := s.Answer(ctx, args[0], Answer{Approved: true, Approver: args[1]}, nil)
		fmt.Println(a.Approver, err)
		return nil
	},
	// again ID asks the very same as every other process that plays this role, as soon as it is told to,
	// and says which question it has and whose answer. It stays until it is told again.
	"again": func(ctx context.Context, s *Store, args []string) error {
		in := bufio.NewReader(os.Stdin)
		fmt.Println("ready")
		if _, err := in.ReadString('\n'); err != nil {
			return err
		}
		a, err := s.Put(ctx, same(args[0]))
		fmt.Println(a.ID, a.State, a.UsedBy, err)
		_, _ = in.ReadString('\n')
		return nil
	},
	// lease takes a lease and stays; leaseall all that it gets as soon as it is told to.
	"lease": func(ctx context.Context, s *Store, _ []string) error {
		err := leaseOne(ctx, s)
		fmt.Println("leased")
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		return err
	},
	"leaseall": func(ctx context.Context, s *Store, _ []string) error {
		list, err := s.Webhooks(ctx)
		if err != nil {
			return err
		}
		var keys []WebhookKey
		for _, w := range list {
			keys = append(keys, w.WebhookKey)
		}
		in := bufio.NewReader(os.Stdin)
		fmt.Println("ready")
		if _, err := in.ReadString('\n'); err != nil {
			return err
		}
		got, err := s.LeaseWebhooks(ctx, keys, time.Now().Add(time.Hour))
		fmt.Println(len(got))
		_, _ = in.ReadString('\n')
		return err
	},
	// busy NAME makes ten questions, and answers each.
	"busy": func(ctx context.Context, s *Store, args []string) error {
		for i := range 10 {
			id := fmt.Sprintf("%s-%d", args[0], i)
			if _, err := s.Put(ctx, question(id)); err != nil {
				return err
			}
			if _, err := s.Answer(ctx, id, Answer{Approver: "me"}, nil); err != nil {
				return err
			}
		}
		return nil
	},
}

func question(id string) Approval {
	return Approval{ID: id, Expires: time.Now().Add(time.Hour), CallID: "call of " + id, Title: "run it", Text: "rm -rf /", Kind: "execute", Digest: "abc", Bound: true}
}

// same is a question that can be asked again.
func same(id string) Approval {
	a := question(id)
	a.Key, a.CallID = "the very same", "call of "+id
	return a
}

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	ctx := context.Background()
	s, err := Open(ctx, Options{Path: os.Args[1]})
	if err == nil {
		err = errors.Join(roles[role](ctx, s, os.Args[2:]), s.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// other is a process that plays a role.
type other struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines *bufio.Reader
	in    io.WriteCloser
	err   *strings.Builder
}

func start(t *testing.T, role, path string, args ...string) *other {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := &other{t: t, cmd: exec.Command(self, append([]string{path}, args...)...), err: &strings.Builder{}}
	o.cmd.Env = append(os.Environ(), roleVariable+"="+role)
	o.cmd.Stderr = o.err
	out, err := o.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	o.lines = bufio.NewReader(out)
	if o.in, err = o.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := o.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = o.cmd.Process.Kill()
		_ = o.cmd.Wait()
	})
	return o
}

func (o *other) line() string {
	o.t.Helper()
	line, err := o.lines.ReadString('\n')
	if err != nil {
		o.t.Fatalf("the other process said nothing: %v; %s", err, o.err)
	}
	return strings.TrimSpace(line)
}

// stop has the process stand still, as one that the kernel does not run.
func (o *other) stop() {
	o.t.Helper()
	if err := o.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		o.t.Fatal(err)
	}
}

func (o *other) tell() {
	if _, err := io.WriteString(o.in, "go\n"); err != nil {
		o.t.Error(err)
	}
}

func open(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func newPath(t *testing.T) string { return filepath.Join(t.TempDir(), Name) }
