package acp

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// aboutOurTool recognises an agent's question about a tool that we offer it. The request it gives is made
// from the arguments, where the question holds them all; known tells whether it does.
func (b *Bridge) aboutOurTool(p *permissionPrompt) (request permissions.Request, known, ok bool) {
	// Else a yes is to an act of the agent's own.
	if b.o.Tools == nil || p.claim.request.Action != permissions.ActionOther {
		return request, false, false
	}
	server := p.session.serverName()
	if server == "" {
		return request, false, false
	}
	claimed, name, ok := mcpTool(p.call)
	if !ok || claimed != server {
		return request, false, false
	}
	arguments := claimedArguments(p.call)
	request, ok = b.o.Tools.Request(p.session, name, arguments)
	return request, arguments != nil && request.Arguments != nil && p.showsOnly(server, name, arguments), ok
}

// showsOnly reports whether a question about a tool shows its name and its arguments and nothing else, so
// that who says yes to it says yes to these.
func (p *permissionPrompt) showsOnly(server, name string, arguments json.RawMessage) bool {
	titles := newNames(name, server+name, "mcp"+server+name, name+server+"mcpserver")
	if !titles.spell(p.call.title) || p.title != nil && !titles.spell(p.words) || len(p.unknown) > 0 ||
		len(slices.Collect(ndjson.Elements(p.call.locations))) > 0 {
		return false
	}
	for text := range ndjson.Texts(arguments) {
		if permissions.Doubtful(text) != nil {
			return false
		}
	}
	content, complete := (object{"c": p.call.content}).objects("c")
	for _, item := range content {
		if text, plain := plainText(item); !plain || !sameJSON(json.RawMessage(text), arguments) {
			return false
		}
	}
	return complete
}

// plainText returns the text of an item of a card that shows a text and nothing else.
func plainText(item object) (text string, plain bool) {
	block := item.object("content")
	return block.text("text"), item.text("type") == "content" && block.text("type") == "text"
}

// claimedArguments finds the arguments of an MCP call in the agent's question: Claude's raw input, or the
// JSON text that Gemini shows (which it leaves out above 500 characters). Nil when they are not there in
// full.
func claimedArguments(call *toolCall) json.RawMessage {
	if len(call.rawInput) > 0 && call.rawInput[0] == '{' {
		if ndjson.Strict(call.rawInput) == nil {
			return json.RawMessage(call.rawInput)
		}
		return nil
	}
	content, complete := (object{"c": call.content}).objects("c")
	if !complete || len(content) != 1 {
		return nil
	}
	text, _ := plainText(content[0])
	text = strings.TrimSpace(text)
	if frame := ndjson.Scan([]byte(text)); frame.Kind == ndjson.Object && ndjson.Strict([]byte(text)) == nil {
		return json.RawMessage(text)
	}
	return nil
}

// decideOurTool decides a question about a tool of ours by that tool's own rules. Where a person has to be
// asked and the question does not show the very values, or the tool's author wants a fresh answer every
// time, the agent is told to go ahead: it can only go ahead by calling the tool, and there the person is
// asked with the values that count.
func (b *Bridge) decideOurTool(p *permissionPrompt, request permissions.Request, known bool) permissions.Decision {
	p.claim.request = request
	p.claim.resolve()
	p.claim.effects, p.claim.unshown = nil, nil
	decision := b.o.Gate.Decide(request).Masked(request.Mask())
	if decision.Verdict != permissions.Ask {
		return decision
	}
	if request.RequiresConfirmation || !known {
		decision.Verdict, decision.Source = permissions.Approve, permissions.SourceTool
		decision.Reason = "you are asked when the tool is called, with its values"
		return decision
	}
	p.claim.effects = []gate.Effect{gate.CallOf(request)}
	return decision
}

// decodeArguments reads claimed arguments; nil when there are none.
func decodeArguments(raw json.RawMessage) map[string]any {
	if raw == nil {
		return nil
	}
	var arguments map[string]any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&arguments); err != nil {
		return nil
	}
	return arguments
}
