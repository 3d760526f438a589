package app

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
)

// What an agent of a bridge finds it calls by call_tool, decided as the tool that it is.
func TestSearchBehindABridge(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("a2a-acp.yaml", "expose: search\n")
	h.write("tools.yaml", "version: 2\ntools: {greet: {description: Says hello, script: 'echo hello {{to}}', parameters: [{name: to}]}, gone: {script: echo gone}}\n")
	h.write("auto_approval_policies.yaml", "version: 2\nauto_approval_policies: [{id: greet, applies_to: [greet], decision: {type: approve}},"+
		" {id: gone, applies_to: [gone], decision: {type: reject}}]\n")
	a := h.new()
	h.runs(a)
	door, err := a.openDoor()
	if err != nil {
		t.Fatal(err)
	}
	defer door.close()
	mcp, err := a.newMCPDoor(door, MCPOptions{})
	if err != nil {
		t.Fatal(err)
	}
	client := &mcpserver.Client{}
	place, err := mcp.place(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	tools := &callerTools{door, &mcpCaller{door: mcp, call: mcpserver.Call{Client: client}, place: place}}
	list, err := tools.List(t.Context(), client)
	if err != nil || len(list.Tools) != 2 || list.Tools[0].Name != callTool || list.Tools[1].Name != findTool {
		t.Fatalf("offered are %+v, %v", list, err)
	}
	for _, row := range []struct{ name, arguments, want string }{
		{findTool, `{"query":"hello"}`, `"name":"greet"`},
		{callTool, `{"name":"greet","arguments":{"to":"you"}}`, "hello you"},
		{callTool, `{"name":"gone"}`, "denied: gone was not run"},
		{callTool, `{"name":""}`, "name has to be that of a tool"},
		{callTool, `{"name":"gone","Name":"greet"}`, "name has to be that of a tool"},
		{callTool, `{"name":"gone","name":"greet"}`, "name has to be that of a tool"},
		{callTool, `{"Name":"greet"}`, "name has to be that of a tool"},
		{callTool, `{"name":"greets"}`, `there is no tool "greets"; find_tool finds those that there are`},
		{callTool, `{"name":"call_tool","arguments":{"name":"greet"}}`, `there is no tool "call_tool"`},
	} {
		told, err := tools.Call(t.Context(), mcpserver.Call{Client: client, Name: row.name, Arguments: json.RawMessage(row.arguments)})
		if err != nil || !strings.Contains(told.Content, row.want) {
			t.Errorf("%s %s: %+v, %v", row.name, row.arguments, told.Content, err)
		}
	}
	if told, err := tools.Call(t.Context(), mcpserver.Call{Client: client, Name: "greet"}); !errors.Is(err, mcpserver.ErrUnknownTool) {
		t.Errorf("a tool that is not offered: %+v, %v", told, err)
	}
}
