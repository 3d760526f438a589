//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// call is one process tree, from before its first process to after its last.
type call struct {
	plan Plan
	mark mark

	dirs    *directories
	streams [2]*stream // stdout and stderr
	root    root
	lost    map[int]bool // processes that we may not signal

	over    chan string // the limit that ends the call; has room for one
	overOne sync.Once
}

// Run starts a process under a plan and returns when no process of its tree is left, whatever it took: when the first
// process ends, what it left behind is killed at once; when ctx ends or the time is up, the process group gets SIGTERM, and
// after the grace SIGKILL; a call that floods its output or starts too many processes gets SIGKILL.
//
// An error means that nothing ran (*StartError), or that the tree could not be ended, which the Outcome beside it tells more
// of. A tool's own failure is an Outcome.
func (h *Host) Run(ctx context.Context, plan Plan, process Process) (Outcome, error) {
	if plan.digest == "" {
		return Outcome{ExitCode: -1}, tool.Failf(tool.FailSandbox, "the plan to run under is empty; Host.Plan makes one")
	}
	if err := process.check(); err != nil {
		return Outcome{ExitCode: -1}, err
	}
	c := &call{plan: plan, lost: map[int]bool{}, over: make(chan string, 1)}
	if err := h.enter(c); err != nil {
		return Outcome{ExitCode: -1}, err
	}
	defer h.leave(c)
	if ctx.Err() != nil {
		return Outcome{ExitCode: -1, Cancelled: true}, nil
	}
	var outcome Outcome
	var err error
	onThread(func(thread int) {
		c.root.thread = thread
		outcome, err = h.run(ctx, c, process)
	})
	return outcome, err
}

// run carries a call out, from nothing to nothing.
func (h *Host) run(ctx context.Context, c *call, process Process) (Outcome, error) {
	begun := time.Now()
	if err := h.start(c, process); err != nil {
		return Outcome{ExitCode: -1}, err
	}
	why := make(chan ending, 1)
	go func() { why <- c.watch(ctx, h.grace) }() // ends with the root
	lost := c.root.await()
	ended := <-why
	left, leftErr := h.clearAway(c, ended != ending{})
	outcome, endErr := c.conclude(ended, lost == nil)
	outcome.Reaped, outcome.Killed, outcome.Lost = left.reaped, left.killed, left.lost
	if err := c.dirs.remove(); err != nil {
		outcome.Leftover = err.Error()
	}
	outcome.Elapsed = time.Since(begun)
	return outcome, errors.Join(lost, leftErr, endErr)
}

// start makes all that the call needs, and its first process. On an error nothing is left.
func (h *Host) start(c *call, process Process) (err error) {
	var theirs []int // descriptors that are only for the call
	defer func() {
		for _, fd := range theirs {
			unix.Close(fd)
		}
		if err != nil {
			err = errors.Join(err, c.discard())
		}
	}()
	if c.dirs, err = h.scratch.makeDirectories(&c.plan.profile); err != nil {
		return err
	}
	limit := c.plan.profile.Limits.Output
	for i, to := range []struct {
		writer io.Writer
		size   int
	}{{process.Stdout, pipeSize}, {process.Stderr, 0}} {
		s, fd, err := openStream(limit, to.writer, to.size)
		if err != nil {
			return err
		}
		c.streams[i] = s
		theirs = append(theirs, fd)
	}
	for _, input := range process.Inputs {
		fd, err := openInput(input)
		if err != nil {
			return err
		}
		theirs = append(theirs, fd)
	}
	l, err := newLaunch(process.Argv, c.plan.environ(c.dirs.temp), c.dirs.start)
	if err != nil {
		return err
	}
	l.files = append([]int{int(h.null.Fd())}, theirs...)
	l.session = h.session
	l.limit(c.plan.profile.Limits, c.mark, h.brake(c.plan.profile.Limits.Processes), h.capability)

	process1, err := l.start()
	if err != nil {
		return placed(err, process.Argv[0], c.dirs.start)
	}
	c.root.pid, c.root.pidfd, c.root.exited = process1.pid, process1.pidfd, make(chan struct{})
	h.enrol(c.root.pid)
	h.wakeCensus()
	for _, s := range c.streams {
		go s.read(func() { c.end(limitOutput) }) // until finish
	}
	return nil
}

// placed adds to an error the path that it is about.
func placed(err error, program, dir string) error {
	var start *StartError
	if errors.As(err, &start) {
		switch start.Step {
		case stepExec.String():
			start.Path = program
		case stepDir.String():
			start.Path = dir
		}
	}
	return err
}

// end says which limit ends the call. The first one counts.
func (c *call) end(limit string) {
	c.overOne.Do(func() { c.over <- limit })
}

// ending is why a call ended. The zero ending is its own.
type ending struct {
	limit     string // of ours
	cancelled bool
}

// watch returns when the root has ended, which it sees to when that has to be.
func (c *call) watch(ctx context.Context, grace time.Duration) ending {
	var timeout <-chan time.Time
	if limit := c.plan.profile.Limits.Timeout; limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case <-c.root.exited:
		return ending{}
	case limit := <-c.over:
		c.root.kill()
		return ending{limit: limit}
	case <-ctx.Done():
		c.root.terminate(grace, c.over)
		return ending{cancelled: true}
	case <-timeout:
		c.root.terminate(grace, c.over)
		return ending{limit: limitTimeout}
	}
}

// conclude takes the root off the process table, if it has ended, lets go of it, ends the reading of its output and says
// what became of the call.
func (c *call) conclude(why ending, ended bool) (Outcome, error) {
	var end *exit
	var err error
	if ended {
		var e exit
		if e, err = reap(c.root.pid); err == nil {
			end = &e
		}
	}
	unix.Close(c.root.pidfd)
	for _, s := range c.streams {
		s.finish()
	}
	return c.outcome(why, end), err
}

// discard takes away what start made of a call that did not start.
func (c *call) discard() error {
	for _, s := range c.streams {
		if s != nil {
			s.from.Close()
		}
	}
	if c.dirs == nil {
		return nil
	}
	return c.dirs.remove()
}
