package a2a

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// roleVariable has the test binary be a server on the directory that it names.
const roleVariable = "A2A_TEST_SERVER"

// soakVariable says how many times servers are killed, in place of a few.
const soakVariable = "A2A_SOAK_KILLS"

func TestMain(m *testing.M) {
	if dir := os.Getenv(roleVariable); dir != "" {
		if err := serveForever(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// serveForever serves an actor until the process is killed.
func serveForever(dir string) error {
	ctx := context.Background()
	log, err := tasklog.Open(ctx, tasklog.Options{Path: filepath.Join(dir, tasklog.Name)})
	if err != nil {
		return err
	}
	door, err := New(Options{Log: log, Agent: newActor(), Caller: func(*http.Request) Caller { return Caller{Name: "anna"} },
		Say: func(line string) { fmt.Fprintln(os.Stderr, line) }})
	if err == nil {
		err = door.Start(ctx)
	}
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + l.Addr().String())
	return (&http.Server{Handler: door}).Serve(l) //nolint:gosec // it talks to the test alone
}

// witness keeps what clients were told.
type witness struct {
	t    *testing.T
	mu   sync.Mutex
	told map[string]map[int64]any // events by task and number
	more chan struct{}            // gets a value for each event
}

func (w *witness) note(task string, number int64, event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.told[task] == nil {
		w.told[task] = map[int64]any{}
	}
	if before, twice := w.told[task][number]; twice && !reflect.DeepEqual(before, event) {
		w.t.Errorf("event %d of task %s was told as %v and as %v", number, task, before, event)
	}
	w.told[task][number] = event
}

// talk begins tasks, one after the other, until the server is gone.
func (w *witness) talk(url string) {
	for i := 0; ; i++ {
		text := []string{"do it", "ask", "chunks", "turn"}[i%4]
		task := w.follow(url, message(text, ""))
		if task == "" {
			return
		}
		if text == "ask" && i%8 == 1 && w.follow(url, message("this", fmt.Sprintf(`,"taskId":%q`, task))) == "" {
			return
		}
	}
}

// follow sends a message and notes what the stream tells, to its end. It returns the task; "" if the server is gone.
func (w *witness) follow(url, params string) (task string) {
	r, err := http.NewRequest(http.MethodPost, url+"/message:stream", strings.NewReader(params))
	if err != nil {
		w.t.Error(err)
		return ""
	}
	r.Header.Set("A2A-Version", "1.0")
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return ""
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	number := int64(0)
	for lines.Scan() {
		if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			if number, err = strconv.ParseInt(id, 10, 64); err != nil {
				w.t.Error(err)
			}
		}
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var event map[string]any
		if json.Unmarshal([]byte(data), &event) != nil {
			return "" // it was cut off
		}
		for _, member := range []string{"task.id", "statusUpdate.taskId", "artifactUpdate.taskId"} {
			if id, ok := at(event, member).(string); ok {
				task = id
			}
		}
		w.note(task, number, event)
		select {
		case w.more <- struct{}{}:
		default:
		}
	}
	if lines.Err() != nil {
		return ""
	}
	return task
}

// TestKilled kills servers under load. Afterwards every task that a client has heard of is there, with every event as it was
// told; none is stuck; and who waits for an answer gets it, once.
func TestKilled(t *testing.T) {
	t.Parallel()
	times := 3
	if n, err := strconv.Atoi(os.Getenv(soakVariable)); err == nil {
		times = n
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, dir: t.TempDir()}
	w := &witness{t: t, told: map[string]map[int64]any{}, more: make(chan struct{}, 1)}
	for i := range times {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), roleVariable+"="+h.dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		url, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		var talking sync.WaitGroup
		for range 8 {
			talking.Go(func() { w.talk(strings.TrimSpace(url)) })
		}
		for range 10 + 7*i%40 {
			<-w.more
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		talking.Wait()
	}
	h.open(func(o *Options) { o.Caller = func(*http.Request) Caller { return Caller{Name: "anna"} } })
	defer h.close()
	for id, told := range w.told {
		task, err := h.log.Get(t.Context(), id)
		if err != nil {
			t.Errorf("task %s: %v", id, err)
			continue
		}
		events, err := h.log.Events(t.Context(), task, 0, 1000)
		if err != nil || int64(len(events)) < task.Seq {
			t.Errorf("task %s: %d events of %d: %v", id, len(events), task.Seq, err)
			continue
		}
		for number, event := range told {
			var kept map[string]any
			if err := json.Unmarshal(events[number-1].Body, &kept); err != nil || events[number-1].Seq != number {
				t.Errorf("task %s: event %d: %v", id, number, err)
			} else if _, snapshot := kept["task"]; !snapshot && !reflect.DeepEqual(kept, event) && at(event, "task") == nil {
				t.Errorf("task %s: event %d was told as\n%v\nand is\n%v", id, number, event, kept)
			}
		}
		result, failure := h.rpc("anna", "GetTask", fmt.Sprintf(`{"id":%q}`, id))
		switch state := at(result, "status.state"); state {
		case "TASK_STATE_COMPLETED", "TASK_STATE_FAILED":
		case "TASK_STATE_INPUT_REQUIRED":
			answer := message("turn", fmt.Sprintf(`,"taskId":%q`, id))
			if at(result, "status.message.parts.text") == "what?" {
				answer = message("ok", fmt.Sprintf(`,"taskId":%q`, id))
				answered, failure := h.rpc("anna", "SendMessage", answer)
				if at(answered, "task.status.message.parts.text") != "did ok" {
					t.Errorf("task %s, answered: %v %v", id, answered, failure)
				}
				if _, failure := h.rpc("anna", "SendMessage", answer); failure["code"] != -32004.0 {
					t.Errorf("task %s, answered twice: %v", id, failure)
				}
			} else if answered, failure := h.rpc("anna", "SendMessage", answer); failure != nil {
				t.Errorf("task %s: %v %v", id, answered, failure)
			}
		default:
			t.Errorf("task %s is %v: %v", id, state, failure)
		}
	}
	t.Logf("%d times killed, %d tasks", times, len(w.told))
}
