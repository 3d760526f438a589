package executor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// remoteAgent is an A2A server that answers each message as a test says.
type remoteAgent struct {
	*httptest.Server
	mu       sync.Mutex
	asked    []string // the methods
	messages []string // the bodies of what was sent
	tokens   []string
}

const remoteCard = `{"name":"remote","capabilities":{"streaming":true},"supportedInterfaces":[
	{"url":"BASE","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`

func newRemoteAgent(t *testing.T, answer func(w http.ResponseWriter, method string, n int)) *remoteAgent {
	t.Helper()
	r := &remoteAgent{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		var said struct{ Method string }
		_ = json.Unmarshal(body, &said)
		r.mu.Lock()
		r.asked = append(r.asked, said.Method)
		if said.Method != "" {
			r.messages = append(r.messages, string(body))
			r.tokens = append(r.tokens, q.Header.Get("Authorization"))
		}
		n := len(r.messages)
		r.mu.Unlock()
		switch {
		case said.Method != "":
			answer(w, said.Method, n)
		case strings.HasSuffix(q.URL.Path, "agent-card.json"):
			fmt.Fprint(w, strings.ReplaceAll(remoteCard, "BASE", r.URL))
		default:
			http.NotFound(w, q)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *remoteAgent) sent() (methods, messages []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.asked), slices.Clone(r.messages)
}

// streamed writes events of a task.
func streamed(w http.ResponseWriter, list ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range list {
		fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":%s}\n\n", strings.ReplaceAll(event, "\n", " "))
	}
	_ = http.NewResponseController(w).Flush()
}

func remoteState(state, message string) string {
	if message != "" {
		message = `,"message":` + message
	}
	return `{"statusUpdate":{"taskId":"t1","contextId":"c","status":{"state":"TASK_STATE_` + state + `"` + message + `}}}`
}

// remoteTask answers with the task as it is.
func remoteTask(w http.ResponseWriter, state, message string) {
	task := `{"id":"t1","contextId":"c","status":{"state":"TASK_STATE_` + state + `","message":` + message + `}}`
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":%s}`, strings.ReplaceAll(task, "\n", " "))
}

func remoteText(text string) string {
	encoded, _ := json.Marshal(text)
	return `{"artifactUpdate":{"taskId":"t1","append":true,"artifact":{"artifactId":"a","parts":[{"text":` + string(encoded) + `}]}}}`
}

// delegating makes a tool that a remote agent carries out.
func delegating(url string) *tool.Tool {
	t := script("")
	t.A2A = &tool.A2A{URL: url, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	t.Parameters = append(tool.A2AParameters(), tool.Parameter{Name: "n", Type: tool.TypeInteger})
	t.Sandbox.References = map[string]tool.Reference{tool.A2AToken: {Secret: "key"}}
	return t
}

func (h *house) delegates(t *tool.Tool) {
	h.vault = vault{"key": apiKey}
	h.has(t)
}

// TestRemote has a remote agent carry a call out: what it is sent, what comes back, and that nothing is sent before
// the decision is on record.
func TestRemote(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	remote := newRemoteAgent(t, func(w http.ResponseWriter, _ string, _ int) {
		h.step("sent")
		streamed(w, remoteState("WORKING", ""), remoteText("two "), remoteText("late\x1b[2J"+apiKey+"\n"), remoteState("COMPLETED", ""))
	})
	entry := delegating(remote.URL)
	entry.A2A.Skill = "late"
	h.delegates(entry)
	result := h.execute(t.Context(), `{"message":"which?","n":7}`)
	if result.Status != tool.StatusCompleted || result.Stdout != "two late\\u{1b}[2J[secret]\n" {
		t.Fatalf("%+v", result)
	}
	_, messages := remote.sent()
	for _, want := range []string{`"text":"which?"`, `"n":7`, `"skillId":"late"`} {
		if len(messages) != 1 || !strings.Contains(messages[0], want) {
			t.Errorf("sent %q, want %s in it", messages, want)
		}
	}
	if remote.tokens[0] != "Bearer "+apiKey {
		t.Errorf("the token was shown as %q", remote.tokens[0])
	}
	order := strings.Join(h.steps, "; ")
	decided, filled, sent := strings.Index(order, "record tool.decided"), strings.Index(order, "fill key"), strings.Index(order, "sent")
	if decided < 0 || filled < decided || sent < filled {
		t.Errorf("in this order: %s", order)
	}
	for _, e := range h.events {
		if text, _ := json.Marshal(e); strings.Contains(string(text), apiKey) {
			t.Errorf("the token is on record: %s", text)
		}
	}

	h = newHouse(t, rule(permissions.Reject))
	h.delegates(entry)
	if result := h.execute(t.Context(), `{"message":"which?"}`); codeOf(result) != tool.FailDenied {
		t.Errorf("rejected: %+v", result)
	}
	if methods, _ := remote.sent(); len(methods) != 2 { // the card, and the message of before
		t.Errorf("a rejected call was heard of: %q", methods)
	}
}

const permission = `{"messageId":"q","role":"ROLE_AGENT","parts":[{"text":"Delete all with ` + apiKey + `?\u001b]0;x\u0007 ` + "```" + `"},{"data":{"requestId":"r",
	"options":[{"optionId":"go","name":"Go","kind":"allow_once"},{"optionId":"ever","kind":"allow_always"},
	{"optionId":"stop","name":"Stop","kind":"reject_once"}]}}]}`

// TestRemoteAsks has the agent ask: a person answers, every time, whatever the rules approve, and nobody's answer is a no.
func TestRemoteAsks(t *testing.T) {
	t.Parallel()
	yes := approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson, Always: 1}
	no := approval.Answer{Verdict: permissions.Reject, Source: permissions.SourcePerson}
	for name, row := range map[string]struct {
		answer *approval.Answer
		want   string
	}{"yes": {&yes, "go"}, "no": {&no, "stop"}, "nobody": {nil, "stop"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, rule(permissions.Approve))
			remote := newRemoteAgent(t, func(w http.ResponseWriter, _ string, n int) {
				if n <= 2 {
					streamed(w, remoteState("INPUT_REQUIRED", permission))
					return
				}
				streamed(w, remoteState("COMPLETED", ""))
			})
			h.delegates(delegating(remote.URL))
			var asked []approval.Question
			if row.answer != nil {
				h.answers = func(_ context.Context, q approval.Question) (approval.Answer, error) {
					asked = append(asked, q)
					return *row.answer, nil
				}
			}
			result := h.execute(t.Context(), `{"message":"do"}`)
			if result.Status != tool.StatusCompleted {
				t.Fatalf("%+v", result)
			}
			_, messages := remote.sent()
			if len(messages) != 3 || !strings.Contains(messages[1], `"optionId":"`+row.want+`"`) || !strings.Contains(messages[2], row.want) {
				t.Errorf("answered %q", messages)
			}
			if row.answer == nil {
				return
			}
			if len(asked) != 2 || !asked[0].Once || strings.ContainsAny(asked[0].Text, "\x1b\x07") ||
				!strings.Contains(asked[0].Text, "Delete all with [secret]?") || asked[0].Digest == asked[1].Digest {
				t.Errorf("asked %+v", asked)
			}
			decided := map[string]string{}
			for _, e := range h.events {
				if e.Type == events.ToolDecided {
					decided[e.CallID] = e.Decision.Source
				}
			}
			if decided["call-1-1"] != string(permissions.SourcePerson) || decided["call-1-2"] != string(permissions.SourcePerson) {
				t.Errorf("on record: %v", decided)
			}
		})
	}
}

// TestRemoteAsksUnderOtherRules has the rules change while a person reads what the agent asks: one that rejects the call by
// now is heard, and one that wants the answer from a terminal, where this was not asked.
func TestRemoteAsksUnderOtherRules(t *testing.T) {
	t.Parallel()
	rejects, terminal := rule(permissions.Reject), rule(permissions.Ask)
	terminal.AtTerminal = true
	for name, row := range map[string]struct {
		now  permissions.Rule
		want string
	}{"the same": {rule(permissions.Approve), "go"}, "one that rejects": {rejects, "stop"}, "one for terminals": {terminal, "stop"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, rule(permissions.Approve))
			remote := newRemoteAgent(t, func(w http.ResponseWriter, _ string, n int) {
				if n == 1 {
					streamed(w, remoteState("INPUT_REQUIRED", permission))
					return
				}
				streamed(w, remoteState("COMPLETED", ""))
			})
			h.delegates(delegating(remote.URL))
			h.answers = func(context.Context, approval.Question) (approval.Answer, error) {
				h.authority = h.authority.With(permissions.NewSet([]permissions.File{{Version: permissions.Version2, Rules: []permissions.Rule{row.now}}}), nil)
				return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson}, nil
			}
			h.execute(t.Context(), `{"message":"do"}`)
			if _, messages := remote.sent(); len(messages) != 2 || !strings.Contains(messages[1], `"optionId":"`+row.want+`"`) {
				t.Errorf("answered %q, want %s", messages, row.want)
			}
		})
	}
}

// TestRemoteWaits has the agent ask in words of its own: who has made the call is told, and answers with the next one.
func TestRemoteWaits(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	const question = `{"messageId":"q","role":"ROLE_AGENT","parts":[{"text":"Which day?"}]}`
	remote := newRemoteAgent(t, func(w http.ResponseWriter, method string, n int) {
		switch {
		case method == "GetTask":
			remoteTask(w, "INPUT_REQUIRED", question)
			return
		case n == 1:
			streamed(w, remoteState("INPUT_REQUIRED", question))
			return
		}
		streamed(w, remoteState("COMPLETED", `{"messageId":"e","role":"ROLE_AGENT","parts":[{"text":"Booked."}]}`))
	})
	h.delegates(delegating(remote.URL))
	result := h.execute(t.Context(), `{"message":"book"}`)
	if result.ExitCode != remoteWaits || !strings.Contains(result.Stdout, "task: t1\nWhich day?") || h.count("ask") != 0 {
		t.Fatalf("%+v", result)
	}
	result = h.execute(t.Context(), `{"message":"Monday","task":"t1"}`)
	_, messages := remote.sent()
	if result.Stdout != "Booked.\n" || len(messages) != 3 || !strings.Contains(messages[2], `"taskId":"t1"`) {
		t.Errorf("%+v, sent %q", result, messages)
	}
}

// TestRemoteIsAnsweredByAPerson has a call name a task that waits for a yes or no, and bring the yes along: it is
// not sent, and a person is asked.
func TestRemoteIsAnsweredByAPerson(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	remote := newRemoteAgent(t, func(w http.ResponseWriter, method string, _ int) {
		switch method {
		case "GetTask":
			remoteTask(w, "INPUT_REQUIRED", permission)
		case "SubscribeToTask":
			streamed(w, remoteState("INPUT_REQUIRED", permission))
		default:
			streamed(w, remoteState("COMPLETED", ""))
		}
	})
	h.delegates(delegating(remote.URL))
	h.answers = func(context.Context, approval.Question) (approval.Answer, error) {
		return approval.Answer{Verdict: permissions.Reject, Source: permissions.SourcePerson}, nil
	}
	result := h.execute(t.Context(), `{"message":"go","task":"t1"}`)
	_, messages := remote.sent()
	said := strings.Join(messages, "\n")
	if result.Status != tool.StatusCompleted || strings.Contains(said, `"go"`) || !strings.Contains(said, `"optionId":"stop"`) ||
		!strings.Contains(result.Stderr, "was not sent") {
		t.Errorf("%+v, sent %s", result, said)
	}
}

// TestRemoteTakesNoOnce has the agent ask for more than a yes to this once: nobody says yes, neither a person, who is
// not asked that, nor who has made the call.
func TestRemoteTakesNoOnce(t *testing.T) {
	t.Parallel()
	for options, want := range map[string]string{
		`{"optionId":"ever","kind":"allow_always"},{"optionId":"stop","kind":"reject_once"}`:    "stop",
		`{"optionId":"ever","kind":"allow_always"},{"optionId":"never","kind":"reject_always"}`: "never",
		`{"optionId":"go","kind":"allow_once"}`:                                                 "",
	} {
		h := newHouse(t, rule(permissions.Approve))
		remote := newRemoteAgent(t, func(w http.ResponseWriter, method string, n int) {
			if n == 1 {
				streamed(w, remoteState("INPUT_REQUIRED", `{"messageId":"q","role":"ROLE_AGENT","parts":[{"data":{"options":[`+options+`]}}]}`))
				return
			}
			streamed(w, remoteState("COMPLETED", ""))
		})
		h.delegates(delegating(remote.URL))
		result := h.execute(t.Context(), `{"message":"do"}`)
		_, messages := remote.sent()
		if h.count("ask") != 0 || strings.Contains(result.Stdout, "waits for an answer") || strings.Contains(strings.Join(messages[1:], ""), `"ever"`) {
			t.Errorf("%s: %+v, sent %q", options, result, messages)
		}
		if answered := len(messages) == 2 && strings.Contains(messages[1], `"optionId":"`+want+`"`); answered != (want != "") {
			t.Errorf("%s: sent %q", options, messages)
		}
	}
}

// TestHostileRemote has agents that do not stop, lead elsewhere, or stand where nobody may be reached.
func TestHostileRemote(t *testing.T) {
	t.Parallel()
	other := newRemoteAgent(t, func(w http.ResponseWriter, _ string, _ int) { streamed(w, remoteState("COMPLETED", "")) })
	forever := func(w http.ResponseWriter, event string) {
		for {
			if _, err := io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"+event+"}\n\n"); err != nil {
				return
			}
		}
	}
	for name, row := range map[string]struct {
		answer func(w http.ResponseWriter, method string, n int)
		entry  func(*tool.Tool)
		code   tool.FailureCode
		says   string
	}{
		"output without end": {answer: func(w http.ResponseWriter, method string, _ int) {
			if method == "SendStreamingMessage" {
				w.Header().Set("Content-Type", "text/event-stream")
				forever(w, remoteText(strings.Repeat("x", 1000)))
			}
		}, entry: func(t *tool.Tool) { t.Sandbox.Limits.Output = 10_000 }, code: tool.FailOutput, says: "said more than 10000 bytes"},
		"silence": {answer: func(w http.ResponseWriter, method string, _ int) {
			w.Header().Set("Content-Type", "text/event-stream")
			for method == "SendStreamingMessage" {
				if _, err := io.WriteString(w, ":\n\n"); err != nil || http.NewResponseController(w).Flush() != nil {
					return // it has hung up
				}
			}
		}, entry: func(t *tool.Tool) { t.Sandbox.Limits.Timeout = 50 * time.Millisecond }, code: tool.FailTimeout, says: "was not done within 50ms"},
		"questions without end": {answer: func(w http.ResponseWriter, _ string, _ int) {
			streamed(w, remoteState("INPUT_REQUIRED", permission))
		}, code: tool.FailDenied, says: "asked more than 10 times"},
		"a redirect": {answer: func(w http.ResponseWriter, _ string, _ int) {
			w.Header().Set("Location", other.URL)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, code: tool.FailInternal, says: "sends us on to " + other.URL},
		"a private address": {entry: func(t *tool.Tool) { t.A2A.Allow = nil }, code: tool.FailInternal, says: "127.0.0.1"},
		"an error with a screen full of escapes": {answer: func(w http.ResponseWriter, _ string, _ int) {
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"\u001b[2Jgone"}}`)
		}, code: tool.FailInternal, says: `\u{1b}[2Jgone`},
		"an error with the token in it": {answer: func(w http.ResponseWriter, _ string, _ int) {
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no user of `+apiKey+`"}}`)
		}, code: tool.FailInternal, says: "no user of [secret]"},
		"another protocol": {answer: func(w http.ResponseWriter, _ string, _ int) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				return
			}
			defer conn.Close()
			io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
			conn.Read(make([]byte, 1)) // until the client goes away
		}, code: tool.FailInternal, says: "goes over to another protocol"},
		"no A2A": {answer: func(w http.ResponseWriter, _ string, _ int) { fmt.Fprint(w, "<html>") }, code: tool.FailInternal, says: "no JSON-RPC"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, rule(permissions.Approve))
			remote := newRemoteAgent(t, func(w http.ResponseWriter, method string, n int) {
				if row.answer != nil {
					row.answer(w, method, n)
				}
			})
			entry := delegating(remote.URL)
			if row.entry != nil {
				row.entry(entry)
			}
			h.delegates(entry)
			result := h.execute(t.Context(), `{"message":"go"}`)
			if codeOf(result) != row.code || !strings.Contains(result.Error.Message, row.says) || strings.Contains(result.Error.Message, "\x1b") {
				t.Errorf("%+v", result)
			}
			if len(result.Stdout) > 20_000 {
				t.Errorf("%d bytes were kept", len(result.Stdout))
			}
		})
	}
	if methods, _ := other.sent(); methods != nil {
		t.Errorf("another server was asked %q", methods)
	}
}

// TestRemoteIsCanceled has a caller give up: the agent is told.
func TestRemoteIsCanceled(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	ctx, cancel := context.WithCancelCause(t.Context())
	over := make(chan struct{})
	remote := newRemoteAgent(t, func(w http.ResponseWriter, method string, _ int) {
		if method == "CancelTask" {
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"id":"t1","status":{"state":"TASK_STATE_CANCELED"}}}`)
			close(over)
			return
		}
		streamed(w, remoteText(strings.Repeat("working\n", 1000)))
		<-over
	})
	h.delegates(delegating(remote.URL))
	result := h.executor.Execute(ctx, h.call(`{"message":"go"}`), impatient{person{h}, func() { cancel(errEnds) }})
	if codeOf(result) != tool.FailCancelled {
		t.Errorf("%+v", result)
	}
	if methods, _ := remote.sent(); methods[len(methods)-1] != "CancelTask" {
		t.Errorf("asked %q", methods)
	}
}

// impatient is a caller who has heard enough.
type impatient struct {
	person
	enough func()
}

func (i impatient) Output(Stream, []byte) { i.enough() }

var errEnds = fmt.Errorf("the editor has closed the session")

// TestUnscreened checks that what a server says beside its output is not told where governors look at outputs, since
// they are shown the output alone; and that it is told where none does.
func TestUnscreened(t *testing.T) {
	t.Parallel()
	for _, blind := range []bool{false, true} {
		h := newHouse(t, rule(permissions.Approve))
		newCouncil(h, permissions.Ruling{Verdict: permissions.Approve}).blind = blind
		remote := newRemoteAgent(t, func(w http.ResponseWriter, _ string, _ int) {
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"hunter12345"}}`)
		})
		h.delegates(delegating(remote.URL))
		result := h.execute(t.Context(), `{"message":"go"}`)
		if codeOf(result) != tool.FailInternal || strings.Contains(result.Error.Message, "hunter12345") != blind {
			t.Errorf("blind %t: %+v", blind, result)
		}
	}
	leads := outcome{Notes: []string{"the answer leads to /hunter12345"}}
	if o := unquoted(&act{tool: &tool.Tool{HTTP: &tool.HTTP{}}}, leads); len(o.Notes) != 0 {
		t.Errorf("a request: %q", o.Notes)
	}
	if o := unquoted(&act{tool: &tool.Tool{}}, leads); len(o.Notes) != 1 {
		t.Errorf("a script: %q", o.Notes)
	}
}
