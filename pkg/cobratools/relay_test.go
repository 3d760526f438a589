package cobratools

import (
	"bufio"
	"context"
	"errors"
	"fmt"
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
	ids := make(chan string, 1) // that the guard knows the call by
	tools := zooTools(t, Config{Selectors: []Selector{{Middleware: func(ctx context.Context, r *Request, in ToolInput, next Handler) (*Result, ToolOutput, error) {
		ctx, cancel := context.WithCancelCause(ctx)
		go func() { // ends with the call
			line, _ := bufio.NewReader(guardIn).ReadBytes('\n')
			frame := ndjson.Scan(line)
			ids <- string(frame.ID)
			cancel(errors.New("it takes too long"))
			io.Copy(io.Discard, guardIn) //nolint:errcheck // until the relay ends
		}()
		return next(ctx, r, in)
	}}}})
	r := newRelay(ndjson.NewWriter(toClient), ndjson.NewWriter(toGuard))
	r.commands["zoo_delete"] = tools["zoo_delete"]
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
		write(guard, `{"jsonrpc":"2.0","id":`+<-ids+`,"result":{"structuredContent":{"stdout":"0123456789"}}}`)
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

// TestRetry: a Middleware that gives a call up itself can make it again, and gets the answer to that.
func TestRetry(t *testing.T) {
	t.Parallel()
	fromClient, client := io.Pipe()
	guardIn, toGuard := io.Pipe()
	fromGuard, guard := io.Pipe()
	clientIn, toClient := io.Pipe()
	first := make(chan struct{}) // closed when the guard has the call
	tools := zooTools(t, Config{Selectors: []Selector{{Middleware: func(ctx context.Context, r *Request, in ToolInput, next Handler) (*Result, ToolOutput, error) {
		once, cancel := context.WithCancelCause(ctx)
		go func() { // ends with the guard's first line
			<-first
			cancel(errors.New("it takes too long"))
		}()
		if _, _, err := next(once, r, in); err == nil || !strings.Contains(err.Error(), "too long") {
			t.Errorf("the first time: %v", err)
		}
		return next(ctx, r, in)
	}}}})
	r := newRelay(ndjson.NewWriter(toClient), ndjson.NewWriter(toGuard))
	r.commands["zoo_delete"] = tools["zoo_delete"]
	ended := make(chan error, 1)
	go func() { ended <- r.run(t.Context(), fromClient, fromGuard, toGuard.Close) }() // ends with the client
	go func() {                                                                       // the guard, which ends with the relay
		defer guard.Close()
		lines := bufio.NewReader(guardIn)
		read := func() ndjson.Frame {
			line, _ := lines.ReadBytes('\n')
			return ndjson.Scan(line)
		}
		answer := func(id []byte, stdout string) {
			fmt.Fprintf(guard, `{"jsonrpc":"2.0","id":%s,"result":{"structuredContent":{"stdout":%q}}}`+"\n", id, stdout)
		}
		one := read()
		close(first)
		if cancelled := read(); cancelled.MethodName() != "notifications/cancelled" {
			t.Errorf("the guard is told %s", cancelled.MethodName())
		}
		two := read()
		if string(one.ID) == string(two.ID) {
			t.Errorf("the ids are %s and %s", one.ID, two.ID)
		}
		answer(one.ID, "of the first")
		answer(two.ID, "of the second")
		io.Copy(io.Discard, lines) //nolint:errcheck // until the relay ends
	}()
	if _, err := io.WriteString(client, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"zoo_delete","arguments":{"args":["a"]}}}`+"\n"); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(clientIn).ReadString('\n')
	if err != nil || !strings.Contains(line, "of the second") || !strings.Contains(line, `"id":1,`) {
		t.Errorf("the call gave %s (%v)", line, err)
	}
	client.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestOneID: a client that gives a call the id of another request gets no output of it past the Middleware.
func TestOneID(t *testing.T) {
	t.Parallel()
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"zoo_delete","arguments":{"args":["a"]}}}`
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, sent := range map[string][]string{"the other first": {ping, call}, "the call first": {call, ping}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fromClient, client := io.Pipe()
			guardIn, toGuard := io.Pipe()
			fromGuard, guard := io.Pipe()
			clientIn, toClient := io.Pipe()
			tools := zooTools(t, Config{Selectors: []Selector{{Middleware: func(ctx context.Context, r *Request, in ToolInput, next Handler) (*Result, ToolOutput, error) {
				result, out, err := next(ctx, r, in)
				out.StdOut = strings.ReplaceAll(out.StdOut, "0123456789", "[account]")
				return result, out, err
			}}}})
			r := newRelay(ndjson.NewWriter(toClient), ndjson.NewWriter(toGuard))
			r.commands["zoo_delete"] = tools["zoo_delete"]
			ended := make(chan error, 1)
			go func() { ended <- r.run(t.Context(), fromClient, fromGuard, toGuard.Close) }() // ends with the client
			go func() {                                                                       // the guard, which ends with the relay
				defer guard.Close()
				lines := bufio.NewReader(guardIn)
				var calls [][]byte
				for line, err := lines.ReadBytes('\n'); ; line, err = lines.ReadBytes('\n') {
					frame := ndjson.Scan(line)
					if err == nil && frame.MethodName() == "ping" {
						fmt.Fprintf(guard, `{"jsonrpc":"2.0","id":%s,"result":{}}`+"\n", frame.ID)
					} else if err == nil && frame.MethodName() == "tools/call" {
						calls = append(calls, frame.ID)
						continue // until the client has ended
					}
					if err != nil {
						break
					}
				}
				for _, id := range calls {
					fmt.Fprintf(guard, `{"jsonrpc":"2.0","id":%s,"result":{"structuredContent":{"stdout":"0123456789"}}}`+"\n", id)
				}
			}()
			for _, line := range sent {
				if _, err := io.WriteString(client, line+"\n"); err != nil {
					t.Fatal(err)
				}
			}
			client.Close()
			go func() { // ends with the relay
				if err := <-ended; err != nil {
					t.Error(err)
				}
				toClient.Close()
			}()
			said, err := io.ReadAll(clientIn)
			if err != nil || strings.Contains(string(said), "0123456789") {
				t.Errorf("the client gets %s (%v)", said, err)
			}
		})
	}
}

// TestTakenOut: what a Middleware takes out of an output does not stand in what the guard says beside it.
func TestTakenOut(t *testing.T) {
	t.Parallel()
	const result = `{"resultType":"complete","content":[{"type":"text","text":"0123456789"}],"isError":true,` +
		`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"x"},"a2a-acp/diagnostics":{"hints":[{"refused":"write 0123456789"}]},` +
		`"a2a_diagnostics":{"cure":"0123456789"}},"structuredContent":{"stdout":"0123456789","stderr":"0123456789","exitCode":1,` +
		`"signal":"killed","truncated":true,"output_length":20,"mapped_error":{"detail":"0123456789"}}}`
	line := string(resultLine([]byte("1"), []byte(result), &Result{IsError: true}, ToolOutput{StdOut: "[account]", ExitCode: 1}))
	if strings.Contains(line, "0123456789") {
		t.Errorf("the client gets %s", line)
	}
	for _, kept := range []string{`"resultType":"complete"`, "serverInfo", `"signal":"killed"`, `"truncated":true`, `"output_length":20`} {
		if !strings.Contains(line, kept) {
			t.Errorf("%s is missing in %s", kept, line)
		}
	}
}
