//go:build agents

package agents

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/test/agents/internal/model"
)

// daemon is the real program as a daemon, with a real agent that A2A clients talk to.
type daemon struct {
	*rig
	root, config string
	cmd          *exec.Cmd
	url          string // of the agent
}

const daemonToken = "0123456789abcdef0123456789abcdef"

func newDaemon(t *testing.T, a agent) *daemon {
	t.Helper()
	d := &daemon{rig: assemble(t, a, options{})}
	d.root = filepath.Dir(d.work)
	command, err := json.Marshal(d.program.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(d.root, "policies.yaml"), asksAll)
	// Not beside the workspace: whoever wrote that could have written it.
	if d.config, err = os.MkdirTemp("/var/tmp", "config"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(d.config) })
	write(t, filepath.Join(d.config, "a2a-acp", "a2a-acp.yaml"),
		fmt.Sprintf("agents:\n  it:\n    command: %s\n    workspace: %s\n    protocol: %d\n", command, d.work, a.version))
	d.start()
	t.Cleanup(func() {
		d.kill()
		endStrays(t, d.home)
	})
	return d
}

// start starts the daemon.
func (d *daemon) start() {
	d.t.Helper()
	binary, err := built()
	if err != nil {
		d.t.Fatal(err)
	}
	d.cmd = exec.Command(binary, "serve", "--listen", "127.0.0.1:0", "--policies", filepath.Join(d.root, "policies.yaml"))
	d.cmd.Dir, d.cmd.Stderr = d.work, writer(d.t.Log)
	d.cmd.Env = append(d.program.Environment, "A2A_STATE_DIR="+d.state, "A2A_AUTH_TOKEN="+daemonToken,
		"XDG_CONFIG_HOME="+d.config)
	stdout, err := d.cmd.StdoutPipe()
	if err == nil {
		err = d.cmd.Start()
	}
	if err != nil {
		d.t.Fatal(err)
	}
	var line struct{ Agents map[string]string }
	said, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(said, &line)
	}
	if err != nil || line.Agents["it"] == "" {
		d.t.Fatalf("the daemon says %q: %v", said, err)
	}
	d.url = line.Agents["it"]
}

// kill kills the daemon. What it has started ends with it.
func (d *daemon) kill() {
	_ = d.cmd.Process.Kill()
	_ = d.cmd.Wait()
}

// request makes a request of HTTP+JSON.
func (d *daemon) request(method, path, body string) *http.Response {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), method, d.url+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+daemonToken)
	r.Header.Set("A2A-Version", "1.0")
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	return response
}

// follow follows a task until a text is told; "" is to its end.
func (d *daemon) follow(id, until string) {
	d.t.Helper()
	response := d.request("POST", "/tasks/"+id+":subscribe", "")
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if until != "" && strings.Contains(lines.Text(), until) {
			return
		}
	}
	if until != "" {
		d.t.Errorf("task %s has ended, and nobody was told %q: %v", id, until, lines.Err())
	}
}

func (d *daemon) call(path, body string) map[string]any { return d.read(d.request("POST", path, body)) }

func (d *daemon) get(path string) map[string]any { return d.read(d.request("GET", path, "")) }

// read reads an answer.
func (d *daemon) read(response *http.Response) (answer map[string]any) {
	d.t.Helper()
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil {
		err = json.Unmarshal(text, &answer)
	}
	if err != nil {
		d.t.Fatalf("%s: %v", text, err)
	}
	return answer
}

// send sends a text, to a task where there is one.
func (d *daemon) send(text, task, more string) map[string]any {
	d.t.Helper()
	message := map[string]any{"role": "ROLE_USER", "messageId": "m", "parts": []any{map[string]string{"text": text}}}
	if task != "" {
		message["taskId"] = task
	} else {
		message["contextId"] = "c"
	}
	encoded, err := json.Marshal(message)
	if err != nil {
		d.t.Fatal(err)
	}
	return d.call("/message:send", `{"message":`+string(encoded)+more+`}`)
}

// task reads what is in the answer of a task: its id, its state, and all of it as text.
func task(answer map[string]any) (id, state, all string) {
	t, _ := answer["task"].(map[string]any)
	if t == nil {
		t = answer
	}
	status, _ := t["status"].(map[string]any)
	id, _ = t["id"].(string)
	state, _ = status["state"].(string)
	text, _ := json.Marshal(answer)
	return id, state, string(text)
}

// TestDaemon has an A2A client talk to real agents: an answer; a command that is approved on the task after the daemon was
// killed; one that is canceled; an agent that is killed, and goes on with its session.
//
// It runs before the tests that are parallel. Some of these are a bridge in this very process, and a daemon that is
// started meanwhile is an agent's own: its clients have other names then than at its next start.
func TestDaemon(t *testing.T) {
	drivenAgents(t, func(t *testing.T, a agent) {
		d := newDaemon(t, a)
		older := (&driven{rig: d.rig}).age
		if _, state, all := task(d.send(model.Prompt(model.Step{Say: "Hello there, client."}), "", "")); state != "TASK_STATE_COMPLETED" ||
			!strings.Contains(all, "Hello there, client.") || !strings.Contains(all, `"end_turn"`) {
			t.Fatal(all)
		}
		id, state, all := task(d.send(model.Prompt(model.Step{Calls: []model.Call{{Act: model.Shell, Command: "touch touched"}}},
			model.Step{Say: "It is done."}), "", ""))
		if state != "TASK_STATE_INPUT_REQUIRED" || !strings.Contains(all, "touch touched") {
			t.Fatal(all)
		}
		d.kill()
		older()
		d.start()
		if _, err := os.Stat(d.path("touched")); err == nil {
			t.Fatal("it was done before anybody had said yes")
		}
		if _, state, all := task(d.send("allow", id, "")); state != "TASK_STATE_COMPLETED" || !strings.Contains(all, "It is done.") {
			t.Errorf("after the answer: %s", all)
		}
		if _, err := os.Stat(d.path("touched")); err != nil {
			t.Error(err)
		}
		id, state, all = task(d.send(model.Prompt(model.Step{Calls: []model.Call{{Act: model.Shell, Command: "touch never"}}},
			model.Step{Say: "It is done, too."}), "", ""))
		if state != "TASK_STATE_INPUT_REQUIRED" {
			t.Fatal(all)
		}
		if _, state, all := task(d.call("/tasks/"+id+":cancel", `{}`)); state != "TASK_STATE_CANCELED" {
			t.Errorf("canceled: %s", all)
		}
		const atOnce = `,"configuration":{"returnImmediately":true}`
		cut, _, _ := task(d.send(model.Prompt(model.Step{Say: "I am about to say more", Hang: true}), "", atOnce))
		d.follow(cut, "I am about to say more")
		next, state, all := task(d.send(model.Prompt(model.Step{Say: "And on."}), "", atOnce))
		if state != "TASK_STATE_SUBMITTED" {
			t.Errorf("a prompt that waits for another: %s", all)
		}
		older()
		endAllBut(t, d.home, d.cmd.Process.Pid)
		d.follow(cut, "")
		if _, state, all := task(d.get("/tasks/" + cut)); state != "TASK_STATE_FAILED" || !strings.Contains(all, "killed") {
			t.Errorf("the agent was killed: %s", all)
		}
		d.follow(next, "")
		_, state, all = task(d.get("/tasks/" + next))
		goesOn := strings.Contains(all, `opening":"resumed"`) || strings.Contains(all, "remembers nothing of what was said") // Gemini may have kept nothing
		if state != "TASK_STATE_COMPLETED" || !strings.Contains(all, "And on.") || !goesOn {
			t.Errorf("the next message: %s", all)
		}
	})
}
