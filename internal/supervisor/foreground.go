package supervisor

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/term"
)

// Foreground is an agent in the terminal of a person: it has our streams, and is in our process group, so
// that what the terminal sends for its keys reaches it as without us.
type Foreground struct {
	Command []string // required
	Env     []string // the agent's whole environment
	Stdio   []*os.File
	// Signals is what we are told. SIGTERM and SIGHUP are passed on; what keys send, the agent has heard
	// itself.
	Signals <-chan os.Signal
	// Grace is from SIGTERM to SIGKILL. Optional, default 5 s.
	Grace time.Duration
}

// Run runs the agent until it ends. What the agent leaves running goes on, as without us. Whoever calls it has
// marked this process (Mark), so that all that the agent starts is known as an agent's.
func (f Foreground) Run() (Exit, error) {
	path, err := Resolve(f.Command, f.Env, "")
	if err != nil {
		return Exit{}, err
	}
	if f.Grace == 0 {
		f.Grace = defaultPatience
	}
	restore := keepTerminal(f.Stdio[0])
	// The agent is told when the thread ends that has started it: with this process.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	agent, err := os.StartProcess(path, f.Command, &os.ProcAttr{Env: append([]string{}, f.Env...), Files: f.Stdio,
		Sys: foregroundAttributes()})
	if err != nil {
		var errno syscall.Errno
		if errors.As(err, &errno) {
			err = errors.New(explainStart(path, errno))
		}
		return Exit{}, err
	}
	ended := make(chan struct{})
	passed := make(chan struct{})
	go func() { // ends with the agent
		defer close(passed)
		f.passOn(agent, ended)
	}()
	exit, err := wait(agent.Pid)
	close(ended)
	<-passed
	if exit.Signalled() {
		restore()
	}
	return exit, err
}

// passOn passes signals on until the agent has ended.
func (f Foreground) passOn(agent *os.Process, ended <-chan struct{}) {
	var kill <-chan time.Time
	for {
		select {
		case <-ended:
			return
		case s := <-f.Signals:
			if s != syscall.SIGTERM && s != syscall.SIGHUP {
				continue
			}
			_ = syscall.Kill(agent.Pid, s.(syscall.Signal))
			if kill == nil {
				kill = time.After(f.Grace)
			}
		case <-kill:
			_ = syscall.Kill(agent.Pid, syscall.SIGKILL)
		}
	}
}

// wait waits for the agent to end. While it is stopped, so are we: a shell waits for us.
func wait(pid int) (Exit, error) {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return Exit{}, fmt.Errorf("wait for the agent: %w", err)
		case !status.Stopped():
			return exitOf(status), nil
		default:
			for len(continued) > 0 {
				<-continued
			}
			_ = syscall.Kill(syscall.Getpid(), syscall.SIGSTOP) // may return before we stop
			<-continued
			_ = syscall.Kill(pid, syscall.SIGCONT) // only we may have been told
		}
	}
}

// keepTerminal returns what puts a terminal back into the state in which it is: an agent that was killed
// leaves it as it had it.
func keepTerminal(f *os.File) (restore func()) {
	state, err := term.GetState(int(f.Fd()))
	if err != nil {
		return func() {}
	}
	return func() { _ = term.Restore(int(f.Fd()), state) }
}
