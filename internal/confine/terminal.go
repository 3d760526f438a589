package confine

import (
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
)

// relay passes on what this program is told, until the function that it returns is called, which tells by
// which signal the call was ended, 0 for none.
//
// At a terminal the command is in our process group, and hears of Ctrl-C by itself. It may also be only we
// who were sent the signal. So where the command has no handler for it, we end the call, and whatever it
// has started; and Ctrl-Z stops it by SIGSTOP, also where it ignores what the terminal sends.
func (e *execution) relay(cancel func()) (told func() syscall.Signal) {
	var (
		by   syscall.Signal
		quit = make(chan struct{})
		over sync.WaitGroup
	)
	over.Go(func() { // ends with quit
		for {
			select {
			case <-quit:
				return
			case s := <-e.o.Signals:
				got, ok := s.(syscall.Signal)
				if ok && e.hear(got) {
					by = got
					cancel()
				}
			}
		}
	})
	return func() syscall.Signal {
		close(quit)
		over.Wait()
		return by
	}
}

// hear does what a signal asks for, and tells whether it ends the call.
func (e *execution) hear(got syscall.Signal) (ends bool) {
	switch got {
	case syscall.SIGTSTP:
		e.host.Signal(syscall.SIGSTOP)
		// May return before we stop: that is when every thread of ours has noticed.
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGSTOP)
		return false
	case syscall.SIGCONT:
		e.host.Signal(syscall.SIGCONT)
		return false
	case syscall.SIGINT, syscall.SIGQUIT:
		if !e.host.Heeds(got) {
			return true
		}
		if !e.profile.Terminal {
			e.host.Signal(got) // it has a group of its own
		}
		return false
	}
	e.host.Signal(got)
	return true // after the grace
}

// anyTerminal reports whether one of some files is a terminal.
func anyTerminal(files []*os.File) bool {
	for _, f := range files {
		if term.IsTerminal(int(f.Fd())) {
			return true
		}
	}
	return false
}

// holdTerminals remembers how the terminal is set and whose it is. The function that it returns gives it
// back to our group, which a shell with job control takes it from and cannot name in its own process
// namespace; and its settings too, where the command was killed before it could.
func holdTerminals(files []*os.File) (restore func(sandbox.Outcome)) {
	for _, f := range files {
		fd := int(f.Fd())
		settings, err := term.GetState(fd)
		if err != nil {
			continue
		}
		group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		if err != nil || group != unix.Getpgrp() {
			return func(sandbox.Outcome) {} // we run in the background: it is another's
		}
		return func(outcome sandbox.Outcome) {
			// A process of the background that changes the terminal is stopped, unless it ignores this.
			signal.Ignore(syscall.SIGTTOU)
			defer signal.Reset(syscall.SIGTTOU)
			if now, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP); err == nil && now != group {
				_ = unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, group)
			}
			if outcome.Signal != "" {
				_ = term.Restore(fd, settings)
			}
		}
	}
	return func(sandbox.Outcome) {}
}
