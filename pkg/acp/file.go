package acp

import (
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"
	"unicode/utf8"

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

func (b *Bridge) file(frame ndjson.Frame, line []byte, action permissions.Action, toolID string) error {
	params, err := exactObject(frame.Params)
	if err != nil {
		return b.refuseAgent(frame, frame.MethodName()+": "+err.Error())
	}
	session, err := params.wanted("sessionId")
	if err != nil {
		return b.refuseAgent(frame, frame.MethodName()+": "+err.Error())
	}
	path, err := params.wanted("path")
	if err != nil {
		return b.refuseAgent(frame, frame.MethodName()+": "+err.Error())
	}
	s := b.session(session)
	a := act{
		session: s, frame: frame, line: line,
		request: b.newRequest(s, session, action, toolID),
		what:    fmt.Sprintf("%s %s", verbs[action], path),
	}
	a.request.Paths = []permissions.Path{{Name: path, Write: action == permissions.ActionWrite}}
	a.request.Arguments = map[string]any{"path": path}
	a.request.Doubts = permissions.Doubtful(path)
	a.ledger = permissions.Act{Kind: action, Path: resolved(a.request.Dir, path)}
	a.locations = []string{path}
	if action == permissions.ActionWrite {
		content, err := params.wanted("content")
		if err != nil {
			return b.refuseAgent(frame, frame.MethodName()+": "+err.Error())
		}
		a.request.Arguments["content"] = content
		a.ledger.Content = permissions.ContentDigest(content)
		a.change = &permissions.FileChange{Path: path, NewText: content}
	}
	return b.carryOut(a)
}

var verbs = map[permissions.Action]string{
	permissions.ActionRead: "read", permissions.ActionWrite: "write", permissions.ActionExecute: "run",
}

// newRequest begins the request of an act that the agent asks the editor to carry out.
func (b *Bridge) newRequest(s *Session, session string, action permissions.Action, toolID string) permissions.Request {
	r := permissions.Request{Door: tool.DoorACP, Action: action, Tools: []string{toolID}, Agent: b.agentName(), Principal: b.o.Principal, Session: session}
	if s != nil {
		r.Workspace, r.Dir, r.Mode = s.Workspace(), s.Dir(), s.Mode()
	}
	return r
}

// shownFile is the size, in bytes, of the largest file whose present text is read to show a change.
const shownFile = 1 << 20

// currentText reads a file as it is on disk, so that a person can be shown what would change. It gives nil for what is no
// regular file, is large, or cannot be read; it never waits for one.
func currentText(path string) *string {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO must not hold us
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > shownFile {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(f, shownFile))
	if err != nil || !utf8.Valid(data) {
		return nil
	}
	s := string(data)
	return &s
}

// clone keeps a frame and its line beyond the call in which they came.
func clone(frame ndjson.Frame, line []byte) (ndjson.Frame, []byte) {
	kept := slices.Clone(line)
	return ndjson.Scan(kept), kept
}
