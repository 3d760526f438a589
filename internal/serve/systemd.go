package serve

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// firstInherited is the first descriptor that a service manager hands over (sd_listen_fds(3)).
const firstInherited = 3

// Inherited returns the sockets that the service manager has opened for this process. It is called before
// anything else opens or starts something.
func Inherited(getenv func(string) string) ([]*os.File, error) {
	if getenv("LISTEN_PID") != strconv.Itoa(os.Getpid()) {
		return nil, nil
	}
	n, err := strconv.Atoi(getenv("LISTEN_FDS"))
	if err != nil || n < 0 || n > 64 {
		return nil, fmt.Errorf("LISTEN_FDS is %q: want a number of sockets", getenv("LISTEN_FDS"))
	}
	for fd := firstInherited; fd < firstInherited+n; fd++ { // all, before one of them is ours to close
		var is unix.Stat_t
		if err := unix.Fstat(fd, &is); err != nil || is.Mode&unix.S_IFMT != unix.S_IFSOCK {
			return nil, fmt.Errorf("LISTEN_FDS is %d, and descriptor %d is no socket", n, fd)
		}
	}
	files := make([]*os.File, n)
	for i := range files {
		fd := firstInherited + i
		unix.CloseOnExec(fd)
		files[i] = os.NewFile(uintptr(fd), fmt.Sprintf("socket %d of the service manager", i))
	}
	return files, nil
}

// Manager is the service manager that has started the process (sd_notify(3)). The zero Manager is none: it is
// told nothing.
type Manager struct {
	socket   string
	watchdog time.Duration // within which it wants to hear that we live; 0 for never
}

// ManagerOf returns the service manager that the environment names.
func ManagerOf(getenv func(string) string) Manager {
	m := Manager{socket: getenv("NOTIFY_SOCKET")}
	pid := getenv("WATCHDOG_PID")
	if n, err := strconv.ParseInt(getenv("WATCHDOG_USEC"), 10, 64); err == nil && n > 0 &&
		(pid == "" || pid == strconv.Itoa(os.Getpid())) {
		m.watchdog = time.Duration(n) * time.Microsecond
	}
	return m
}

// Tell tells the manager of a state, such as READY=1. That it does not hear is no reason to end.
func (m Manager) Tell(state string) {
	if m.socket == "" {
		return
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: m.socket, Net: "unixgram"})
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = conn.Write([]byte(state)) // see above
}

// Reloading tells that the configuration is read again; READY=1 ends it. Type=notify-reload wants the time.
func (m Manager) Reloading() {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) == nil {
		m.Tell(fmt.Sprintf("RELOADING=1\nMONOTONIC_USEC=%d", now.Nano()/1000))
	}
}

// Beat tells the manager that the process lives, until over is closed. alive is asked each time before: while
// it does not return true, nothing is told, and the manager ends the process.
func (m Manager) Beat(over <-chan struct{}, alive func() bool) {
	if m.socket == "" || m.watchdog == 0 {
		return
	}
	tick := time.NewTicker(m.watchdog / 2)
	defer tick.Stop()
	for {
		if alive() {
			m.Tell("WATCHDOG=1")
		}
		select {
		case <-over:
			return
		case <-tick.C:
		}
	}
}
