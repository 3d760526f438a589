package app

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A call of an MCP session goes on when its client hangs up, and ends when its principal is taken away.
func TestMCPRevoked(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("tools.yaml", `version: 2
tools:
  hold:
    script: exec 3>held; echo begun >&3; sleep 600
    sandbox: {use_temp_isolation: false, allowed_paths: ["."], timeout: 600}
`)
	h.write("auto_approval_policies.yaml", "version: 2\nauto_approval_policies: [{id: all, applies_to: ['*'], decision: {type: approve}}]\n")
	h.write("a2a-acp.yaml", "serve: {principals: {anna: {token: {file: "+filepath.Join(h.dir, "anna")+"}, scopes: [tools]}}}\n")
	held := filepath.Join(h.dir, "work", "held")
	if err := joined(os.WriteFile(filepath.Join(h.dir, "anna"), []byte("tok-anna\n"), 0o600), os.MkdirAll(filepath.Dir(held), 0o700),
		unix.Mkfifo(held, 0o600)); err != nil {
		t.Fatal(err)
	}
	a := h.new()
	h.runs(a)
	d := h.daemon(a, func(o *DaemonOptions) { o.Workspace = filepath.Dir(held) })
	post := func(ctx context.Context, body, session string) (*http.Response, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.first["mcp"].(string), strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer tok-anna"}, "Mcp-Session-Id": {session}}
		if session == "" {
			r.Header.Del("Mcp-Session-Id")
		}
		return http.DefaultClient.Do(r)
	}
	answer, err := post(t.Context(), `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, "")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	gone := make(chan bool)
	go func() { // ends with hangUp
		defer close(gone)
		if r, err := post(ctx, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hold"}}`, answer.Header.Get("Mcp-Session-Id")); err == nil {
			r.Body.Close()
		}
	}()
	out, err := os.Open(held) // until the script has opened it, too
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if line := make([]byte, 6); !readsFull(out, line) || string(line) != "begun\n" {
		t.Fatalf("it says %q", line)
	}
	hangUp()
	<-gone
	h.write("a2a-acp.yaml", "serve: {}\n")
	d.signals <- syscall.SIGHUP
	if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 { // to its end, with that of all its processes
		t.Errorf("%q, %v", rest, err)
	}
}

func readsFull(r io.Reader, into []byte) bool {
	_, err := io.ReadFull(r, into)
	return err == nil
}
