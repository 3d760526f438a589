package a2a

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/rogpeppe/go-internal/diff"

	"github.com/a2a-acp/a2a-acp/internal/agentclient"
)

// contentOf returns a message as an agent that speaks ACP is told it.
func contentOf(m *wire.Message) (list []agentclient.Content, err error) {
	for i, part := range m.Parts {
		c := agentclient.Content{Name: part.Filename, MediaType: part.MediaType}
		switch said := part.Content.(type) {
		case wire.Text:
			c.Text = string(said)
		case wire.Raw:
			c.Data = said
			if c.Data == nil {
				c.Data = []byte{}
			}
		case wire.URL:
			u, err := url.Parse(string(said))
			if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
				// An agent may read what a link names, and what lies on this machine is not the client's.
				return nil, invalid(fmt.Sprintf("message.parts[%d].url", i), "want an address of http or https")
			}
			c.URI = string(said)
		case wire.Data:
			encoded, err := json.Marshal(said.Value)
			if err != nil {
				return nil, invalid(fmt.Sprintf("message.parts[%d].data", i), "it cannot be written as JSON")
			}
			c.Text, c.MediaType = string(encoded), "application/json"
			if c.Name == "" {
				c.Name = "data.json"
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// partOf returns a piece of what an agent says as clients are told it.
func partOf(c agentclient.Content) *wire.Part {
	part := &wire.Part{Filename: c.Name, MediaType: c.MediaType}
	switch data, isData := dataOf(c); {
	case isData:
		part.Content, part.Filename = wire.Data{Value: data}, ""
	case c.Data != nil:
		part.Content = wire.Raw(c.Data)
	case c.Text == "" && c.URI != "":
		part.Content = wire.URL(c.URI)
	default:
		part.Content = wire.Text(strings.ToValidUTF8(c.Text, "\uFFFD"))
	}
	return part
}

// dataOf returns the data that an agent has attached: ACP has no data of its own, and this is how an agent is given
// the client's. JSON in a file that there is stays a file.
func dataOf(c agentclient.Content) (data any, ok bool) {
	if c.MediaType != "application/json" || c.Data != nil || !strings.HasPrefix(c.URI, "attachment:") ||
		checked([]byte(c.Text)) != nil {
		return nil, false
	}
	return data, json.Unmarshal([]byte(c.Text), &data) == nil
}

// value returns JSON as a value; nil for none.
func value(raw json.RawMessage) any {
	var v any
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return nil
	}
	return v
}

// planArtifact is what an agent means to do.
func planArtifact(plan []agentclient.PlanEntry) *wire.Artifact {
	var b strings.Builder
	for _, entry := range plan {
		mark := " "
		switch entry.Status {
		case "completed":
			mark = "x"
		case "in_progress":
			mark = "-"
		}
		fmt.Fprintf(&b, "- [%s] %s\n", mark, strings.Join(strings.Fields(entry.Content), " "))
	}
	return &wire.Artifact{ID: "plan", Name: "plan", Parts: wire.ContentParts{
		&wire.Part{Content: wire.Text(strings.ToValidUTF8(b.String(), "\uFFFD")), MediaType: "text/markdown"},
		dataPart(map[string]any{"type": "plan", "entries": plan}),
	}}
}

// dataPart is a part of ours that programs read. what can be written as JSON.
func dataPart(what any) *wire.Part {
	encoded, err := json.Marshal(what)
	var v any
	if err == nil {
		err = json.Unmarshal(encoded, &v)
	}
	if err != nil {
		v = map[string]any{}
	}
	return &wire.Part{Content: wire.Data{Value: v}, MediaType: "application/json"}
}

// mostCompared bounds the texts whose differing lines are looked for.
const mostCompared = 1 << 20

// diffOf returns a change in the format of unified diffs.
func diffOf(name string, d *agentclient.Diff) string {
	if d.Patch != "" {
		return d.Patch
	}
	before := ""
	old := "/dev/null"
	if d.OldText != nil {
		before, old = *d.OldText, "a/"+name
	}
	if len(before)+len(d.NewText) > mostCompared {
		return fmt.Sprintf("--- %s\n+++ b/%s\n(%d bytes become %d bytes)\n", old, name, len(before), len(d.NewText))
	}
	text := diff.Diff(old, []byte(before), "b/"+name, []byte(d.NewText))
	_, text, _ = bytes.Cut(text, []byte("\n")) // the command that would make it
	return string(text)
}

// mostInput bounds what is told of the input of a tool call.
const mostInput = 64 << 10

// callData is a tool call as programs read it.
type callData struct {
	Type      string          `json:"type"` // tool_call
	ID        string          `json:"toolCallId"`
	Title     string          `json:"title"`
	Name      string          `json:"name,omitempty"`
	Kind      string          `json:"kind"`
	Status    string          `json:"status"`
	Locations []location      `json:"locations,omitempty"`
	Input     json.RawMessage `json:"rawInput,omitempty"`
}

// location is a file that a tool call is about.
type location struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
}

func callDataOf(c *agentclient.ToolCall) callData {
	d := callData{Type: "tool_call", ID: c.ID, Title: c.Title, Name: c.Name, Kind: c.Kind, Status: c.Status}
	for _, l := range c.Files {
		d.Locations = append(d.Locations, location(l))
	}
	if len(c.Input) <= mostInput && json.Valid(c.Input) {
		d.Input = c.Input
	}
	return d
}

// callMessage is what is said of a tool call.
func callMessage(d callData) *wire.Message {
	title := strings.Join(strings.Fields(strings.ToValidUTF8(d.Title, "\uFFFD")), " ")
	return wire.NewMessage(wire.MessageRoleAgent, wire.NewTextPart(fmt.Sprintf("%s (%s): %s", title, d.Kind, d.Status)), dataPart(d))
}

// loginMessage says how somebody logs in.
func loginMessage(agent string, e *agentclient.LoginError) *wire.Message {
	var b strings.Builder
	b.WriteString(e.Error() + ". Log in (on its machine: a2a-acp agents login " + agent + "), and send any message to this task.\n")
	type way struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	ways := []way{}
	for _, l := range e.Logins {
		fmt.Fprintf(&b, "- %s (%s) %s\n", l.Name, l.ID, l.Description)
		ways = append(ways, way{l.ID, l.Name})
	}
	return wire.NewMessage(wire.MessageRoleAgent, wire.NewTextPart(b.String()),
		dataPart(map[string]any{"type": "login", "logins": ways}))
}
