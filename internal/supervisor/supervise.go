package supervisor

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/a2a-acp/a2a-acp/internal/resident"
	"time"

	"golang.org/x/sys/unix"
)

// supervise starts an agent and ends its tree: the ladder of the package's documentation. It returns when
// nobody is left that can be ended.
func supervise(d order, control io.Reader, reports, stderr io.Writer) int {
	tree, err := startAgent(d)
	if err != nil {
		report{kind: reportFailed, text: explainStart(d.path, err)}.write(reports)
		return 0
	}
	report{kind: reportStarted}.write(reports)

	deaths := newDeaths()
	// Ends when nobody is left; else with the process.
	go deaths.watch(tree, func(exit Exit) { reportOf(exit).write(reports) })
	released := make(chan struct{})
	go func() { // ends when the bridge lets go or dies; else with the process
		_, _ = io.Copy(io.Discard, control)
		close(released)
	}()

	resident.GiveBack() // from here on it waits
	select {
	case <-deaths.first: // whoever the agent left behind has no standard input that somebody writes to
	case <-released:
		within(d.o.StdinGrace, deaths.first)
	}
	tree.signal(syscall.SIGTERM)
	if within(d.o.TermGrace, deaths.all) {
		return 0
	}
	survivors := tree.kill(deaths, d.o.Patience)
	for _, who := range survivors {
		fmt.Fprintf(stderr, "a2a-acp: a process that the agent started is left, and may not be ended by this user: %s\n", who)
		report{kind: reportSurvivor, survivor: who}.write(reports)
	}
	return 0
}

// startAgent starts the agent in a process group of its own, so that a signal it sends to its group does
// not reach us, and gives up our ends of its input and output: the bridge must see when nobody reads or
// writes them any more.
func startAgent(d order) (*tree, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	t, err := newTree(d.mark)
	if err != nil {
		return nil, err
	}
	t.agent, err = syscall.ForkExec(d.path, d.argv, &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: agentAttributes(),
	})
	if err != nil {
		return nil, err
	}
	return t, errors.Join(redirect(int(null.Fd()), 0), redirect(int(null.Fd()), 1))
}

// deaths tells of the end of the agent's processes.
type deaths struct {
	first chan struct{} // closed when the agent's first process has ended
	any   chan struct{} // has a value when some process has ended since it was last looked at
	all   chan struct{} // closed when nobody is left
}

func newDeaths() *deaths {
	return &deaths{first: make(chan struct{}), any: make(chan struct{}, 1), all: make(chan struct{})}
}

// watch reaps what has ended until there are no children. It calls ended with the end of the agent's first
// process.
func (d *deaths) watch(t *tree, ended func(Exit)) {
	defer close(d.all)
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, waitOptions, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil: // ECHILD
			t.awaitRest()
			return
		default:
			if pid == t.agent {
				ended(exitOf(status))
				close(d.first)
			}
			select {
			case d.any <- struct{}{}:
			default:
			}
		}
	}
}

// within reports whether a channel is closed within a time.
func within(grace time.Duration, done <-chan struct{}) bool {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
