package mcpserver

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

// A client that has the response to a request may use its id again at once.
func TestIDsAreFree(t *testing.T) {
	t.Parallel()
	inRead, in := io.Pipe()
	out, outWrite := io.Pipe()
	over := make(chan error, 1)
	s := newServer(t, fakeTools{list: oneTool("a"), call: echo})
	go func() { over <- s.ServeStdio(t.Context(), StdioOptions{In: inRead, Out: outWrite}) }() // ends with in
	body, _ := stateless("tools/call", `"name":"a"`)
	lines := bufio.NewReader(out)
	for n := range 300 {
		if _, err := io.WriteString(in, body+"\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, `"result"`) {
			t.Fatalf("request %d: %s, %v", n, line, err)
		}
	}
	in.Close()
	if err := <-over; err != nil {
		t.Error(err)
	}
}
