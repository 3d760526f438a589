// Package wiretap starts a program and writes down every line that passes between it and whoever started
// the wiretap.
//
// It stands between a bridge and an agent, so that a test can compare, byte by byte, what an agent said
// with what arrived at the editor. A test binary becomes a wiretap by calling Run from its TestMain; see
// Command.
package wiretap

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// Flag is the first argument that makes a test binary a wiretap: Flag FILE PROGRAM [ARGUMENT…].
const Flag = "-wiretap"

// Command returns the arguments that make the test binary record into file what passes to and from a program.
func Command(binary, file string, program ...string) []string {
	return append([]string{binary, Flag, file}, program...)
}

// Direction is where a line went.
type Direction string

// The directions.
const (
	In  Direction = "in"  // to the program
	Out Direction = "out" // from the program
)

// Line is one line that passed, without its newline.
type Line struct {
	Direction Direction `json:"direction"`
	Raw       []byte    `json:"raw"`
}

// Run is the program: it returns the exit code of the one it started, which has the caller's environment,
// directory and standard error. It ends when the program has ended.
func Run(file string, program []string, in io.Reader, out io.Writer) (int, error) {
	log, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 1, fmt.Errorf("open what the wiretap writes to: %w", err)
	}
	defer log.Close()
	command := exec.Command(program[0], program[1:]...)
	command.Stderr = os.Stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		return 1, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := command.Start(); err != nil {
		return 1, fmt.Errorf("start what the wiretap listens to: %w", err)
	}
	tap := &recorder{out: json.NewEncoder(log)}
	// This goroutine ends when the caller closes our standard input, or with the process: nothing waits for
	// it, since a read of a standard input that stays open cannot be ended.
	go func() {
		_ = tap.copy(stdin, in, In) // a program that has ended reads no more, and that is how it ends
		_ = stdin.Close()
	}()
	copied := tap.copy(out, stdout, Out)
	if err := command.Wait(); err != nil {
		exit := new(exec.ExitError)
		if errors.As(err, &exit) && exit.ExitCode() >= 0 {
			return exit.ExitCode(), copied
		}
		return 1, errors.Join(err, copied)
	}
	return 0, copied
}

// recorder writes lines down, from both directions, one at a time.
type recorder struct {
	mu  sync.Mutex
	out *json.Encoder
}

// copy passes lines on, each after it was written down: what a test sees at the far end is in the file
// already.
func (r *recorder) copy(to io.Writer, from io.Reader, direction Direction) error {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			r.mu.Lock()
			wrote := r.out.Encode(Line{Direction: direction, Raw: []byte(strings.TrimSuffix(string(line), "\n"))})
			r.mu.Unlock()
			if wrote != nil {
				return wrote
			}
			if _, err := to.Write(line); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Read returns the lines that a wiretap has written to the file.
func Read(file string) ([]Line, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var lines []Line
	for text := range strings.Lines(string(text)) {
		if !strings.HasSuffix(text, "\n") {
			break // is being written
		}
		var line Line
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		lines = append(lines, line)
	}
	return lines, nil
}
