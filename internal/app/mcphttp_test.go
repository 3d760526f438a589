package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// holding gives the home a tool that holds until it is ended, beside more tools, a rule that approves all, and settings with
// a principal anna, whose token is tok-anna. held is the FIFO in the workspace through which the tool says "begun".
func (h *home) holding(more, settings string) (held string) {
	h.t.Helper()
	h.write("tools.yaml", `version: 2
tools:
  hold:
    script: exec 3>held; echo begun >&3; sleep 600
    sandbox: {use_temp_isolation: false, allowed_paths: ["."], timeout: 600}
`+more)
	h.write("auto_approval_policies.yaml", "version: 2\nauto_approval_policies: [{id: all, applies_to: ['*'], decision: {type: approve}}]\n")
	h.write("a2a-acp.yaml", settings)
	held = filepath.Join(h.dir, "work", "held")
	if err := joined(os.WriteFile(filepath.Join(h.dir, "anna"), []byte("tok-anna\n"), 0o600), os.MkdirAll(filepath.Dir(held), 0o700),
		unix.Mkfifo(held, 0o600)); err != nil {
		h.t.Fatal(err)
	}
	return held
}

// A call of an MCP session goes on when its client hangs up, and ends when its principal is taken away.
func TestMCPRevoked(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	held := h.holding("", "serve: {principals: {anna: {token: {file: "+filepath.Join(h.dir, "anna")+"}, scopes: [tools]}}}\n")
	a := h.new()
	h.runs(a)
	d := h.daemon(a, func(o *DaemonOptions) { o.Workspace = filepath.Dir(held) })
	w := newMCPWeb(t, d, "tok-anna")
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	gone := make(chan bool)
	go func() { // ends with hangUp
		defer close(gone)
		if r, err := w.post(ctx, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hold"}}`); err == nil {
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

// Settings that leave a principal fewer tools end its calls of the others, those that run and those that wait for a
// person, as calls of what there is not; the rest go on.
func TestMCPNarrowed(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("tools.yaml", `version: 2
tools:
  hold: {script: sleep 600, sandbox: {timeout: 600}}
  asked: {script: echo asked, sandbox: {requires_confirmation: true}}
  stays: {script: echo stays, sandbox: {requires_confirmation: true}}
`)
	h.write("auto_approval_policies.yaml", "version: 2\nauto_approval_policies: [{id: all, applies_to: ['*'], decision: {type: approve}}]\n")
	settings := func(tools string) {
		h.write("a2a-acp.yaml", "serve: {principals: {anna: {token: {file: "+filepath.Join(h.dir, "anna")+
			"}, scopes: [tools], mcp: {tools: ["+tools+"]}}}}\n")
	}
	settings("hold, asked, stays")
	if err := os.WriteFile(filepath.Join(h.dir, "anna"), []byte("tok-anna\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := h.new()
	h.runs(a)
	d := h.daemon(a, nil)
	w := newMCPWeb(t, d, "tok-anna")
	ctx, hangUp := context.WithCancel(t.Context())
	answers := map[string]chan string{}
	for i, name := range []string{"hold", "asked", "stays"} {
		answer := make(chan string, 1)
		answers[name] = answer
		go func() { // ends with the answer, or hangUp
			text, err := w.post(ctx, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, i, name))
			if err != nil {
				answer <- err.Error()
				return
			}
			defer text.Body.Close()
			body, _ := io.ReadAll(text.Body)
			answer <- string(body)
		}()
	}
	h.awaits(map[events.Type]int{events.ApprovalAsked: 2, events.ToolStarted: 1})
	settings("stays")
	d.signals <- syscall.SIGHUP
	for _, name := range []string{"hold", "asked"} {
		if got := <-answers[name]; !strings.Contains(got, mcpserver.ErrUnknownTool.Error()) {
			t.Errorf("%s: %s", name, got)
		}
	}
	select {
	case got := <-answers["stays"]:
		t.Errorf("it ended, too: %s", got)
	default:
	}
	if got := w.ask(`{"jsonrpc":"2.0","id":9,"method":"tools/list"}`); !strings.Contains(got, `"stays"`) || strings.Contains(got, `"hold"`) {
		t.Errorf("offered are %s", got)
	}
	hangUp()
	<-answers["stays"]
}

// A call that comes to be made when its tool is there no more for its principal is not made.
func TestMCPNarrowedBefore(t *testing.T) {
	t.Parallel()
	v := &mcpVisitors{known: map[string]*mcpVisitor{}}
	v.meet(&serve.Principal{Name: "anna"})
	during, over := v.run(t.Context(), "anna", "hold")
	if context.Cause(during) != nil {
		t.Fatal(context.Cause(during))
	}
	v.recheck(func(*serve.Principal) *serve.Principal {
		return &serve.Principal{Name: "anna", MCP: serve.MCP{Tools: []string{"other"}}}
	})
	late, end := v.run(t.Context(), "anna", "hold")
	for about, ctx := range map[string]context.Context{"under way": during, "late": late} {
		if !errors.Is(context.Cause(ctx), mcpserver.ErrUnknownTool) {
			t.Errorf("%s: %v", about, context.Cause(ctx))
		}
	}
	end()
	over()
	if n := len(v.known["anna"].running); n > 0 {
		t.Errorf("%d are remembered", n)
	}
}

// awaits returns when there is as much on record as is wanted.
func (h *home) awaits(wanted map[events.Type]int) {
	h.t.Helper()
	feed, err := audit.OpenFeed(filepath.Join(h.state, "audit"))
	if err != nil {
		h.t.Fatal(err)
	}
	defer feed.Close() //nolint:errcheck // it only watches
	r, err := feed.Read(audit.Cursor{})
	if err != nil {
		h.t.Fatal(err)
	}
	defer r.Close() //nolint:errcheck // it only reads
	for len(wanted) > 0 {
		entry, err := r.Next(h.t.Context())
		if err != nil {
			h.t.Fatal(err)
		}
		if wanted[entry.Type]--; wanted[entry.Type] <= 0 {
			delete(wanted, entry.Type)
		}
	}
}

func readsFull(r io.Reader, into []byte) bool {
	_, err := io.ReadFull(r, into)
	return err == nil
}

// mcpWeb is an MCP client of 2025-11-25 at a daemon.
type mcpWeb struct {
	t                   *testing.T
	url, token, session string
}

func newMCPWeb(t *testing.T, d *runningDaemon, token string) *mcpWeb {
	t.Helper()
	w := &mcpWeb{t: t, url: d.first["mcp"].(string), token: token}
	answer, err := w.post(t.Context(), `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},`+
		`"clientInfo":{"name":"t","version":"1"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	w.session = answer.Header.Get("Mcp-Session-Id")
	return w
}

func (w *mcpWeb) post(ctx context.Context, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + w.token}}
	if w.session != "" {
		r.Header.Set("Mcp-Session-Id", w.session)
	}
	return http.DefaultClient.Do(r)
}

// ask returns the body of a response.
func (w *mcpWeb) ask(body string) string {
	w.t.Helper()
	answer, err := w.post(w.t.Context(), body)
	if err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

// A resource that a tool prints is a call of its principal's, and counts as one.
func TestMCPReadingCounts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("tools.yaml", `version: 2
tools:
  line: {script: echo a line, annotations: {readOnlyHint: true}}
resources:
  line: {uri: "lines://one", tool: line}
  text: {uri: "texts://one", text: a text}
`)
	h.write("auto_approval_policies.yaml", "version: 2\nauto_approval_policies: [{id: all, applies_to: ['*'], decision: {type: approve}}]\n")
	h.write("a2a-acp.yaml", "serve: {principals: {anna: {token: {file: "+filepath.Join(h.dir, "anna")+
		"}, scopes: [tools], mcp: {rate: {count: 1, per: 1h}}}}}\n")
	if err := os.WriteFile(filepath.Join(h.dir, "anna"), []byte("tok-anna\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := h.new()
	h.runs(a)
	w := newMCPWeb(t, h.daemon(a, nil), "tok-anna")
	for _, row := range []struct{ uri, want string }{
		{"lines://one", "a line"}, {"lines://one", "too many calls; try again in 3"}, {"texts://one", "a text"},
	} {
		if got := w.ask(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"` + row.uri + `"}}`); !strings.Contains(got, row.want) {
			t.Errorf("%s: %s", row.uri, got)
		}
	}
}
