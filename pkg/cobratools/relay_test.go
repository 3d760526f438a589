package cobratools

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// TestLateAnswers: what the guard still says of a call that has ended before it, no Middleware has seen, and nobody gets.
func TestLateAnswers(t *testing.T) {
	t.Parallel()
	fromClient, client := io.Pipe()
	guardIn, toGuard := io.Pipe()
	fromGuard, guard := io.Pipe()
	clientIn, toClient := io.Pipe()
	tools := zooTools(t, Config{Selectors: []Selector{{Middleware: func(ctx context.Context, r *Request, in ToolInput, next Handler) (*Result, ToolOutput, error) {
		ctx, cancel := context.WithCancelCause(ctx)
		go func() { // ends with the call
			bufio.NewReader(guardIn).ReadString('\n') //nolint:errcheck // the guard has it, which is all that is waited for
			cancel(errors.New("it takes too long"))
			io.Copy(io.Discard, guardIn) //nolint:errcheck // until the relay ends
		}()
		return next(ctx, r, in)
	}}}})
	r := &relay{commands: map[string]*command{"zoo_delete": tools["zoo_delete"]}, toClient: ndjson.NewWriter(toClient), toGuard: ndjson.NewWriter(toGuard),
		waiting: map[string]*waitingCall{}, late: map[string]bool{}}
	ended := make(chan error, 1)
	go func() { ended <- r.run(t.Context(), fromClient, fromGuard, toGuard.Close) }() // ends with the client
	lines := bufio.NewReader(clientIn)
	write := func(to io.Writer, line string) {
		if _, err := io.WriteString(to, line+"\n"); err != nil {
			t.Error(err)
		}
	}
	write(client, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"zoo_delete","arguments":{"args":["a"]}}}`)
	line, err := lines.ReadString('\n')
	if err != nil || !strings.Contains(line, "it takes too long") || !strings.Contains(line, `"isError":true`) {
		t.Errorf("the call gave %s (%v)", line, err)
	}
	go func() { // it has no other reader than the relay
		write(guard, `{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"stdout":"0123456789"}}}`)
		write(guard, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	}()
	if line, err = lines.ReadString('\n'); err != nil || !strings.Contains(line, "list_changed") {
		t.Errorf("next comes %s (%v)", line, err)
	}
	go io.Copy(io.Discard, lines) //nolint:errcheck // until the test ends
	client.Close()
	guard.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
