package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

// tellOfHanging says what still runs when there is a minute left of what go test gives the tests of a package, and ends
// them. What go test itself says then is thousands of lines, which have no script's name.
func tellOfHanging(patience time.Duration) {
	const left = time.Minute
	if patience <= 2*left { // 0 is for ever
		return
	}
	time.AfterFunc(patience-left, func() {
		fmt.Fprintf(os.Stderr, "after %s these are still waited for:\n", patience-left)
		waitingTests(os.Stderr)
		processesBelow(os.Stderr, os.Getpid())
		os.Exit(1)
	})
}

// waitingTests writes the goroutines that stand in a file of tests.
func waitingTests(w io.Writer) {
	var all bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&all, 2)
	for goroutine := range strings.SplitSeq(all.String(), "\n\n") {
		if !strings.Contains(goroutine, "_test.go:") && !strings.Contains(goroutine, "(*TestScript)") || strings.Contains(goroutine, "testing.(*T).Parallel(") ||
			strings.Contains(goroutine, "waitingTests(") {
			continue
		}
		name, _, _ := strings.Cut(goroutine, "\n")
		fmt.Fprintln(w, name)
		for line := range strings.SplitSeq(goroutine, "\n") {
			if strings.Contains(line, ".go:") {
				fmt.Fprintln(w, line)
			}
		}
	}
}

// processesBelow writes the processes that descend from pid: what they run, and where, which has a script's name.
func processesBelow(w io.Writer, pid int) {
	children, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range children {
		text, _ := os.ReadFile(list)
		for child := range strings.FieldsSeq(string(text)) {
			words, _ := os.ReadFile("/proc/" + child + "/cmdline")
			where, _ := os.Readlink("/proc/" + child + "/cwd")
			fmt.Fprintf(w, "%s, child of %d, in %s: %s\n", child, pid, where, bytes.ReplaceAll(words, []byte{0}, []byte{' '}))
			var id int
			if _, err := fmt.Sscan(child, &id); err == nil {
				processesBelow(w, id)
			}
		}
	}
}

// TestHangingIsTold names a test that waits, and a process that it waits for, with what that has started.
func TestHangingIsTold(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the processes are read in /proc")
	}
	h := newHouse(t)
	cmd := h.command("tools")
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", "cat; :"}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { stdin.Close(); _ = cmd.Wait() }()
	var said bytes.Buffer
	for !strings.Contains(said.String(), fmt.Sprintf("child of %d, in %s: cat ", cmd.Process.Pid, h.work)) {
		said.Reset()
		processesBelow(&said, os.Getpid())
	}
	if want := fmt.Sprintf("%d, child of %d, in %s: sh -c cat; :", cmd.Process.Pid, os.Getpid(), h.work); !strings.Contains(said.String(), want) {
		t.Errorf("got %s, want %s", said.String(), want)
	}
	said.Reset()
	waits, stop := make(chan struct{}), make(chan struct{})
	go func() { close(waits); <-stop }()
	defer close(stop)
	<-waits
	if waitingTests(&said); !strings.Contains(said.String(), "hanging_test.go:") {
		t.Errorf("no goroutine of the tests: %s", said.String())
	}
}
