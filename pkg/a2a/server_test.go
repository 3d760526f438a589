package a2a

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/tasklog"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// actor is an agent that does what the text of a message says.
type actor struct {
	card *wire.AgentCard
	mu   sync.Mutex
	held map[string]chan struct{} // by the text of who waits: hold NAME
}

func newActor() *actor {
	return &actor{held: map[string]chan struct{}{}, card: &wire.AgentCard{
		Name: "Actor", Description: "Does what it is told.", Version: "1",
		Capabilities:      wire.AgentCapabilities{Streaming: true, ExtendedAgentCard: true},
		DefaultInputModes: []string{"text/plain", "application/json", "image/*"}, DefaultOutputModes: []string{"text/plain"},
		Skills:               []wire.AgentSkill{{ID: "act", Name: "Act", Description: "Acts.", Tags: []string{"test"}}},
		SecuritySchemes:      wire.NamedSecuritySchemes{"bearer": wire.HTTPAuthSecurityScheme{Scheme: "Bearer"}},
		SecurityRequirements: wire.SecurityRequirementsOptions{{"bearer": {"tasks"}}},
	}}
}

func (a *actor) Card(Caller) *wire.AgentCard { return a.card }

func (a *actor) Receive(_ context.Context, _ Caller, m *wire.Message) (*wire.Message, error) {
	if m.Parts[0].Text() == "answer" {
		return wire.NewMessage(wire.MessageRoleAgent, wire.NewTextPart("an answer")), nil
	}
	return nil, nil
}

// gate returns what those wait for that hold NAME.
func (a *actor) gate(name string) chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.held[name] == nil {
		a.held[name] = make(chan struct{})
	}
	return a.held[name]
}

func (a *actor) Work(ctx context.Context, t *Turn) error {
	verb, rest, _ := strings.Cut(t.Message().Parts[0].Text(), " ")
	switch verb {
	case "hold": // until its gate is opened
		if err := t.Working(ctx, "holding"); err != nil {
			return err
		}
		select {
		case <-a.gate(rest):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	case "ask":
		answer, err := t.Ask(ctx, wire.NewMessage(wire.MessageRoleAgent, wire.NewTextPart("what?")), func(m *wire.Message) error {
			if m.Parts[0].Text() == "nonsense" {
				return invalid("message", "that is nonsense")
			}
			return nil
		})
		if err != nil {
			return err
		}
		rest = answer.Parts[0].Text()
	case "call":
		question := wire.NewMessage(wire.MessageRoleAgent, wire.NewTextPart("may I?"))
		question.Metadata = map[string]any{"requestId": "call-1"}
		answer, err := t.Ask(ctx, question, func(*wire.Message) error { return nil })
		if err != nil {
			return err
		}
		rest = saidIn(answer, "requestId") + " " + saidIn(answer, "optionId")
	case "put": // a question that stands elsewhere, too, and that nobody waits for here
		question := wire.NewMessage(wire.MessageRoleAgent, dataPart(questionData{Type: "permission_request", Approval: rest}))
		question.Metadata = map[string]any{"requestId": "call-1"}
		return t.Emit(ctx, &wire.TaskStatusUpdateEvent{Status: wire.TaskStatus{State: wire.TaskStateInputRequired, Message: question}})
	case "turn":
		return t.NeedInput(ctx, "and now?")
	case "silent":
		return nil
	case "chunks":
		for _, text := range []string{"one ", "two ", "three"} {
			if err := t.Put(ctx, &wire.Artifact{ID: "a", Parts: wire.ContentParts{wire.NewTextPart(text)}}, text != "one ", text == "three"); err != nil {
				return err
			}
		}
		return t.Complete(ctx, "")
	case "flood": // so many artifacts of so many bytes
		var n, size int
		if _, err := fmt.Sscan(rest, &n, &size); err != nil {
			return err
		}
		for range n {
			if err := t.Put(ctx, &wire.Artifact{ID: "a", Parts: wire.ContentParts{wire.NewTextPart(strings.Repeat("x", size))}}, false, false); err != nil {
				return err
			}
		}
	case "progress": // as a call that tells how it goes on, beside another one that asks
		p := newPresenter(ctx, t, nil, ToolCall{ID: "call", Tool: "bake"})
		if err := t.Working(ctx, ""); err != nil {
			return err
		}
		now := time.Now()
		p.now = func() time.Time { return now }
		for n := range 3 * mostWords {
			p.Working(fmt.Sprint("look ", n))
			now = now.Add(betweenWords / 2)
		}
		if err := t.NeedInput(ctx, "which one?"); err != nil {
			return err
		}
		return t.Progress(ctx, "not now")
	case "print": // as a tool that puts out a byte at a time
		p := newPresenter(ctx, t, nil, ToolCall{ID: "call", Tool: "tool"})
		tick := time.NewTicker(gathered / 100)
		defer tick.Stop()
		began, n := time.Now(), 0
		for ; time.Since(began) < 10*gathered; n++ {
			p.Output(false, []byte("x"))
			<-tick.C
		}
		rest = fmt.Sprintf("%d bytes in %s", n, time.Since(began))
		p.end(tool.Result{})
	}
	return t.Complete(ctx, "did "+rest)
}

// Resume asks again.
func (a *actor) Resume(ctx context.Context, t *Turn) error { return a.Work(ctx, t) }

func (a *actor) Idle(*wire.Task) bool { return false }

// house is a server and what it stands on.
type house struct {
	t      *testing.T
	dir    string
	actor  *actor
	log    *tasklog.Log
	door   *Server
	http   *httptest.Server
	signer *Signer
	over   []func() // what else ends with the server
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir()}
	h.open(func(*Options) {})
	t.Cleanup(h.close)
	return h
}

// open starts the server, as at the first time or after the end of another.
func (h *house) open(change func(*Options)) {
	h.t.Helper()
	var err error
	if h.log, err = tasklog.Open(context.Background(), tasklog.Options{Path: filepath.Join(h.dir, tasklog.Name), Look: 10 * time.Millisecond}); err != nil {
		h.t.Fatal(err)
	}
	key, err := NewKey()
	if err != nil {
		h.t.Fatal(err)
	}
	signer, err := NewSigner(key)
	if err != nil {
		h.t.Fatal(err)
	}
	h.actor, h.signer = newActor(), signer
	o := Options{Log: h.log, Agent: h.actor, Agents: map[string]Agent{"other": newActor()}, Signer: signer,
		Caller: func(r *http.Request) Caller {
			name := r.Header.Get("Authorization")
			return Caller{Name: name, Admin: name == "admin"}
		},
		Say: func(line string) { h.t.Log(line) },
	}
	change(&o)
	if h.door, err = New(o); err != nil {
		h.t.Fatal(err)
	}
	h.http = httptest.NewUnstartedServer(h.door)
	h.http.Config.Protocols = new(http.Protocols)
	h.http.Config.Protocols.SetHTTP1(true)
	h.http.Config.Protocols.SetUnencryptedHTTP2(true)
	h.http.Start()
	if err := h.door.Start(context.Background()); err != nil {
		h.t.Fatal(err)
	}
}

// close ends the server as a signal does: what waits for somebody goes on waiting.
func (h *house) close() {
	if h.http == nil {
		return
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	h.door.Close(over)
	h.http.CloseClientConnections()
	h.http.Close()
	for _, f := range h.over {
		f()
	}
	h.over = nil
	if err := h.log.Close(); err != nil {
		h.t.Error(err)
	}
	h.http = nil
}

// TestAnsweredAtTheEnd has a message come to a task that waits just when the server ends: the task goes on waiting.
func TestAnsweredAtTheEnd(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.close()
	var ends atomic.Bool
	var closing sync.WaitGroup
	h.open(func(o *Options) {
		o.Now = func() time.Time {
			if ends.CompareAndSwap(true, false) {
				closing.Go(func() { h.door.Close(context.Background()) })
				for h.door.Ready() == nil {
					runtime.Gosched()
				}
			}
			return time.Now()
		}
	})
	task := h.send("anna", "turn")
	ends.Store(true)
	answer := message("turn", fmt.Sprintf(`,"taskId":%q`, task["id"]))
	if result, failure := h.rpc("anna", "SendMessage", answer); failure["code"] != -32034.0 {
		t.Errorf("answered: %v, %v", result, failure)
	}
	closing.Wait()
	h.close()
	h.open(func(*Options) {})
	if result, _ := h.rpc("anna", "GetTask", fmt.Sprintf(`{"id":%q}`, task["id"])); at(result, "status.state") != "TASK_STATE_INPUT_REQUIRED" ||
		at(result, "status.message.parts.text") != at(task, "status.message.parts.text") {
		t.Errorf("afterwards: %v, before: %v", result["status"], task["status"])
	}
	if result, failure := h.rpc("anna", "SendMessage", answer); failure != nil {
		t.Errorf("answered again: %v, %v", result, failure)
	}
}

// request makes a request as somebody.
func (h *house) request(who, method, path, body string, header ...string) *http.Response {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.http.URL+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Authorization", who)
	r.Header.Set("A2A-Version", "1.0")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := h.http.Client().Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	return response
}

// rpc makes a request of JSON-RPC, and returns its result or its error.
func (h *house) rpc(who, method, params string, header ...string) (result, failure map[string]any) {
	h.t.Helper()
	response := h.request(who, "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`, header...)
	var answer struct {
		Result, Error map[string]any
	}
	read(h.t, response, &answer)
	if (answer.Result == nil) == (answer.Error == nil) {
		h.t.Fatalf("%s %s: %+v", method, params, answer)
	}
	return answer.Result, answer.Error
}

func read(t *testing.T, response *http.Response, to any) {
	t.Helper()
	body, err := io.ReadAll(response.Body)
	if err == nil {
		err = response.Body.Close()
	}
	if err == nil {
		err = json.Unmarshal(body, to)
	}
	if err != nil {
		t.Fatalf("%s: %v: %q", response.Status, err, body)
	}
}

// message is the parameters of SendMessage with a text.
func message(text, more string) string {
	encoded, _ := json.Marshal(text)
	return `{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"text":` + string(encoded) + `}]` + more + `}}`
}

// send sends a message and returns the task.
func (h *house) send(who, text string) map[string]any {
	h.t.Helper()
	result, failure := h.rpc(who, "SendMessage", message(text, ""))
	if failure != nil {
		h.t.Fatalf("%s: %v", text, failure)
	}
	return result["task"].(map[string]any)
}

// at returns what stands in JSON at a path of names.
func at(value any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			if len(v) == 0 {
				return nil
			}
			value = v[0]
			if name != "0" {
				value = at(value, name)
			}
		default:
			return nil
		}
	}
	return value
}

// events reads a stream of server-sent events.
type events struct {
	lines *bufio.Scanner
	body  io.Closer
}

func eventsOf(response *http.Response) *events {
	e := &events{bufio.NewScanner(response.Body), response.Body}
	e.lines.Buffer(nil, 1<<20)
	return e
}

// next returns the id and the data of the next event; "" at the end.
func (e *events) next(t *testing.T) (id string, data map[string]any) {
	t.Helper()
	for e.lines.Scan() {
		line := e.lines.Text()
		if v, ok := strings.CutPrefix(line, "id: "); ok {
			id = v
		}
		if v, ok := strings.CutPrefix(line, "data: "); ok {
			if err := json.Unmarshal([]byte(v), &data); err != nil {
				t.Fatalf("%q: %v", v, err)
			}
			return id, data
		}
	}
	return "", nil
}

// rest returns what is left, as ids.
func (e *events) rest(t *testing.T) string {
	var ids []string
	for {
		id, data := e.next(t)
		if data == nil {
			return strings.Join(ids, " ")
		}
		ids = append(ids, id)
	}
}
