package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// agent plays the scenarios of the two suites: the TCK chooses one by how the message's id begins, ACTS by how its
// text begins. It is an agent as any other: what it says is ACP, and what it knows of A2A are the ids in _meta.
type agent struct {
	long time.Duration // how long a long task takes

	mu        sync.Mutex
	asks      bool // the client has forms filled in
	sessions  int
	cancelled map[string]context.CancelFunc // what ends the prompt of a session
}

// scenarios are the names of all, those first that another one begins with.
var scenarios = []string{
	"tck-message-response", "tck-artifact-text", "tck-artifact-file-url", "tck-artifact-file", "tck-artifact-data",
	"tck-input-required", "tck-reject-task", "tck-stream-artifact-chunked", "tck-stream-artifact-file",
	"tck-stream-artifact-text", "tck-stream-ordering-001", "tck-stream-001", "tck-stream-002", "tck-stream-003",
	"test-resubscribe-message-id", "tck-long-running", "tck-multi-turn", "tck-cancel", "tck-stream-basic",
	"tck-stream-chunked", "tck-task-failure", "tck-auth-required", "tck-complete-task",
}

// scenarioOf returns the name of the scenario that a message chooses; "" for none.
func scenarioOf(id, text string) string {
	for _, name := range scenarios {
		if strings.HasPrefix(id, name) || strings.HasPrefix(text, name) {
			return name
		}
	}
	return ""
}

// play speaks ACP on a pair of streams until the input ends.
func play(ctx context.Context, in io.ReadCloser, out io.WriteCloser, long time.Duration) error {
	a := &agent{long: long, cancelled: map[string]context.CancelFunc{}}
	conn := jsonrpc2.NewConn(ctx, jsonrpc2.NewPlainObjectStream(stdio{in, out}), a)
	<-conn.DisconnectNotify()
	return nil
}

// stdio makes one stream of two.
type stdio struct {
	io.ReadCloser
	out io.WriteCloser
}

func (s stdio) Write(p []byte) (int, error) { return s.out.Write(p) }

func (s stdio) Close() error { return errors.Join(s.ReadCloser.Close(), s.out.Close()) }

// meta is the _meta of what an agent is told.
type meta struct {
	A2A struct {
		Message string `json:"messageId"`
	} `json:"a2a"`
}

// codeAuth is ACP's code for a client without a login.
const codeAuth = -32000

// params are those of every method, of which each has some.
type params struct {
	ClientCapabilities struct {
		Elicitation struct {
			Form *struct{} `json:"form"`
		} `json:"elicitation"`
	} `json:"clientCapabilities"`
	Session string `json:"sessionId"`
	Prompt  []struct {
		Text string `json:"text"`
	} `json:"prompt"`
	Meta meta `json:"_meta"`
}

// Handle implements jsonrpc2.Handler. Frames are taken one by one, so that a prompt is there when it is cancelled.
func (a *agent) Handle(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) {
	var p params
	if r.Params != nil && json.Unmarshal(*r.Params, &p) != nil {
		p = params{}
	}
	if r.Method != "session/prompt" {
		jsonrpc2.HandlerWithError(func(context.Context, *jsonrpc2.Conn, *jsonrpc2.Request) (any, error) {
			return a.answer(r.Method, p)
		}).Handle(ctx, conn, r)
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	a.mu.Lock()
	a.cancelled[p.Session] = cancel
	t := &turn{conn: conn, session: p.Session, asks: a.asks, long: a.long}
	a.mu.Unlock()
	text := ""
	if len(p.Prompt) > 0 {
		text = strings.TrimSpace(p.Prompt[0].Text)
	}
	go func() { // ends with the prompt, which ends with the connection
		defer cancel()
		jsonrpc2.HandlerWithError(func(context.Context, *jsonrpc2.Conn, *jsonrpc2.Request) (any, error) {
			result, err := t.play(ctx, scenarioOf(p.Meta.A2A.Message, text))
			if ctx.Err() != nil { // whatever came of it
				result, err = map[string]string{"stopReason": "cancelled"}, nil
			}
			return result, err
		}).Handle(ctx, conn, r)
	}()
}

// answer answers what is no prompt.
func (a *agent) answer(method string, p params) (any, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch method {
	case "initialize":
		a.asks = p.ClientCapabilities.Elicitation.Form != nil
		return map[string]any{
			"protocolVersion": 1, "agentInfo": map[string]string{"name": "scenarios", "version": "1"},
			"agentCapabilities": map[string]any{"promptCapabilities": map[string]bool{"embeddedContext": true}},
			"authMethods":       []map[string]string{{"id": "none", "name": "There is no way in"}},
		}, nil
	case "session/new":
		a.sessions++
		return map[string]string{"sessionId": strconv.Itoa(a.sessions)}, nil
	case "session/cancel":
		if cancel := a.cancelled[p.Session]; cancel != nil {
			cancel()
		}
		return nil, nil
	}
	return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "the agent has no " + method}
}
