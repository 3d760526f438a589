package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/serve"
)

// TestA2ARevoked takes a principal out of the settings while a task of its works and another one waits for its yes: what
// runs is ended, with the stream that followed it; what waits is over, too; and once it is let in again, it reads why.
func TestA2ARevoked(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	settings := "serve: {principals: {anna: {token: {file: " + filepath.Join(h.dir, "anna") + "}}}}\n"
	held := h.holding(`  ask:
    script: echo yes > asked
    sandbox: {use_temp_isolation: false, allowed_paths: ["."], requires_confirmation: true}
`, settings)
	work := filepath.Dir(held)
	a := h.new()
	h.runs(a)
	d := h.daemon(a, func(o *DaemonOptions) { o.Workspace = work })
	ask := func(method, params string) *http.Response {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, d.first["a2a"].(string),
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "A2a-Version": {"1.0"}, "Authorization": {"Bearer tok-anna"}}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { answer.Body.Close() })
		return answer
	}
	call := func(tool string) string {
		return `{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"data":{"toolCalls":[{"id":"1","toolId":"` + tool + `"}]}}]}}`
	}
	type task struct {
		ID     string
		Status struct {
			State   string
			Message struct{ Parts []struct{ Text string } }
		}
	}
	var waits struct{ Result struct{ Task task } }
	if err := json.NewDecoder(ask("SendMessage", call("ask")).Body).Decode(&waits); err != nil ||
		waits.Result.Task.Status.State != "TASK_STATE_INPUT_REQUIRED" {
		t.Fatalf("%+v, %v", waits, err)
	}
	stream := ask("SendStreamingMessage", call("hold")).Body
	out, err := os.Open(held) // until the script has opened it, too
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if line := make([]byte, 6); !readsFull(out, line) || string(line) != "begun\n" {
		t.Fatalf("it says %q", line)
	}
	h.write("a2a-acp.yaml", "serve: {}\n")
	d.signals <- syscall.SIGHUP
	if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 { // to its end, with that of all its processes
		t.Errorf("%q, %v", rest, err)
	}
	told, _ := io.ReadAll(stream) // it may be cut off
	_, first, _ := strings.Cut(string(told), `"task":{"id":"`)
	works, _, _ := strings.Cut(first, `"`)
	if answer := ask("SendMessage", `{"message":{"role":"ROLE_USER","messageId":"y","taskId":"`+waits.Result.Task.ID+
		`","parts":[{"text":"allow"}]}}`); answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("an answer of somebody who is not there: %d", answer.StatusCode)
	}
	h.write("a2a-acp.yaml", settings)
	d.signals <- syscall.SIGHUP
	for {
		if status, _ := d.call("/status", "tok-anna"); status == http.StatusOK {
			break
		}
	}
	for _, id := range []string{works, waits.Result.Task.ID} {
		var got struct{ Result task }
		for got.Result.Status.State != "TASK_STATE_CANCELED" { // the end of a process takes a moment to be told
			got.Result = task{}
			if err := json.NewDecoder(ask("GetTask", `{"id":"`+id+`"}`).Body).Decode(&got); err != nil || got.Result.ID != id {
				t.Fatalf("%+v, %v", got, err)
			}
		}
		if said := fmt.Sprint(got.Result.Status.Message.Parts); !strings.Contains(said, "may have nothing done here any more") {
			t.Errorf("it says %s", said)
		}
	}
	if _, err := os.Stat(filepath.Join(work, "asked")); err == nil {
		t.Error("what waited was done")
	}
}

// TestA2AUnfollowed takes the scope tasks from a principal whose task is pushed: its receiver is told nothing while it lacks
// that, and all of it once it has it again.
func TestA2AUnfollowed(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	told := make(chan string, 8)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { told <- r.URL.Path }))
	t.Cleanup(receiver.Close)
	settings := func(scopes string) string {
		return "serve: {push: {allow_addresses: [127.0.0.0/8]}, principals: {anna: {token: {file: " + filepath.Join(h.dir, "anna") +
			"}, scopes: " + scopes + "}, root: {token: {file: " + filepath.Join(h.dir, "root") + "}, scopes: [tools, tasks, admin]}}}\n"
	}
	held := h.holding(`  ask:
    script: echo yes
    sandbox: {requires_confirmation: true}
`, settings("[tools, tasks]"))
	if err := os.WriteFile(filepath.Join(h.dir, "root"), []byte("tok-root\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := h.new()
	h.runs(a)
	d := h.daemon(a, func(o *DaemonOptions) { o.Workspace = filepath.Dir(held) })
	call := func(who, method, params string) (id, state string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.first["a2a"].(string),
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "A2a-Version": {"1.0"}, "Authorization": {"Bearer tok-" + who}}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		type task struct {
			ID     string
			Status struct{ State string }
		}
		var got struct {
			Result struct {
				task
				Task task
			}
			Error any
		}
		if err := json.NewDecoder(answer.Body).Decode(&got); err != nil || got.Error != nil {
			t.Fatalf("%s: %v, %v", method, got.Error, err)
		}
		return got.Result.Task.ID, got.Result.Status.State
	}
	const asks = `{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"data":{"toolCalls":[{"id":"1","toolId":"ask"}]}}]}}`
	ids := map[string]string{}
	for _, who := range []string{"anna", "root"} {
		ids[who], _ = call(who, "SendMessage", asks)
		call(who, "CreateTaskPushNotificationConfig", `{"taskId":"`+ids[who]+`","url":"`+receiver.URL+"/"+who+`"}`)
	}
	h.write("a2a-acp.yaml", settings("[tools]"))
	d.signals <- syscall.SIGHUP
	for {
		if may, _ := a.mayNow("anna", serve.ScopeTasks); !may {
			break
		}
		<-time.After(5 * time.Millisecond)
	}
	for _, who := range []string{"anna", "root"} {
		if _, state := call("root", "CancelTask", `{"id":"`+ids[who]+`"}`); state != "TASK_STATE_CANCELED" {
			t.Fatalf("the task of %s is %s", who, state)
		}
	}
	if who := <-told; who != "/root" {
		t.Fatalf("%s is told, who may not follow tasks", who)
	}
	h.write("a2a-acp.yaml", settings("[tools, tasks]"))
	d.signals <- syscall.SIGHUP
	for {
		if may, _ := a.mayNow("anna", serve.ScopeTasks); may {
			break
		}
	}
	call("root", "SendMessage", asks) // there are news
	for <-told != "/anna" {           // root's task has told that its question is over, and then that it is
	}
}
