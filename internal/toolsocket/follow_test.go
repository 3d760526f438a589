package toolsocket

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
)

// changingTools are tools whose list somebody changes.
type changingTools struct {
	fakeTools
	mu  sync.Mutex
	now []mcpserver.Tool
}

func (c *changingTools) List(context.Context, *mcpserver.Client) (*mcpserver.Catalogue, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return mcpserver.NewCatalogue(slices.Clone(c.now)), nil
}

func (c *changingTools) set(tools ...mcpserver.Tool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = tools
}

func described(name, description string) mcpserver.Tool {
	return mcpserver.Tool{Name: name, Description: description, InputSchema: json.RawMessage(`{"type":"object"}`)}
}

// A running agent is told that its tools have changed, and gets the list that counts now: new ones, changed
// ones, and not those that are gone. A call that is under way goes on, though its tool is gone.
func TestChangedToolsReachTheAgent(t *testing.T) {
	t.Parallel()
	work := newHeld()
	tools := &changingTools{fakeTools: fakeTools{call: work.call}}
	tools.set(described("a", "one"), described("b", "one"), described("c", "one"))
	door := listen(t, tools, nil)
	told := make(chan bool, 10)
	session, _ := client(t, door, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- true },
	})
	if changes := session.InitializeResult().Capabilities.Tools; changes == nil || !changes.ListChanged {
		t.Error("the agent is not told that the list may change")
	}
	ended := make(chan string, 1)
	go func() { // ends with the call
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "b"})
		if err != nil {
			ended <- err.Error()
			return
		}
		ended <- result.Content[0].(*mcp.TextContent).Text
	}()
	<-work.begun

	tools.set(described("a", "one"), described("c", "two"), described("d", "one"))
	door.Changed()
	<-told
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, offered := range list.Tools {
		got = append(got, offered.Name+" "+offered.Description)
	}
	if diff := cmp.Diff([]string{"a one", "c two", "d one"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	close(work.free)
	if text := <-ended; text != "done" {
		t.Errorf("the call that was under way ended with %q", text)
	}
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "b"}); err == nil || !strings.Contains(err.Error(), "b") {
		t.Errorf("a tool that is gone: %v", err)
	}
}

// A change that changes nothing for the agent is not told, and one that is told while nobody has attached,
// or has left, harms nobody.
func TestUnchangedToolsAreNotTold(t *testing.T) {
	t.Parallel()
	tools := &changingTools{fakeTools: fakeTools{call: echo}}
	tools.set(described("a", "one"))
	door := listen(t, tools, nil)
	door.Changed()
	told := make(chan bool, 10)
	session, a := client(t, door, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- true },
	})
	for range 100 {
		door.Changed()
	}
	// Changes are told in order, so the one that is told is the last.
	tools.set(described("a", "two"))
	door.Changed()
	<-told
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 1 || list.Tools[0].Description != "two" {
		t.Errorf("%v, %v", list, err)
	}
	select {
	case <-told:
		t.Error("told more than once")
	default:
	}
	session.Close()
	<-a.done
	door.Changed()
}

// A visitor who has not shown the token is told nothing.
func TestChangesAreForThoseWhoMay(t *testing.T) {
	t.Parallel()
	tools := &changingTools{fakeTools: fakeTools{call: echo}}
	door := listen(t, tools, func(string) {})
	stranger := visit(t, door)
	door.Changed()
	stranger.write(`{"jsonrpc":"2.0","id":"1","method":"tools/list"}`)
	if line := stranger.read(); !strings.Contains(line, "before hello") {
		t.Errorf("got %s", line)
	}
	stranger.wantEnd()
	friend := visit(t, door)
	friend.hello(door)
	door.Changed()
	if line := friend.read(); !strings.Contains(line, `"method":"changed"`) {
		t.Errorf("got %s", line)
	}
}
