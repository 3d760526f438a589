package main

import (
	"context"
	"errors"

	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const exitHelp = `Exit codes:
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

// fail gives err the exit code that it leads to.
func fail(code int, err error) error { return &codedError{code: code, err: err} }

// silent ends the program with a code when everything has been said.
func silent(code int) error {
	if code == exit.OK {
		return nil
	}
	return &codedError{code: code, err: errors.New("see above"), quiet: true}
}

// codeOf gives the exit code of what a verb returned. What has no code is usage: cobra's own complaints.
func codeOf(err error) int {
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

// codeOfResult gives the exit code of a tool call.
func codeOfResult(result tool.Result) int {
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
	case tool.FailTimeout:
		return exit.Timeout
	case tool.FailCancelled:
		return exit.Interrupt
	default: // a limit of ours ended it
		return exit.ToolFailed
	}
}
