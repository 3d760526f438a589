package cobratools

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// behind is the tools where the guard serves this process alone, and this process the clients: a call goes through what
// stands around it, and then to the guard as a request that stands for itself (MCP 2026-07-28), so that no client's
// session, id or answer can be taken for another's. It implements mcpserver.Tools.
type behind struct {
	*relay
	mu       sync.Mutex
	progress map[string]func(mcpserver.Progress) // of calls whose clients listen, by the ids that the guard knows
}

// newBehind returns the tools of a guard that is written to by toGuard. What it answers is for relay.answers to read.
func newBehind(list []command, toGuard *ndjson.Writer) *behind {
	b := &behind{progress: map[string]func(mcpserver.Progress){}}
	b.relay = newRelay(ndjson.NewWriter(b), toGuard)
	for i := range list {
		b.commands[mcpserver.ToolName(list[i].tool.ID)] = &list[i]
	}
	return b
}

// Write implements io.Writer for what the guard says that answers no request: that a call is under way.
func (b *behind) Write(line []byte) (int, error) {
	frame := ndjson.Scan(line)
	if frame.MethodName() == "notifications/progress" {
		token, _ := ndjson.Get(frame.Params, "progressToken")
		name, err := ndjson.String(token)
		b.mu.Lock()
		tell := b.progress[name]
		b.mu.Unlock()
		if err == nil && tell != nil {
			tell(mcpserver.Progress{}) // how much of it is what the command prints
		}
	}
	return len(line), nil
}

// List implements mcpserver.Tools: they are what the guard offers by now.
func (b *behind) List(ctx context.Context, client *mcpserver.Client) (*mcpserver.Catalogue, error) {
	line, err := request("tools/list", map[string]any{"_meta": about(client, "")})
	if err != nil {
		return nil, err
	}
	answer, err := b.once(ctx, line)
	if err != nil {
		return nil, err
	}
	var said struct {
		Result struct {
			Tools []mcpserver.Tool `json:"tools"`
		} `json:"result"`
		Error *mcpserver.ProtocolError `json:"error"`
	}
	switch err := json.Unmarshal(answer, &said); {
	case err != nil:
		return nil, err
	case said.Error != nil:
		return nil, said.Error
	}
	return mcpserver.NewCatalogue(said.Result.Tools), nil
}

// Call implements mcpserver.Tools.
func (b *behind) Call(ctx context.Context, call mcpserver.Call) (mcpserver.CallResult, error) {
	c := b.commands[call.Name]
	if c == nil {
		return mcpserver.CallResult{}, mcpserver.ErrUnknownTool
	}
	token := ""
	if call.Listens {
		token = rand.Text()
		b.mu.Lock()
		b.progress[token] = call.Progress
		b.mu.Unlock()
		defer func() {
			b.mu.Lock()
			delete(b.progress, token)
			b.mu.Unlock()
		}()
	}
	meta := about(call.Client, token)
	if header := call.Trace.Header(); header != "" {
		meta["traceparent"] = header
	}
	line, err := request("tools/call", map[string]any{"name": call.Name, "_meta": meta})
	if err != nil {
		return mcpserver.CallResult{}, err
	}
	if len(call.Arguments) > 0 { // by the client's very bytes, but on one line
		var given bytes.Buffer
		if err := json.Compact(&given, call.Arguments); err != nil {
			return mcpserver.CallResult{}, err
		}
		line = withMember(line, "arguments", given.Bytes())
	}
	ask := func(ctx context.Context, line []byte) ([]byte, error) { return b.rounds(ctx, &call, line) }
	var answer []byte
	if c.around == nil {
		answer, err = ask(ctx, line)
	} else {
		frame := ndjson.Scan(line)
		answer = b.call(ctx, c, line, &frame, ask)
	}
	if err != nil {
		return mcpserver.CallResult{}, err
	}
	return resultOf(answer)
}

// rounds hands a call to the guard. What that asks for, a client of a session is asked in the middle of the call, so that
// what stands around it sees one call; another brings it along with its next request.
func (b *behind) rounds(ctx context.Context, call *mcpserver.Call, line []byte) ([]byte, error) {
	answers, state := call.Answers, call.State
	const most = 16
	for range most {
		to := line
		if state != "" || len(answers) > 0 {
			given, err := json.Marshal(answers)
			if err != nil {
				return nil, err
			}
			kept, err := json.Marshal(state)
			if err != nil {
				return nil, err
			}
			to = withMember(withMember(line, "inputResponses", given), "requestState", kept)
		}
		answer, err := b.once(ctx, to)
		if err != nil {
			return nil, err
		}
		asked, err := askedIn(answer)
		if err != nil || asked == nil || call.Ask == nil {
			return answer, err
		}
		answers, state = map[string]json.RawMessage{}, asked.State
		for key, wanted := range asked.Requests {
			if answers[key], err = call.Ask(ctx, wanted); err != nil {
				return nil, err
			}
		}
	}
	return nil, fmt.Errorf("%s has asked %d times and does not end", guardName, most)
}

// once makes one request of the guard, and returns its answer.
func (b *behind) once(ctx context.Context, line []byte) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	name := rand.Text()
	b.relay.mu.Lock()
	b.waiting[name] = &waitingCall{cancel} // for abandon
	b.relay.mu.Unlock()
	defer func() {
		b.relay.mu.Lock()
		delete(b.waiting, name)
		b.relay.mu.Unlock()
	}()
	return b.ask(ctx, []byte(`""`), line)
}

// askedIn returns what the guard asks for in place of a result; nil for an answer that is one.
func askedIn(answer []byte) (*mcpserver.InputRequired, error) {
	frame := ndjson.Scan(answer)
	if kind, _ := ndjson.Get(frame.Result, "resultType"); string(kind) != `"input_required"` {
		return nil, nil //nolint:nilnil // there is neither
	}
	var said struct {
		Requests map[string]mcpserver.InputRequest `json:"inputRequests"`
		State    string                            `json:"requestState"`
	}
	err := json.Unmarshal(frame.Result, &said)
	return &mcpserver.InputRequired{Requests: said.Requests, State: said.State}, err
}

// resultOf reads the answer to a call.
func resultOf(answer []byte) (out mcpserver.CallResult, err error) {
	if out.Input, err = askedIn(answer); out.Input != nil || err != nil {
		return out, err
	}
	var said struct {
		Result *struct {
			Content    []json.RawMessage `json:"content"`
			Structured json.RawMessage   `json:"structuredContent"`
			IsError    bool              `json:"isError"`
			Meta       json.RawMessage   `json:"_meta"`
		} `json:"result"`
		Error *mcpserver.ProtocolError `json:"error"`
	}
	switch err := json.Unmarshal(answer, &said); {
	case err != nil:
		return out, err
	case said.Error != nil:
		return out, said.Error
	case said.Result == nil:
		return out, errors.New(guardName + " gave no result")
	}
	r := said.Result
	return mcpserver.CallResult{Blocks: r.Content, Structured: r.Structured, IsError: r.IsError, Meta: r.Meta}, nil
}

// about is what a request says of its client: who it is, and that it can ask its person where it can. token is what the
// guard tells progress under; "" for none.
func about(client *mcpserver.Client, token string) map[string]any {
	can := map[string]any{}
	if client.Capabilities.Elicitation {
		can["elicitation"] = map[string]any{}
	}
	meta := map[string]any{
		"io.modelcontextprotocol/protocolVersion":    mcpserver.Revision20260728,
		"io.modelcontextprotocol/clientInfo":         map[string]string{"name": client.Name, "version": client.Version},
		"io.modelcontextprotocol/clientCapabilities": can,
	}
	if token != "" {
		meta["progressToken"] = token
	}
	return meta
}

// request returns the line of a request, without an id of its own.
func request(method string, params map[string]any) ([]byte, error) {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": "", "method": method, "params": params})
	return append(line, '\n'), err
}

// withMember puts a member into the params of a request.
func withMember(line []byte, key string, value []byte) []byte {
	frame := ndjson.Scan(line)
	return ndjson.AppendMember(line, frame.Params, key, value)
}
