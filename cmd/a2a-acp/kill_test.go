package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// TestKilledWhole kills a daemon, a bridge and calls from the command line that share one state directory, at any moment
// of what they do, again and again: each effect has its decision on record before it, the record is whole, and a webhook
// gets all of it, in order and under the ids that it has. A2A_SOAK_KILLS says how often.
func TestKilledWhole(t *testing.T) {
	t.Parallel()
	if !confines("--require", "tree") {
		t.Skip("tools run in the sandbox")
	}
	rounds := 8
	if testing.Short() {
		rounds = 2
	}
	if n, err := strconv.Atoi(os.Getenv("A2A_SOAK_KILLS")); err == nil {
		rounds = n / 4 // processes are killed in each
	}
	w := newKillWorld(t)
	if out, err := w.command("tools", "run", "mark", "-p", "name=once").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for round := range rounds {
		w.kill(round)
		w.verify(fmt.Sprint("round ", round))
	}
	w.deliverAll()
	w.verify("at the end")
	w.compare()
}

// killWorld is a workspace in which calls leave their marks, and a receiver.
type killWorld struct {
	*house
	record string

	mu      sync.Mutex
	seen    map[int64]string // bodies by number
	last    int64            // the greatest number so far
	trouble []string
	news    news // there is one more
}

func newKillWorld(t *testing.T) *killWorld {
	t.Helper()
	w := &killWorld{house: newHouse(t, "fake-agent"), seen: map[int64]string{}, news: make(news, 1)}
	w.record = filepath.Join(w.home, ".local/state/a2a-acp/audit")
	server := httptest.NewServer(http.HandlerFunc(w.receive))
	t.Cleanup(server.Close)
	w.write(map[string]string{
		filepath.Join(w.config, "a2a-acp.yaml"): "webhooks: [{id: all, url: '" + server.URL +
			"', allow_addresses: [127.0.0.1], from: beginning, format: record, retry: {initial_delay: 100ms}}]\n",
		filepath.Join(w.config, "tools.yaml"): "version: 2\ntools:\n  mark:\n    script: echo {{name}} >>marks\n" +
			"    parameters: [{name: name, type: string, required: true}]\n" +
			"    sandbox: {working_directory: '.', allowed_paths: ['.']}\n",
		filepath.Join(w.config, "auto_approval_policies.yaml"): "version: 2\nauto_approval_policies:\n" +
			"  - {id: marks, applies_to: [mark], decision: {type: approve}}\n",
		filepath.Join(w.work, "marks"): "",
	})
	return w
}

// receive takes a line of the record. One that comes again must be the same; others come in their order.
func (w *killWorld) receive(_ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // whoever sent it was killed
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var line struct {
		Seq int64
		ID  string
	}
	if err := json.Unmarshal(body, &line); err != nil || line.ID != r.Header.Get("Webhook-Id") {
		w.trouble = append(w.trouble, fmt.Sprintf("the id %q is not that of %s (%v)", r.Header.Get("Webhook-Id"), body, err))
		return
	}
	before, again := w.seen[line.Seq]
	if again && before != string(body) || !again && line.Seq < w.last {
		w.trouble = append(w.trouble, fmt.Sprintf("number %d after %d: %s, before %q", line.Seq, w.last, body, before))
	}
	w.seen[line.Seq], w.last = string(body), max(w.last, line.Seq)
	w.news.tell()
}

// kill starts a daemon, a bridge and two calls, and kills each after a while of its own.
func (w *killWorld) kill(round int) {
	w.t.Helper()
	play := filepath.Join(w.work, "play")
	text := `agent<  {"method":"initialize"}
agent>  {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}}
agent<  {"method":"session/new"}
agent>  {"jsonrpc":"2.0","id":2,"result":{"sessionId":"s1"}}
agent<  {"id":3,"method":"session/prompt"}
`
	for n := range 20 {
		text += fmt.Sprintf("agent calls {\"name\":\"mark\",\"arguments\":{\"name\":\"bridge-%d-%d\"}}\n", round, n)
	}
	w.write(map[string]string{play: text})
	bridge := w.command("bridge", "--", w.bin("fake-agent"), play)
	says := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}
{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}
{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}
`, w.work)
	editor := w.input(bridge)
	cmds := []*exec.Cmd{
		w.command("serve", "--listen", "127.0.0.1:0"),
		bridge,
		w.command("tools", "run", "mark", "-p", fmt.Sprintf("name=first-%d", round)),
		w.command("tools", "run", "mark", "-p", fmt.Sprintf("name=second-%d", round)),
	}
	var all sync.WaitGroup
	for _, cmd := range cmds {
		if err := cmd.Start(); err != nil {
			w.t.Fatal(err)
		}
		if cmd == bridge {
			io.WriteString(editor, says) //nolint:errcheck // it takes what a pipe holds
		}
		ended := make(chan struct{})
		all.Go(func() { // ends with the process
			cmd.Wait() //nolint:errcheck // it was killed
			close(ended)
		})
		all.Go(func() { // likewise
			w.grown(rand.Int64N(20_000), ended)
			cmd.Process.Kill() //nolint:errcheck // it has ended by itself
		})
	}
	all.Wait()
}

// grown waits until so many bytes more are on record, the process has ended, or a while has gone by in which nothing happens.
func (w *killWorld) grown(bytes int64, ended <-chan struct{}) {
	began := w.size()
	for until := time.Now().Add(5 * time.Second); time.Now().Before(until) && w.size() < began+bytes; {
		select {
		case <-ended:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// size is how long the record is.
func (w *killWorld) size() (all int64) {
	segments, _ := filepath.Glob(filepath.Join(w.record, "*.jsonl"))
	for _, name := range segments {
		if info, err := os.Stat(name); err == nil {
			all += info.Size()
		}
	}
	return all
}

// verify has the record whole, but for a line that a kill has torn.
func (w *killWorld) verify(when string) {
	w.t.Helper()
	report, err := audit.Verify(w.record, audit.VerifyOptions{})
	if os.IsNotExist(err) {
		return
	}
	if err != nil {
		w.t.Fatalf("%s: %v", when, err)
	}
	for _, p := range report.Problems {
		if p.Kind != audit.Torn {
			w.t.Fatalf("%s: %+v", when, report)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.trouble) > 0 {
		w.t.Fatalf("%s: %s", when, strings.Join(w.trouble, "\n"))
	}
}

// deliverAll has a daemon deliver what is owed, and ends it in order.
func (w *killWorld) deliverAll() {
	w.t.Helper()
	daemon := w.command("serve", "--listen", "127.0.0.1:0")
	var said bytes.Buffer
	daemon.Stderr = &said
	out, err := daemon.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		w.t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil { // it is ready, and has said so on record
		w.t.Errorf("%v: %s", err, said.String())
	}
	end, err := audit.End(w.record)
	if err != nil {
		w.t.Fatal(err)
	}
	last := int64(0)
	if !w.news.until(2*time.Minute, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		last = w.last
		return last >= end.Seq
	}) {
		w.t.Errorf("number %d was received, and number %d is owed: %s", last, end.Seq, said.String())
	}
	daemon.Process.Signal(syscall.SIGTERM) //nolint:errcheck // Wait tells
	if err := daemon.Wait(); err != nil {
		w.t.Errorf("%v: %s", err, said.String())
	}
}

// compare holds the marks, and what was received, against the record.
func (w *killWorld) compare() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	decided := map[string]bool{}
	last := w.last
	err := audit.Read(w.record, func(e audit.Entry) error {
		if e.Type == events.ToolDecided && e.Act != nil && e.Decision != nil && e.Decision.Result == "approve" {
			decided[fmt.Sprint(e.Act.Arguments["name"])] = true
		}
		if body, received := w.seen[e.Seq]; e.Seq <= last && !strings.HasPrefix(string(e.Type), "webhook.") &&
			(!received || body != string(e.Raw)) {
			w.t.Errorf("number %d was received as %q, and is %s", e.Seq, body, e.Raw)
		}
		return nil
	})
	if err != nil {
		w.t.Error(err)
	}
	marks, err := os.ReadFile(filepath.Join(w.work, "marks"))
	if err != nil {
		w.t.Fatal(err)
	}
	for mark := range strings.Lines(string(marks)) {
		if !decided[strings.TrimSuffix(mark, "\n")] {
			w.t.Errorf("%q was done, and nothing on record decided it", mark)
		}
	}
	w.t.Logf("%d effects, %d decisions, %d entries received", strings.Count(string(marks), "\n"), len(decided), len(w.seen))
	if len(decided) == 0 || len(marks) == 0 {
		w.t.Error("nothing was done, so nothing was tried")
	}
}
