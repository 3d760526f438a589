package acp

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// lane reads one direction to its end, line by line, and hands every line to the function that owns the
// direction. The line is only valid during the call. A line above the limit was dropped while it was read.
func (b *Bridge) lane(r *ndjson.Reader, handle func(line []byte) error, tooLong func(*ndjson.TooLongError)) error {
	for {
		line, err := r.Next()
		var long *ndjson.TooLongError
		switch {
		case errors.As(err, &long):
			tooLong(long)
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := handle(line); err != nil {
			return err
		}
	}
}

// fromEditor handles one line of the editor's. An error means that the agent's end is broken.
func (b *Bridge) fromEditor(line []byte) error {
	frame := ndjson.Scan(line)
	switch {
	case frame.Kind == ndjson.Array:
		return b.refuseEditor(frame, noBatches)
	case frame.Kind == ndjson.Noise: // some agents take two frames out of one line, or one out of several
		b.o.Say("a line of the editor's is no frame: " + display.Line(string(line[:min(len(line), 200)])))
		b.toEditor.put(errorResponse(nil, wireError{Code: codeNoJSON, Message: "a2a-acp: refused: it is no JSON-RPC frame"}))
		return nil
	case frame.Kind != ndjson.Object:
		return b.toAgent.relay(line)
	case len(frame.Result)+len(frame.Error) > 0 && frame.HasMethod(): // to some agents it is an answer
		frame.Ambiguous = true
		return b.editorAnswered(frame, line)
	case frame.CouldBe(isEditorIntercept):
		if problem := unclear(frame); problem != "" {
			return b.refuseEditor(frame, problem)
		}
		owned, ok := editorIntercepts[frame.MethodName()]
		if !ok {
			return b.refuseEditor(frame, misspelled)
		}
		return owned(b, frame, line)
	case !frame.HasMethod():
		return b.editorAnswered(frame, line)
	}
	b.openFromEditor(frame, passed{})
	return b.toAgent.relay(line)
}

// fromAgent handles one line of the agent's. An error means that the editor's end is broken.
func (b *Bridge) fromAgent(line []byte) error {
	b.toAgent.out.room()
	b.toEditor.out.room()
	frame := ndjson.Scan(line)
	switch {
	case frame.Kind == ndjson.Blank:
		return nil // Zed answers a blank line with a parse error
	case frame.Kind == ndjson.Noise:
		b.o.Noise(line)
		return nil
	case frame.Kind == ndjson.Array:
		return b.refuseAgent(frame, noBatches)
	case frame.HasMethod() && len(frame.Result)+len(frame.Error) > 0:
		return b.refuseAgent(frame, "it is a request and an answer at once")
	case frame.HasMethod() && b.ours.has(frame.ID):
		return b.refuseAgent(frame, "its id is one of ours")
	case frame.CouldBe(isAgentIntercept):
		if problem := unclear(frame); problem != "" {
			return b.refuseAgent(frame, problem)
		}
		owned, ok := agentIntercepts[frame.MethodName()]
		if !ok {
			return b.refuseAgent(frame, misspelled)
		}
		return owned(b, frame, line)
	case !frame.HasMethod():
		return b.agentAnswered(frame, line)
	case frame.Ambiguous: // somebody may take it, or a part of it, for an answer
		return b.refuseAgent(frame, unclear(frame))
	case frame.LossyID: // or what answers it would answer another request
		return b.refuseAgent(frame, unclear(frame))
	case frame.MethodName() == Asks:
		return b.refuseAgent(frame, "its method is a2a-acp's own")
	case isUnknownAct(frame.MethodName()):
		return b.refuse(frame, codeNoMethod, "nobody here knows what "+display.Line(frame.MethodName())+" does")
	}
	if frame.MethodName() == methodElicitationDone { // the editor may take the question away
		b.clicked()
	}
	s := b.sessionIn(frame.Params)
	if !b.openFromAgent(frame, passed{session: s, heard: b.hearTerminal(frame),
		clickable: !slices.Contains(aboutTerminals, frame.MethodName())}) {
		return b.refuseAgent(frame, idInUse)
	}
	return b.queueOf(s).relay(line)
}

// noBatches refuses an array: a draft of version 2 had batches, and readers of that draft take one apart.
const noBatches = "ACP has no batches"

const misspelled = "its method is that of a frame that is decided here, in another spelling"

// unclear returns why a frame can be read in more than one way; "" if it cannot.
func unclear(frame ndjson.Frame) string {
	switch {
	case frame.Ambiguous:
		return "a key of it stands there twice, or in another spelling, so that two readers could read it differently"
	case frame.InvalidUTF8:
		return "it is not valid UTF-8"
	case frame.RawControl:
		return "it holds a control character that JSON does not allow"
	case frame.LossyID:
		return "its id is a number that some readers cannot give back exactly"
	}
	return ""
}

// editorTooLong reports a line of the editor's that was dropped, and answers whoever waits for it.
func (b *Bridge) editorTooLong(e *ndjson.TooLongError) {
	b.tooLong("editor", e, b.toEditor, b.toAgent, &b.fromAgentOpen, agentsID)
}

// agentTooLong reports a line of the agent's that was dropped, and answers whoever waits for it.
func (b *Bridge) agentTooLong(e *ndjson.TooLongError) {
	b.tooLong("agent", e, b.toAgent, b.toEditor, &b.fromEditorOpen, ndjson.ID)
}

func (b *Bridge) tooLong(who string, e *ndjson.TooLongError, sender, other *queue, asked *map[ndjson.Key]*passed,
	key func([]byte) ndjson.Key) {
	b.o.Say(fmt.Sprintf("from the %s: %v (--max-frame-mb raises the limit)", who, e))
	if len(e.ID) == 0 {
		return
	}
	refusal := errorResponse(e.ID, wireError{Code: codeInvalidRequest, Message: "a2a-acp: " + e.Error()})
	if e.Request {
		sender.put(refusal)
		return
	}
	// It was an answer: the one who asked must not wait for ever. A write error is found out by the next
	// line.
	p := b.takeOpen(asked, key(e.ID), ndjson.Frame{ID: e.ID})
	if p == nil || p.over || p.answered != nil && p.answered(ndjson.Scan(refusal), refusal) == nil {
		return
	}
	other.put(refusal)
}
