package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/store"
)

// TestKilledMCP kills the program with calls of MCP clients that wait for their person, that run, and that are tasks: what
// waited still does, a yes is used once, and what ran has failed. A2A_SOAK_KILLS says how often it is killed in between.
func TestKilledMCP(t *testing.T) {
	t.Parallel()
	if !confines("--require", "tree") {
		t.Skip("tools run in the sandbox")
	}
	for _, http := range []bool{false, true} {
		t.Run(map[bool]string{false: "stdio", true: "HTTP"}[http], func(t *testing.T) {
			t.Parallel()
			k := &killedMCP{house: newHouse(t), http: http}
			k.write(map[string]string{filepath.Join(k.config, "tools.yaml"): `version: 2
tools:
  mark:
    script: echo {{name}} >>marks; echo "marked {{name}}"
    parameters: [{name: name, type: string, required: true}]
    sandbox: {working_directory: '.', allowed_paths: ['.']}
  hold:
    script: echo {{name}} >>marks; exec 3>held; echo begun >&3; sleep 600
    parameters: [{name: name, type: string, required: true}]
    sandbox: {working_directory: '.', allowed_paths: ['.']}
`})
			k.waiting()
			k.running()
			k.tasks()
			k.older()
			k.between()
		})
	}
}

// killedMCP is a program that MCP clients talk to.
type killedMCP struct {
	*house
	http bool
	cmd  *exec.Cmd
	in   io.Writer
	out  *bufio.Reader // of stdio: what it says
	url  string
}

// start starts the program, again.
func (k *killedMCP) start() {
	k.t.Helper()
	k.cmd = k.command("mcp", "--workspace", k.work)
	if k.http {
		k.cmd = k.command("serve", "--listen", "127.0.0.1:0", "--workspace", k.work)
		k.cmd.Env = append(k.cmd.Env, "A2A_AUTH_TOKEN=killed")
	} else {
		k.in = k.input(k.cmd)
	}
	out, err := k.cmd.StdoutPipe()
	if err == nil {
		err = k.cmd.Start()
	}
	if err != nil {
		k.t.Fatal(err)
	}
	k.out = bufio.NewReader(out)
	if k.http {
		var first struct{ MCP string }
		if line, err := k.out.ReadBytes('\n'); err != nil || json.Unmarshal(line, &first) != nil {
			k.t.Fatalf("%q, %v", line, err)
		}
		k.url = first.MCP
	}
}

func (k *killedMCP) kill() {
	k.t.Helper()
	if err := k.cmd.Process.Kill(); err != nil {
		k.t.Fatal(err)
	}
	k.cmd.Wait() //nolint:errcheck // it was killed
}

// restart kills the program and starts it again.
func (k *killedMCP) restart() {
	k.t.Helper()
	k.kill()
	k.start()
}

// said is what the tests look at of a response.
type said struct {
	raw     string
	session string
	Method  string
	Result  struct {
		Type   string `json:"resultType"`
		State  string `json:"requestState"`
		Task   string `json:"taskId"`
		Status string
	}
}

// say sends a request of 2026-07-28 and returns the response; params begin the object, without its end. It fails where
// the program has been killed meanwhile.
func (k *killedMCP) say(method, name, params, can string) (answer said, err error) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":%s}}}`, method, params, can)
	return k.send(body, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method, "Mcp-Name", name)
}

// send sends a message, and returns the first that comes back.
func (k *killedMCP) send(body string, headers ...string) (answer said, err error) {
	line := []byte(nil)
	if k.http {
		r, err := http.NewRequestWithContext(k.t.Context(), http.MethodPost, k.url, strings.NewReader(body))
		if err != nil {
			return answer, err
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "X-Api-Key": {"killed"}}
		for pair := range slices.Chunk(headers, 2) {
			r.Header.Set(pair[0], pair[1])
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return answer, err
		}
		defer response.Body.Close()
		answer.session = response.Header.Get("Mcp-Session-Id")
		lines := bufio.NewReader(response.Body)
		for !bytes.HasPrefix(line, []byte("{")) {
			text, err := lines.ReadBytes('\n')
			if line = bytes.TrimPrefix(text, []byte("data: ")); err != nil && !bytes.HasPrefix(line, []byte("{")) {
				return answer, err
			}
		}
	} else {
		if _, err := io.WriteString(k.in, body+"\n"); err != nil {
			return answer, err
		}
		if line, err = k.out.ReadBytes('\n'); err != nil {
			return answer, err
		}
	}
	answer.raw = string(line)
	return answer, json.Unmarshal(line, &answer)
}

const (
	personYes = `{"action":"accept","content":{"answer":"allow once"}}`
	personNo  = `{"action":"decline"}`
	mayAsk    = `{"elicitation":{}}`
	mayWait   = `{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`
)

// call calls a tool; with a state it brings its person's yes along.
func (k *killedMCP) call(tool, name, state, can string) (said, error) {
	if state != "" {
		return k.answer(tool, name, state, personYes, can)
	}
	return k.say("tools/call", tool, fmt.Sprintf(`"name":%q,"arguments":{"name":%q}`, tool, name), can)
}

// answer calls a tool with what its person has answered.
func (k *killedMCP) answer(tool, name, state, person, can string) (said, error) {
	return k.say("tools/call", tool, fmt.Sprintf(`"name":%q,"arguments":{"name":%q},"requestState":%q,"inputResponses":{"approval":%s}`,
		tool, name, state, person), can)
}

// must is call where the program lives.
func (k *killedMCP) must(answer said, err error) said {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
	return answer
}

// asked is the state of a call that waits for its person.
func (k *killedMCP) asked(answer said) string {
	k.t.Helper()
	if answer.Result.Type != "input_required" || answer.Result.State == "" {
		k.t.Fatalf("nobody is asked: %s", answer.raw)
	}
	return answer.Result.State
}

// ran has a tool have run so often.
func (k *killedMCP) ran(name string, want int) {
	k.t.Helper()
	marks, err := os.ReadFile(filepath.Join(k.work, "marks"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		k.t.Fatal(err)
	}
	if n := strings.Count(string(marks), name+"\n"); n != want {
		k.t.Errorf("%s has run %d times, want %d", name, n, want)
	}
}

// waiting kills it while a call waits, and once its yes is used.
func (k *killedMCP) waiting() {
	k.start()
	state := k.asked(k.must(k.call("mark", "waits", "", mayAsk)))
	k.restart()
	if answer := k.must(k.call("mark", "waits", state, mayAsk)); !strings.Contains(answer.raw, "marked waits") {
		k.t.Errorf("the yes is lost: %s", answer.raw)
	}
	k.restart()
	k.asked(k.must(k.call("mark", "waits", state, mayAsk)))
	k.ran("waits", 1)
	k.kill()
}

// runs waits until hold runs, and returns what tells its end.
func (k *killedMCP) runs(begin func()) *os.File {
	k.t.Helper()
	held := filepath.Join(k.work, "held")
	if err := errors.Join(os.RemoveAll(held), unix.Mkfifo(held, 0o600)); err != nil {
		k.t.Fatal(err)
	}
	begin()
	out, err := os.Open(held)
	if err == nil {
		_, err = io.ReadFull(out, make([]byte, len("begun\n")))
	}
	if err != nil {
		k.t.Fatalf("it does not run: %v", err)
	}
	k.t.Cleanup(func() { out.Close() })
	return out
}

// running kills it while a call runs that was allowed.
func (k *killedMCP) running() {
	k.start()
	state := k.asked(k.must(k.call("hold", "runs", "", mayAsk)))
	over := make(chan string, 1)
	out := k.runs(func() {
		go func() { // ends with the program
			answer, err := k.call("hold", "runs", state, mayAsk)
			over <- fmt.Sprintf("%s %v", answer.raw, err)
			if held, err := os.OpenFile(filepath.Join(k.work, "held"), os.O_WRONLY|unix.O_NONBLOCK, 0); err == nil {
				held.Close() // whoever waits for it to begin
			}
		}()
	})
	k.kill()
	if told := <-over; strings.HasPrefix(told, "{") {
		k.t.Errorf("a call whose program was killed has a result: %s", told)
	}
	k.start()
	k.asked(k.must(k.call("hold", "runs", state, mayAsk)))
	if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 { // when its processes have ended
		k.t.Errorf("%q, %v", rest, err)
	}
	k.ran("runs", 1)
	k.kill()
}

// task does something to a task.
func (k *killedMCP) task(method, id string) said {
	k.t.Helper()
	params := fmt.Sprintf(`"taskId":%q`, id)
	if method == "tasks/update" {
		params += `,"inputResponses":{"1.approval":` + personYes + `}`
	}
	return k.must(k.say(method, id, params, mayWait))
}

// tasks kills it while a task waits, once it has ended, and while one runs.
func (k *killedMCP) tasks() {
	k.start()
	waits, runs := k.must(k.call("mark", "task", "", mayWait)).Result.Task, k.must(k.call("hold", "long", "", mayWait)).Result.Task
	k.restart()
	if answer := k.task("tasks/get", waits); answer.Result.Status != "input_required" {
		k.t.Fatalf("the task is lost: %s", answer.raw)
	}
	k.task("tasks/update", waits)
	k.task("tasks/update", waits)
	done := k.task("tasks/get", waits)
	for done.Result.Status == "working" {
		done = k.task("tasks/get", waits)
	}
	if done.Result.Status != "completed" {
		k.t.Fatalf("its yes is lost: %s", done.raw)
	}
	k.runs(func() { k.task("tasks/update", runs) })
	k.restart()
	k.task("tasks/update", waits)
	if answer := k.task("tasks/get", waits); answer.Result.Status != "completed" || !strings.Contains(answer.raw, "marked task") {
		k.t.Errorf("its result is lost: %s", answer.raw)
	}
	if answer := k.task("tasks/get", runs); answer.Result.Status != "failed" {
		k.t.Errorf("it ran when it was killed: %s", answer.raw)
	}
	k.task("tasks/update", runs)
	k.ran("task", 1)
	k.ran("long", 1)
	k.kill()
}

// older kills it while it asks a client of a session; a person answers when it is gone.
func (k *killedMCP) older() {
	call := func() said {
		k.t.Helper()
		begun := k.must(k.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` + mayAsk +
			`,"clientInfo":{"name":"t","version":"1"}}}`))
		return k.must(k.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mark","arguments":{"name":"older"}}}`,
			"Mcp-Session-Id", begun.session))
	}
	k.start()
	if answer := call(); answer.Method != "elicitation/create" {
		k.t.Fatalf("nobody is asked: %s", answer.raw)
	}
	environment := map[string]string{"HOME": k.home}
	box, err := app.OpenApprovals(k.t.Context(), app.Options{Getenv: func(name string) string { return environment[name] },
		Dir: k.work, Home: k.home, Say: func(string) {}})
	var list []store.Approval
	isIt := func(a store.Approval) bool { return strings.Contains(a.Title+a.Text, "older") }
	for err == nil && !slices.ContainsFunc(list, isIt) { // it is being put there
		list, err = box.List(k.t.Context())
	}
	k.kill()
	if err == nil {
		question := list[slices.IndexFunc(list, isIt)]
		_, err = box.Answer(k.t.Context(), question, store.Answer{Approved: true, Approver: "test"})
		err = errors.Join(err, box.Close())
	}
	if err != nil {
		k.t.Fatal(err)
	}
	k.start()
	if answer := call(); !strings.Contains(answer.raw, "marked older") {
		k.t.Errorf("the answer is lost: %s", answer.raw)
	}
	k.restart()
	if answer := call(); answer.Method != "elicitation/create" {
		k.t.Errorf("the answer was used: %s", answer.raw)
	}
	k.ran("older", 1)
	k.kill()
}

// between kills it at any moment after a yes was sent, and sends it again: the tool runs once at most, and the record is whole.
func (k *killedMCP) between() {
	rounds := 1
	if n, err := strconv.Atoi(os.Getenv("A2A_SOAK_KILLS")); err == nil {
		rounds = n / 4
	}
	w := &killWorld{house: k.house, record: filepath.Join(k.home, ".local/state/a2a-acp/audit")}
	for round := range rounds {
		name := fmt.Sprintf("between-%d.", round)
		k.start()
		state := k.asked(k.must(k.call("mark", name, "", mayAsk)))
		over := make(chan struct{})
		go func() { // ends with the program
			k.call("mark", name, state, mayAsk) //nolint:errcheck // it may be killed before
			close(over)
		}()
		w.grown(rand.Int64N(6_000), over)
		k.kill()
		<-over
		k.start()
		if answer := k.must(k.call("mark", name, state, mayAsk)); answer.Result.Type == "input_required" {
			// The yes was used, and it asks anew. Only so many questions may wait.
			k.must(k.answer("mark", name, answer.Result.State, personNo, mayAsk))
		}
		k.kill()
		marks, err := os.ReadFile(filepath.Join(k.work, "marks"))
		if n := strings.Count(string(marks), name+"\n"); err != nil || n > 1 {
			k.t.Errorf("%s has run %d times: %v", name, n, err)
		}
	}
	w.verify("at the end")
}
