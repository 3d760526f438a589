package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"charm.land/fang/v2"

	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// ExitHelp is the part of a help text that lists the exit codes.
const ExitHelp = `Exit codes:
  0  fine
  1  the tool failed (its own code is in the result)
  2  usage, configuration or parameters
  3  denied by policy
  4  needs approval and nobody can give it
  5  this host cannot do it
  124  timed out
  130  interrupted
bridge and sandbox exec return the code of what they run (128+n after signal n) once it has run.`

// codedError is an error with the exit code that it leads to.
type codedError struct {
	code  int
	err   error
	quiet bool // everything has been said
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

// Fail gives err the exit code that it leads to.
func Fail(code int, err error) error { return &codedError{code: code, err: err} }

// Silent ends the program with a code when everything has been said.
func Silent(code int) error {
	if code == exit.OK {
		return nil
	}
	return &codedError{code: code, err: errors.New("see above"), quiet: true}
}

// CodeOf returns the exit code of what a verb returned. What has no code is usage: cobra's own complaints.
func CodeOf(err error) int {
	var coded *codedError
	switch {
	case err == nil:
		return exit.OK
	case errors.As(err, &coded):
		return coded.code
	case errors.Is(err, context.Canceled):
		return exit.Interrupt
	}
	return exit.Usage
}

// CodeOfResult returns the exit code of a tool call.
func CodeOfResult(result tool.Result) int {
	if result.Error == nil {
		if result.Status == tool.StatusCompleted {
			return exit.OK
		}
		return exit.ToolFailed
	}
	switch result.Error.Code {
	case tool.FailValidation, tool.FailTemplate, tool.FailNotFound:
		return exit.Usage
	case tool.FailDenied:
		return exit.Denied
	case tool.FailApproval:
		return exit.Approval
	case tool.FailSandbox, tool.FailInternal:
		return exit.Host
	case tool.FailTimeout, tool.FailUpstreamTimeout, tool.FailPollTimeout:
		return exit.Timeout
	case tool.FailCancelled:
		return exit.Interrupt
	default: // a limit of ours ended it
		return exit.ToolFailed
	}
}

// StartCode returns the exit code of an App that could not be started.
func StartCode(err error) int {
	if len(yamldoc.List(err)) > 0 {
		return exit.Usage
	}
	return exit.Host
}

// Explain writes the error that a verb ended with. The last line of it is the one that an editor shows.
func (e *Environment) Explain(w io.Writer, _ fang.Styles, err error) {
	var coded *codedError
	if errors.As(err, &coded) && coded.quiet {
		return
	}
	text := strings.TrimSuffix(err.Error(), "\n")
	if list := yamldoc.List(err); len(list) > 0 {
		if text != list.Error() { // what was to be done with the files comes first
			fmt.Fprint(w, ourName)
		}
		fmt.Fprintln(w, FoldText(e.Stderr, yamldoc.Shown(err)))
		text = "nothing was done: " + list.Summary()
	}
	if !errors.As(err, &coded) {
		text += "\nhint: a2a-acp --help shows the verbs, a2a-acp VERB --help what one of them takes"
	}
	fmt.Fprintln(w, FoldText(e.Stderr, Said(text)))
}
