package tasklog

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// roleVariable has the test binary be another process that uses the log.
const roleVariable = "A2A_TEST_TASKLOG_ROLE"

// roles are what other processes do with the log. They say a line for each step.
var roles = map[string]func(l *Log, args []string) error{
	// append ID TEXT appends an artifact to a task.
	"append": func(l *Log, args []string) error {
		_, err := l.Append(context.Background(), args[0], artifact(args[1]))
		return err
	},
	// make ID begins a task and stays.
	"make": func(l *Log, args []string) error {
		_, err := l.Create(context.Background(), Task{ID: args[0], Door: "a2a", Owner: "me", Context: "c"}, created())
		fmt.Println("made", err)
		select {}
	},
	// work makes tasks and events until it is killed, and says each that it was told is kept.
	"work": func(l *Log, args []string) error {
		for worker := range 8 {
			go func() {
				for i := 0; ; i++ {
					id := fmt.Sprintf("%s-%d-%d", args[0], worker, i)
					t, err := l.Create(context.Background(), Task{ID: id, Door: "a2a", Owner: "me", Context: "c"},
						created(), status(Working))
					for seq := t.Seq; err == nil; {
						fmt.Println("kept", id, seq)
						if seq >= 6 {
							break
						}
						step := artifact(fmt.Sprint(seq + 1))
						if seq == 5 {
							step = status(Completed)
						}
						t, err = l.Append(context.Background(), id, step)
						seq = t.Seq
					}
					if err != nil {
						fmt.Println("failed", err)
					}
				}
			}()
		}
		select {}
	},
}

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	l, err := Open(context.Background(), Options{Path: os.Args[1]})
	if err == nil {
		err = roles[role](l, os.Args[2:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// other is another process.
type other struct {
	*exec.Cmd
	lines *bufio.Scanner
}

func start(t *testing.T, role, path string, args ...string) *other {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{path}, args...)...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	o := &other{cmd, bufio.NewScanner(out)}
	t.Cleanup(func() {
		o.kill()
		if t.Failed() && stderr.Len() > 0 {
			t.Log(stderr.String())
		}
	})
	return o
}

func (o *other) kill() {
	_ = o.Process.Kill()
	_ = o.Wait()
}

func newPath(t *testing.T) string { return filepath.Join(t.TempDir(), Name) }

func open(t *testing.T, path string) *Log {
	t.Helper()
	l, err := Open(t.Context(), Options{Path: path, Look: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

var clock = time.UnixMilli(1_700_000_000_000)

func created() Step {
	return Step{Kind: Created, State: Submitted, At: clock, Body: []byte("created")}
}

func status(s State) Step { return Step{Kind: Status, State: s, At: clock, Body: []byte(s)} }

func artifact(text string) Step { return Step{Kind: Artifact, At: clock, Body: []byte(text)} }

// begun begins a task of an owner.
func begun(t *testing.T, l *Log, id, owner string, steps ...Step) Task {
	t.Helper()
	task, err := l.Create(t.Context(), Task{ID: id, Door: "a2a", Owner: owner, Context: "c"}, created(), steps...)
	if err != nil {
		t.Fatal(err)
	}
	return task
}
