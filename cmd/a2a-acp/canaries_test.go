package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The canaries: one for each place where a secret comes from.
const (
	inParameter = "canary-parameter-0a1b2c3d"
	inStore     = "canary-store-4e5f6a7b"    // given to tools, which print it
	inGovernor  = "canary-governor-8c9d0e1f" // shown to a governor, which says it
	inToken     = "canary-token-2a3b4c5d"    // of a client of the daemon
	inWrong     = "canary-wrong-6e7f8a9b"    // a token that is none
	inHeader    = "canary-header-0c1d2e3f"   // another header of that client
	inPrompt    = "canary-prompt-4a5b6c7d"
	inURL       = "canary-url-8e9f0a1b"
	inHook      = "canary-hook-2c3d4e5f" // shown to the receiver of a webhook
)

// TestCanaries has secrets come in everywhere, with all that tells others of something switched on: the log with every
// detail, webhooks, traces, metrics. None of them stands in anything that leaves, nor on record.
func TestCanaries(t *testing.T) {
	t.Parallel()
	if !confines("--require", "tree") {
		t.Skip("tools run in the sandbox")
	}
	w := &canaryWorld{house: newHouse(t, "fake-agent"), news: make(news, 1)}
	w.log = filepath.Join(w.base, "logs/a.log")
	others := httptest.NewServer(http.HandlerFunc(w.answer))
	defer others.Close()
	w.url = others.URL
	w.prepare()
	w.run("", "audit", "checkpoint") // there is a record before the daemon

	daemon, address := w.serve()
	for _, args := range [][]string{
		{"print"}, {"fails"}, {"given", "-p", "key=" + inParameter}, {"given", "-p", `key=["` + inParameter + `"]`, "-p", "unknown=1"}, {"judged"}, {"no_such_tool"},
	} {
		w.run("", append([]string{"tools", "run"}, args...)...)
	}
	w.request()
	w.callDaemon(address)
	w.message(address)
	w.prompt()
	w.told("the numbers", w.get(address+"/metrics", inToken))
	w.told("the status", w.get(address+"/status", inToken))
	w.waitFor("print", "fails", "given", "judged", "asked by the client", "asked by the agent")
	if err := daemon(); err != nil {
		t.Error(err)
	}
	for _, args := range [][]string{{"list", "--session", "all", "--last", "0"}, {"list", "--session", "all", "--json"}, {"show", "--last"}, {"summary", "--session", "all"},
		{"export"}, {"export", "--format", "seed"}, {"export", "--format", "cloudevents"}, {"export", "--format", "ocsf"},
		{"export", "--format", "csv"}, {"tail", "-n", "100"}, {"verify"}} {
		w.run("", append([]string{"audit"}, args...)...)
	}
	w.crash()
	w.proveShown()
	w.run("", "webhooks", "list")
	w.run("", "webhooks", "show", "all")
	w.search()
}

// canaryWorld collects what leaves.
type canaryWorld struct {
	*house
	log, url string

	mu    sync.Mutex
	all   []string // each with what it is
	shown string   // to the API, one line a request
	spans int
	news  news // something was told
}

func (w *canaryWorld) told(what, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, what+"\n"+text)
	w.news.tell()
}

// answer is everybody else: a governor, the receiver of webhooks, and a collector of traces and numbers. What they are
// shown in order to know us they are shown.
func (w *canaryWorld) answer(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if r.Header.Get("Content-Encoding") == "gzip" {
		if z, err := gzip.NewReader(bytes.NewReader(body)); err == nil {
			body, _ = io.ReadAll(z)
		}
	}
	switch {
	case strings.HasPrefix(r.URL.Path, "/api/"):
		w.api(rw, r, string(body))
	case strings.HasPrefix(r.URL.Path, "/governor"):
		w.told("what the governor is asked", string(body))
		status := "approve"
		if strings.Contains(string(body), "judged") {
			status = "reject"
		}
		rw.Header().Set("X-Echo", inGovernor)
		fmt.Fprintf(rw, `{"status":%q,"messages":["you sent %s"]}`, status, r.Header.Get("Authorization"))
	case strings.HasPrefix(r.URL.Path, "/hook"):
		if strings.Contains(r.URL.Path, "refuse") {
			rw.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(rw, "not with %s at %s", r.Header.Get("X-Api-Key"), r.URL.Path)
			return
		}
		delete(r.Header, "X-Api-Key")
		w.told("a webhook", fmt.Sprint(r.Header, string(body)))
	default:
		w.mu.Lock()
		w.spans++
		w.mu.Unlock()
		w.told("what is sent to the collector", fmt.Sprint(r.Header, string(body)))
	}
}

func (w *canaryWorld) prepare() {
	w.t.Helper()
	sources, tools := w.httpTools()
	hook := "allow_addresses: [127.0.0.1], from: beginning, authentication: {type: apikey, key: {secret: HOOK}}, "
	w.write(map[string]string{
		filepath.Join(w.base, "logs/README"): "",
		filepath.Join(w.config, "a2a-acp.yaml"): "webhooks:\n  - {id: all, " + hook + "url: '" + w.url + "/hook/" + inURL + "'}\n" +
			"  - {id: record, " + hook + "format: record, url: '" + w.url + "/hook/" + inURL + "'}\n" +
			"  - {id: refused, " + hook + "format: cloudevents, url: '" + w.url + "/hook/refuse/" + inURL + "'}\n",
		filepath.Join(w.config, "governors.yaml"): "permission_governors:\n  - {id: knows, type: http, url: '" + w.url + "/governor/" + inURL +
			"', allow_addresses: [127.0.0.1], required: true, headers: {Authorization: 'Bearer ${GOVERNOR_TOKEN}'}}\n",
		filepath.Join(w.config, "auto_approval_policies.yaml"): "version: 2\nauto_approval_policies:\n" +
			"  - {id: all, applies_to: [print, fails, given, judged, \"http_*\"], decision: {type: approve}}\n" +
			"  - {id: one, applies_to: [http_asks], decision: {type: ask}}\n",
		filepath.Join(w.config, "tools.yaml"): "version: 2\n" + sources + "tools:\n" + tools + `
  print:
    script: echo "asked $KEY"; printf %s "$KEY" | base64
    sandbox: {environment_variables: {KEY: {secret: KEY}}}
    audit: full
  fails:
    script: echo "it went wrong with $KEY" >&2; exit 3
    sandbox: {environment_variables: {KEY: {secret: KEY}}}
    audit: full
  given:
    script: echo {{key}} {{other|default('')}}
    parameters: [{name: key, type: string, secret: true, required: true}, {name: other, type: string}]
    audit: full
  judged:
    script: echo never
    sandbox: {environment_variables: {KEY: {secret: KEY}}}
`,
		filepath.Join(w.work, "play"): `agent<  {"method":"initialize"}
agent>  {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}}
agent<  {"method":"session/new"}
agent>  {"jsonrpc":"2.0","id":2,"result":{"sessionId":"s1"}}
agent<  {"id":3,"method":"session/prompt"}
agent calls {"name":"given","arguments":{"key":"` + inParameter + `","other":"asked by the agent"}}
agent calls {"name":"print","arguments":{}}
agent calls {"name":"fails","arguments":{}}
agent calls {"name":"http_exchanged","arguments":{}}
agent calls {"name":"http_denied","arguments":{}}
agent calls {"name":"http_asks","arguments":{}}
agent>  {"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}
agent exits 0
`,
		filepath.Join(w.work, "wait"): `agent<  {"method":"initialize"}
agent>  {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}}
agent<  {"method":"session/new"}
agent>  {"jsonrpc":"2.0","id":2,"result":{"sessionId":"s1"}}
agent<  {"id":3,"method":"session/prompt"}
agent calls {"name":"given","arguments":{"key":"` + inParameter + `"}}
agent>  {"jsonrpc":"2.0","method":"_test/waits"}
agent<  {"id":4}
`,
	})
	for name, value := range map[string]string{"KEY": inStore, "HOOK": inHook, "BEARER": inBearer, "SUBJECT": inSubject} {
		w.run(value+"\n", "secrets", "set", name)
	}
}

// environment is what switches everything on.
func (w *canaryWorld) environment() []string {
	return []string{"LOG_LEVEL=debug", "LOG_FORMAT=json", "LOG_FILE=" + w.log, "A2A_AUTH_TOKEN=" + inToken, "GOVERNOR_TOKEN=" + inGovernor,
		"CLIENT_SECRET=" + inClient, "QUERY_KEY=" + inQuery,
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + w.url, "OTEL_BSP_SCHEDULE_DELAY=10", "OTEL_METRIC_EXPORT_INTERVAL=50"}
}

// run has the program do something to its end, whatever that is.
func (w *canaryWorld) run(stdin string, args ...string) {
	w.t.Helper()
	cmd := w.command(args...)
	cmd.Env = append(cmd.Env, w.environment()...)
	cmd.Stdin = strings.NewReader(stdin)
	out, _ := cmd.CombinedOutput()
	w.told("what "+strings.Join(args[:2], " ")+" prints", string(out))
}

// serve starts the daemon, and returns what ends it, and its URL.
func (w *canaryWorld) serve() (end func() error, url string) {
	w.t.Helper()
	cmd := w.command("serve", "--listen", "127.0.0.1:0")
	cmd.Env = append(cmd.Env, w.environment()...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	var ready struct{ URL string }
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err != nil {
		w.t.Fatalf("the first line: %v; it ended: %v: %s", err, cmd.Wait(), said.String())
	}
	return func() error {
		cmd.Process.Signal(syscall.SIGTERM) //nolint:errcheck // Wait tells
		err := cmd.Wait()
		w.told("what the daemon says", string(line)+said.String())
		return err
	}, ready.URL
}

// get asks the daemon for something.
func (w *canaryWorld) get(url, token string) string {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, url, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	return w.do(request)
}

func (w *canaryWorld) do(request *http.Request) string {
	w.t.Helper()
	request.Header.Set("X-Other", inHeader)
	request.Header.Set("Cookie", "session="+inHeader)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return fmt.Sprint(response.StatusCode, response.Header, string(body))
}

// callDaemon calls tools over MCP, and tries what is refused.
func (w *canaryWorld) callDaemon(address string) {
	w.t.Helper()
	for _, path := range []string{"/mcp?token=" + inURL, "/mcp?access_token=" + inURL, "/" + inURL, "/status"} {
		w.told("a refusal of "+path[:4], w.get(address+path, inWrong))
	}
	calls := []string{
		`{"name":"given","arguments":{"key":"` + inParameter + `","other":"asked by the client"}}`,
		`{"name":"print","arguments":{}}`, `{"name":"fails","arguments":{}}`, `{"name":"judged","arguments":{}}`,
		`{"name":"given","arguments":{"key":"another","other":"` + inStore + `"}}`, // what this process knows by now
		`{"name":"given","arguments":{"key":["` + inParameter + `"]}}`,
	}
	for _, call := range canaryCalls() {
		calls = append(calls, fmt.Sprintf(`{"name":%q,"arguments":%s}`, call.tool, call.arguments))
	}
	for i, call := range calls {
		meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},`
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s%s}`, i+1, meta, call[1:])
		request, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, address+"/mcp", strings.NewReader(body))
		if err != nil {
			w.t.Fatal(err)
		}
		var name struct{ Name string }
		if err := json.Unmarshal([]byte(call), &name); err != nil {
			w.t.Fatal(err)
		}
		for key, value := range map[string]string{"Authorization": "Bearer " + inToken, "Content-Type": "application/json",
			"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call",
			"Mcp-Name": name.Name} {
			request.Header.Set(key, value)
		}
		w.told("the answer to "+name.Name, w.do(request))
	}
}

// prompts is what an editor says in which a person gives secrets away.
func (w *canaryWorld) prompts() string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}
{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}
{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"use %s and %s"}]}}
`, w.work, inPrompt, inStore)
}

// prompt has a person in an editor give a secret away.
func (w *canaryWorld) prompt() {
	w.t.Helper()
	cmd := w.command("bridge", "--", w.bin("fake-agent"), filepath.Join(w.work, "play"))
	cmd.Env = append(cmd.Env, w.environment()...)
	editor := w.input(cmd)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = io.WriteString(editor, w.prompts())
	}
	if err != nil {
		w.t.Fatal(err)
	}
	asked, lines := false, bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		w.told("what the editor is told", lines.Text())
		var question struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(lines.Bytes(), &question) != nil || question.Method != "session/request_permission" {
			continue
		}
		asked = true
		fmt.Fprintf(editor, `{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":"a2a-acp-allow-once"}}}`+"\n", question.ID)
	}
	cmd.Wait() //nolint:errcheck // the agent ends it
	w.told("what the bridge says", said.String())
	if !asked {
		w.t.Errorf("the editor was asked about nothing: %s", said.String())
	}
}

// crash has the daemon, and a bridge in the middle of a turn, crash with all that they know, and tell the state of every
// goroutine, as a panic does (GOTRACEBACK).
func (w *canaryWorld) crash() {
	w.t.Helper()
	daemon := w.command("serve", "--listen", "127.0.0.1:0")
	bridge := w.command("bridge", "--", w.bin("fake-agent"), filepath.Join(w.work, "wait"))
	for _, c := range []struct {
		cmd  *exec.Cmd
		name string
		says string // to it, once it runs
		use  func(line string)
	}{
		{daemon, "daemon", "", func(line string) {
			var ready struct{ URL string }
			if err := json.Unmarshal([]byte(line), &ready); err != nil {
				w.t.Errorf("the first line: %v", err)
			}
			w.callDaemon(ready.URL)
		}},
		{bridge, "bridge", w.prompts(), func(string) {}},
	} {
		c.cmd.Env = append(append(c.cmd.Env, w.environment()...), "GOTRACEBACK=system")
		var said bytes.Buffer
		c.cmd.Stderr = &said
		in := w.input(c.cmd)
		out, err := c.cmd.StdoutPipe()
		if err == nil {
			err = c.cmd.Start()
		}
		if err != nil {
			w.t.Fatal(err)
		}
		if _, err := io.WriteString(in, c.says); err != nil {
			w.t.Error(err)
		}
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if c.says == "" || strings.Contains(lines.Text(), "_test/waits") {
				break
			}
		}
		c.use(lines.Text())
		c.cmd.Process.Signal(syscall.SIGQUIT) //nolint:errcheck // Wait tells
		c.cmd.Wait()                          //nolint:errcheck // it crashes
		if !strings.Contains(said.String(), "SIGQUIT: quit") || strings.Count(said.String(), "goroutine ") < 10 {
			w.t.Errorf("the %s did not crash: %s", c.name, said.String())
		}
		w.told("what the "+c.name+" says as it crashes", said.String())
	}
}

// waitFor waits until webhooks have told of each text, and the collector has heard something.
func (w *canaryWorld) waitFor(texts ...string) {
	w.t.Helper()
	missing, spans := "", 0
	if !w.news.until(time.Minute, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		missing, spans = "", w.spans
		for _, text := range texts {
			found := false
			for _, told := range w.all {
				found = found || strings.HasPrefix(told, "a webhook\n") && strings.Contains(told, text)
			}
			if !found {
				missing = text
			}
		}
		return missing == "" && spans > 1
	}) {
		w.t.Fatalf("no webhook tells of %q; the collector has heard %d times", missing, spans)
	}
}

// search looks for the canaries in all that was told, and in every file that is left.
func (w *canaryWorld) search() {
	w.t.Helper()
	state := filepath.Join(w.home, ".local/state/a2a-acp")
	ours := map[string]bool{filepath.Join(state, "secrets.json"): true} // the store itself
	for _, root := range []string{state, filepath.Dir(w.log)} {
		err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() || ours[path] {
				return err
			}
			text, err := os.ReadFile(path)
			w.told("the file "+path, string(text))
			return err
		})
		if err != nil {
			w.t.Error(err)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, told := range w.all {
		for _, canary := range append(requestCanaries(), inParameter, inStore, inGovernor, inToken, inWrong, inHeader, inPrompt, inURL, inHook) {
			what, _, _ := strings.Cut(told, "\n")
			if canary == inStore && (what == "what the governor is asked" || what == "the answer to given") {
				continue // the client has given it away itself, and these are about what it gave
			}
			if at := strings.Index(told, canary); at >= 0 {
				w.t.Errorf("%s stands in %s: …%.200q", canary, what, told[max(0, at-100):])
			}
		}
	}
	if log, err := os.ReadFile(w.log); err != nil || !bytes.Contains(log, []byte("recorded")) {
		w.t.Errorf("the log says nothing: %s, %v", log, err)
	}
}
