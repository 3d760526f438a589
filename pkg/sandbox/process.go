package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Process is what a call runs.
type Process struct {
	// Argv is the program, an absolute path, and its arguments. Required.
	Argv []string
	// Inputs become descriptors 3, 4, … in their order.
	Inputs []Input
	// Trace belongs to this run alone, and is no part of the plan: TRACEPARENT and TRACESTATE tell of it, unless
	// the plan sets them. Optional.
	Trace tool.Trace
	// Stdin becomes standard input, as an Input does. Optional; without it standard input is empty.
	Stdin *Input
	// Stdio are the files that become standard input, output and error, as they are, and nothing of the
	// output is kept or counted. Optional; all three, or none. Run does not close them.
	Stdio []*os.File
	// Stdout and Stderr get the output while it comes, up to the limit, beside the Outcome. Both are
	// optional. A Writer that blocks holds the call back, and Run does not return before it does; one that
	// fails gets nothing more.
	Stdout, Stderr io.Writer
	// Last, where it is not 0, is how many bytes of each stream the Outcome keeps, those that came last. It
	// is for callers that keep the output themselves, and for whom Limits.Output is too much to hold.
	Last int64
}

// Input is data that a call reads from a descriptor: a file in memory that nobody can change any more, not
// even its reader (fcntl(2), file sealing), and that can be read from any offset. A pipe would do as well
// but for bash, which reads one byte by byte.
type Input struct {
	Name string // seen by people who look at /proc/PID/fd; at most 249 bytes (memfd_create(2))
	Data []byte
}

// Outcome is what became of a process that started. A tool that fails has an Outcome like any other.
type Outcome struct {
	ExitCode int    // 128+n after signal n; -1 when nothing ran because ctx had ended before
	Signal   string // "SIGKILL"; "" when the process ended by itself

	Stdout, Stderr []byte // up to Limits.Output each, or to Process.Last
	OutputBytes    int64  // of both, kept or not, as far as they were read
	Truncated      bool   // there was more

	// LimitsHit names the limits that ended the call, or that it ran into before it failed: timeout,
	// output, processes, cpu, file_size, memory, open_files, temp_size. The kernel tells of the last three
	// in the program's ear only; they are named when the call failed and its standard error speaks of them.
	LimitsHit []string
	TimedOut  bool
	Cancelled bool // ctx ended first

	// Reaped counts the processes that outlived the root's end only as zombies, Killed those that were
	// still running then, and were ended.
	//
	// In a process namespace they are counted when we end the call, just before. Where the root ends by
	// itself there, both are 0, which does not say that nothing was left: the kernel ends it on the root's
	// own way out, before anybody can learn that the root has ended, and keeps no count.
	Reaped, Killed int
	Lost           int // processes that could not be ended: they belong to another user by now

	Elapsed time.Duration
	// Hints say what was asked for and could not be granted, because it does not exist for instance.
	Hints []string
	// Changed says, a sentence each, what the call made or changed that others run or believe without a
	// further look, and where it is now.
	Changed []string

	// Leftover says what could not be removed of the call's temporary files; "" when all is gone.
	Leftover string
}

// mostInputs is how many inputs a call can have. Some numbers of descriptors behind them are for what
// starts it.
const mostInputs = 52

// check finds what cannot be started at all.
func (p *Process) check() error {
	if len(p.Argv) == 0 {
		return errors.New("start a process: there is no command")
	}
	if !filepath.IsAbs(p.Argv[0]) {
		return fmt.Errorf("start %q: want an absolute path, since PATH is the call's, not ours", p.Argv[0])
	}
	if n := len(p.Stdio); n != 0 && n != 3 || n != 0 && p.Stdin != nil {
		return fmt.Errorf("start %s: want three standard files or none, and no input beside them; got %d",
			p.Argv[0], n)
	}
	if n := len(p.Inputs); n > mostInputs {
		return fmt.Errorf("start %s: %d inputs; want at most %d", p.Argv[0], n, mostInputs)
	}
	for i, arg := range p.Argv {
		if strings.ContainsRune(arg, 0) {
			return fmt.Errorf("start %s: argument %d holds a NUL, which no argument can (execve(2)); pass it as an input", p.Argv[0], i)
		}
	}
	return nil
}

// StartError says that a process could not be started, so nothing ran.
type StartError struct {
	Step string // what could not be done: a system call's name
	Path string // of the program or directory it was about; may be ""
	Cure string // what the reader can do about it; may be ""
	Err  error
}

func (e *StartError) Error() string {
	text := "start the tool: " + e.Step
	if e.Path != "" {
		text += " " + e.Path
	}
	text += ": " + e.Err.Error()
	if e.Cure != "" {
		text += "; " + e.Cure
	}
	return text
}

// Unwrap gives the system's error.
func (e *StartError) Unwrap() error { return e.Err }

// As returns the error as the Failure that every door knows (errors.As): this host cannot do what the tool
// asks for.
func (e *StartError) As(target any) bool {
	failure, ok := target.(**tool.Failure)
	if ok {
		*failure = tool.Failf(tool.FailSandbox, "%v", e)
	}
	return ok
}
