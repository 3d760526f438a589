package permissions

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// rejectPanic is deferred by what decides: an act whose decision panics is rejected. An agent chooses the
// texts that are read here, so a mistake of ours must neither end the program, with all that other sessions
// do in it, nor become a question: a rule that rejects the act may not have been asked.
func (a *Authority) rejectPanic(d *Decision) {
	if a.panics {
		return
	}
	if fault := recover(); fault != nil {
		*d = Decision{Verdict: Reject, Source: SourceFault, Reason: "it could not be decided: " + panicked(fault)}
	}
}

// sayPanic is deferred by what says something of an act: where that panics, why says so.
func (a *Authority) sayPanic(why *string, before string) {
	if a.panics {
		return
	}
	if fault := recover(); fault != nil {
		*why = before + panicked(fault)
	}
}

// panicked says what panicked, and where. What somebody panicked with may hold what the agent sent, so only
// the words of the Go runtime are told.
func panicked(fault any) string {
	what := fmt.Sprintf("%T", fault)
	if known, ok := fault.(runtime.Error); ok {
		what = known.Error()
	}
	return fmt.Sprintf("a mistake in a2a-acp itself (%s, %s); please report it", what, panicPlace())
}

// panicPlace returns the line of ours that panicked, as file:line. It is called while the deferred functions
// of a panic run.
func panicPlace() string {
	var calls [64]uintptr
	frames := runtime.CallersFrames(calls[:runtime.Callers(1, calls[:])])
	for panicking := false; ; {
		frame, more := frames.Next()
		switch {
		case frame.Function == "runtime.gopanic":
			panicking = true
		case panicking && strings.HasPrefix(frame.Function, "github.com/a2a-acp/a2a-acp/"):
			return fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)
		}
		if !more {
			return "at an unknown place"
		}
	}
}
