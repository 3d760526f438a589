package confine

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
)

// What a confined agent is refused, nobody tells us but the agent: the kernel refuses it there. So what it
// says is looked through, and put on record as its claim. Nothing is granted by it.

// mostHeard is how many different things one bridge puts on record. An agent could make up any number.
const mostHeard = 64

// NoteOutput implements acp.Confinement.
func (b *Boundary) NoteOutput(session, toolCall, text string) {
	if b.full() {
		return // nothing more is kept, so nothing is looked up either
	}
	for _, refusal := range b.reach.Refusals(text) {
		if b.isNew(refusal) {
			b.tell(session, toolCall, refusal)
		}
	}
}

func (b *Boundary) full() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.refusals) >= mostHeard
}

func (b *Boundary) isNew(r sandbox.Refusal) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := r.What + " " + r.Path
	if b.refusals[key] || len(b.refusals) >= mostHeard {
		return false
	}
	b.refusals[key] = true
	return true
}

// tell puts a refusal on record and tells the person, with the flag that would allow it, if one can be
// recommended.
func (b *Boundary) tell(session, toolCall string, r sandbox.Refusal) {
	allow := ""
	switch {
	case r.Path == "", r.What == sandbox.RefusedConnect, r.What == sandbox.RefusedRun:
	case sensitive.Delicate(r.Path) == "" && r.Grant != "" && grantable(r.Grant):
		allow = fmt.Sprintf("a2a-acp bridge --confine=%s %s", b.o.Profile,
			flagFor(r.Grant, r.What == sandbox.RefusedWrite))
	}
	event := events.Event{
		Type: events.SandboxRefused, Session: session, ToolCall: toolCall, Door: "acp",
		Detail: "no flag is recommended for it",
		Act:    &events.Act{Kind: r.What, Claimed: true},
	}
	line := strings.TrimSpace("the agent's sandbox refused it, as it says: to " + r.What + " " + r.Path)
	if r.Path != "" {
		event.Act.Paths = []string{r.Path}
	}
	if allow != "" {
		event.Detail = allow + " would allow it"
		line += "; " + event.Detail
	}
	b.o.Note(event)
	b.o.Say(line)
}

// stderrReader looks through what the agent says on its standard error, a line at a time.
type stderrReader struct {
	boundary *Boundary
	rest     []byte
}

// Stderr returns a writer that looks through the agent's standard error. Its Write never fails.
func (b *Boundary) Stderr() io.Writer { return &stderrReader{boundary: b} }

func (e *stderrReader) Write(p []byte) (int, error) {
	const longest = 4096
	e.rest = append(e.rest, p...)
	if end := bytes.LastIndexByte(e.rest, '\n') + 1; end > 0 {
		for line := range bytes.Lines(e.rest[:end]) {
			e.boundary.NoteOutput("", "", string(line))
		}
		e.rest = append(e.rest[:0], e.rest[end:]...)
	}
	if len(e.rest) > longest {
		e.rest = e.rest[:0]
	}
	return len(p), nil
}
