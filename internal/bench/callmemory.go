package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const (
	runningCalls   = 64
	maxCallMemory  = 10 // MB above idle
	callMemoryRuns = 5
)

// callMemory takes what 64 running calls add to the resident memory of the program that runs them, each
// time in a new process.
func callMemory(dir string) row {
	r := within(fmt.Sprintf("memory above idle, %d calls running", runningCalls), "MB", maxCallMemory)
	var taken []float64
	for range callMemoryRuns {
		megabytes, err := megabytesOf("calls", dir)
		if err != nil {
			return r.unmeasured(err)
		}
		taken = append(taken, megabytes)
	}
	return r.measured(median(taken), 0, fmt.Sprintf("%d processes", callMemoryRuns))
}

// megabytesOf runs a role in a process of its own, and returns the number that it prints.
func megabytesOf(role string, args ...string) (float64, error) {
	cmd := exec.Command("/proc/self/exe", append([]string{"-role", role}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("bench -role %s: %w", role, err)
	}
	return strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
}

// holdCalls is the role: it makes one call, looks at its memory, and looks again when so many calls run at
// once.
func holdCalls(dir string, out io.Writer) (err error) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		return err
	}
	host, err := sandbox.Open(sandbox.Options{TempDir: dir, Level: sandbox.LevelFull})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	plan, err := host.Plan(sandbox.Profile{Dir: filepath.Join(dir, "work"), TempIsolation: true,
		Limits: tool.DefaultLimits()})
	if err != nil {
		return err
	}
	run, err := sandboxed(host, bash, filepath.Join(dir, "work"), false)
	if err != nil {
		return err
	}
	if err := run(); err != nil {
		return err
	}
	runtime.GC()
	idle, err := resident(os.Getpid())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	started := make(chan error, runningCalls)
	var calls sync.WaitGroup
	for range runningCalls {
		calls.Go(func() {
			_, err := host.Run(ctx, plan, sandbox.Process{
				Argv: []string{bash, "--noprofile", "--norc", "/dev/fd/4"},
				Inputs: []sandbox.Input{{Name: "values"},
					{Name: "script", Data: []byte("echo ready; exec sleep 25\n")}},
				Stdout: tells{started},
			})
			if err != nil {
				started <- err
			}
		})
	}
	for range runningCalls {
		err = errors.Join(err, <-started)
	}
	busy, residentErr := resident(os.Getpid())
	cancel()
	calls.Wait()
	fmt.Fprintln(out, busy-idle)
	return errors.Join(err, residentErr)
}

// tells is a writer that tells of each write.
type tells struct{ to chan<- error }

// Write implements io.Writer.
func (t tells) Write(p []byte) (int, error) {
	select {
	case t.to <- nil:
	default: // everybody who wanted to know does
	}
	return len(p), nil
}
