package editor

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Program is an agent, or a bridge with an agent behind it.
type Program struct {
	Arguments   []string // the command first: absolute
	Environment []string // all of it
	Dir         string
}

// Process is a Program that was started.
type Process struct {
	Stdin  io.WriteCloser
	Stdout *os.File // its reader closes it

	command *exec.Cmd
	stderr  tail
	exited  chan struct{}
	err     error // of Wait; read after exited is closed
}

// Start starts a program as an editor does: in a process group of its own, with pipes.
func Start(program Program) (*Process, error) {
	command := exec.Command(program.Arguments[0], program.Arguments[1:]...)
	command.Env, command.Dir = program.Environment, program.Dir
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// A pipe of our own, since Wait would close one that exec makes while there may still be something to
	// read in it.
	stdout, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer write.Close()
	command.Stdout = write
	p := &Process{command: command, Stdout: stdout, exited: make(chan struct{})}
	command.Stderr = &p.stderr
	// A grandchild that holds on to standard error must not keep us waiting.
	command.WaitDelay = time.Second
	stdin, err := command.StdinPipe()
	if err != nil {
		stdout.Close()
		return nil, err
	}
	p.Stdin = stdin
	if err := command.Start(); err != nil {
		stdout.Close()
		return nil, fmt.Errorf("start the agent: %w", err)
	}
	go func() { // ends with the process; End waits for it
		p.err = command.Wait()
		close(p.exited)
	}()
	return p, nil
}

// End waits, after standard input was closed, for the process to end by itself, and kills its process group
// when that takes longer than patience. It returns the exit code, -1 after a signal, and whether it ended
// by itself.
func (p *Process) End(patience time.Duration) (code int, byItself bool) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-p.exited:
		byItself = true
	case <-timer.C:
		_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL) // it ends just now, or it is killed
		<-p.exited
	}
	var exit *exec.ExitError
	switch {
	case p.err == nil, errors.Is(p.err, exec.ErrWaitDelay):
		code = p.command.ProcessState.ExitCode()
	case errors.As(p.err, &exit):
		code = exit.ExitCode()
	default:
		code = -1
	}
	return code, byItself
}

// Stderr returns the end of what the process wrote to standard error.
func (p *Process) Stderr() string { return p.stderr.String() }

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// kept is how much of standard error is worth showing, in bytes.
const kept = 16 << 10

func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, text...)
	if over := len(t.text) - kept; over > 0 {
		t.text = append(t.text[:0:0], t.text[over:]...)
	}
	return len(text), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
