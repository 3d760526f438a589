//go:build agents

package agents

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/test/agents/internal/editor"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/schema"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/wiretap"
)

// judge loads the schema that the SDK ships for an agent's protocol version.
func judge(t *testing.T, a agent) *schema.Judge {
	t.Helper()
	j, err := schema.Load(installed(t, "@agentclientprotocol/sdk"), a.version)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// checkFrames judges frames. The agents' own are valid to the last, so whatever stands in between has to
// keep them so, and to be as good with what it adds.
func (r *rig) checkFrames(frames []editor.Frame) {
	r.t.Helper()
	j := judge(r.t, r.agent)
	for _, f := range frames {
		to := schema.Client
		if f.ToAgent {
			to = schema.Agent
		}
		v := j.Verdict(schema.Frame{To: to, Method: f.Method, ID: f.ID, Params: f.Params, Result: f.Result, Error: f.Error})
		if v != "" {
			r.t.Errorf("not valid: %s: %.1000s", v, f.Raw)
		}
	}
}

// tapped returns the frames that passed between bridge and agent.
func (r *rig) tapped() []editor.Frame {
	r.t.Helper()
	lines, err := wiretap.Read(r.tap)
	if err != nil {
		r.t.Fatal(err)
	}
	// The methods of requests, by who made them and id: a response is judged by the request that it answers.
	requests := make(map[string]string)
	var frames []editor.Frame
	for _, line := range lines {
		frame, err := editor.Parse(line.Raw)
		if err != nil {
			r.t.Errorf("between bridge and agent (%s): %v: %s", line.Direction, err, line.Raw)
			continue
		}
		frame.ToAgent = line.Direction == wiretap.In
		from, to := "agent ", "bridge "
		if frame.ToAgent {
			from, to = to, from
		}
		switch {
		case frame.IsResponse():
			frame.Method = requests[to+string(frame.ID)]
		case frame.ID != nil:
			requests[from+string(frame.ID)] = frame.Method
		}
		frames = append(frames, frame)
	}
	return frames
}

// relay is what became of the frames of one direction.
type relay struct {
	kept []editor.Frame // went through as they came
	lost []editor.Frame // were sent, and did not arrive
	made []editor.Frame // arrived, and were not sent
}

// writtenAnew are the methods that the bridge decides about: what goes on says the same, and is written by
// the bridge.
var writtenAnew = []string{"session/request_permission", "fs/read_text_file", "fs/write_text_file"}

// same reports whether a frame that arrived is one that was sent: byte by byte, and of what is written anew
// in all that it says.
func same(sent, arrived editor.Frame) bool {
	if bytes.Equal(sent.Raw, arrived.Raw) {
		return true
	}
	var a, b any
	if json.Unmarshal(sent.Raw, &a) != nil || json.Unmarshal(arrived.Raw, &b) != nil {
		return false
	}
	if sent.IsResponse() { // a question ends with its turn: the bridge says so before the editor does
		return cancels(sent) && says(a, b) && says(b, a)
	}
	return slices.Contains(writtenAnew, sent.Method) && says(asAsked(b), asAsked(a))
}

// asAsked returns a question without what the bridge does to it: the editor is told first why it is asked and what an
// answer for the session would allow, is offered several such answers where there are several, and is shown no terminal.
func asAsked(question any) any {
	member := func(v any, key string) any {
		object, _ := v.(map[string]any)
		return object[key]
	}
	params := member(question, "params")
	call := member(params, "toolCall")
	if call == nil {
		call = member(member(params, "subject"), "toolCall")
	}
	if content, ok := member(call, "content").([]any); ok {
		call.(map[string]any)["content"] = slices.DeleteFunc(content, func(item any) bool {
			words, _ := member(member(item, "content"), "text").(string)
			return member(item, "type") == "terminal" || strings.HasPrefix(words, "a2a-acp asks because ") ||
				strings.HasPrefix(words, "a2a-acp: Allow in this session: ")
		})
	}
	if options, ok := member(params, "options").([]any); ok {
		params.(map[string]any)["options"] = slices.DeleteFunc(options, func(option any) bool {
			if member(option, "kind") == "allow_always" {
				delete(option.(map[string]any), "name")
			}
			id, _ := member(option, "optionId").(string)
			return strings.HasPrefix(id, "a2a-acp-allow-session-")
		})
	}
	return question
}

// cancels reports whether a frame answers a question by the end of its turn.
func cancels(f editor.Frame) bool {
	var answer struct {
		Result struct {
			Outcome struct {
				Outcome string `json:"outcome"`
			} `json:"outcome"`
		} `json:"result"`
	}
	return json.Unmarshal(f.Raw, &answer) == nil && answer.Result.Outcome.Outcome == "cancelled"
}

// withdraws reports whether a frame takes a question back that the editor answers by the end of its turn.
// When a turn is cancelled, agent and bridge both say so, and which of the two the editor hears, if any, is
// a matter of who was first.
func withdraws(f editor.Frame, seen []editor.Frame) bool {
	var params struct {
		ID json.RawMessage `json:"requestId"`
	}
	return f.Method == "$/cancel_request" && json.Unmarshal(f.Params, &params) == nil &&
		slices.ContainsFunc(seen, func(s editor.Frame) bool { return s.ToAgent && cancels(s) && bytes.Equal(s.ID, params.ID) })
}

// says reports whether a JSON value holds everything that another one does. What the agent told of a tool
// call before may be in it, too.
func says(whole, part any) bool {
	switch part := part.(type) {
	case map[string]any:
		members, ok := whole.(map[string]any)
		for key, value := range part {
			ok = ok && says(members[key], value)
		}
		return ok
	case []any:
		items, ok := whole.([]any)
		if !ok || len(items) != len(part) {
			return false
		}
		for i := range part {
			ok = ok && says(items[i], part[i])
		}
		return ok
	}
	return whole == part
}

// relayed compares in order what was sent with what arrived. The answers that end the questions of a turn
// have no order among each other: they are answers to different requests, and each question ends by itself.
func relayed(sent, arrived []editor.Frame) relay {
	var out relay
	for _, frame := range arrived {
		at := slices.IndexFunc(sent, func(s editor.Frame) bool { return same(s, frame) })
		if at < 0 {
			passed := slices.IndexFunc(out.lost, func(s editor.Frame) bool { return cancels(s) && same(s, frame) })
			if passed < 0 {
				out.made = append(out.made, frame)
				continue
			}
			out.lost, out.kept = slices.Delete(out.lost, passed, passed+1), append(out.kept, frame)
			continue
		}
		out.lost = append(out.lost, sent[:at]...)
		out.kept = append(out.kept, frame)
		sent = sent[at+1:]
	}
	out.lost = append(out.lost, sent...)
	return out
}

// direction returns the frames that go one way.
func direction(frames []editor.Frame, toAgent bool) []editor.Frame {
	return slices.DeleteFunc(slices.Clone(frames), func(f editor.Frame) bool { return f.ToAgent != toAgent })
}

// callID returns the tool call that a session/update is about; "" for any other frame.
func callID(f editor.Frame) string {
	var params struct {
		Update struct {
			ID string `json:"toolCallId"`
		} `json:"update"`
	}
	_ = json.Unmarshal(f.Params, &params) // frames without such an id have none
	return params.Update.ID
}

// checkRelay checks that the bridge let everything through as it came, in a session in which it had nothing
// to decide.
func (r *rig) checkRelay() {
	r.t.Helper()
	tapped, seen := r.tapped(), r.editor.Frames()
	r.checkFrames(tapped)

	toEditor := relayed(direction(tapped, false), direction(seen, false))
	if len(toEditor.kept) == 0 {
		r.t.Error("nothing that the agent said arrived as it was")
	}
	// A decision of the bridge is a line in the card of the tool call, and stays there when the agent
	// updates the card.
	decided := make(map[string]bool)
	for _, f := range toEditor.made {
		id := callID(f)
		if withdraws(f, seen) {
			continue
		}
		if id == "" {
			r.t.Errorf("the bridge told the editor of its own accord: %s", f.Raw)
			continue
		}
		decided[id] = true
	}
	for _, f := range toEditor.lost {
		if !decided[callID(f)] && !withdraws(f, seen) {
			r.t.Errorf("a frame of the agent's did not reach the editor as it was: %s", f.Raw)
		}
	}
	toAgent := relayed(direction(seen, true), direction(tapped, true))
	for _, f := range append(toAgent.made, toAgent.lost...) {
		// It has one more MCP server in it.
		if f.Method != "session/new" || f.IsResponse() {
			r.t.Errorf("a frame of the editor's did not reach the agent as it was: %s", f.Raw)
		}
	}
}
