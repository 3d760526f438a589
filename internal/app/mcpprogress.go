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
// governor has to see first, and no secret.
type mcpOutput struct {
	call mcpserver.Call
	tool string
	now  func() time.Time

	mu     sync.Mutex
	parts  map[executor.Stream][]byte // what has come of a line
	told   time.Time                  // when progress was told the last time
	logged int
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
	if stream == executor.Stdout && len(lines) > 0 && o.now().Sub(o.told) >= progressEvery {
		o.told, progress = o.now(), lines[len(lines)-1]
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
