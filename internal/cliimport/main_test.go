package cliimport

import (
	"context"
	stdflag "flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/config"
	_ "github.com/a2a-acp/a2a-acp/internal/zoo" // a zoo that has changed has these tests run again
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

var update = stdflag.Bool("update", false, "write testdata anew")

// box is the sandbox of all tests: what a machine enforces is found out once.
var box *sandbox.Host

// boxDir is where it makes its directories, beside one for the zoo.
var boxDir string

func TestMain(m *testing.M) { os.Exit(inBox(m)) }

func inBox(m *testing.M) (code int) {
	dir, err := os.MkdirTemp("", "cliimport-test-")
	if err == nil {
		defer os.RemoveAll(dir)
		boxDir = dir
		box, err = sandbox.Open(sandbox.Options{TempDir: dir, Grace: 50 * time.Millisecond})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if err := box.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "close the sandbox:", err)
			code = 1
		}
	}()
	return m.Run()
}

// confined skips where this machine keeps no program from files and the network.
func confined(t *testing.T) {
	t.Helper()
	if !box.Level().AtLeast(sandbox.LevelNoProc) {
		if os.Getenv("REQUIRE_SANDBOX") != "" {
			t.Fatalf("level %s: %s", box.Level(), box.Why())
		}
		t.Skipf("level %s: %s", box.Level(), box.Why())
	}
}

// remembering is the sandbox for the zoo, which answers the same whenever it is asked: it is started once for each
// question of all tests.
type remembering struct{ answers sync.Map }

type remembered struct {
	once    sync.Once
	outcome sandbox.Outcome
	err     error
}

func (r *remembering) Plan(p sandbox.Profile) (sandbox.Plan, error) { return box.Plan(p) }

func (r *remembering) Run(_ context.Context, plan sandbox.Plan, process sandbox.Process) (sandbox.Outcome, error) {
	known, _ := r.answers.LoadOrStore(strings.Join(process.Argv, "\x00"), &remembered{})
	answer := known.(*remembered)
	answer.once.Do(func() { answer.outcome, answer.err = box.Run(context.Background(), plan, process) })
	return answer.outcome, answer.err
}

var (
	zooBox   = &remembering{}
	zooBuilt = sync.OnceValues(func() (string, error) { return buildZoo(boxDir) })
)

// zooProgram is the zoo as a program of its own.
func zooProgram(t *testing.T) string {
	t.Helper()
	path, err := zooBuilt()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// buildZoo builds it without the race detector, which would only slow down what each question starts.
func buildZoo(dir string) (string, error) {
	path := filepath.Join(dir, "zoo")
	build := exec.Command("go", "build", "-o", path, "./testdata/zoo")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
}

// program writes a program that is a script.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "prog")
	if err := writeScript(path, script); err != nil {
		t.Fatal(err)
	}
	return path
}

// writeScript has another process write a program. Had this one had it open for writing, a process that another test
// starts at that moment would hold it open for as long as it takes to execute its own program, and this one could not be
// executed (execve(2), ETXTBSY).
func writeScript(path, script string) error {
	cmd := exec.Command("install", "-m", "700", "/dev/stdin", path)
	cmd.Stdin = strings.NewReader("#!/bin/bash\n" + script)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// makeOf makes tools of all commands of a program, or of those that are selected.
func makeOf(t *testing.T, host Host, path string, selectors ...config.Selector) (*Made, error) {
	t.Helper()
	return makeWithin(t, host, 5*time.Minute, path, selectors...)
}

// makeWithin is makeOf for programs that may not answer for so long: no other test depends on how fast a machine is.
func makeWithin(t *testing.T, host Host, patience time.Duration, path string, selectors ...config.Selector) (*Made, error) {
	t.Helper()
	p, err := Find(path, "", "/")
	if err != nil {
		return nil, err
	}
	if len(selectors) == 0 {
		selectors = []config.Selector{{InheritedFlags: config.FlagSelector{None: true}}}
	}
	made, err := Make(t.Context(), host, Request{Program: p, Patience: patience, Import: config.Import{Name: p.Name, Command: path, Selectors: selectors}})
	if err == nil {
		made.Import.Command = p.Command()
	}
	return made, err
}

// watchful is the sandbox, and a function that is called before each question.
type watchful struct {
	Host
	before func(words []string)
}

func (w watchful) Run(ctx context.Context, plan sandbox.Plan, process sandbox.Process) (sandbox.Outcome, error) {
	w.before(process.Argv[1:])
	return w.Host.Run(ctx, plan, process)
}

func (m *Made) find(id string) *tool.Tool {
	for i := range m.Tools {
		if m.Tools[i].ID == id {
			return &m.Tools[i].Tool
		}
	}
	return nil
}

func (m *Made) leftOf(command, flag string) string {
	for _, left := range m.Left {
		if strings.HasSuffix(left.Command, command) && left.Flag == flag {
			return left.Why
		}
	}
	return ""
}
