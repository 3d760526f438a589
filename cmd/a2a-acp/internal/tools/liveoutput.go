package tools

import (
	"io"
	"sync"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// liveOutput prints what a call prints, as it comes. It is the call's Caller, who is asked at the terminal.
type liveOutput struct {
	*cli.Terminal
	env   *cli.Environment
	entry string // where the tool's entry stands; "" where that is not known

	mu     sync.Mutex
	heard  bool // something was printed, or would have been
	failed error

	unended io.Writer // the terminal on which the last line has no end; nil for none
}

// Output implements executor.Listener.
func (l *liveOutput) Output(stream executor.Stream, p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard = true
	l.write(stream, p)
}

// Working implements executor.Watcher.
func (l *liveOutput) Working(text string) { l.env.Say(text) }

func (l *liveOutput) write(stream executor.Stream, p []byte) {
	to := l.env.Stdout
	if stream == executor.Stderr {
		to = l.env.Stderr
	}
	if n := len(p); n > 0 && cli.IsTerminal(to) {
		l.unended = nil
		if p[n-1] != '\n' {
			l.unended = to
		}
	}
	if _, err := to.Write(p); err != nil && stream == executor.Stdout && l.failed == nil {
		l.failed = err
	}
}

// finish prints the output of a call that could not be printed as it came. The error is that of standard
// output.
func (l *liveOutput) finish(result tool.Result) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.heard {
		l.write(executor.Stdout, []byte(result.Stdout))
		l.write(executor.Stderr, []byte(result.Stderr))
	}
	if l.unended != nil { // what follows on the screen begins a line of its own
		_, _ = io.WriteString(l.unended, "\n")
	}
	return l.failed
}
