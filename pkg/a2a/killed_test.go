package a2a

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/internal/tasklog"
	"github.com/a2a-acp/a2a-acp/internal/webhook"
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
	say := func(line string) { fmt.Fprintln(os.Stderr, line) }
	deliverer := webhook.New(webhook.Options{Open: openStore(dir), Keys: &webhook.Keys{Dir: dir}, Say: say,
		Version: fmt.Sprint(os.Getpid())}) // so that the receiver knows which process has sent what
	caller := func(r *http.Request) Caller { return Caller{Name: r.Header.Get("Authorization")} }
	door, err := New(Options{Log: log, Agent: newActor(), Caller: caller, Say: say,
		Deliverer: deliverer, PushAllow: func() []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} }})
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

// openStore returns what opens the store in a directory.
func openStore(dir string) func(context.Context) (*store.Store, error) {
	return func(ctx context.Context) (*store.Store, error) {
		return store.Open(ctx, store.Options{Path: filepath.Join(dir, store.Name), Relaxed: true})
	}
}

// witness keeps what clients were told.
type witness struct {
	t    *testing.T
	mu   sync.Mutex
	told map[string]map[int64]any // events by task and number
	more chan struct{}            // gets a value for each event
	dies atomic.Bool              // the server is being killed: what it does not say is no fault of its

	hook   string // where pushes are received
	pushes map[string]*pushesOfTask
	pushed chan struct{} // gets a value for each push
}

// pushesOfTask is what a receiver was told of a task.
type pushesOfTask struct {
	last   int64
	by     map[int64][]string // which processes have sent an event
	events map[int64]any
	trace  []string
}

// receive is the receiver of pushes: an event that comes again is the same, and others come in their order.
func (w *witness) receive(_ http.ResponseWriter, r *http.Request) {
	var event map[string]any
	if json.NewDecoder(r.Body).Decode(&event) != nil {
		return // whoever sent it was killed
	}
	id, _ := strings.CutPrefix(r.Header.Get("Webhook-Id"), "a2a_")
	task, seq, _ := strings.Cut(id, "_")
	number, err := strconv.ParseInt(seq, 10, 64)
	if err != nil {
		w.t.Errorf("a push has the id %q", r.Header.Get("Webhook-Id"))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.pushes[task]
	if p == nil {
		p = &pushesOfTask{by: map[int64][]string{}, events: map[int64]any{}, last: 1} // it is wanted when the task has begun
		w.pushes[task] = p
	}
	if before, twice := p.events[number]; twice && !reflect.DeepEqual(before, event) {
		w.t.Errorf("event %d of task %s was pushed as %v and as %v", number, task, before, event)
	}
	p.events[number] = event
	p.trace = append(p.trace, fmt.Sprintf("%d by %s", number, r.UserAgent()))
	if len(p.by[number]) == 0 && number != p.last+1 || slices.Contains(p.by[number], r.UserAgent()) {
		w.t.Errorf("task %s was pushed as %s", task, p.trace)
	}
	p.by[number], p.last = append(p.by[number], r.UserAgent()), max(p.last, number)
	select {
	case w.pushed <- struct{}{}:
	default:
	}
}

// again counts what was pushed more than once: in all, and at the most of a task by a process that came anew.
func (w *witness) again() (all int, most int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.pushes {
		by := map[string]int{}
		for _, senders := range p.by {
			for _, sender := range senders[1:] {
				all++
				by[sender]++
				most = max(most, by[sender])
			}
		}
	}
	return all, most
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
func (w *witness) talk(url, who string) {
	for i := 0; ; i++ {
		text := []string{"do it", "ask", "chunks", "turn"}[i%4]
		params := message(text, "")
		if i%3 > 0 {
			params = strings.TrimSuffix(params, "}") + `,"configuration":{"taskPushNotificationConfig":{"url":"` + w.hook + `"}}}`
		}
		task := w.follow(url, who, params)
		if task == "" {
			return
		}
		if text == "ask" && i%8 == 1 && w.follow(url, who, message("this", fmt.Sprintf(`,"taskId":%q`, task))) == "" {
			return
		}
	}
}

// follow sends a message and notes what the stream tells, to its end. It returns the task; "" if the server is gone.
func (w *witness) follow(url, who, params string) (task string) {
	r, err := http.NewRequest(http.MethodPost, url+"/message:stream", strings.NewReader(params))
	if err != nil {
		w.t.Error(err)
		return ""
	}
	r.Header.Set("Authorization", who)
	r.Header.Set("A2A-Version", "1.0")
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		w.gone(err)
		return ""
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(response.Body)
		w.gone(fmt.Errorf("%s: %s", response.Status, said))
		return ""
	}
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
	if err := lines.Err(); err != nil {
		w.gone(err)
		return ""
	}
	return task
}

// gone reports what a client met, unless the server is being killed.
func (w *witness) gone(err error) {
	if !w.dies.Load() {
		w.t.Errorf("a server that nobody has killed: %v", err)
	}
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
	w := &witness{t: t, told: map[string]map[int64]any{}, more: make(chan struct{}, 1), pushes: map[string]*pushesOfTask{},
		pushed: make(chan struct{}, 1)}
	hook := httptest.NewServer(http.HandlerFunc(w.receive))
	defer hook.Close()
	w.hook = hook.URL
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
		who := fmt.Sprintf("anna-%d", i/40) // of one principal's tasks only so many may wait, or have something to be pushed
		w.dies.Store(false)
		var talking sync.WaitGroup
		for range 8 {
			talking.Go(func() { w.talk(strings.TrimSpace(url), who) })
		}
		silent := make(chan struct{})
		go func() { talking.Wait(); close(silent) }()
		for range 10 + 7*i%40 {
			select {
			case <-w.more:
			case <-silent:
				t.Fatalf("after %d servers no client talks any more", i)
			}
		}
		w.dies.Store(true)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		talking.Wait()
	}
	h.open(h.pushing)
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
		result, failure := h.settled(task.Owner, id)
		switch state := at(result, "status.state"); state {
		case "TASK_STATE_COMPLETED", "TASK_STATE_FAILED":
		case "TASK_STATE_INPUT_REQUIRED":
			answer := message("turn", fmt.Sprintf(`,"taskId":%q`, id))
			if at(result, "status.message.parts.text") == "what?" {
				answer = message("ok", fmt.Sprintf(`,"taskId":%q`, id))
				answered, failure := h.rpc(task.Owner, "SendMessage", answer)
				if at(answered, "task.status.message.parts.text") != "did ok" {
					t.Errorf("task %s, answered: %v %v", id, answered, failure)
				}
				if _, failure := h.rpc(task.Owner, "SendMessage", answer); failure["code"] != -32004.0 {
					t.Errorf("task %s, answered twice: %v", id, failure)
				}
			} else if answered, failure := h.rpc(task.Owner, "SendMessage", answer); failure != nil {
				t.Errorf("task %s: %v %v", id, answered, failure)
			}
		default:
			t.Errorf("task %s is %v: %v", id, state, failure)
		}
	}
	pushes := w.everything(h)
	again, most := w.again()
	t.Logf("%d times killed, %d tasks; %d events pushed, %d of them again", times, len(w.told), pushes, again)
	if most > 1 {
		t.Errorf("a process has pushed %d events of a task again", most)
	}
}

// settled returns a task once the server that came anew has gone on with it, as far as it goes by itself.
func (h *house) settled(owner, id string) (result, failure map[string]any) {
	for {
		result, failure = h.rpc(owner, "GetTask", fmt.Sprintf(`{"id":%q}`, id))
		if state := at(result, "status.state"); state != "TASK_STATE_SUBMITTED" && state != "TASK_STATE_WORKING" {
			return result, failure
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// everything waits until all that is owed was pushed, holds it against the log, and returns how much that is.
func (w *witness) everything(h *house) (pushes int) {
	for id := range w.told {
		task, err := h.log.Get(w.t.Context(), id)
		if err != nil {
			w.t.Fatal(err)
		}
		configs, err := h.log.Configs(w.t.Context(), task)
		if err != nil {
			w.t.Fatal(err)
		}
		if len(configs) == 0 {
			continue
		}
		events, err := h.log.Events(w.t.Context(), task, configs[0].Since, 1000)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, e := range events {
			var kept any
			if err := json.Unmarshal(e.Body, &kept); err != nil {
				w.t.Fatal(err)
			}
			if pushed := w.push(id, e.Seq); !reflect.DeepEqual(pushed, kept) {
				w.t.Errorf("task %s: event %d was pushed as\n%v\nand is\n%v", id, e.Seq, pushed, kept)
			}
			pushes++
		}
	}
	return pushes
}

// push returns an event as it was pushed, once it was.
func (w *witness) push(task string, number int64) any {
	for {
		w.mu.Lock()
		p := w.pushes[task]
		var event any
		if p != nil {
			event = p.events[number]
		}
		w.mu.Unlock()
		if event != nil {
			return event
		}
		select {
		case <-w.pushed:
		case <-time.After(2 * time.Minute):
			w.t.Fatalf("event %d of task %s was never pushed", number, task)
		}
	}
}
