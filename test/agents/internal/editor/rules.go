package editor

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// read takes the agent's lines until its stream ends.
func (e *Editor) read() {
	for {
		line, err := e.lines.ReadBytes('\n')
		if text, whole := strings.CutSuffix(string(line), "\n"); whole {
			e.receive([]byte(text))
		} else if len(line) > 0 {
			e.violate(line, "a last line that is not ended")
		}
		if err == nil {
			continue
		}
		if err != io.EOF {
			e.violate(nil, "the agent's stream: "+err.Error())
		}
		break
	}
	e.answers.Wait()
	e.mu.Lock()
	strange := e.early
	e.mu.Unlock()
	for session, kinds := range strange {
		e.violate(nil, fmt.Sprintf("updates of session %q, which the editor does not know: %v", session, kinds))
	}
	close(e.done)
}

func (e *Editor) receive(line []byte) {
	if strings.TrimSpace(string(line)) == "" {
		e.violate(line, "a blank line")
		return
	}
	frame, err := Parse(line)
	if err != nil {
		e.violate(line, err.Error())
		return
	}
	switch {
	case frame.IsResponse():
		e.receiveResponse(frame)
	case frame.ID != nil:
		e.record(frame)
		e.receiveRequest(frame)
	default:
		e.record(frame)
		e.receiveNotification(frame)
	}
}

// receiveResponse hands a response to whoever waits for it: exactly one of our requests must.
func (e *Editor) receiveResponse(frame Frame) {
	id := string(frame.ID)
	e.mu.Lock()
	request, ok := e.pending[id]
	delete(e.pending, id)
	e.mu.Unlock()
	if !ok {
		e.record(frame)
		e.violate(frame.Raw, "a response to nothing that was asked, or a second one")
		return
	}
	frame.Method = request.method
	e.record(frame)
	if frame.Error == nil {
		request.respond(frame.Result, nil)
		return
	}
	failure := new(Error)
	if err := json.Unmarshal(frame.Error, failure); err != nil || failure.Message == "" {
		e.violate(frame.Raw, "an error without code and message")
	}
	request.respond(nil, failure)
}

// receiveRequest answers a request, in a goroutine of its own: an editor with a prompt on the screen goes
// on reading.
func (e *Editor) receiveRequest(frame Frame) {
	id := string(frame.ID)
	e.mu.Lock()
	reused := e.open[id]
	e.open[id] = true
	e.theirs[id] = frame.Method
	e.mu.Unlock()
	if reused {
		e.violate(frame.Raw, "the id of a request that is still open")
	}
	prepare, ok := map[string]func(Frame) func() (any, *Error){
		"session/request_permission": e.preparePermission,
		"fs/read_text_file":          e.prepareRead,
		"fs/write_text_file":         e.prepareWrite,
	}[frame.Method]
	if !ok || e.options.Version == 2 && strings.HasPrefix(frame.Method, "fs/") {
		e.violate(frame.Raw, "a request that this editor did not offer to answer")
		prepare = func(Frame) func() (any, *Error) {
			return func() (any, *Error) { return nil, &Error{Code: -32601, Message: "method not found: " + frame.Method} }
		}
	}
	answer := prepare(frame) // what must be seen in the order of the lines is done here
	e.answers.Add(1)
	go func() { // ends when the answer is written; read waits for it
		defer e.answers.Done()
		result, failure := answer()
		response := map[string]any{"jsonrpc": "2.0", "id": frame.ID, "result": result}
		if failure != nil {
			delete(response, "result")
			response["error"] = failure
		}
		e.mu.Lock()
		delete(e.open, id)
		e.mu.Unlock()
		_ = e.send(response, frame.Method) // an agent that has ended needs no answer
	}()
}

func (e *Editor) receiveNotification(frame Frame) {
	switch {
	case frame.Method == "session/update":
		e.receiveUpdate(frame)
	case frame.Method == "$/cancel_request":
		var params struct {
			ID json.RawMessage `json:"requestId"`
		}
		if err := json.Unmarshal(frame.Params, &params); err != nil {
			e.violate(frame.Raw, err.Error())
			return
		}
		e.mu.Lock()
		_, ok := e.theirs[string(params.ID)]
		e.mu.Unlock()
		if !ok {
			e.violate(frame.Raw, "takes back a request that was never made")
		}
	case strings.HasPrefix(frame.Method, "_"):
		// An extension, which an editor that does not know it ignores.
	default:
		e.violate(frame.Raw, "a notification that the protocol does not have")
	}
}

// violate reports something that the protocol forbids.
func (e *Editor) violate(line []byte, what string) {
	if len(line) > 600 {
		line = append(line[:600:600], "…"...)
	}
	e.options.Violation(fmt.Sprintf("%s: %s", what, line))
}
