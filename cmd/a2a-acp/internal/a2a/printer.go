package a2a

import (
	"encoding/json"
	"fmt"
	"strings"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

// printer prints what happens to a task: what it puts out on stdout, and how it goes on stderr.
type printer struct {
	env   *cli.Environment
	files *fileSaver
	lines bool // each event is a line of JSON
	quiet bool // nothing is printed until the end

	inText  bool           // what was printed last does not end with a newline
	state   wire.TaskState // that was told last
	said    string         // the message of the status that was told last
	current wire.ArtifactID
	printed map[wire.ArtifactID]shown
}

// muted reports whether nothing is said of what happens, but where its files are kept.
func (p *printer) muted() bool { return p.lines || p.quiet }

// stateName returns a state as people read it: input-required.
func stateName(state wire.TaskState) string {
	if state == wire.TaskStateUnspecified {
		return "unknown"
	}
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(string(state), "TASK_STATE_"), "_", "-"))
}

// tell prints an event.
func (p *printer) tell(event wire.Event) {
	if p.lines {
		_ = cli.WriteLine(p.env.Stdout, wire.StreamResponse{Event: event}) // who reads no more hears no more
	}
	if p.muted() && p.files.dir == "" {
		return
	}
	switch e := event.(type) {
	case *wire.Message:
		p.parts(e.Parts)
	case *wire.Task:
		p.status(e.ID, e.Status)
		for _, artifact := range e.Artifacts {
			p.artifact(artifact, true)
		}
		p.last(e.Status)
	case *wire.TaskStatusUpdateEvent:
		p.status(e.TaskID, e.Status)
		p.last(e.Status)
	case *wire.TaskArtifactUpdateEvent:
		if !e.Append {
			delete(p.printed, e.Artifact.ID)
		}
		p.artifact(e.Artifact, false)
	}
}

// status says how a task goes, if it did not go so before.
func (p *printer) status(id wire.TaskID, status wire.TaskStatus) {
	words := ""
	if status.State == wire.TaskStateWorking && status.Message != nil && status.Message.ID != p.said {
		words = textOf(status.Message.Parts)
	}
	if status.State == p.state && words == "" {
		return
	}
	p.state = status.State
	line := fmt.Sprintf("task %s: %s", display.Line(string(id)), display.Line(stateName(status.State)))
	if words != "" {
		p.said = status.Message.ID
		line += ": " + display.Line(words)
	}
	p.say(line)
}

// last prints the message that a task has ended with.
func (p *printer) last(status wire.TaskStatus) {
	if !status.State.Terminal() || status.Message == nil || status.Message.ID == p.said && p.said != "" {
		return
	}
	p.said = status.Message.ID
	if status.State == wire.TaskStateCompleted {
		p.current = ""
		p.parts(status.Message.Parts)
		return
	}
	if words := textOf(status.Message.Parts); words != "" {
		p.say(display.Text(words))
	}
}

// shown is how much of an artifact was printed: bytes of text, and parts that are no text.
type shown struct{ text, others int }

// artifact prints what is new of an artifact; whole says that it is not only what is new.
func (p *printer) artifact(a *wire.Artifact, whole bool) {
	if p.printed == nil {
		p.printed = map[wire.ArtifactID]shown{}
	}
	before := p.printed[a.ID]
	var skip, had shown
	if whole {
		skip = before
	} else {
		had = before
	}
	for _, part := range a.Parts {
		said := part.Text()
		if said != "" {
			had.text += len(said)
			n := min(skip.text, len(said))
			if skip.text -= n; n < len(said) {
				p.turn(a)
				p.text(said[n:])
			}
			continue
		}
		had.others++
		if skip.others > 0 {
			skip.others--
			continue
		}
		p.turn(a)
		p.part(part)
	}
	p.printed[a.ID] = shown{max(had.text, before.text), max(had.others, before.others)}
}

// turn says whose output comes, where it was another artifact's before.
func (p *printer) turn(a *wire.Artifact) {
	if p.current != "" && p.current != a.ID {
		name := a.Name
		if name == "" {
			name = string(a.ID)
		}
		p.say(display.Line(name) + ":")
	}
	p.current = a.ID
}

func (p *printer) parts(parts wire.ContentParts) {
	for _, part := range parts {
		if text := part.Text(); text != "" {
			p.text(text)
		} else {
			p.part(part)
		}
	}
	p.end()
}

// part prints a part that is no text.
func (p *printer) part(part *wire.Part) {
	switch content := part.Content.(type) {
	case wire.Raw:
		said := p.files.save(part.Filename, part.MediaType, content)
		p.end()
		p.env.Say(said)
	case wire.URL:
		p.say(fmt.Sprintf("a file is at %s", display.Line(string(content))))
	case wire.Data:
		if p.muted() || p.result(content.Value) {
			return
		}
		data, err := json.MarshalIndent(content.Value, "", "  ")
		if err != nil {
			return
		}
		p.end()
		fmt.Fprintln(p.env.Stdout, display.Whole(string(data)))
	}
}

// result prints how a call of one of our tools has ended, whose output was printed before.
func (p *printer) result(value any) bool {
	data, _ := value.(map[string]any)
	if data["type"] != "tool_result" {
		return false
	}
	if said, _ := data["stderr"].(string); said != "" {
		p.say(display.Text(strings.TrimRight(said, "\n")))
	}
	status, _ := data["status"].(string)
	if status == "completed" {
		return true
	}
	tool, _ := data["tool_id"].(string)
	line := tool + ": " + status
	if code, ok := data["exitCode"].(float64); ok && code > 0 {
		line += fmt.Sprintf(" with exit code %v", code)
	}
	p.say(display.Text(line))
	return true
}

// text prints text. Nothing in it has an effect on a terminal.
func (p *printer) text(text string) {
	if p.muted() {
		return
	}
	fmt.Fprint(p.env.Stdout, display.Whole(text))
	p.inText = !strings.HasSuffix(text, "\n")
}

// end ends a line that was begun.
func (p *printer) end() {
	if p.inText {
		fmt.Fprintln(p.env.Stdout)
		p.inText = false
	}
}

func (p *printer) say(line string) {
	if p.muted() {
		return
	}
	p.end()
	p.env.Say(line)
}

func textOf(parts wire.ContentParts) string {
	var texts []string
	for _, part := range parts {
		if text := part.Text(); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// codeOf returns the exit code of a task in a state.
func codeOf(state wire.TaskState) int {
	switch state {
	case wire.TaskStateFailed:
		return exit.ToolFailed
	case wire.TaskStateRejected:
		return exit.Denied
	case wire.TaskStateCanceled:
		return exit.Interrupt
	case wire.TaskStateInputRequired, wire.TaskStateAuthRequired:
		return exit.Approval
	}
	return exit.OK
}
