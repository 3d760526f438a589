package cliimport

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// What one question to a program may take.
const (
	longestAnswer = 5 * time.Second
	largestAnswer = 1 << 20 // bytes
	mostMemory    = 2 << 30 // bytes, of each process
	mostProcesses = 128     // threads count
	mostTemporary = 16 << 20
)

// mostUnanswered is how many questions of an import may stay without an answer until it is given up.
const mostUnanswered = 12

// Answer is what a program said to one question.
type Answer struct {
	Stdout, Stderr string
	Code           int
	Ended          string // why it was ended before it had said all; "" when it was not
}

// Asker starts a program with words, and nothing else. Safe for concurrent use. The error says that nothing can be
// asked any more.
type Asker interface {
	Ask(ctx context.Context, words ...string) (Answer, error)
	// AskFile starts it in an empty directory of its own. The answer is what a file there holds in the end, and what was
	// said on standard error.
	AskFile(ctx context.Context, file string, words ...string) (Answer, error)
}

// Host is the sandbox.
type Host interface {
	Plan(sandbox.Profile) (sandbox.Plan, error)
	Run(context.Context, sandbox.Plan, sandbox.Process) (sandbox.Outcome, error)
}

// asker asks a program in the sandbox, a few questions at once.
type asker struct {
	host       Host
	plan       sandbox.Plan
	path       string
	patience   time.Duration
	places     chan struct{}
	asked      atomic.Int64
	unanswered atomic.Int64
}

// newAsker settles where the program is asked. A machine that cannot keep it from files and the network does not.
func newAsker(host Host, p Program, patience time.Duration) (*asker, error) {
	profile := sandbox.Profile{
		Dir: os.TempDir(), TempIsolation: true, Network: tool.NetworkOff,
		Environment: map[string]string{
			"COBRA_ACTIVE_HELP": "0", "NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "200", "GOMAXPROCS": "2",
		},
		Limits: tool.Limits{
			Timeout: patience, CPU: patience, Output: largestAnswer, Memory: mostMemory,
			Processes: mostProcesses, TempSize: mostTemporary, FileSize: mostTemporary, OpenFiles: 256,
		},
		Require: []sandbox.Property{sandbox.PropertyFiles, sandbox.PropertyNetwork, sandbox.PropertyProcesses},
	}
	if !slices.Contains(filepath.SplitList(sandbox.SearchPath), filepath.Dir(p.Path)) {
		profile.AllowedPaths = []tool.AllowedPath{{Path: p.Path, ReadOnly: true}}
	}
	plan, err := host.Plan(profile)
	if err != nil {
		return nil, fmt.Errorf("a program is asked in the sandbox only: %w", err)
	}
	places := make(chan struct{}, max(4, runtime.NumCPU()+2))
	return &asker{host: host, plan: plan, path: p.Path, patience: patience, places: places}, nil
}

// Ask implements Asker.
func (a *asker) Ask(ctx context.Context, words ...string) (Answer, error) {
	return a.ask(ctx, append([]string{a.path}, words...))
}

// AskFile implements Asker. The place is the call's own: it is gone with it, so the file is printed there.
func (a *asker) AskFile(ctx context.Context, file string, words ...string) (Answer, error) {
	const script = `cd "${TMPDIR:-/tmp}" && file=$1 && shift && "$@" >&2 && exec cat -- "$file"`
	return a.ask(ctx, append([]string{"/bin/sh", "-c", script, "import", file, a.path}, words...))
}

func (a *asker) ask(ctx context.Context, argv []string) (Answer, error) {
	if a.unanswered.Load() >= mostUnanswered {
		return Answer{}, fmt.Errorf("%s: %d questions stayed without an answer; it does not answer as a program does "+
			"that completes its own words", a.path, mostUnanswered)
	}
	select {
	case a.places <- struct{}{}:
		defer func() { <-a.places }()
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	}
	a.asked.Add(1)
	out, err := a.host.Run(ctx, a.plan, sandbox.Process{Argv: argv})
	if err != nil {
		return Answer{}, fmt.Errorf("ask %s: %w", a.path, err)
	}
	answer := Answer{Stdout: string(out.Stdout), Stderr: string(out.Stderr), Code: out.ExitCode}
	switch {
	case out.Cancelled:
		return Answer{}, errors.Join(errors.New("stopped"), context.Cause(ctx))
	case out.TimedOut:
		answer.Ended = "it did not answer within " + a.patience.String()
	case out.Truncated:
		answer.Ended = "its answer has more than 1 MB"
	case slices.Contains(out.LimitsHit, "processes"):
		answer.Ended = "it starts more processes than it may"
	}
	if answer.Ended != "" {
		a.unanswered.Add(1)
	}
	return answer, nil
}
