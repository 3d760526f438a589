package acp

import (
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// A confined agent has a sandbox around it. What it asks of others, the editor and us, is held to what that
// sandbox lets it do by itself: otherwise it would only have to ask.

// Confinement is the sandbox that the agent is in. Safe for concurrent use. It may look at files, and never
// waits for a person.
type Confinement interface {
	// Hold tells what may at most be answered to an agent that wants to use a file: Approve where it could
	// do so itself, Ask where only a person may let it, and Reject. The words say why, and what would allow
	// it.
	Hold(Reaching) (permissions.Verdict, string)
	// Whole reports whether this machine makes all of the sandbox. Where it does not, a person may have
	// started the agent even so, and no rule that requires a sandbox approves anything.
	Whole() bool
	// What the editor runs for the agent runs in the same sandbox.
	Terminals
	// NoteOutput is told what came of a tool call, in the agent's words: there may be something in it of what
	// the sandbox refused.
	NoteOutput(session, toolCall, text string)
}

// Reaching is what an agent wants to use.
type Reaching struct {
	Dir, Path string // as the agent names it, and where that begins if it is relative
	Write     bool
	// Own is set where the agent means to do it itself, in its sandbox, where its temporary files are.
	Own bool
}

// mostAllowed tells what may at most be answered to an act that the editor would carry out. An agent that is
// not confined is held to nothing.
func (b *Bridge) mostAllowed(a *act) permissions.Decision {
	if b.o.Confinement == nil {
		return permissions.Decision{Verdict: permissions.Approve}
	}
	if a.terminal != nil {
		// The command runs in the sandbox, which holds it to everything but its directory.
		return b.mayReach(Reaching{Dir: "/", Path: a.terminal.Dir})
	}
	most := permissions.Decision{Verdict: permissions.Approve}
	for _, path := range a.request.Paths {
		most = gate.Stricter(most, b.mayReach(Reaching{Path: path.Name, Write: path.Write}))
	}
	return most
}

// mostAllowedOfPrompt does the same for an act that the agent asks about and would carry out itself. A yes
// that its sandbox would not let it act on could still stand for the frame in which it asks the editor
// instead.
func (b *Bridge) mostAllowedOfPrompt(r permissions.Request) permissions.Decision {
	most := permissions.Decision{Verdict: permissions.Approve}
	if b.o.Confinement == nil || r.Action == permissions.ActionExecute || r.Action == permissions.ActionFetch {
		return most
	}
	for _, path := range r.Paths {
		most = gate.Stricter(most, b.mayReach(Reaching{Dir: r.Dir, Path: path.Name, Write: path.Write, Own: true}))
	}
	return most
}

// refused says which files the agent's sandbox keeps from what the agent does itself, whatever a person answers.
func (b *Bridge) refused(dir string, files []permissions.Path) (lines []string) {
	if b.o.Confinement == nil {
		return nil
	}
	for _, file := range files[:min(len(files), mostRun)] {
		most := b.mayReach(Reaching{Dir: dir, Path: file.Name, Write: file.Write, Own: true})
		line := "Refused whatever you answer: " + most.Reason
		if most.Verdict != permissions.Approve && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

func (b *Bridge) mayReach(r Reaching) permissions.Decision {
	verdict, why := b.o.Confinement.Hold(r)
	return permissions.Decision{Verdict: verdict, Source: permissions.SourceConfinement, Reason: why}
}

// mostHeard is how many bytes of what came of one tool call are looked through.
const mostHeard = 64 << 10

// hear looks through what a confined agent says came of a tool call.
func (b *Bridge) hear(s *Session, call *toolCall, update object) {
	if b.o.Confinement == nil {
		return
	}
	var said strings.Builder
	add := func(text string) {
		if room := mostHeard - said.Len(); text != "" && room > 0 {
			said.WriteString(text[:min(len(text), room)] + "\n")
		}
	}
	content, _ := update.objects("content")
	for _, item := range content {
		add(item.object("content").text("text"))
	}
	output := update.object("rawOutput")
	for _, key := range []string{"output", "stdout", "stderr", "formatted_output", "error"} {
		add(output.text(key))
	}
	add(update.text("rawOutput"))
	if said.Len() > 0 {
		b.o.Confinement.NoteOutput(s.id, call.id, said.String())
	}
}
