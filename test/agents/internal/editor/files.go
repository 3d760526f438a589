package editor

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// fileRequest is what fs/read_text_file and fs/write_text_file ask.
type fileRequest struct {
	Session string `json:"sessionId"`
	Path    string `json:"path"`
	Content string `json:"content"`
	Line    *int   `json:"line"` // from 1
	Limit   *int   `json:"limit"`
}

func (e *Editor) readFileRequest(frame Frame) (fileRequest, *Error) {
	var request fileRequest
	if err := json.Unmarshal(frame.Params, &request); err != nil {
		e.violate(frame.Raw, err.Error())
		return request, &Error{Code: -32602, Message: err.Error()}
	}
	if !filepath.IsAbs(request.Path) {
		e.violate(frame.Raw, "a path that is not absolute")
	}
	session := e.session(frame, request.Session)
	if session == nil {
		return request, &Error{Code: -32002, Message: "unknown session: " + request.Session}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if session.turn != nil {
		session.turn.Files = append(session.turn.Files, frame.Method+" "+request.Path)
	}
	return request, nil
}

// prepareRead reads the file at once: what a request sees must not depend on when its answer is written.
func (e *Editor) prepareRead(frame Frame) func() (any, *Error) {
	request, failure := e.readFileRequest(frame)
	if failure != nil {
		return func() (any, *Error) { return nil, failure }
	}
	content, failure := e.readText(request.Path)
	if failure == nil && (request.Line != nil || request.Limit != nil) {
		content = section(content, request.Line, request.Limit)
	}
	return func() (any, *Error) {
		if failure != nil {
			return nil, failure
		}
		return map[string]any{"content": content}, nil
	}
}

func (e *Editor) readText(path string) (string, *Error) {
	e.mu.Lock()
	buffer, ok := e.options.Buffers[path]
	e.mu.Unlock()
	if ok {
		return buffer, nil
	}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && e.options.Missing == MissingIsEmpty:
		return "", nil
	case errors.Is(err, fs.ErrNotExist):
		return "", &Error{Code: -32002, Message: "Resource not found: " + path}
	case err != nil:
		return "", &Error{Code: -32603, Message: err.Error()}
	}
	return string(text), nil
}

func (e *Editor) prepareWrite(frame Frame) func() (any, *Error) {
	request, failure := e.readFileRequest(frame)
	if failure != nil {
		return func() (any, *Error) { return nil, failure }
	}
	if err := os.MkdirAll(filepath.Dir(request.Path), 0o700); err != nil {
		failure = &Error{Code: -32603, Message: err.Error()}
	} else if err := os.WriteFile(request.Path, []byte(request.Content), 0o600); err != nil {
		failure = &Error{Code: -32603, Message: err.Error()}
	}
	e.mu.Lock()
	delete(e.options.Buffers, request.Path) // saved
	e.mu.Unlock()
	return func() (any, *Error) {
		if failure != nil {
			return nil, failure
		}
		return map[string]any{}, nil
	}
}

// section returns the lines from line on, limit at the most.
func section(content string, line, limit *int) string {
	lines := strings.SplitAfter(content, "\n")
	if line != nil {
		lines = lines[min(max(*line-1, 0), len(lines)):]
	}
	if limit != nil {
		lines = lines[:min(max(*limit, 0), len(lines))]
	}
	return strings.Join(lines, "")
}
