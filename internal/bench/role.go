package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// echo is the agent: it answers every request with a result that is as long as the request, and sends every
// notification back as it is. Like the floor it has nothing of the program that is measured.
func echo(in io.Reader, out io.Writer) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if _, err := out.Write(answer(line)); err != nil {
			return err
		}
		line = line[:0]
	}
}

// answer makes the response to a request of ours in its place. The white space keeps the length.
func answer(line []byte) []byte {
	const request, result = `"method":"_bench/echo","params":`, `"result":                       `
	head := line[:min(len(line), 100)]
	if at := bytes.Index(head, []byte(request)); at >= 0 && bytes.Contains(head[:at], []byte(`"id":`)) {
		copy(line[at:], result)
	}
	return line
}

// copyBytes is the floor: it starts the agent and copies bytes both ways, as a bridge would that looks at
// nothing.
func copyBytes(in io.Reader, out io.Writer, agent []string) error {
	if len(agent) == 0 {
		return errors.New("-role copy: which command?")
	}
	cmd := exec.Command(agent[0], agent[1:]...)
	cmd.Stderr = os.Stderr
	agentIn, agentOut, err := startPiped(cmd)
	if err != nil {
		return err
	}
	// Let them block, as our own standard input and output do. Where only some of a Go program's streams
	// are left to its poller, all its processors can wait in system calls while nobody looks at the poller:
	// for up to ten milliseconds.
	agentIn.Fd()
	agentOut.Fd()
	toAgent := make(chan error, 1)
	go func() { // ends with our standard input
		err := pump(agentIn, in)
		agentIn.Close()
		toAgent <- err
	}()
	err = pump(out, agentOut)
	return errors.Join(err, <-toAgent, cmd.Wait())
}

// pump copies until the end. 64 KiB are what a pipe holds.
func pump(to io.Writer, from io.Reader) error {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if _, err := to.Write(buf[:n]); err != nil {
			return fmt.Errorf("copy: %w", err)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("copy: %w", err)
		}
	}
}
