package app

import (
	"bytes"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
)

// mcpOutput tells a client what its call prints while it runs: the last line of standard output as progress,
// and the lines of standard error as log messages. It is an executor.Listener, so it hears nothing that a
// governor has to see first, and no secret. A line that comes too soon after another is told when it is time,
// unless yet another has come by then. end it.
type mcpOutput struct {
	call mcpserver.Call
	tool string

	telling sync.WaitGroup // what is told when it is time

	mu      sync.Mutex
	parts   map[executor.Stream][]byte // what has come of a line
	resting *time.Timer                // runs while nothing is told; nil when the next line is told at once
	last    string                     // the line to be told then; "" for none
	logged  int
}

// The bounds of what one call tells.
const (
	progressEvery = 250 * time.Millisecond
	longestTold   = 512 // bytes of a line
	mostLogged    = 200 // lines
)

// Output implements executor.Listener.
func (o *mcpOutput) Output(stream executor.Stream, p []byte) {
	o.mu.Lock()
	lines := o.lines(stream, p)
	progress := ""
	if stream == executor.Stdout && len(lines) > 0 {
		if o.last = lines[len(lines)-1]; o.resting == nil {
			progress = o.next()
		}
	}
	if stream == executor.Stderr {
		lines = lines[:min(len(lines), mostLogged-o.logged)]
		o.logged += len(lines)
	}
	o.mu.Unlock()
	if progress != "" {
		o.call.Progress(mcpserver.Progress{Text: progress})
	}
	if stream == executor.Stderr {
		for _, line := range lines {
			o.call.Log(mcpserver.LevelInfo, o.tool, line)
		}
	}
}

// next returns the line that is to be told now, "" for none, and has the ones after it wait. Called with mu held.
func (o *mcpOutput) next() string {
	line := o.last
	o.last, o.resting = "", nil
	if line != "" {
		o.resting = time.AfterFunc(progressEvery, o.rested)
	}
	return line
}

// rested tells the last line that has come meanwhile.
func (o *mcpOutput) rested() {
	o.mu.Lock()
	line := o.next()
	if line != "" {
		o.telling.Add(1)
	}
	o.mu.Unlock()
	if line != "" {
		o.call.Progress(mcpserver.Progress{Text: line})
		o.telling.Done()
	}
}

// end has nothing more told, when the call has ended, and waits for what is: no progress comes behind a result, which
// has what was printed.
func (o *mcpOutput) end() {
	o.mu.Lock()
	if o.last = ""; o.resting != nil {
		o.resting.Stop()
	}
	o.mu.Unlock()
	o.telling.Wait()
}

// lines returns the lines that have come to their end, as they may be shown. Called with mu held.
func (o *mcpOutput) lines(stream executor.Stream, p []byte) (lines []string) {
	if o.parts == nil {
		o.parts = map[executor.Stream][]byte{}
	}
	text := append(o.parts[stream], p...)
	for {
		at := bytes.IndexAny(text, "\r\n")
		if at < 0 {
			break
		}
		if line := bytes.TrimSpace(text[:min(at, longestTold)]); len(line) > 0 {
			lines = append(lines, display.Line(string(line)))
		}
		text = text[at+1:]
	}
	o.parts[stream] = bytes.Clone(text[:min(len(text), longestTold)])
	return lines
}

// hearing is a caller that hears what its call prints.
type hearing struct {
	executor.Caller
	executor.Listener
}

// Working implements executor.Watcher.
func (h hearing) Working(text string) {
	if w, ok := h.Caller.(executor.Watcher); ok {
		w.Working(text)
	}
}
