package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// How long clients may use a list without asking again. A change is told, where they listen.
const listLife = time.Minute

// result is what every result of 2026-07-28 has beside its own; of the time before, none of it.
type resultHead struct {
	Type  string         `json:"resultType,omitempty"`
	Meta  map[string]any `json:"_meta,omitempty"`
	Life  *int64         `json:"ttlMs,omitempty"`
	Scope string         `json:"cacheScope,omitempty"`
}

func (s *Server) resultMeta() map[string]any { return map[string]any{metaServer: s.implementation()} }

// head returns what every result of the client's revision has; life is how long it may be kept, if it may.
func (s *Server) head(x *exchange, life time.Duration) resultHead {
	if !x.client.Stateless() {
		return resultHead{}
	}
	head := resultHead{Type: "complete", Meta: s.resultMeta()}
	if life >= 0 {
		ms := life.Milliseconds()
		head.Life, head.Scope = &ms, "private"
	}
	return head
}

const notKept time.Duration = -1

func (s *Server) discover(_ context.Context, x *exchange) ([]byte, error) {
	return encode(struct {
		resultHead
		Revisions    []string `json:"supportedVersions"`
		Capabilities any      `json:"capabilities"`
		Instructions string   `json:"instructions"`
	}{s.head(x, listLife), revisions, s.capabilities(true), instructions})
}

// page refuses a cursor: lists are told whole, since some clients read the first page only.
func page(x *exchange) *ProtocolError {
	if cursor := param(x.params, "cursor"); cursor != nil && string(cursor) != "null" && string(cursor) != `""` {
		return failf(codeParams, "there is no such page")
	}
	return nil
}

func (s *Server) listTools(ctx context.Context, x *exchange) ([]byte, error) {
	if failed := page(x); failed != nil {
		return nil, failed
	}
	catalogue, err := s.o.Tools.List(ctx, x.client)
	if err != nil {
		return nil, err
	}
	tools, err := catalogue.JSON()
	if err != nil {
		return nil, err
	}
	head, err := encode(s.head(x, listLife))
	if err != nil {
		return nil, err
	}
	// Put together by hand: the list is encoded already, and long.
	out := make([]byte, 0, len(tools)+len(head)+16)
	out = append(out, `{"tools":`...)
	out = append(out, tools...)
	if len(head) > 2 {
		out = append(out, ',')
		out = append(out, head[1:]...)
		return out, nil
	}
	return append(out, '}'), nil
}

// longestToolCall is how many bytes of a client's own id of a call are looked at.
const longestToolCall = 256

func (s *Server) callTool(ctx context.Context, x *exchange) ([]byte, error) {
	call := Call{
		Client: x.client, Name: textParam(x.params, "name"), Arguments: slices.Clone(param(x.params, "arguments")),
		Progress: x.progress(), Log: x.log, Ask: x.input(), Detach: x.peer.detach, Defer: func() {},
	}
	call.Listens = param(x.params, "_meta", "progressToken") != nil || x.wanted() != ""
	if call.Name == "" {
		return nil, failf(codeParams, "the name of a tool is missing")
	}
	if id := textParam(x.params, "_meta", "claudecode/toolUseId"); len(id) <= longestToolCall {
		call.ToolCall = id // a hint; one that is no id is none
	}
	// The keys are reserved for that in MCP since 2026-07-28, and used before.
	call.Trace = tool.ParseTrace(textParam(x.params, "_meta", "traceparent"), textParam(x.params, "_meta", "tracestate"))
	about := func() []byte { return slices.Concat([]byte(call.Name), []byte{0}, canonical(call.Arguments)) }
	round, failed := s.readRound(x, about)
	if failed != nil {
		return nil, failed
	}
	call.Round = round
	if s.takesTasks(x) {
		return s.asTask(ctx, x, call, about)
	}
	var result CallResult
	input, err := x.rounds(ctx, round, func(round Round) (*InputRequired, error) {
		call.Round = round
		var err error
		result, err = s.o.Tools.Call(ctx, call)
		if errors.Is(err, ErrUnknownTool) {
			err = failf(codeParams, "%v: %q", ErrUnknownTool, claim(call.Name))
		}
		return result.Input, err
	})
	switch {
	case err != nil:
		return nil, err
	case input != nil:
		return s.inputRequired(x, about, input)
	case result.Error != nil:
		return nil, result.Error.of(x.client.Revision)
	}
	return s.tell(x, result)
}

// tell returns the result of a call as the client's revision has it.
func (s *Server) tell(x *exchange, r CallResult) ([]byte, error) {
	out := struct {
		resultHead
		Content    []json.RawMessage `json:"content"`
		Structured json.RawMessage   `json:"structuredContent,omitempty"`
		IsError    bool              `json:"isError,omitempty"`
	}{s.head(x, notKept), []json.RawMessage{}, r.Structured, r.IsError}
	if r.Content != "" || len(r.Blocks) == 0 {
		out.Content = append(out.Content, TextBlock(r.Content))
	}
	for _, image := range r.Images {
		out.Content = append(out.Content, imageBlock(image))
	}
	out.Content = append(out.Content, r.Blocks...)
	if len(r.Meta) > 0 {
		var meta map[string]json.RawMessage
		if err := json.Unmarshal(r.Meta, &meta); err != nil {
			return nil, fmt.Errorf("the _meta of a result is no object: %w", err)
		}
		if out.Meta == nil {
			out.Meta = map[string]any{}
		}
		for key, value := range meta {
			out.Meta[key] = value
		}
	}
	return encode(out)
}

func (s *Server) listResources(ctx context.Context, x *exchange) ([]byte, error) {
	if failed := page(x); failed != nil {
		return nil, failed
	}
	list, err := s.o.Resources.List(ctx, x.client)
	if err != nil {
		return nil, err
	}
	return encode(struct {
		resultHead
		Resources []Resource `json:"resources"`
	}{s.head(x, listLife), orEmpty(list)})
}

func (s *Server) listTemplates(ctx context.Context, x *exchange) ([]byte, error) {
	if failed := page(x); failed != nil {
		return nil, failed
	}
	list, err := s.o.Resources.Templates(ctx, x.client)
	if err != nil {
		return nil, err
	}
	return encode(struct {
		resultHead
		Templates []ResourceTemplate `json:"resourceTemplates"`
	}{s.head(x, listLife), orEmpty(list)})
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func (s *Server) readResource(ctx context.Context, x *exchange) ([]byte, error) {
	uri := textParam(x.params, "uri")
	if uri == "" {
		return nil, failf(codeParams, "a uri is missing")
	}
	read, err := s.o.Resources.Read(ctx, x.client, uri)
	if errors.Is(err, ErrNoResource) {
		failed := failf(codeNoResource, "%v", ErrNoResource).with(map[string]any{"uri": uri})
		failed.Code = codeFor(failed.Code, x.client.Revision)
		return nil, failed
	}
	if err != nil {
		return nil, err
	}
	return encode(struct {
		resultHead
		ReadResult
	}{s.head(x, 0), read})
}

func (s *Server) listPrompts(ctx context.Context, x *exchange) ([]byte, error) {
	if failed := page(x); failed != nil {
		return nil, failed
	}
	list, err := s.o.Prompts.List(ctx, x.client)
	if err != nil {
		return nil, err
	}
	return encode(struct {
		resultHead
		Prompts []Prompt `json:"prompts"`
	}{s.head(x, listLife), orEmpty(list)})
}

func (s *Server) getPrompt(ctx context.Context, x *exchange) ([]byte, error) {
	call := PromptCall{Client: x.client, Name: textParam(x.params, "name")}
	raw := param(x.params, "arguments")
	if raw != nil && (ndjson.Strict(raw) != nil || json.Unmarshal(raw, &call.Arguments) != nil) {
		return nil, failf(codeParams, "arguments is no object of texts that can be read in one way only")
	}
	about := func() []byte { return slices.Concat([]byte(call.Name), []byte{0}, canonical(raw)) }
	round, failed := s.readRound(x, about)
	if failed != nil {
		return nil, failed
	}
	var result PromptResult
	input, err := x.rounds(ctx, round, func(round Round) (*InputRequired, error) {
		call.Round = round
		var err error
		result, err = s.o.Prompts.Get(ctx, call)
		if errors.Is(err, ErrNoPrompt) {
			err = failf(codeParams, "%v: %q", ErrNoPrompt, claim(call.Name))
		}
		return result.Input, err
	})
	switch {
	case err != nil:
		return nil, err
	case input != nil:
		return s.inputRequired(x, about, input)
	}
	result.Messages = orEmpty(result.Messages)
	return encode(struct {
		resultHead
		PromptResult
	}{s.head(x, notKept), result})
}

// mostValues is how many values a completion may suggest (2025-11-25, completion).
const mostValues = 100

func (s *Server) complete(ctx context.Context, x *exchange) ([]byte, error) {
	ref, argument := param(x.params, "ref"), param(x.params, "argument")
	if len(ref) == 0 || ref[0] != '{' || len(argument) == 0 || argument[0] != '{' {
		return nil, failf(codeParams, "ref and argument are needed")
	}
	values, err := s.o.Completer.Complete(ctx, x.client, ref, textParam(argument, "name"), textParam(argument, "value"))
	if err != nil {
		return nil, err
	}
	type completion struct {
		Values []string `json:"values"`
		Total  int      `json:"total"`
		More   bool     `json:"hasMore"`
	}
	return encode(struct {
		resultHead
		Completion completion `json:"completion"`
	}{s.head(x, notKept), completion{orEmpty(values[:min(len(values), mostValues)]), len(values), len(values) > mostValues}})
}
