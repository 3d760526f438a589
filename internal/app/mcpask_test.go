package app

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// A client asks its person for what the model left out, and what that gives is decided about like all else.
func TestMCPAskForValues(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, answer, want string }{
		{"given", `{"action":"accept","content":{"to":"a ; b","times":2}}`, "a ; b 2"},
		{"only what is required", `{"action":"accept","content":{"to":"x"}}`, "x 1"},
		{"does not fit", `{"action":"accept","content":{"to":"x","times":7}}`, "times: want at most 3"},
		{"not what was asked for", `{"action":"accept","content":{"to":"x","word":"other"}}`, "x 1"},
		{"declined", decline, "the person was asked for to, times, and gave nothing"},
		{"put aside", dismiss, "the person was asked for to, times, and gave nothing"},
		{"nothing", `{"action":"accept"}`, "to: required, and not given"},
		{"junk", `7`, "gave nothing"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			bothEras(t, func(t *testing.T, modern bool) {
				h := newHome(t)
				h.write("tools.yaml", `version: 2
tools:
  send:
    script: echo {{word}} {{to}} {{times}}
    parameters:
      - {name: word, type: string, required: true}
      - {name: to, type: string, required: true, ask: true, description: Whom it goes to}
      - {name: times, type: integer, ask: true, minimum: 1, maximum: 3, default: 1}
`)
				h.write("auto_approval_policies.yaml", "version: 2\nauto_approval_policies: [{id: all, applies_to: ['*'], decision: {type: approve}}]\n")
				a := h.new()
				h.runs(a)
				p := newMCPPeer(t, a, MCPOptions{}, modern, canAsk)
				const arguments = `{"word":"hello"}`
				p.call("send", arguments, "")
				asked := p.read()
				shown := string(asked.Params)
				if modern {
					shown = string(asked.Result.Requests["values"].Params)
				}
				if !strings.Contains(shown, "Whom it goes to") || !strings.Contains(shown, `"required":["to"]`) || !strings.Contains(shown, `"maximum":3`) {
					t.Errorf("the form is %s", asked.raw)
				}
				if modern {
					p.call("send", arguments, `,"requestState":"`+asked.Result.State+`","inputResponses":{"values":`+row.answer+`}`)
				} else {
					p.write(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":` + row.answer + `}`)
				}
				if told := p.read(); !strings.Contains(told.text(), row.want) {
					t.Errorf("got %s, want %q", told.raw, row.want)
				}
			})
		})
	}
}

// A person who is asked for a value is asked about the call, too, with that value in it.
func TestMCPAskThenDecide(t *testing.T) {
	t.Parallel()
	bothEras(t, func(t *testing.T, modern bool) {
		h := newHome(t)
		h.write("tools.yaml", "version: 2\ntools: {send: {script: 'echo sent to {{to}}', parameters: [{name: to, required: true, ask: true}]}}\n")
		a := h.new()
		h.runs(a)
		p := newMCPPeer(t, a, MCPOptions{}, modern, canAsk)
		p.call("send", `{}`, "")
		asked := p.read()
		if modern {
			p.call("send", `{}`, `,"requestState":"`+asked.Result.State+`","inputResponses":{"values":{"action":"accept","content":{"to":"me"}}}`)
		} else {
			p.write(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":{"action":"accept","content":{"to":"me"}}}`)
		}
		asked = p.read()
		if shown := asked.question(t); !strings.Contains(shown, "to = me") {
			t.Errorf("the question shows %s", shown)
		}
		if told := p.answer(asked, "send", `{}`, sayYes); !strings.Contains(told.text(), "sent to me") {
			t.Errorf("got %s", told.raw)
		}
	})
}

// Whom nobody can ask is told what is missing, and a value that was given is not asked for.
func TestMCPAskNobody(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("tools.yaml", "version: 2\ntools: {send: {script: 'echo sent to {{to}}', parameters: [{name: to, required: true, ask: true}]}}\n")
	h.write("auto_approval_policies.yaml", "version: 2\nauto_approval_policies: [{id: all, applies_to: ['*'], decision: {type: approve}}]\n")
	a := h.new()
	h.runs(a)
	cannot := newMCPPeer(t, a, MCPOptions{}, false, `{}`)
	cannot.call("send", `{}`, "")
	if told := cannot.read(); !strings.Contains(told.text(), "to: required, and not given") {
		t.Errorf("got %s", told.raw)
	}
	can := newMCPPeer(t, a, MCPOptions{}, true, canAsk)
	can.call("send", `{"to":"you"}`, "")
	if told := can.read(); !strings.Contains(told.text(), "sent to you") {
		t.Errorf("got %s", told.raw)
	}
}

// The bytes of the model stay: what is wrong with them is still seen.
func TestWithValues(t *testing.T) {
	t.Parallel()
	missing := []*tool.Parameter{{Name: "a"}, {Name: "b"}}
	values := map[string]json.RawMessage{"a": json.RawMessage(`1`), "b": json.RawMessage(`"x"`)}
	for arguments, want := range map[string]string{
		"": `{"a":1,"b":"x"}`, "null": `{"a":1,"b":"x"}`, "{ }": `{"a":1,"b":"x"}`, `{"c":{} } `: `{"c":{},"a":1,"b":"x"}`,
		`{"c":1,"c":2}`: `{"c":1,"c":2,"a":1,"b":"x"}`,
	} {
		if got := string(withValues(json.RawMessage(arguments), missing, values)); got != want {
			t.Errorf("%q: %s, want %s", arguments, got, want)
		}
	}
}
