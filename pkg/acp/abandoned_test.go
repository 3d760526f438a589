package acp_test

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/pkg/acp"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// An agent is gone, and somebody whom nobody may end holds its output open: the bridge ends all the same,
// and what the editor waits for is answered.
func TestAbandonedOutput(t *testing.T) {
	t.Parallel()
	editorInR, editorIn := io.Pipe()
	editorR, editorOut := io.Pipe()
	agentInR, agentIn := io.Pipe()
	agentOutR, agentOut := io.Pipe() // never written to, never closed by the agent
	abandoned := make(chan struct{})
	b, err := acp.New(acp.Options{
		EditorIn: editorInR, EditorOut: editorOut, AgentIn: agentIn, AgentOut: agentOutR, Abandoned: abandoned,
		Gate: newGate(t, func(tool.Workspace) gate.InForce { return gate.InForce{Rules: rulesOf(t, "")} }, &recorder{}, nil), Record: &recorder{},
		Workspace: func(string, []string) tool.Workspace { return tool.Workspace{} },
		Stop:      func(acp.StopCause) {}, Exit: func() string { return "was killed" },
		Say: func(string) {}, Noise: func([]byte) {}, Prefix: "ours-",
	})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- b.Run(context.Background()) }() // ends with abandoned
	t.Cleanup(func() {
		editorIn.Close()
		agentOut.Close()
	})
	if err := writeLine(editorIn, `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":1}}`); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(agentInR).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	close(abandoned)
	answer, err := bufio.NewReader(editorR).ReadString('\n')
	if err != nil || !strings.Contains(answer, `"id":7`) || !strings.Contains(answer, "the agent ended: was killed") {
		t.Errorf("the editor was answered %q, %v", answer, err)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "holds the agent's output open") {
		t.Errorf("Run ended with %v", err)
	}
}
