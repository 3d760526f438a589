package executor

import "github.com/a2a-acp/a2a-acp/internal/secret"

// Stream names a stream of a call's output.
type Stream string

// The streams.
const (
	Stdout Stream = "stdout"
	Stderr Stream = "stderr"
)

// Listener hears what a call prints while it runs. A Caller that implements it is one.
//
// It hears nothing of a tool whose output a governor has to see first, nor of one that is run again when it
// fails or its token is not taken, since what a failed run printed is no part of the result. What it hears is not
// cut to the tool's output.keep_kb. The Result has the output as if there were no Listener.
type Listener interface {
	// Output is called with what has come since the last time, without the values that the call was given. What
	// could be the beginning of such a value is held back. p is valid until Output returns, and may end within a
	// character. Both streams may call at the same time. The call waits until Output returns.
	Output(stream Stream, p []byte)
}

// hears reports whether the act's listener is told what its runs print.
func (a *act) hears() bool {
	return a.listener != nil && a.tool.Retry.Attempts < 2 && !a.wantsToken() && !a.entry.Answer.Whole() &&
		(a.in.Screener == nil || !a.in.Screener.Screens(a.call.Workspace, a.tool.ID))
}

// heard are the two streams of a run on their way to the listener; nil for none.
type heard [2]*secret.Writer

// listen returns where a run's output goes as it comes: into its spools, to the act's listener, or both.
func (a *act) listen(spools *spoolPair) (streams, *heard) {
	to := spools.streams()
	if !a.hears() {
		return to, nil
	}
	h := &heard{}
	for i, name := range []Stream{Stdout, Stderr} {
		tell := func(p []byte) { a.listener.Output(name, p) }
		if spools != nil {
			spools[i].heard = tell // behind the redactor that the spool has
			continue
		}
		h[i] = a.redactor.Writer(sink(tell))
	}
	if spools == nil {
		to.stdout, to.stderr = h[0], h[1]
	}
	return to, h
}

// end tells the listener what was held back; cut says that something has cut the output off, perhaps within
// a value.
func (h *heard) end(cut bool) {
	if h == nil {
		return
	}
	for _, w := range h {
		switch {
		case w == nil:
		case cut:
			_ = w.Cut() // into a sink that never fails
		default:
			_ = w.Close()
		}
	}
}
