// Package cli is what the verbs of the command line share: streams and variables, flags and their
// completion, tables, exit codes, and questions on the terminal.
package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/term"

	"github.com/a2a-acp/a2a-acp/internal/dirs"
	"github.com/a2a-acp/a2a-acp/internal/display"
)

// Environment is all that the program takes from outside. Verbs use nothing else, so that tests can give
// them another.
type Environment struct {
	Stdin   *os.File
	Stdout  io.Writer
	Stderr  io.Writer
	environ []string
	Now     func() time.Time
	Version string // of the program, as the build has set it
	Home    string // of our account, whatever the variable says

	// Code is what a tool, or a command that ran in our place, has ended with. It is no error of ours: for
	// an error the library that prints it asks the terminal for its colours, which eats what was typed
	// ahead, and stops a program of the background.
	Code int
	// confirmed is the program that the person has given a proof to; see confirm.
	confirmed string
	typed     *bufio.Reader // what was typed as answers; see Ask
}

// ProcessEnvironment returns the environment of this process.
func ProcessEnvironment(version string) *Environment {
	return &Environment{Version: version, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		environ: os.Environ(), Now: time.Now, Home: dirs.AccountHome()}
}

// Ends ends the program with a code when everything has been said. Where a question on the terminal was
// answered elsewhere, its read is still open there and would eat what the terminal answers to the library
// that prints errors.
func (e *Environment) Ends(code int) error {
	e.Code = code
	return nil
}

// Getenv returns a variable; "" when it is not set. As with the C library, the first of several holds.
func (e *Environment) Getenv(name string) string {
	for _, entry := range e.environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// ForAgent returns the environment that an agent gets: ours, without what is ours alone.
func (e *Environment) ForAgent() []string {
	var kept []string
	for _, entry := range e.environ {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "A2A_") && !slices.Contains(managers, name) {
			kept = append(kept, entry)
		}
	}
	return kept
}

// managers are what a service manager tells the daemon, and nobody whom it starts.
var managers = []string{"NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
	"CREDENTIALS_DIRECTORY"}

// Short writes a path for people, with ~ for their home.
func (e *Environment) Short(path string) string {
	if home := e.Getenv("HOME"); home != "" {
		if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(home, "/")+"/"); ok {
			return "~/" + rest
		}
	}
	return path
}

// Say writes one line for the person. What files and programs are called in it has no effect on a terminal.
func (e *Environment) Say(line string) { fmt.Fprintln(e.Stderr, FoldText(e.Stderr, Said(line))) }

// ourName is what our lines begin with.
const ourName = "a2a-acp: "

// Said returns what we say as it stands on a terminal: what it quotes gives that no commands, and no line of that looks
// like one of ours.
func Said(text string) string {
	lines := strings.Split(display.Whole(text), "\n")
	for i, line := range lines[1:] {
		if looksLikeOurs(line) {
			lines[i+1] = "| " + line
		}
	}
	return ourName + strings.Join(lines, "\n")
}

// looksLikeOurs reports whether a text begins as our lines do, to people's eyes.
func looksLikeOurs(text string) bool {
	return strings.HasPrefix(strings.Map(letterOrDigit, text), "a2aacp")
}

// letterOrDigit keeps letters and digits, in lower case.
func letterOrDigit(r rune) rune {
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return unicode.ToLower(r)
	}
	return -1
}

// Stdio returns the three streams as the files that they are, for a process that is to have them itself.
func (e *Environment) Stdio() ([]*os.File, error) {
	stdout, isFile := e.Stdout.(*os.File)
	stderr, alsoFile := e.Stderr.(*os.File)
	if !isFile || !alsoFile {
		return nil, errors.New("standard output and standard error have to be files")
	}
	return []*os.File{e.Stdin, stdout, stderr}, nil
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
