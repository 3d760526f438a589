package acp

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// readFile owns fs/read_text_file: the agent has the editor read a file, unsaved changes included.
func (b *Bridge) readFile(frame ndjson.Frame, line []byte) error {
	return b.file(frame, line, permissions.ActionRead, "functions.acp_fs__read_text_file")
}

// writeFile owns fs/write_text_file: the agent has the editor write a file.
func (b *Bridge) writeFile(frame ndjson.Frame, line []byte) error {
	return b.file(frame, line, permissions.ActionWrite, "functions.acp_fs__write_text_file")
}

// file decides about a file. What goes on names it by the one name that it was decided under: without links
// and without dots, below the directory as the editor itself calls it.
func (b *Bridge) file(frame ndjson.Frame, line []byte, action permissions.Action, toolID string) error {
	p := readParams(frame.Params)
	session, path := p.text("sessionId"), p.text("path")
	var content string
	var rest []member
	if action == permissions.ActionWrite {
		content = p.text("content")
		rest = append(rest, member{"content", encode(content)})
	}
	for _, key := range []string{"line", "limit"} { // of what is read; they only make it less
		if action != permissions.ActionRead {
			break
		}
		if n := p.count(key); n != nil {
			rest = append(rest, member{key, bytes.Clone(n)})
		}
	}
	more := p.meta()
	unknown := p.others()
	if p.err() != nil {
		return b.refuseAgent(frame, frame.MethodName()+": "+p.err().Error())
	}
	more = append(more, unknown...)
	s, session := b.agentsSession(session)
	a := &act{
		session: s, frame: frame, line: line, unknown: unknown,
		request: b.newRequest(s, session, action, toolID),
		what:    fmt.Sprintf("%s %s", verbs[action], path),
	}
	a.request.Paths = []permissions.Path{{Name: path, Write: action == permissions.ActionWrite}}
	a.request.Arguments = map[string]any{"path": path}
	p.trace(&a.request)
	a.request.Doubts = append(permissions.Doubtful(path), doubtUnknown(unknown)...)
	real, err := permissions.Resolve(a.request.Dir, path)
	if err != nil {
		a.fault = err.Error()
		real = path
	}
	name := s.editorsName(real)
	a.effect = gate.Effect{Kind: action, Path: real, More: nameMore(more)}
	a.locations = []string{name}
	if action == permissions.ActionWrite {
		a.request.Arguments["content"] = content
		a.request.Doubts = append(a.request.Doubts, reordered(content)...)
		a.effect.Content, a.effect.Over = gate.ContentDigest(content), s.holds(real)
		a.change = &approval.FileChange{Path: name, NewText: content}
	}
	a.params = slices.Concat([]member{{"sessionId", encode(session)}, {"path", encode(name)}}, rest, more)
	return b.carryOut(a)
}

// mostTexts bounds the files of which a session remembers what the editor gave the agent.
const mostTexts = 1000

// heldText is the text of a file as the editor has it, by its digest, and what the file held on disk then:
// the text is out of date once that is another.
type heldText struct{ text, onDisk string }

// noteText notes the text of a whole file that the editor gives the agent, or takes from it: what is not
// saved stands nowhere else.
func (a *act) noteText(answer ndjson.Frame) {
	if a.session == nil || a.effect.Path == "" || failed(answer) {
		return
	}
	held := heldText{onDisk: onDisk(a.effect.Path)}
	switch a.request.Action {
	case permissions.ActionWrite:
		held.text = gate.ContentDigest(unixLines(a.change.NewText))
	case permissions.ActionRead:
		result, err := exactObject(answer.Result)
		if err != nil || len(result["content"]) == 0 ||
			slices.ContainsFunc(a.params, func(m member) bool { return m.key == "line" || m.key == "limit" }) {
			return
		}
		held.text = gate.ContentDigest(unixLines(result.text("content")))
	default:
		return
	}
	a.b.mu.Lock()
	defer a.b.mu.Unlock()
	if a.session.texts == nil || len(a.session.texts) >= mostTexts {
		a.session.texts = map[string]heldText{}
	}
	a.session.texts[a.effect.Path] = held
}

// onDisk names the text that a file holds on disk.
func onDisk(path string) string {
	text, ok := presentText(path)
	if !ok {
		return cannotBeShown
	}
	return gate.ContentDigest(unixLines(text))
}

const cannotBeShown = "what cannot be shown"

// holds names what a file holds, on disk and, where the editor gave another text last as that of the file,
// in the editor.
func (s *Session) holds(path string) string {
	present := onDisk(path)
	if s == nil {
		return present
	}
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	if held, known := s.texts[path]; known && held.text != present {
		return present + " " + held.text
	}
	return present
}

// editorHeld reports whether the editor gave a text last as that of a file, and the file has not changed
// since.
func (s *Session) editorHeld(path, text string) bool {
	present := onDisk(path)
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	return present != cannotBeShown && s.texts[path] == heldText{gate.ContentDigest(unixLines(text)), present}
}

// doubtUnknown says of members that nobody here knows that nobody knows what they do, so that no rule
// approves a frame with one.
func doubtUnknown(unknown []member) (doubts []string) {
	for _, m := range unknown {
		doubts = append(doubts, fmt.Sprintf("it has a member %q, and nobody here knows what that does",
			display.Line(m.key)))
	}
	return doubts
}

var verbs = map[permissions.Action]string{
	permissions.ActionRead: "read", permissions.ActionWrite: "write", permissions.ActionExecute: "run",
}

// newRequest begins the request of an act that the agent asks the editor to carry out.
func (b *Bridge) newRequest(s *Session, session string, action permissions.Action,
	toolID string) permissions.Request {
	r := permissions.Request{Door: tool.DoorACP, Action: action, Tools: []string{toolID},
		Agent: b.agentName(), Principal: b.o.Principal, Served: b.o.Served, Session: session,
		Confined: b.o.Confinement != nil && b.o.Confinement.Whole()}
	if s != nil {
		r.Workspace, r.Dir, r.Mode, r.Trace = s.Workspace(), s.Dir(), s.Mode(), s.Trace().Child()
		r.Task, r.Context = s.Task()
	}
	return r
}

// clone keeps a frame and its line beyond the call in which they came.
func clone(frame ndjson.Frame, line []byte) (ndjson.Frame, []byte) {
	kept := slices.Clone(line)
	return ndjson.Scan(kept), kept
}
