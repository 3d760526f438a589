package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// playPerson is a program for scripts: `person FILE COMMAND...` runs the command with a terminal as standard input and
// types there as people do, the next line of the file when the command has asked: what it wrote last on standard
// error is a line that has not ended. With FILE -, a "y" is typed before, and nothing after it. It ends as the command does.
func playPerson() {
	code, err := typeFor(os.Args[1], exec.Command(os.Args[2], os.Args[3:]...)) //nolint:gosec // a script's own
	if err != nil {
		fmt.Fprintln(os.Stderr, "person:", err)
		code = 99
	}
	os.Exit(code)
}

func typeFor(file string, cmd *exec.Cmd) (code int, err error) {
	master, slave, err := newPTY()
	if err != nil {
		return 0, err
	}
	defer master.Close()
	defer slave.Close()
	var lines [][]byte
	if file == "-" {
		if _, err := master.WriteString("y\n"); err != nil {
			return 0, err
		}
		lines = [][]byte{{4}} // Ctrl-D, the end: a question must come to one as well
	} else {
		text, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		lines = bytes.SplitAfter(text, []byte("\n"))
	}
	go func() { _, _ = io.Copy(io.Discard, master) }() // the echo; ends with the terminal
	asks, said, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer asks.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, os.Stdout, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = cmd.Start()
	said.Close()
	if err != nil {
		return 0, err
	}
	var heard sync.WaitGroup
	heard.Go(func() { // ends when nobody has the command's standard error any more
		piece := make([]byte, 1<<16)
		for {
			n, err := asks.Read(piece)
			_, _ = os.Stderr.Write(piece[:n])
			if err != nil {
				return
			}
			if piece[n-1] != '\n' && len(lines) > 0 {
				_, _ = master.Write(lines[0])
				lines = lines[1:]
			}
		}
	})
	err = cmd.Wait()
	heard.Wait()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return failed.ExitCode(), nil
	}
	return 0, err
}
