package app

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTraceOfHTTP: a call belongs to the trace that the headers of its request name, at each door of the daemon, unless
// the message names another; headers that are none, or two, name none.
func TestTraceOfHTTP(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("tools.yaml", "version: 2\ntools: {traced: {script: 'echo \"trace=${TRACEPARENT-none} state=${TRACESTATE-none}\"'}}\n")
	h.write("auto_approval_policies.yaml", "version: 2\nauto_approval_policies: [{id: all, applies_to: ['*'], decision: {type: approve}}]\n")
	h.write("a2a-acp.yaml", "serve: {principals: {anna: {token: {file: "+filepath.Join(h.dir, "anna")+"}, scopes: [tools, tasks]}}}\n")
	if err := joined(os.WriteFile(filepath.Join(h.dir, "anna"), []byte("tok-anna\n"), 0o600),
		os.MkdirAll(filepath.Join(h.dir, "work"), 0o700)); err != nil {
		t.Fatal(err)
	}
	a := h.new()
	h.runs(a)
	d := h.daemon(a, func(o *DaemonOptions) { o.Workspace = filepath.Join(h.dir, "work") })
	w := newMCPWeb(t, d, "tok-anna")
	const one, two = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	const mcp = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"traced"%s}}`
	const a2a = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"role":"ROLE_USER","messageId":"m",` +
		`"parts":[{"data":{"toolCalls":[{"id":"1","toolId":"traced"}]}}]}}}`
	for _, test := range []struct {
		name, url, body string
		parents         []string
		want            string
	}{
		{"MCP", d.first["mcp"].(string), fmt.Sprintf(mcp, ""), []string{one}, "trace=00-0af7651916cd43dd8448eb211c80319c-"},
		{"MCP, and in the message", d.first["mcp"].(string), fmt.Sprintf(mcp, `,"_meta":{"traceparent":"`+two+`"}`),
			[]string{one}, "trace=00-1af7651916cd43dd8448eb211c80319c-"},
		{"two", d.first["mcp"].(string), fmt.Sprintf(mcp, ""), []string{one, two}, "trace=none"},
		{"none", d.first["mcp"].(string), fmt.Sprintf(mcp, ""), []string{one + "x"}, "trace=none"},
		{"A2A", d.first["a2a"].(string), a2a, []string{one}, "trace=00-0af7651916cd43dd8448eb211c80319c-"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, test.url, strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer tok-anna"}, "A2a-Version": {"1.0"},
			"Mcp-Session-Id": {w.session}, "Traceparent": test.parents, "Tracestate": {"a=1", "b=2"}}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || !strings.Contains(string(text), test.want) {
			t.Errorf("%s: %q, %v", test.name, text, err)
		}
		if stated := strings.Contains(string(text), "state=a=1,b=2"); stated != (test.name == "MCP" || test.name == "A2A") {
			t.Errorf("%s: %q", test.name, text)
		}
	}
}
