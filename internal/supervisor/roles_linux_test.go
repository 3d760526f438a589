package supervisor

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMain makes the test binary a supervisor, or one of the processes that the tests watch over.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Verb {
		os.Exit(Main(os.Args[2:], os.Stderr))
	}
	if len(os.Args) > 2 && os.Args[1] == "play" {
		play(os.Args[2], os.Args[3:])
	}
	os.Exit(m.Run())
}

// play is a process of the agent's tree, or the bridge. Everybody who takes part writes name and number to
// the register, a named pipe, and holds it open until the end: when all are gone it reaches its end, and a
// test that reads it knows.
func play(role string, args []string) {
	register := os.Getenv("REGISTER")
	switch role {
	case "stubborn": // ends by SIGKILL only
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		announce(register, role)
		forever()
	case "yielding": // ends when it is asked to
		announce(register, role)
		forever()
	case "polite": // ends with its input
		announce(register, role)
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(4)
	case "deserter": // a grandchild without parent, session and manners
		spawn(true, "middleman").Wait()
	case "middleman":
		spawn(true, "stubborn")
	case "family": // everybody who is hard to get rid of
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		announce(register, role)
		spawn(false, "stubborn")
		spawn(true, "stubborn")
		spawn(false, "deserter").Wait()
		forever()
	case "leaver": // leaves others behind
		announce(register, role)
		for _, left := range args[1:] {
			spawn(true, left)
		}
		_, _ = io.Copy(io.Discard, os.Stdin)
		code, _ := strconv.Atoi(args[0])
		os.Exit(code)
	case "launcher": // as Gemini's: a second process does the work, signals are swallowed and forwarded to nobody
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		announce(register, role)
		var failed *exec.ExitError
		worker := spawn(false, args[0])
		if err := worker.Wait(); err != nil && !asExit(err, &failed) {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if status := worker.ProcessState.Sys().(syscall.WaitStatus); status.Signal() == syscall.SIGKILL {
			forever() // and not as quick as whoever kills them both
		}
		os.Exit(worker.ProcessState.ExitCode())
	case "warden": // keeps its supervisor from running
		signal.Ignore(syscall.SIGTERM)
		announce(register, role)
		for {
			_ = syscall.Kill(os.Getppid(), syscall.SIGSTOP)
		}
	case "hardened": // takes root's number where its file is setuid, so that an ordinary supervisor may not signal it
		if err := syscall.Setresuid(0, 0, 0); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		announce(register, role)
		forever()
	case "witness": // tells what it was given
		writeJSON(witnessed())
	case "bridge": // until its input ends
		playBridge(time.Minute, append([]string{self(), "play"}, args...))
	case "impatient": // a bridge of any command, that soon gives up what it cannot end
		playBridge(50*time.Millisecond, args)
	default:
		fmt.Fprintln(os.Stderr, "nobody plays", role)
		os.Exit(1)
	}
	os.Exit(0)
}

// playBridge guards an agent until the end of its input, and tells how it ended and what was said.
func playBridge(patience time.Duration, command []string) {
	agent, err := Start(noContext(), Options{
		Self: self(), Command: command, Env: os.Environ(),
		StdinGrace: time.Millisecond, TermGrace: time.Millisecond, Patience: patience,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(5)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	agent.Stop()
	stderr, _ := io.ReadAll(agent.Stderr)
	fmt.Printf("%s\n%s", agent.Wait(), stderr)
}

// announce enters a process into the register, which it holds open from then on.
func announce(register, role string) {
	f, err := os.OpenFile(register, os.O_WRONLY, 0)
	if err == nil {
		_, err = fmt.Fprintf(f, "%s %d\n", role, os.Getpid())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	held = f
}

// held keeps the register from being closed by the garbage collector.
var held *os.File

func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

// spawn starts another role, with our standard streams.
func spawn(setsid bool, role string) *exec.Cmd {
	cmd := exec.Command(self(), "play", role)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: setsid}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return cmd
}

func self() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

// witness is what a process was given.
type witness struct {
	Descriptors map[int]string
	Blocking    []bool // the standard streams
	Env, Args   []string
	Dir         string
	Ignored     string // signals, as in /proc/self/status
	Blocked     string
	Group       bool // it leads a process group, which is not its supervisor's
	Session     bool // its supervisor leads the session
}

func witnessed() witness {
	w := witness{Descriptors: map[int]string{}, Env: os.Environ(), Args: os.Args}
	w.Dir, _ = os.Getwd()
	for fd := range 64 {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil {
			continue
		}
		target, _ := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
		kind, _, _ := strings.Cut(target, ":")
		if strings.HasPrefix(kind, "anon_inode") || strings.HasPrefix(kind, "/sys/fs/cgroup/") {
			continue // this process's own: the Go runtime's poller, and where it reads how many processors it may use
		}
		w.Descriptors[fd] = kind
	}
	for fd := range 3 {
		flags, _ := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		w.Blocking = append(w.Blocking, flags&unix.O_NONBLOCK == 0)
	}
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "SigIgn:"); ok {
			// 32 to 34 are the C library's own (signal(7)): Go leaves them as whoever started the test had
			// them.
			mask, _ := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
			w.Ignored = fmt.Sprintf("%016x", mask&^(7<<31))
		}
		if value, ok := strings.CutPrefix(line, "SigBlk:"); ok {
			w.Blocked = strings.TrimSpace(value)
		}
	}
	w.Group = unix.Getpgrp() == os.Getpid()
	session, _ := unix.Getsid(0)
	w.Session = session == os.Getppid()
	return w
}

func writeJSON(v any) {
	if err := json.NewEncoder(os.Stdout).Encode(v); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// copySelf returns a copy of the test binary that every user may run, and a directory that every user may
// write to.
func copySelf(t *testing.T, mode os.FileMode) (binary, dir string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "supervisor-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	binary = filepath.Join(dir, "agent")
	// By another process: had we had it open for writing, a process that another test starts at that moment
	// would hold it open for as long as it takes to execute its own program, and this one could not be
	// executed (ETXTBSY).
	err = exec.Command("cp", self(), binary).Run()
	if err == nil {
		err = os.Chmod(binary, mode)
	}
	if err == nil {
		err = os.Chmod(dir, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	return binary, dir
}
