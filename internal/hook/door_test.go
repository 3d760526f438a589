package hook

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/unixsocket"
)

const event = `{"hook_event_name":"PreToolUse","cwd":"/w",
 "tool_name":"Bash","tool_use_id":"c","tool_input":{"command":"ls"}}`

// listen makes a door that answers so.
func listen(t *testing.T, decide func(context.Context, Call) Answer) *Door {
	t.Helper()
	d, err := Listen(DoorOptions{Agent: claude, Options: unixsocket.Options{TempDir: "/tmp"}, Decide: decide, Ended: func(Call) {},
		Say: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func run(ctx context.Context, socket, event string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	code = Main(ctx, []string{"claude", socket}, strings.NewReader(event), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestMainPrintsTheAnswer(t *testing.T) {
	t.Parallel()
	d := listen(t, func(_ context.Context, c Call) Answer {
		if c.Title != "ls" || c.Dir != "/w" {
			t.Errorf("got %+v", c)
		}
		return Answer{Verdict: Allow, Reason: "go on"}
	})
	code, out, errs := run(t.Context(), d.Socket(), event)
	if code != 0 || !strings.Contains(out, `"permissionDecision":"allow"`) || errs != "" {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
}

// TestMainFailsClosed checks that a hook that cannot ask blocks the tool: exit code 2, and nothing on stdout
// that could be read as a decision.
func TestMainFailsClosed(t *testing.T) {
	t.Parallel()
	allow := func(context.Context, Call) Answer { return Answer{Verdict: Allow} }
	silent := filepath.Join(t.TempDir(), "silent")
	listener, err := net.Listen("unix", silent)
	if err != nil {
		t.Fatal(err)
	}
	go func() { // ends when the listener is closed
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte(`{"hookSpecificOutput":{"permissionDecision":"allow"`)) // a part of an answer
			conn.Close()
		}
	}()
	t.Cleanup(func() { listener.Close() })
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		name   string
		ctx    context.Context
		socket string
		event  string
	}{
		{"no bridge", t.Context(), filepath.Join(t.TempDir(), "none"), event},
		{"no socket", t.Context(), os.DevNull, event},
		{"half an answer", t.Context(), silent, event},
		{"no JSON", t.Context(), listen(t, allow).Socket(), "no"},
		{"nothing", t.Context(), listen(t, allow).Socket(), ""},
		{"given up before", over, listen(t, allow).Socket(), event},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if code, out, errs := run(test.ctx, test.socket, test.event); code != 2 || out != "" || errs == "" {
				t.Errorf("got %d, %q, %q", code, out, errs)
			}
		})
	}
}

// TestWhoeverGivesUpIsNotWaitedFor checks that a question ends with the hook that asks it, and with the door.
func TestWhoeverGivesUpIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	began, causes := make(chan struct{}), make(chan error, 1)
	decide := func(ctx context.Context, _ Call) Answer {
		began <- struct{}{}
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return Answer{Verdict: Allow}
	}
	d := listen(t, decide)
	ctx, cancel := context.WithCancel(t.Context())
	codes := make(chan int, 1)
	start := func() {
		code, _, _ := run(ctx, d.Socket(), event)
		codes <- code
	}
	go start()
	<-began
	cancel()
	if err := <-causes; !errors.Is(err, ErrGone) {
		t.Errorf("the question ends with %v", err)
	}
	if code := <-codes; code != 2 {
		t.Errorf("the hook ends with %d", code)
	}
	ctx = t.Context()
	go start()
	<-began
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-causes; !errors.Is(err, ErrClosed) {
		t.Errorf("the question ends with %v", err)
	}
	if code := <-codes; code != 2 {
		t.Errorf("the hook ends with %d", code)
	}
	if _, err := os.Stat(d.Socket()); err == nil {
		t.Error("the socket is still there")
	}
}

// TestAStrangersWords checks that what is no call of a tool is refused, and the next one heard.
func TestAStrangersWords(t *testing.T) {
	t.Parallel()
	d := listen(t, func(context.Context, Call) Answer { return Answer{Verdict: Allow} })
	code, out, _ := run(t.Context(), d.Socket(), `{"hook_event_name":"PreToolUse"}`)
	if code != 0 || !strings.Contains(out, `"deny"`) {
		t.Errorf("got %d, %q", code, out)
	}
	if code, out, _ = run(t.Context(), d.Socket(), event); code != 0 || !strings.Contains(out, `"allow"`) {
		t.Errorf("got %d, %q", code, out)
	}
}

// TestMoreThanMayWait checks that a hook beyond those that may wait is told that, and that what has ended is heard
// meanwhile: else an act that was not approved could end unseen.
func TestMoreThanMayWait(t *testing.T) {
	t.Parallel()
	began, goOn := make(chan struct{}), make(chan struct{})
	ends := make(chan Call, 1)
	d, err := Listen(DoorOptions{Agent: claude, Options: unixsocket.Options{TempDir: "/tmp"},
		Decide: func(context.Context, Call) Answer {
			began <- struct{}{}
			<-goOn
			return Answer{Verdict: Allow}
		},
		Ended: func(c Call) { ends <- c }, Again: func(Call) Answer { return Answer{Verdict: Allow} },
		Say: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	var hooks sync.WaitGroup
	for range mostAtOnce {
		hooks.Go(func() {
			if code, out, errs := run(t.Context(), d.Socket(), event); code != 0 || !strings.Contains(out, `"allow"`) {
				t.Errorf("got %d, %q, %q", code, out, errs)
			}
		})
		<-began
	}
	if code, out, errs := run(t.Context(), d.Socket(), event); code != 0 || !strings.Contains(out, `"deny"`) ||
		!strings.Contains(out, "64 of the agent's acts wait") {
		t.Errorf("one more is told %d, %q, %q", code, out, errs)
	}
	after := strings.Replace(event, "PreToolUse", "PostToolUse", 1)
	if code, out, errs := run(t.Context(), d.Socket(), after); code != 0 || out != "{}\n" {
		t.Errorf("what has ended is told %d, %q, %q", code, out, errs)
	} else if c := <-ends; c.ID != "c" {
		t.Errorf("ended is %+v", c)
	}
	again := strings.Replace(event, "PreToolUse", claudeAgain, 1)
	if code, out, errs := run(t.Context(), d.Socket(), again); code != 0 || !strings.Contains(out, `"allow"`) {
		t.Errorf("what is asked again is told %d, %q, %q", code, out, errs)
	}
	close(goOn)
	hooks.Wait()
}
