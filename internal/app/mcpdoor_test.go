package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// mcpPeer is an MCP client of these tests, line by line.
type mcpPeer struct {
	t      *testing.T
	in     *io.PipeWriter
	out    *bufio.Reader
	door   *mcpDoor
	end    func() error // closes the input and returns what the server ended with
	modern bool
	can    string // its capabilities, as JSON
	last   int
}

// newMCPPeer starts an MCP server on two pipes.
func newMCPPeer(t *testing.T, a *App, o MCPOptions, modern bool, capabilities string) *mcpPeer {
	t.Helper()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	p := &mcpPeer{t: t, in: inWrite, out: bufio.NewReaderSize(outRead, 1<<20), modern: modern, can: capabilities}
	door, err := a.openDoor()
	if err != nil {
		t.Fatal(err)
	}
	d, err := a.newMCPDoor(door, o)
	if err != nil {
		t.Fatal(err)
	}
	d.unasked, p.door = 10*time.Millisecond, d
	done := make(chan error, 1)
	go func() { // ends with the input
		done <- d.server.ServeStdio(context.Background(), mcpserver.StdioOptions{In: inRead, Out: outWrite})
		door.close()
	}()
	p.end = sync.OnceValue(func() error {
		inWrite.Close()
		outRead.Close()
		return <-done
	})
	t.Cleanup(func() {
		if err := p.end(); err != nil {
			t.Error(err)
		}
	})
	if !modern {
		p.write(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` + capabilities +
			`,"clientInfo":{"name":"test","version":"1"}}}`)
		p.read()
	}
	return p
}

func (p *mcpPeer) write(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// mcpLine is what a server says.
type mcpLine struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result struct {
		Type    string `json:"resultType"`
		State   string `json:"requestState"`
		IsError bool   `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		Requests map[string]struct {
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		} `json:"inputRequests"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	} `json:"result"`
	Error *mcpserver.ProtocolError `json:"error"`
	raw   string
}

func (l mcpLine) text() string {
	if l.Error != nil {
		return l.Error.Message
	}
	if len(l.Result.Content) == 0 {
		return l.raw
	}
	return l.Result.Content[0].Text
}

func (p *mcpPeer) read() (line mcpLine) {
	p.t.Helper()
	text, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text), &line); err != nil {
		p.t.Fatalf("%s: %v", text, err)
	}
	line.raw = text
	return line
}

// call makes a call; more are further params.
func (p *mcpPeer) call(name, arguments, more string) {
	p.t.Helper()
	p.last++
	meta := ""
	if p.modern {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},` +
			`"io.modelcontextprotocol/clientCapabilities":` + p.can + `}`
	}
	p.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s%s%s}}`, p.last, name, arguments, meta, more))
}

// answer answers the question of a line, and returns the line that comes after it.
func (p *mcpPeer) answer(asked mcpLine, name, arguments, answer string) mcpLine {
	p.t.Helper()
	if p.modern {
		p.call(name, arguments, `,"requestState":"`+asked.Result.State+`","inputResponses":{"approval":`+answer+`}`)
	} else {
		p.write(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":` + answer + `}`)
	}
	return p.read()
}

// question is the elicitation of a line.
func (l mcpLine) question(t *testing.T) string {
	t.Helper()
	if l.Method == "elicitation/create" {
		return string(l.Params)
	}
	if l.Result.Type != "input_required" || l.Result.Requests["approval"].Method != "elicitation/create" {
		t.Fatalf("nobody is asked: %s", l.raw)
	}
	return string(l.Result.Requests["approval"].Params)
}

const (
	sayYes  = `{"action":"accept","content":{"answer":"allow once"}}`
	sayNo   = `{"action":"accept","content":{"answer":"deny"}}`
	decline = `{"action":"decline"}`
	dismiss = `{"action":"cancel"}`
	canAsk  = `{"elicitation":{}}`
)

// mcpHome is a home with a tool that leaves a mark when it runs.
func mcpHome(t *testing.T) (*home, string) {
	t.Helper()
	h := newHome(t)
	h.write("tools.yaml", `version: 2
tools:
  mark:
    description: leaves a mark
    script: echo "{{word}}" >> marks; echo "marked {{word}}"
    parameters: [{name: word, type: string, required: true}]
    sandbox: {use_temp_isolation: false, allowed_paths: ["."]}
`)
	return h, filepath.Join(h.dir, "work", "marks")
}

func marks(t *testing.T, file string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

// bothEras runs a test for a client of each era.
func bothEras(t *testing.T, test func(t *testing.T, modern bool)) {
	for name, modern := range map[string]bool{"2025-11-25": false, "2026-07-28": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, modern)
		})
	}
}

// What a client's person answers is what happens, and a yes is for one call.
func TestMCPElicitation(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, answer, want string
		marks              int
	}{
		{"yes", sayYes, "marked a`b", 1},
		{"no", sayNo, "denied:", 0},
		{"declined", decline, "denied:", 0},
		{"put aside", dismiss, "a2a-acp approvals approve ", 0},
		{"no answer", `{"action":"accept","content":{"answer":"yes"}}`, "denied:", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			bothEras(t, func(t *testing.T, modern bool) {
				h, file := mcpHome(t)
				a := h.new()
				h.runs(a)
				p := newMCPPeer(t, a, MCPOptions{}, modern, canAsk)
				arguments := `{"word":"a` + "`" + `b"}`
				p.call("mark", arguments, "")
				asked := p.read()
				if shown := asked.question(t); !strings.Contains(shown, "echo") || !strings.Contains(shown, "word = a`b") || !strings.Contains(shown, `"allow once"`) {
					t.Errorf("the question shows %s", shown)
				}
				told := p.answer(asked, "mark", arguments, row.answer)
				if !strings.Contains(told.text(), row.want) || told.Result.IsError != (row.marks == 0) {
					t.Errorf("got %s, want %q", told.raw, row.want)
				}
				if n := marks(t, file); n != row.marks {
					t.Errorf("the tool has run %d times", n)
				}
				if row.marks == 1 && modern { // the same state and answer once more
					told := p.answer(asked, "mark", arguments, row.answer)
					if told.Result.Type != "input_required" {
						t.Errorf("a yes that was used: %s", told.raw)
					}
					if n := marks(t, file); n != 1 {
						t.Errorf("a yes was used twice: %d marks", n)
					}
				}
			})
		})
	}
}

// A yes is for the very call that was asked about, of the same client, and not for a bent state.
func TestMCPStates(t *testing.T) {
	t.Parallel()
	h, file := mcpHome(t)
	a := h.new()
	h.runs(a)
	p := newMCPPeer(t, a, MCPOptions{}, true, canAsk)
	p.call("mark", `{"word":"a"}`, "")
	asked := p.read()
	asked.question(t)
	state := asked.Result.State
	for name, bent := range map[string]string{
		"another":   `","inputResponses":{"approval":` + sayYes + `}`,
		"one byte":  state[:len(state)-1] + `A","inputResponses":{"approval":` + sayYes + `}`,
		"of itself": "e30." + strings.Split(state, ".")[1] + `","inputResponses":{"approval":` + sayYes + `}`,
	} {
		p.call("mark", `{"word":"a"}`, `,"requestState":"x`+bent)
		if told := p.read(); told.Error == nil {
			t.Errorf("%s: %s", name, told.raw)
		}
	}
	if told := p.answer(asked, "mark", `{"word":"b"}`, sayYes); told.Error == nil {
		t.Errorf("for another call: %s", told.raw)
	}
	// An answer without a state is none.
	p.call("mark", `{"word":"a"}`, `,"inputResponses":{"approval":`+sayYes+`}`)
	if told := p.read(); told.Result.Type != "input_required" {
		t.Errorf("without a state: %s", told.raw)
	}
	if n := marks(t, file); n != 0 {
		t.Errorf("%d marks", n)
	}
	if told := p.answer(asked, "mark", `{ "word" : "a" }`, sayYes); told.text() != "marked a\n" {
		t.Errorf("the very call: %s", told.raw)
	}
}

// A client that cannot ask is told what to do, and the same call takes the answer, once, also in the next
// process.
func TestMCPWithoutElicitation(t *testing.T) {
	t.Parallel()
	bothEras(t, func(t *testing.T, modern bool) {
		h, file := mcpHome(t)
		a := h.new()
		h.runs(a)
		p := newMCPPeer(t, a, MCPOptions{}, modern, `{}`)
		p.call("mark", `{"word":"a"}`, "")
		told := p.read()
		_, rest, _ := strings.Cut(told.text(), "a2a-acp approvals approve ")
		id, _, found := strings.Cut(rest, "`")
		if !found || !told.Result.IsError || !strings.Contains(told.text(), "approval_required") {
			t.Fatalf("got %s", told.raw)
		}
		box, err := OpenApprovals(t.Context(), h.options())
		if err != nil {
			t.Fatal(err)
		}
		question, err := box.Get(t.Context(), id)
		if err == nil {
			_, err = box.Answer(t.Context(), question, store.Answer{Approved: true, Approver: "test"})
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := box.Close(); err != nil {
			t.Error(err)
		}
		if err := p.end(); err != nil {
			t.Error(err)
		}
		p = newMCPPeer(t, h.new(), MCPOptions{}, modern, `{}`)
		p.call("mark", `{"word":"a"}`, "")
		if told := p.read(); told.text() != "marked a\n" {
			t.Errorf("afterwards: %s", told.raw)
		}
		p.call("mark", `{"word":"a"}`, "")
		if told := p.read(); !strings.Contains(told.text(), "approval_required") || marks(t, file) != 1 {
			t.Errorf("the answer counts twice: %s", told.raw)
		}
	})
}

// A client that makes ever new calls puts no more questions than a person could answer; those that stand keep their
// answers.
func TestMCPManyQuestions(t *testing.T) {
	t.Parallel()
	bothEras(t, func(t *testing.T, modern bool) {
		h, file := mcpHome(t)
		a := h.new()
		h.runs(a)
		p := newMCPPeer(t, a, MCPOptions{}, modern, `{}`)
		a.waiting(t, approval.MostWaiting-3, store.Approval{Door: string(tool.DoorMCP)})
		for n := range 5 {
			p.call("mark", fmt.Sprintf(`{"word":"w%d"}`, n), "")
			if told := p.read(); strings.Contains(told.text(), "approvals approve ") != (n < 3) || !told.Result.IsError {
				t.Errorf("call %d: %s", n, told.raw)
			}
		}
		// A client that can ask still does, and what is put aside there does not stay.
		asking := newMCPPeer(t, a, MCPOptions{}, modern, canAsk)
		asking.call("mark", `{"word":"other"}`, "")
		if told := asking.read(); !modern {
			if told = asking.answer(told, "mark", `{"word":"other"}`, dismiss); !strings.Contains(told.text(), "64 questions wait") {
				t.Errorf("it was put aside: %s", told.raw)
			}
		}
		box, err := OpenApprovals(t.Context(), h.options())
		if err != nil {
			t.Fatal(err)
		}
		defer box.Close()
		list, err := box.List(t.Context())
		list = slices.DeleteFunc(list, func(a store.Approval) bool { return a.State != store.Pending || a.Title == "another" })
		if err != nil || len(list) != 3 {
			t.Fatalf("%d questions stand: %v", len(list), err)
		}
		// Whether one that is asked now stands already makes no difference: it may be put on the board later.
		now := approval.Question{Door: tool.Door(list[0].Door), Principal: list[0].Principal, Title: "not put yet"}
		if err := asking.door.Questions.MayStay(t.Context(), now); err == nil {
			t.Error("a question that does not stand yet counts as one of those that do")
		}
		for _, question := range list {
			if _, err := box.Answer(t.Context(), question, store.Answer{Approved: true, Approver: "test"}); err != nil {
				t.Fatal(err)
			}
			p.call("mark", `{"word":"more"}`, "") // there is room for one
			p.read()
		}
		for n := range 3 {
			p.call("mark", fmt.Sprintf(`{"word":"w%d"}`, n), "")
			if told := p.read(); told.text() != fmt.Sprintf("marked w%d\n", n) {
				t.Errorf("its answer is lost: %s", told.raw)
			}
		}
		if n := marks(t, file); n != 3 {
			t.Errorf("%d marks", n)
		}
	})
}

// Where a rule wants the answer from a terminal, the client is not asked.
func TestMCPAnswerAtTerminal(t *testing.T) {
	t.Parallel()
	bothEras(t, func(t *testing.T, modern bool) {
		h, file := mcpHome(t)
		h.write("auto_approval_policies.yaml", `version: 2
auto_approval_policies:
  - {id: by-hand, applies_to: [mark], decision: {type: manual, answer: terminal}}
`)
		a := h.new()
		h.runs(a)
		p := newMCPPeer(t, a, MCPOptions{}, modern, canAsk)
		p.call("mark", `{"word":"a"}`, "")
		if told := p.read(); !strings.Contains(told.text(), "approval_required") || marks(t, file) != 0 {
			t.Errorf("got %s", told.raw)
		}
	})
}

// Where such a rule comes while the client's person reads, the yes is none: the act does not run, a terminal is asked, and
// the yes does not wait for the rule to go.
func TestMCPAnswerAtTerminalByNow(t *testing.T) {
	t.Parallel()
	bothEras(t, func(t *testing.T, modern bool) {
		h, file := mcpHome(t)
		const none = "version: 2\nauto_approval_policies: []\n"
		h.write("auto_approval_policies.yaml", none)
		a := h.new()
		h.runs(a)
		p := newMCPPeer(t, a, MCPOptions{}, modern, canAsk)
		p.call("mark", `{"word":"a"}`, "")
		asked := p.read()
		asked.question(t)
		h.write("auto_approval_policies.yaml", `version: 2
auto_approval_policies:
  - {id: by-hand, applies_to: [mark], decision: {type: manual, answer: terminal}}
`)
		told := p.answer(asked, "mark", `{"word":"a"}`, sayYes)
		want := "the permission no longer holds"
		if modern {
			want = "approval_required"
		}
		if !strings.Contains(told.text(), want) || marks(t, file) != 0 {
			t.Errorf("got %s", told.raw)
		}
		h.write("auto_approval_policies.yaml", none)
		p.call("mark", `{"word":"a"}`, "")
		p.read().question(t)
		if marks(t, file) != 0 {
			t.Error("the yes was kept")
		}
	})
}

// Nor is one of nobody's: it may be a program that is confined.
func TestMCPAnonymousDoesNotAnswer(t *testing.T) {
	t.Parallel()
	h, _ := mcpHome(t)
	a := h.new()
	h.runs(a)
	p := newMCPPeer(t, a, MCPOptions{}, false, canAsk)
	for principal, want := range map[string]bool{serve.NameAnonymous: false, agentsName(serve.NameAnonymous): false, "alice": true} {
		asked := false
		caller := &mcpCaller{door: p.door, call: mcpserver.Call{
			Client: &mcpserver.Client{Principal: principal, Capabilities: mcpserver.Capabilities{Elicitation: true}},
			Ask: func(context.Context, mcpserver.InputRequest) (json.RawMessage, error) {
				asked = true
				return nil, errors.New("it is gone")
			},
			Defer: func() {}, Detach: func(time.Duration) {}, Progress: func(mcpserver.Progress) {},
		}}
		q := approval.Question{Title: "mark", Action: permissions.ActionCall, Principal: principal, CallID: "of " + principal}
		if answer, err := caller.Ask(t.Context(), q); err == nil || asked != want {
			t.Errorf("%s: asked %t, want %t; %+v, %v", principal, asked, want, answer, err)
		}
	}
}

// Where calls are made: in the directory that was named, else in the client's only root, else in our own.
func TestMCPPlaces(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("tools.yaml", "version: 2\ntools:\n  where: {script: pwd, annotations: {readOnlyHint: true}, sandbox: {use_temp_isolation: false}}\n")
	a := h.new()
	h.runs(a)
	flag, root := filepath.Join(h.dir, "flag"), filepath.Join(h.dir, "a root")
	for _, dir := range []string{flag, root} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	one := `{"roots":[{"uri":"file://` + strings.ReplaceAll(root, " ", "%20") + `"}]}`
	for _, row := range []struct{ name, workspace, roots, want string }{
		{"named", flag, one, flag},
		{"the only root", "", one, root},
		{"two roots", "", `{"roots":[{"uri":"file:///tmp"},{"uri":"file:///usr"}]}`, filepath.Join(h.dir, "work")},
		{"a root that is home", "", `{"roots":[{"uri":"file://` + h.dir + `"}]}`, filepath.Join(h.dir, "work")},
		{"no file", "", `{"roots":[{"uri":"https://example.com/x"}]}`, filepath.Join(h.dir, "work")},
	} {
		t.Run(row.name, func(t *testing.T) {
			bothEras(t, func(t *testing.T, modern bool) {
				p := newMCPPeer(t, a, MCPOptions{Workspace: row.workspace}, modern, `{"roots":{}}`)
				p.call("where", `{}`, "")
				told := p.read()
				switch {
				case told.Method == "roots/list":
					p.write(`{"jsonrpc":"2.0","id":` + string(told.ID) + `,"result":` + row.roots + `}`)
					told = p.read()
				case told.Result.Requests["roots"].Method == "roots/list":
					p.call("where", `{}`, `,"requestState":"`+told.Result.State+`","inputResponses":{"roots":`+row.roots+`}`)
					told = p.read()
				}
				if told.text() != row.want+"\n" {
					t.Errorf("got %s, want %s", told.raw, row.want)
				}
			})
		})
	}
}

// A call that fails where there is no workspace says so: it began in an empty directory.
func TestMCPWithoutPlace(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("tools.yaml", "version: 2\ntools:\n  fails: {script: exit 3, annotations: {readOnlyHint: true}}\n  works: {script: pwd, annotations: {readOnlyHint: true}}\n")
	o := h.options()
	for dir, says := range map[string]bool{h.dir: true, o.Dir: false} {
		o.Dir = dir
		a, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		h.runs(a)
		bothEras(t, func(t *testing.T, modern bool) {
			p := newMCPPeer(t, a, MCPOptions{}, modern, `{}`)
			p.call("fails", `{}`, "")
			if told := p.read(); strings.Contains(told.text(), "the call had no workspace") != says || !told.Result.IsError {
				t.Errorf("in %s: %s", dir, told.raw)
			}
			p.call("works", `{}`, "")
			if told := p.read(); strings.Contains(told.raw, "no workspace") {
				t.Errorf("one that works: %s", told.raw)
			}
		})
	}
}

// With `expose: search` a client is offered two tools; what they call is decided as the tool that is called.
func TestMCPSearch(t *testing.T) {
	t.Parallel()
	bothEras(t, func(t *testing.T, modern bool) {
		h, file := mcpHome(t)
		h.write("a2a-acp.yaml", "expose: search\n")
		a := h.new()
		h.runs(a)
		p := newMCPPeer(t, a, MCPOptions{Prefix: "my_"}, modern, canAsk)
		p.call("my_find_tool", `{"query":"leave a MARK"}`, "")
		if told := p.read(); !strings.Contains(told.text(), `"name":"my_mark"`) || !strings.Contains(told.text(), `"word"`) {
			t.Errorf("found %s", told.raw)
		}
		p.call("my_mark", `{"word":"a"}`, "")
		if told := p.read(); told.Error == nil {
			t.Errorf("a tool that is not offered is called: %s", told.raw)
		}
		arguments := `{"name":"my_mark","arguments":{"word":"a"}}`
		p.call("my_call_tool", arguments, "")
		asked := p.read()
		if !strings.Contains(asked.question(t), "word = a") {
			t.Errorf("asked %s", asked.raw)
		}
		if told := p.answer(asked, "my_call_tool", arguments, sayYes); told.text() != "marked a\n" || marks(t, file) != 1 {
			t.Errorf("got %s", told.raw)
		}
	})
}

// What the kernel holds a tool to stands in its _meta, for clients and for agents of a bridge; a hint that the entry does
// not say is told so, too.
func TestMCPEnforced(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("tools.yaml", `version: 2
tools:
  reads: {script: cat x, annotations: {readOnlyHint: true}, sandbox: {network: off, use_temp_isolation: false}}
  writes: {script: touch x, sandbox: {network: on, use_temp_isolation: false, allowed_paths: ["."]}}
`)
	a := h.new()
	h.runs(a)
	host, err := a.host.wait()
	if err != nil || !host.Level().AtLeast(sandbox.LevelFull) {
		t.Skip("this machine does not hold it")
	}
	p := newMCPPeer(t, a, MCPOptions{}, true, `{}`)
	p.write(`{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
	told := p.read().raw
	for _, want := range []string{`"a2a-acp/enforced":["no network","no sockets","no writable path"]`, `"a2a-acp/enforced":["no sockets"]`,
		`"readOnlyHint":true`, `"openWorldHint":false`, `"destructiveHint":true`} {
		if !strings.Contains(told, want) {
			t.Errorf("%s is not in %s", want, told)
		}
	}
}
