package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// environment is all that the program takes from outside. Verbs use nothing else, so that tests can give them another.
type environment struct {
	stdin   *os.File
	stdout  io.Writer
	stderr  io.Writer
	environ []string
	now     func() time.Time

	// code is what a tool, or a command that ran in our place, has ended with. It is no error of ours: for an error the library
	// that prints it asks the terminal for its colours, which eats what was typed ahead, and stops a program of the background.
	code int
	// confirmed is the program that the person has given a proof to; see confirm.
	confirmed string
}

func processEnvironment() *environment {
	return &environment{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, environ: os.Environ(), now: time.Now}
}

// ends ends the program with a code when everything has been said. Where a question on the terminal was answered elsewhere,
// its read is still open there and would eat what the terminal answers to the library that prints errors.
func (e *environment) ends(code int) error {
	e.code = code
	return nil
}

// getenv gives a variable; "" when it is not set. As with the C library, the first of several holds.
func (e *environment) getenv(name string) string {
	for _, entry := range e.environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// forAgent gives the environment that an agent gets: ours, without what is ours alone.
func (e *environment) forAgent() []string {
	var kept []string
	for _, entry := range e.environ {
		if !strings.HasPrefix(entry, "A2A_") {
			kept = append(kept, entry)
		}
	}
	return kept
}

// short writes a path for people, with ~ for their home.
func (e *environment) short(path string) string {
	if home := e.getenv("HOME"); home != "" {
		if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(home, "/")+"/"); ok {
			return "~/" + rest
		}
	}
	return path
}

// say writes one line for the person.
func (e *environment) say(line string) { fmt.Fprintf(e.stderr, "a2a-acp: %s\n", line) }

// stdio gives the three streams as the files that they are, for a process that is to have them itself.
func (e *environment) stdio() ([]*os.File, error) {
	stdout, isFile := e.stdout.(*os.File)
	stderr, alsoFile := e.stderr.(*os.File)
	if !isFile || !alsoFile {
		return nil, errors.New("standard output and standard error have to be files")
	}
	return []*os.File{e.stdin, stdout, stderr}, nil
}

// isTerminal tells whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
