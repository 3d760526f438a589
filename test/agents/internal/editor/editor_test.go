package editor

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// lines are what a scripted agent says, and when. In every line, SESSION stands for the session and DIR for
// its directory.
type lines struct {
	early  []string // before it answers session/new
	during []string // in the turn, one after another: a request waits for its answer
	answer string   // to the prompt; "" for a good one
	after  []string // when the turn has ended
	tail   string   // last words, without a newline
}

// session plays lines against an Editor, and gives the turn, what the Editor answered, and the violations.
func session(t *testing.T, options Options, person Person, said lines) (turn Turn, answers, violations []string) {
	t.Helper()
	dir := t.TempDir()
	toAgent, agentIn := io.Pipe()
	fromAgent, agentOut := io.Pipe()
	var mu sync.Mutex
	options.Violation = func(violation string) {
		mu.Lock()
		defer mu.Unlock()
		what, _, _ := strings.Cut(violation, ": {")
		violations = append(violations, what)
	}
	if options.Version == 0 {
		options.Version = 1
	}
	agent := &scripted{out: toEditor{agentOut, dir}, version: options.Version, said: said}
	agent.in = bufio.NewScanner(toAgent)
	var agentDone sync.WaitGroup
	agentDone.Go(func() { // ends when the Editor hangs up
		agent.run()
		agentOut.Close()
	})
	e := Open(fromAgent, agentIn, options)
	ctx := context.Background()
	if _, err := e.Initialize(ctx); err != nil {
		t.Fatal(err)
	}
	s, err := e.NewSession(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	turn, err = s.Prompt(ctx, "hello", person)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	<-e.Done()
	agentDone.Wait()
	return turn, agent.answers, violations
}

// toEditor is the stream to the Editor.
type toEditor struct {
	out io.Writer
	dir string
}

func (w toEditor) say(format string, args ...any) {
	text := strings.NewReplacer("SESSION", "s-1", "DIR", w.dir).Replace(fmt.Sprintf(format, args...))
	_, _ = io.WriteString(w.out, text) // an Editor that is gone shows in the test
}

// scripted is an agent that says what it is told.
type scripted struct {
	in      *bufio.Scanner
	out     toEditor
	version int
	said    lines
	answers []string
}

func (a *scripted) run() {
	for a.in.Scan() {
		var message struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if err := json.Unmarshal(a.in.Bytes(), &message); err != nil {
			a.answers = append(a.answers, err.Error())
			return
		}
		switch message.Method {
		case "initialize":
			a.out.say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%d}}`+"\n", message.ID, a.version)
		case "session/new":
			a.tell(a.said.early)
			a.out.say(`{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"SESSION"}}`+"\n", message.ID)
		case "session/prompt":
			a.tell(a.said.during)
			answer := a.said.answer
			if answer == "" {
				answer = `{"jsonrpc":"2.0","id":ID,"result":{"stopReason":"end_turn"}}`
			}
			a.out.say("%s\n", strings.ReplaceAll(answer, "ID", string(message.ID)))
			a.tell(a.said.after)
		}
	}
	a.out.say("%s", a.said.tail)
}

// tell says lines; after one that wants an answer, it waits for it.
func (a *scripted) tell(all []string) {
	for _, line := range all {
		a.out.say("%s\n", line)
		if strings.Contains(line, `"id":"`) && strings.Contains(line, `"method"`) && a.in.Scan() {
			a.answers = append(a.answers, strings.ReplaceAll(a.in.Text(), a.out.dir, "DIR"))
		}
	}
}

const prefix = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":`

func updated(fields string) string { return prefix + `{"sessionUpdate":` + fields + `}}}` }

func ask(id, toolCall, options string) string {
	return `{"jsonrpc":"2.0","id":"` + id + `","method":"session/request_permission","params":{"sessionId":"SESSION","toolCall":` +
		toolCall + `,"options":` + options + `}}`
}

const (
	yesNo  = `[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]`
	titled = `{"toolCallId":"c","title":"Do it","kind":"execute","status":"pending","content":[{"type":"content","content":{"type":"text","text":"all of it"}}]}`
)

// Each row is something that the protocol forbids, and that some editor would bear.
func TestViolations(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		said lines
		v2   bool
		want []string
	}{
		{"a good turn", lines{during: []string{
			updated(`"agent_message_chunk","content":{"type":"text","text":"hi"}`), updated(`"tool_call","toolCallId":"c","title":"t"`),
			updated(`"tool_call_update","toolCallId":"c","status":"completed"`), ask("1", titled, yesNo),
			`{"jsonrpc":"2.0","method":"_vendor/news","params":{}}`, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"1"}}`,
		}}, false, nil},
		{"a call that is first asked about", lines{during: []string{ask("1", titled, yesNo), updated(`"tool_call_update","toolCallId":"c","status":"failed"`)}}, false, nil},
		{"a blank line", lines{during: []string{""}}, false, []string{"a blank line: "}},
		{"a stray print", lines{during: []string{"Loading…"}}, false, []string{"not a JSON object: Loading…"}},
		{"a batch", lines{during: []string{`[]`}}, false, []string{"not a JSON object: []"}},
		{"two messages on a line", lines{during: []string{`{"jsonrpc":"2.0","method":"_x"} {}`}}, false, []string{"more than one JSON value"}},
		{"half a message", lines{during: []string{`{"jsonrpc":"2.0",`}}, false, []string{"not JSON: EOF"}},
		{"bytes that are no text", lines{during: []string{"{\"\xff\":1}"}}, false, []string{"not UTF-8"}},
		{"a member twice", lines{during: []string{`{"jsonrpc":"2.0","method":"_a","method":"_b"}`}}, false, []string{`member "method" twice`}},
		{"a member in other letters", lines{during: []string{`{"jsonrpc":"2.0","Method":"_a"}`}}, false, []string{`member "Method" is not JSON-RPC's`}},
		{"no version", lines{during: []string{`{"method":"_a"}`}}, false, []string{"jsonrpc is "}},
		{"the id null", lines{during: []string{`{"jsonrpc":"2.0","id":null,"method":"_a"}`}}, false, []string{"id null is neither a string nor an integer"}},
		{"half an id", lines{during: []string{`{"jsonrpc":"2.0","id":1.5,"method":"_a"}`}}, false, []string{"id 1.5 is neither a string nor an integer"}},
		{"a list of params", lines{during: []string{`{"jsonrpc":"2.0","method":"_a","params":[]}`}}, false, []string{"params are []"}},
		{"call and response at once", lines{during: []string{`{"jsonrpc":"2.0","id":9,"method":"_a","result":{}}`}}, false, []string{"both a call and a response"}},
		{"result and error at once", lines{during: []string{`{"jsonrpc":"2.0","id":9,"result":{},"error":{}}`}}, false, []string{"a response has either a result or an error"}},
		{"a response to nothing", lines{during: []string{`{"jsonrpc":"2.0","id":77,"result":{}}`}}, false, []string{"a response to nothing that was asked, or a second one"}},
		{"a second response", lines{after: []string{`{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}`}}, false, []string{"a response to nothing that was asked, or a second one"}},
		{"an error without message", lines{answer: `{"jsonrpc":"2.0","id":ID,"error":{"code":1}}`}, false, []string{"an error without code and message"}},
		{"a request that was not offered", lines{during: []string{`{"jsonrpc":"2.0","id":"1","method":"terminal/create","params":{}}`}}, false, []string{"a request that this editor did not offer to answer"}},
		{"files in protocol 2", lines{during: []string{
			updated(`"state_update","state":"running"`), `{"jsonrpc":"2.0","id":"1","method":"fs/read_text_file","params":{}}`, updated(`"state_update","state":"idle"`),
		}}, true, []string{"a request that this editor did not offer to answer"}},
		{"an unknown notification", lines{during: []string{`{"jsonrpc":"2.0","method":"news"}`}}, false, []string{"a notification that the protocol does not have"}},
		{"an unknown session", lines{during: []string{strings.ReplaceAll(updated(`"usage_update"`), "SESSION", "other")}}, false, []string{`updates of session "other", which the editor does not know: [usage_update]: `}},
		{"a session below", lines{during: []string{
			updated(`"state_update","state":"running"`), updated(`"subagent_update","sessionId":"b"`),
			strings.ReplaceAll(updated(`"tool_call_update","toolCallId":"c","title":"t"`), "SESSION", "b"), updated(`"state_update","state":"idle"`),
		}}, true, nil},
		{"a call without title in a session below", lines{during: []string{
			updated(`"state_update","state":"running"`), updated(`"subagent_update","sessionId":"b"`),
			strings.ReplaceAll(updated(`"tool_call_update","toolCallId":"c"`), "SESSION", "b"), updated(`"state_update","state":"idle"`),
		}}, true, []string{"the first mention of a tool call has no title"}},
		{"an update too early", lines{early: []string{updated(`"available_commands_update"`)}}, false, []string{"updates of session s-1 before the answer that names it: [available_commands_update]: "}},
		{"an update too late", lines{after: []string{updated(`"agent_message_chunk","content":{"type":"text","text":"hi"}`)}}, false, []string{"an update outside a turn"}},
		{"a call that nobody announced", lines{during: []string{updated(`"tool_call_update","toolCallId":"c","title":"t"`)}}, false, []string{"an update of a tool call that was never announced"}},
		{"a call without title", lines{during: []string{updated(`"tool_call","toolCallId":"c"`)}}, false, []string{"the first mention of a tool call has no title"}},
		{"a call without id", lines{during: []string{updated(`"tool_call","title":"t"`)}}, false, []string{"a tool call without id"}},
		{"a question whose call has no title", lines{during: []string{ask("1", `{"toolCallId":"c"}`, yesNo)}}, false, []string{"the first mention of a tool call has no title"}},
		{"a question without call", lines{during: []string{ask("1", "null", yesNo)}}, false, []string{"a request for permission without tool call"}},
		{"a question without options", lines{during: []string{ask("1", titled, "[]")}}, false, []string{"a request for permission without options", `no option of the kind "allow_once" is offered`}},
		{"two options with one id", lines{during: []string{ask("1", titled, `[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"y","name":"No","kind":"reject_once"}]`)}}, false, []string{"two options with one id"}},
		{"an option of another kind", lines{during: []string{ask("1", titled, `[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"z","name":"Perhaps","kind":"maybe"}]`)}}, false, []string{`an option of the unknown kind "maybe"`}},
		{"an option without name", lines{during: []string{ask("1", titled, `[{"optionId":"y","kind":"allow_once"}]`)}}, false, []string{"an option without id or name"}},
		{"a question in no turn", lines{after: []string{ask("1", titled, yesNo)}}, false, []string{"a request for permission outside a turn"}},
		{"taking back what was never asked", lines{during: []string{`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":5}}`}}, false, []string{"takes back a request that was never made"}},
		{"a relative path", lines{during: []string{`{"jsonrpc":"2.0","id":"1","method":"fs/read_text_file","params":{"sessionId":"SESSION","path":"x"}}`}}, false, []string{"a path that is not absolute"}},
		{"a last line that is not ended", lines{tail: `{"jsonrpc":"2.0","method":"_a"}`}, false, []string{"a last line that is not ended"}},
		{"a tool_call in protocol 2", lines{during: []string{
			updated(`"state_update","state":"running"`), updated(`"tool_call","toolCallId":"c","title":"t"`), updated(`"state_update","state":"idle"`),
		}}, true, []string{"protocol 2 has no tool_call"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			options := Options{Version: 1}
			if test.v2 {
				options.Version = 2
			}
			_, _, got := session(t, options, Person{}, test.said)
			if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTurn(t *testing.T) {
	t.Parallel()
	said := lines{during: []string{
		updated(`"agent_thought_chunk","content":{"type":"text","text":"hm"}`),
		updated(`"agent_message_chunk","content":{"type":"text","text":"I "}`),
		ask("1", titled, yesNo),
		updated(`"tool_call_update","toolCallId":"c","status":"completed"`),
		updated(`"tool_call","toolCallId":"d","title":"Look","kind":"read","status":"pending"`),
		ask("2", `{"toolCallId":"d"}`, yesNo),
		updated(`"agent_message_chunk","content":{"type":"text","text":"did."}`),
	}}
	decide := func(p Permission) Decision {
		if p.Known {
			return RejectOnce
		}
		return AllowOnce
	}
	got, answers, violations := session(t, Options{}, Person{Decide: decide}, said)
	if len(violations) > 0 {
		t.Errorf("violations: %q", violations)
	}
	want := Turn{
		Stop: "end_turn", Text: "I did.", Thought: "hm",
		Permissions: []Permission{
			{Session: "s-1", Call: "c", Title: "Do it", Kind: "execute", Text: "all of it", Decision: AllowOnce},
			{Session: "s-1", Call: "d", Title: "Look", Kind: "read", Known: true, Decision: RejectOnce},
		},
		Calls: []ToolCall{
			{ID: "c", Title: "Do it", Kind: "execute", Status: "completed", Content: "all of it"},
			{ID: "d", Title: "Look", Kind: "read", Status: "pending"},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Permission{}, "Raw", "Options")); diff != "" {
		t.Errorf("turn (-want +got):\n%s", diff)
	}
	wantAnswers := []string{
		`{"id":"1","jsonrpc":"2.0","result":{"outcome":{"optionId":"y","outcome":"selected"}}}`,
		`{"id":"2","jsonrpc":"2.0","result":{"outcome":{"optionId":"n","outcome":"selected"}}}`,
	}
	if diff := cmp.Diff(wantAnswers, answers); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

// In protocol 2 a turn ends when the agent says that it is idle, before or after it answers the prompt.
func TestTurnOfProtocol2(t *testing.T) {
	t.Parallel()
	question := `{"jsonrpc":"2.0","id":"1","method":"session/request_permission","params":{"sessionId":"SESSION","title":"May I?",` +
		`"subject":{"type":"tool_call","toolCall":` + titled + `},"options":` + yesNo + `}}`
	work := []string{updated(`"state_update","state":"idle"`), updated(`"state_update","state":"running"`), question}
	idle := updated(`"state_update","state":"idle","stopReason":"error","error":{"code":-32603,"message":"no model"}`)
	accepted := `{"jsonrpc":"2.0","id":ID,"result":{"messageId":"m"}}`
	for _, test := range []struct {
		name string
		said lines
	}{
		{"before", lines{during: append(work[:3:3], idle), answer: accepted}},
		{"after", lines{during: work, answer: accepted, after: []string{idle}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, _, violations := session(t, Options{Version: 2}, Person{}, test.said)
			if len(violations) > 0 {
				t.Errorf("violations: %q", violations)
			}
			if got.Stop != "error" || got.Error == nil || got.Error.Message != "no model" {
				t.Errorf("the turn ended with %q, %v", got.Stop, got.Error)
			}
			if len(got.Permissions) != 1 || got.Permissions[0].Title != "May I?" || got.Permissions[0].Kind != "execute" {
				t.Errorf("asked %+v", got.Permissions)
			}
			if len(got.Calls) != 1 || got.Calls[0].Status != "" {
				t.Errorf("the editor shows %+v, want one call that was only asked about", got.Calls)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	cancel := `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s-1"}}`
	// The scripted agent reads one line for its question, and the other behind a notification that speaks of an id.
	said := lines{during: []string{ask("1", titled, yesNo), `{"jsonrpc":"2.0","method":"_x","params":{"id":"1"}}`}}
	_, answers, _ := session(t, Options{}, Person{Decide: func(Permission) Decision { return CancelTurn }}, said)
	want := []string{cancel, `{"id":"1","jsonrpc":"2.0","result":{"outcome":{"outcome":"cancelled"}}}`}
	if diff := cmp.Diff(want, answers); diff != "" {
		t.Errorf("what the agent heard (-want +got):\n%s", diff)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "f.txt")
	if err := os.WriteFile(file, []byte("1\n2\n3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func(id, path, more string) string {
		return `{"jsonrpc":"2.0","id":"` + id + `","method":"fs/read_text_file","params":{"sessionId":"SESSION","path":"` + path + `"` + more + `}}`
	}
	said := lines{during: []string{
		read("1", file, ""), read("2", file, `,"line":2,"limit":1`), read("3", file, `,"line":9`), read("4", dir+"/none", ""), read("5", "/unsaved", ""),
		`{"jsonrpc":"2.0","id":"6","method":"fs/write_text_file","params":{"sessionId":"SESSION","path":"` + dir + `/new/f","content":"x"}}`,
	}}
	turn, answers, violations := session(t, Options{Missing: MissingIsEmpty, Buffers: map[string]string{"/unsaved": "draft"}}, Person{}, said)
	if len(violations) > 0 {
		t.Errorf("violations: %q", violations)
	}
	want := []string{
		`{"id":"1","jsonrpc":"2.0","result":{"content":"1\n2\n3\n"}}`, `{"id":"2","jsonrpc":"2.0","result":{"content":"2\n"}}`,
		`{"id":"3","jsonrpc":"2.0","result":{"content":""}}`, `{"id":"4","jsonrpc":"2.0","result":{"content":""}}`,
		`{"id":"5","jsonrpc":"2.0","result":{"content":"draft"}}`, `{"id":"6","jsonrpc":"2.0","result":{}}`,
	}
	if diff := cmp.Diff(want, answers); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "new", "f")); err != nil || string(text) != "x" {
		t.Errorf("wrote %q, %v", text, err)
	}
	if len(turn.Files) != 6 || turn.Files[5] != "fs/write_text_file "+dir+"/new/f" {
		t.Errorf("the turn's file requests are %q", turn.Files)
	}

	_, answers, _ = session(t, Options{}, Person{}, lines{during: []string{read("1", dir+"/none", "")}})
	if len(answers) != 1 || !strings.Contains(answers[0], `"code":-32002`) {
		t.Errorf("a missing file is answered %q", answers)
	}
}

func TestProcess(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		script   string
		code     int
		byItself bool
	}{
		{"ends with its input", "cat >/dev/null; echo sorry >&2; exit 3", 3, true},
		{"does not end", "exec sleep 1000", -1, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p, err := Start(Program{Arguments: []string{"/bin/sh", "-c", test.script}, Environment: []string{"PATH=/usr/bin:/bin"}, Dir: "/"})
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Stdin.Close(); err != nil {
				t.Fatal(err)
			}
			patience := time.Minute
			if !test.byItself {
				patience = 0
			}
			code, byItself := p.End(patience)
			if code != test.code || byItself != test.byItself {
				t.Errorf("ended with %d (by itself: %t), want %d (%t)", code, byItself, test.code, test.byItself)
			}
			if test.byItself && p.Stderr() != "sorry\n" {
				t.Errorf("standard error is %q", p.Stderr())
			}
		})
	}
}
