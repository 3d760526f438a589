package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Options says what to run, and how long to be patient with it.
type Options struct {
	Self    string   // required: the absolute path of this binary, which becomes the supervisor
	Command []string // required: the agent's program and its arguments
	Env     []string // the agent's whole environment; nothing is added to it
	Dir     string   // optional: the agent's working directory, default ours

	// Prepare is called with our ends of the agent's standard input and output before anybody else has
	// them. Optional.
	Prepare func(*os.File)

	StdinGrace time.Duration // optional, default 2 s: from the end of standard input to SIGTERM
	TermGrace  time.Duration // optional, default 2 s: from SIGTERM to SIGKILL
	Patience   time.Duration // optional, default 5 s: how long nothing may change before what is left is given up
}

// Graces that are long enough for the agents we know to write their state (Codex takes 2 s and more), and
// short enough that an editor which is being closed does not seem to hang.
const (
	defaultStdinGrace = 2 * time.Second
	defaultTermGrace  = 2 * time.Second
	defaultPatience   = 5 * time.Second
)

func (o Options) withDefaults() Options {
	for _, grace := range []struct {
		value     *time.Duration
		byDefault time.Duration
	}{{&o.StdinGrace, defaultStdinGrace}, {&o.TermGrace, defaultTermGrace}, {&o.Patience, defaultPatience}} {
		if *grace.value == 0 {
			*grace.value = grace.byDefault
		}
	}
	return o
}

// Agent is a running agent. Its methods are safe for concurrent use.
type Agent struct {
	// The other ends of the agent's standard streams: pipes. Whoever uses them may close them; Stop closes
	// Stdin. Stdout ends when nobody in the agent's tree holds it open any more, Stderr also not before the
	// supervisor has ended.
	Stdin  *os.File
	Stdout *os.File
	Stderr *os.File

	o       Options
	mark    mark
	process *os.Process // the supervisor
	control *os.File    // closed by stop
	stop    func()      // once

	abandoned chan struct{} // closed when the output is not to be waited for; see Abandoned
	started   chan report   // gets one: reportStarted or reportFailed
	ended     chan struct{} // closed when exit and survivors are set
	exit      Exit
}

// Start starts an agent below a supervisor of its own. It returns when the agent's program runs, or with an
// error that says what cannot be run and the cure. ctx is for the start alone: a running agent is ended by
// Stop, and by the end of this process.
func Start(ctx context.Context, o Options) (*Agent, error) {
	o = o.withDefaults()
	if o.Dir != "" {
		if info, err := os.Stat(o.Dir); err != nil {
			return nil, fmt.Errorf("start the agent in %s: %w", o.Dir, err)
		} else if !info.IsDir() {
			return nil, fmt.Errorf("start the agent in %s: it is no directory", o.Dir)
		}
	}
	path, err := Resolve(o.Command, o.Env, o.Dir)
	if err != nil {
		return nil, err
	}
	a := &Agent{o: o, mark: newMark(), abandoned: make(chan struct{}), started: make(chan report, 1),
		ended: make(chan struct{})}
	reports, err := a.launch(path)
	if err != nil {
		return nil, err
	}
	if o.Prepare != nil { // before follow, which closes them
		o.Prepare(a.Stdin)
		o.Prepare(a.Stdout)
	}
	go a.follow(reports) // ends with the supervisor, and closes ended

	select {
	case <-ctx.Done():
		a.Stop()
		a.close()
		return nil, fmt.Errorf("start the agent: %w", context.Cause(ctx))
	case first := <-a.started:
		if first.kind == reportStarted {
			return a, nil
		}
		<-a.ended
		a.close()
		return nil, errors.New(first.text)
	}
}

// launch starts the supervisor, and gives the pipe that it reports on.
func (a *Agent) launch(path string) (*os.File, error) {
	var ours, theirs []*os.File // the ends of the pipes
	closeAll := func(files []*os.File) {
		for _, f := range files {
			f.Close()
		}
	}
	defer func() { closeAll(theirs) }()
	pipe := func(weWrite bool) (our, their *os.File, err error) {
		our, their, err = os.Pipe()
		if err != nil {
			return nil, nil, fmt.Errorf("start the agent: %w", err)
		}
		if weWrite {
			our, their = their, our
		}
		ours, theirs = append(ours, our), append(theirs, their)
		return our, their, nil
	}
	var reports *os.File
	for _, p := range []struct {
		our     **os.File
		weWrite bool
	}{{&a.Stdin, true}, {&a.Stdout, false}, {&a.Stderr, false}, {&a.control, true}, {&reports, false}} {
		var err error
		if *p.our, _, err = pipe(p.weWrite); err != nil {
			closeAll(ours)
			return nil, err
		}
	}

	cmd := exec.Cmd{
		Path: a.o.Self, Args: order{path: path, argv: a.o.Command, mark: a.mark, o: a.o}.args(),
		Env: append([]string{}, a.o.Env...), Dir: a.o.Dir, // a nil Env would be ours
		Stdin: theirs[0], Stdout: theirs[1], Stderr: theirs[2],
		ExtraFiles:  []*os.File{theirs[3], theirs[4]}, // controlFD, reportFD
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if err := cmd.Start(); err != nil {
		closeAll(ours)
		return nil, fmt.Errorf("start the agent's supervisor: %w", err)
	}
	a.process = cmd.Process
	a.stop = sync.OnceFunc(func() {
		a.Stdin.Close()
		a.control.Close()
		_ = a.process.Signal(syscall.SIGCONT) // the agent may have stopped its supervisor
	})
	return reports, nil
}

// follow reads what the supervisor reports until it has ended, and ends what it left behind.
func (a *Agent) follow(reports *os.File) {
	defer close(a.ended)
	var exit *Exit
	var survivors []string
	readReports(reports, func(r report) {
		switch r.kind {
		case reportStarted, reportFailed:
			a.begin(r)
		case reportExited, reportKilled:
			exit = &r.exit
		case reportSurvivor:
			survivors = append(survivors, r.survivor)
		}
	})
	reports.Close()
	how, left := a.reap(exit)
	survivors = append(survivors, left...)
	if a.exit = how; exit == nil && len(survivors) > 0 {
		a.exit = Exit{signal: syscall.SIGKILL, left: strings.Join(survivors, ", ")}
	}
	a.stop() // nobody reads them any more

	if len(survivors) > 0 {
		// Somebody we could not end may hold them open forever.
		time.AfterFunc(a.o.Patience, func() { close(a.abandoned) })
		_ = a.Stdout.SetReadDeadline(time.Now().Add(a.o.Patience))
		_ = a.Stderr.SetReadDeadline(time.Now().Add(a.o.Patience))
	}
}

// reap takes the supervisor's end. One that was killed leaves behind what it watched over, but for the
// agent's first process, which the kernel kills; who of that may not be ended is left. reported is how the
// first process ended, nil when the supervisor did not live to tell.
func (a *Agent) reap(reported *Exit) (exit Exit, left []string) {
	var how Exit
	if state, err := a.process.Wait(); err == nil {
		how = exitOf(state.Sys().(syscall.WaitStatus))
	}
	if how != (Exit{}) {
		left = killMarked(a.mark, a.o.Patience)
	}
	if reported != nil {
		return *reported, left
	}
	a.begin(report{kind: reportFailed, text: "start the agent: its supervisor " + how.String()})
	return lostExit(how), left
}

// begin tells Start how it went. Only the first report counts.
func (a *Agent) begin(r report) {
	select {
	case a.started <- r:
	default:
	}
}

// Abandoned is closed when somebody is left whom we may not end, who may hold the agent's output open
// forever. What was written before can be read by then. A Stdout that blocks (Fd makes it so) is not
// interrupted.
func (a *Agent) Abandoned() <-chan struct{} { return a.abandoned }

// Wait waits until the agent and everything that it started is gone, and tells how the agent's first
// process ended. A process that cannot be ended is not waited for longer than Options.Patience.
func (a *Agent) Wait() Exit {
	<-a.ended
	return a.exit
}

// Stop ends the agent by the ladder in the package's documentation, and returns when everything is gone.
// Wait then tells how it ended. Calling it again, or after the end, is fine.
func (a *Agent) Stop() {
	a.stop()
	stuck := time.NewTimer(a.o.StdinGrace + a.o.TermGrace + 2*a.o.Patience)
	defer stuck.Stop()
	select {
	case <-a.ended:
	case <-stuck.C:
		// A supervisor that is stopped, or waits for a process that the kernel does not let go.
		killBelow(a.process.Pid, a.mark, a.o.Patience)
		_ = a.process.Kill()
		<-a.ended
	}
}

// close gives back what an agent that never ran holds.
func (a *Agent) close() {
	a.stop()
	a.Stdout.Close()
	a.Stderr.Close()
}
