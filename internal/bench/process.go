package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// launcher starts a relay with an agent behind it, in a directory of its own and with nobody's configuration.
type launcher struct {
	dir      string
	argv     []string
	patience time.Duration // with which one round is waited for, and the end of the process
}

// process is a running relay, and its two ends.
type process struct {
	cmd     *exec.Cmd
	in      *os.File     // what it reads
	out     *os.File     // what it writes
	stderr  bytes.Buffer // not to be looked at before it has stopped
	got     []byte       // the last answer
	stopped bool

	patience time.Duration
}

func (l launcher) start() (*process, error) {
	work := filepath.Join(l.dir, "work")
	if err := os.MkdirAll(work, 0o700); err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(l.argv[0], l.argv[1:]...), patience: l.patience}
	p.cmd.Dir = work
	p.cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + l.dir, "TMPDIR=" + l.dir,
		"XDG_CONFIG_HOME=" + filepath.Join(l.dir, "config"), "A2A_STATE_DIR=" + filepath.Join(l.dir, "state"),
	}
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = 5 * time.Second
	var err error
	p.in, p.out, err = startPiped(p.cmd)
	return p, err
}

// startPiped starts a command with pipes to its standard input and from its standard output. The caller
// closes its ends.
func startPiped(cmd *exec.Cmd) (in, out *os.File, err error) {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, theirIn.Close(), in.Close())
	}
	cmd.Stdin, cmd.Stdout = theirIn, theirOut
	err = cmd.Start()
	theirIn.Close()
	theirOut.Close()
	if err != nil {
		return nil, nil, errors.Join(err, in.Close(), out.Close())
	}
	return in, out, nil
}

// stop closes the relay's input, which ends it, and waits; one that does not end is killed. Stopping twice
// is harmless.
func (p *process) stop() {
	if p.stopped {
		return
	}
	p.stopped = true
	p.in.Close()
	kill := time.AfterFunc(p.patience, func() { p.cmd.Process.Kill() })
	defer kill.Stop()
	p.out.SetReadDeadline(time.Now().Add(2 * p.patience))
	io.Copy(io.Discard, p.out) // what is still on its way
	p.cmd.Wait()
	p.out.Close()
}

// because stops a relay that failed, and adds to the error what it said last.
func (p *process) because(err error) error {
	p.cmd.Process.Kill()
	p.stop()
	words := strings.TrimSpace(p.stderr.String())
	words = words[strings.LastIndexByte(words, '\n')+1:]
	return fmt.Errorf("%s: %w (stderr ends with %q)", filepath.Base(p.cmd.Path), err, words)
}

// roundTrip sends a frame and waits for what comes back, which is as long.
func (p *process) roundTrip(frame []byte) (time.Duration, error) {
	return p.exchange(frame, 1, answer(bytes.Clone(frame)))
}

// burst sends a notification many times without waiting, and takes the time until all have come back.
func (p *process) burst(frame []byte, times int) (time.Duration, error) {
	return p.exchange(frame, times, frame)
}

// exchange sends a frame many times while it reads as many of the same length, and compares the last with
// what it should be.
func (p *process) exchange(frame []byte, times int, want []byte) (time.Duration, error) {
	if len(p.got) != len(frame) {
		p.got = make([]byte, len(frame))
	}
	deadline := time.Now().Add(p.patience)
	if err := errors.Join(p.in.SetWriteDeadline(deadline), p.out.SetReadDeadline(deadline)); err != nil {
		return 0, err
	}
	sent := make(chan error, 1)
	begun := time.Now()
	go func() { // ends when all is sent, or at the deadline
		var err error
		for i := 0; i < times && err == nil; i++ {
			_, err = p.in.Write(frame)
		}
		sent <- err
	}()
	var err error
	for i := 0; i < times && err == nil; i++ {
		_, err = io.ReadFull(p.out, p.got)
	}
	taken := time.Since(begun)
	if err != nil {
		p.in.SetWriteDeadline(time.Now()) // nobody reads any more
	}
	if err := errors.Join(err, <-sent); err != nil {
		return 0, err
	}
	if !bytes.Equal(p.got, want) {
		return 0, fmt.Errorf("got %.80q, want %.80q", p.got, want)
	}
	return taken, nil
}
