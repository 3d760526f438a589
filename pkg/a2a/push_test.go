package a2a

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/internal/webhook"
)

// pushed is what a receiver was told.
type pushed struct {
	header http.Header
	body   map[string]any
}

// receiver is somebody who wants to be told.
func receiver(t *testing.T) (url string, told chan pushed) {
	t.Helper()
	told = make(chan pushed, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		p := pushed{header: r.Header.Clone()}
		if err == nil {
			err = json.Unmarshal(body, &p.body)
		}
		if err != nil {
			t.Error(err)
		}
		told <- p
	}))
	t.Cleanup(server.Close)
	return server.URL + "/hook", told
}

// pushing has a house deliver, to this machine, too.
func (h *house) pushing(change *Options) {
	d := webhook.New(webhook.Options{
		Open: openStore(h.dir), Keys: &webhook.Keys{Dir: h.dir}, Say: func(line string) { h.t.Log(line) },
	})
	h.over = append(h.over, func() {
		over, cancel := context.WithCancel(context.Background())
		cancel()
		if err := d.Close(over); err != nil {
			h.t.Error(err)
		}
	})
	change.Deliverer = d
	change.PushAllow = func() []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} }
}

func newPushingHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir()}
	h.open(h.pushing)
	t.Cleanup(h.close)
	return h
}

// TestPushOfNobody tells a receiver nothing while the principal whose task it is may follow none: it is told on later.
func TestPushOfNobody(t *testing.T) {
	t.Parallel()
	var follows atomic.Bool
	h := &house{t: t, dir: t.TempDir()}
	h.open(func(o *Options) {
		h.pushing(o)
		o.Follows = func(principal string) bool { return principal == "otto" || follows.Load() }
	})
	t.Cleanup(h.close)
	for _, who := range []string{"anna", "otto"} { // what his receiver is told comes after hers would have been
		url, told := receiver(t)
		params := strings.TrimSuffix(message("chunks", ""), "}") + `,"configuration":{"taskPushNotificationConfig":{"url":"` + url + `"}}}`
		if _, failure := h.rpc(who, "SendMessage", params); failure != nil {
			t.Fatal(failure)
		}
		if who == "otto" {
			<-told
			continue
		}
		defer func() {
			if len(told) > 0 {
				t.Errorf("%d were told", len(told))
			}
			follows.Store(true)
			h.door.Recheck() // nothing else happens
			<-told
		}()
	}
}

// TestPushAllow has addresses allowed, and taken away again, while the server runs.
func TestPushAllow(t *testing.T) {
	t.Parallel()
	var allows atomic.Bool
	h := &house{t: t, dir: t.TempDir()}
	h.open(func(o *Options) {
		h.pushing(o)
		all := o.PushAllow()
		o.PushAllow = func() []netip.Prefix {
			if allows.Load() {
				return all
			}
			return nil
		}
	})
	t.Cleanup(h.close)
	url, told := receiver(t)
	task := h.send("anna", "turn")
	config := fmt.Sprintf(`{"taskId":%q,"url":%q}`, task["id"], url)
	if _, failure := h.rpc("anna", "CreateTaskPushNotificationConfig", config); failure["code"] != -32602.0 {
		t.Fatalf("not allowed: %v", failure)
	}
	allows.Store(true)
	h.door.Recheck()
	if _, failure := h.rpc("anna", "CreateTaskPushNotificationConfig", config); failure != nil {
		t.Fatal(failure)
	}
	h.rpc("anna", "SendMessage", message("turn", fmt.Sprintf(`,"taskId":%q`, task["id"])))
	for range 2 { // working, and waiting again
		<-told
	}
	allows.Store(false)
	h.door.Recheck()
	if _, failure := h.rpc("anna", "CreateTaskPushNotificationConfig", config); failure["code"] != -32602.0 {
		t.Errorf("not allowed any more: %v", failure)
	}
}

// TestPush has a receiver told of a task from its first event to its last, in order, with all that it wants to see.
func TestPush(t *testing.T) {
	t.Parallel()
	h := newPushingHouse(t)
	url, told := receiver(t)
	params := strings.TrimSuffix(message("chunks", ""), "}") + `,"configuration":{"taskPushNotificationConfig":{"url":"` + url +
		`","token":"tok","authentication":{"scheme":"Bearer","credentials":"cred"}}}}`
	result, failure := h.rpc("anna", "SendMessage", params)
	if failure != nil {
		t.Fatal(failure)
	}
	var got []string
	for len(got) < 4 {
		p := <-told
		for name, want := range map[string]string{"Authorization": "Bearer cred", "X-A2a-Notification-Token": "tok",
			"A2a-Notification-Token": "tok", "Content-Type": "application/a2a+json"} {
			if p.header.Get(name) != want {
				t.Errorf("%s is %q", name, p.header.Get(name))
			}
		}
		if p.header.Get("Webhook-Id") == "" || p.header.Get("Webhook-Signature") == "" {
			t.Errorf("it is not signed: %v", p.header)
		}
		got = append(got, fmt.Sprintf("%v,%v", at(p.body, "artifactUpdate.artifact.parts.text"), at(p.body, "statusUpdate.status.state")))
	}
	if want := "one ,<nil>|two ,<nil>|three,<nil>|<nil>,TASK_STATE_COMPLETED"; strings.Join(got, "|") != want {
		t.Errorf("told %q", got)
	}
	if config, failure := h.rpc("anna", "ListTaskPushNotificationConfigs", fmt.Sprintf(`{"taskId":%q}`, at(result, "task.id"))); failure != nil ||
		len(config["configs"].([]any)) != 1 {
		t.Errorf("after the end: %v, %v", config, failure)
	}
}

// TestPushLegacy registers with 0.3: the task is told as 0.3 has it.
func TestPushLegacy(t *testing.T) {
	t.Parallel()
	h := newPushingHouse(t)
	url, told := receiver(t)
	var answer struct{ Result map[string]any }
	read(t, h.request("anna", "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","role":"user",
		"messageId":"m","parts":[{"kind":"text","text":"chunks"}]},"configuration":{"pushNotificationConfig":{"url":"`+url+`"}}}}`, "A2A-Version", ""), &answer)
	p := <-told
	if p.body["kind"] != "task" || at(p.body, "status.state") != "completed" || at(p.body, "artifacts.parts.text") != "one two three" {
		t.Errorf("told %v, of %v", p.body, answer.Result)
	}
}

// TestPushConfigs is about the configs of a task, and who may see them.
func TestPushConfigs(t *testing.T) {
	t.Parallel()
	h := newPushingHouse(t)
	url, told := receiver(t)
	task := h.send("anna", "turn")
	id := task["id"].(string)
	config := func(more string) string { return `{"taskId":"` + id + `","url":"` + url + `"` + more + `}` }
	made, failure := h.rpc("anna", "CreateTaskPushNotificationConfig", config(`,"id":"c"`))
	if made["id"] != "c" || made["url"] != url || made["taskId"] != id {
		t.Fatalf("made: %v, %v", made, failure)
	}
	if again, _ := h.rpc("anna", "CreateTaskPushNotificationConfig", config("")); again["id"] == nil {
		t.Errorf("one without an id: %v", again)
	}
	if list, _ := h.rpc("anna", "ListTaskPushNotificationConfigs", `{"taskId":"`+id+`"}`); len(list["configs"].([]any)) != 2 {
		t.Errorf("listed: %v", list)
	}
	for method, params := range map[string]string{
		"CreateTaskPushNotificationConfig": config(""), "GetTaskPushNotificationConfig": `{"taskId":"` + id + `","id":"c"}`,
		"ListTaskPushNotificationConfigs": `{"taskId":"` + id + `"}`, "DeleteTaskPushNotificationConfig": `{"taskId":"` + id + `","id":"c"}`,
	} {
		_, others := h.rpc("bert", method, params)
		_, none := h.rpc("bert", method, strings.ReplaceAll(params, id, "none"))
		if others["code"] != -32001.0 || fmt.Sprint(others) != strings.ReplaceAll(fmt.Sprint(none), "none", id) {
			t.Errorf("%s by another: %v, and of no task %v", method, others, none)
		}
	}
	for _, bad := range []string{`,"url":"http://10.0.0.1/"`, `,"url":"ftp://example.com"`, `,"url":"x"`, `,"url":"https://user@example.com/"`,
		`,"url":"http://169.254.169.254/"`, `,"url":"https://[::1%25lo]/"`} {
		params := strings.Replace(config(""), `,"url":"`+url+`"`, bad, 1)
		if _, failure := h.rpc("anna", "CreateTaskPushNotificationConfig", params); failure["code"] != -32602.0 {
			t.Errorf("%s: %v", bad, failure)
		}
	}
	for _, bad := range []string{`,"token":"a\nb"`, `,"authentication":{"scheme":"Bearer x","credentials":"a"}`,
		`,"authentication":{"scheme":"Bearer","credentials":"a\r\nX: y"}`} {
		if _, failure := h.rpc("anna", "CreateTaskPushNotificationConfig", config(bad)); failure["code"] != -32602.0 {
			t.Errorf("%s: %v", bad, failure)
		}
	}
	if _, failure := h.rpc("anna", "CreateTaskPushNotificationConfig",
		config(`,"id":"s","token":"canary-t","authentication":{"scheme":"Bearer","credentials":"canary-c"}`)); failure != nil {
		t.Fatal(failure)
	}
	if result, failure := h.rpc("admin", "CreateTaskPushNotificationConfig", config("")); failure["code"] != -32004.0 {
		t.Errorf("the admin has another's task pushed: %v, %v", result, failure)
	}
	for method, params := range map[string]string{"GetTaskPushNotificationConfig": `{"taskId":"` + id + `","id":"s"}`,
		"ListTaskPushNotificationConfigs": `{"taskId":"` + id + `"}`} {
		mine, _ := h.rpc("anna", method, params)
		theirs, _ := h.rpc("admin", method, params)
		if strings.Count(fmt.Sprint(mine), "canary") != 2 || theirs == nil || strings.Contains(fmt.Sprint(theirs), "canary") {
			t.Errorf("%s: its owner gets %v, the admin %v", method, mine, theirs)
		}
	}
	h.rpc("anna", "DeleteTaskPushNotificationConfig", `{"taskId":"`+id+`","id":"s"}`)
	for range 2 { // it is idempotent
		if _, failure := h.rpc("anna", "DeleteTaskPushNotificationConfig", `{"taskId":"`+id+`","id":"c"}`); failure != nil {
			t.Errorf("deleted: %v", failure)
		}
	}
	if _, failure := h.rpc("anna", "GetTaskPushNotificationConfig", `{"taskId":"`+id+`","id":"c"}`); failure["code"] != -32001.0 {
		t.Errorf("got a deleted one: %v", failure)
	}
	for i := range 60 {
		if _, failure := h.rpc("anna", "CreateTaskPushNotificationConfig", config(fmt.Sprintf(`,"id":"n%d"`, i))); (failure != nil) != (i >= 49) {
			t.Errorf("config %d: %v", i, failure)
		}
	}
	select {
	case p := <-told:
		t.Errorf("told before anything happened: %v", p.body)
	default:
	}
}

// TestPushSurvives ends the server before anybody was told: the next one does it.
func TestPushSurvives(t *testing.T) {
	t.Parallel()
	h := newPushingHouse(t)
	url, told := receiver(t)
	task := h.send("anna", "turn")
	if _, failure := h.rpc("anna", "CreateTaskPushNotificationConfig", fmt.Sprintf(`{"taskId":%q,"url":%q}`, task["id"], url)); failure != nil {
		t.Fatal(failure)
	}
	h.close()
	h.open(h.pushing)
	h.rpc("anna", "SendMessage", message("do it", fmt.Sprintf(`,"taskId":%q`, task["id"])))
	var got []string
	for len(got) == 0 || got[len(got)-1] != "TASK_STATE_COMPLETED" {
		got = append(got, fmt.Sprint(at((<-told).body, "statusUpdate.status.state")))
	}
	if want := "TASK_STATE_INPUT_REQUIRED TASK_STATE_WORKING TASK_STATE_COMPLETED"; strings.Join(got, " ") != want { // it was asked again
		t.Errorf("told %v", got)
	}
}

// TestRestartsAddNothing has tasks that wait go on waiting over restarts, of which nobody is told: the question stands there,
// and counts, as before.
func TestRestartsAddNothing(t *testing.T) {
	t.Parallel()
	h := newPushingHouse(t)
	url, told := receiver(t)
	tasks, seen := map[string]any{}, map[string]bool{}
	next := func() any { // the state that is told next, for the first time: what was told may not be settled when a server ends
		for {
			p := <-told
			if id := p.header.Get("Webhook-Id"); !seen[id] {
				seen[id] = true
				return at(p.body, "statusUpdate.status.state")
			}
		}
	}
	for _, verb := range []string{"ask", "call"} {
		params := strings.TrimSuffix(message(verb, ""), "}") + `,"configuration":{"taskPushNotificationConfig":{"url":"` + url + `"}}}`
		result, failure := h.rpc("anna", "SendMessage", params)
		if failure != nil {
			t.Fatal(failure)
		}
		tasks[verb] = at(result, "task.id")
		next()
	}
	seq := func(id any) int64 {
		task, err := h.log.Get(t.Context(), id.(string))
		if err != nil {
			t.Fatal(err)
		}
		return task.Seq
	}
	before := map[string]int64{"ask": seq(tasks["ask"]), "call": seq(tasks["call"])}
	for range 5 {
		h.close()
		h.open(h.pushing)
		for _, id := range tasks { // it asks by now
			for r := h.door.of(id.(string)); ; runtime.Gosched() {
				if waits, _ := r.waits(); waits {
					break
				}
			}
		}
	}
	for verb, id := range tasks {
		if now := seq(id); now != before[verb] {
			t.Errorf("%s has %d events, and had %d", verb, now, before[verb])
		}
		answered, failure := h.rpc("anna", "SendMessage", message("yes", fmt.Sprintf(`,"taskId":%q`, id)))
		if at(answered, "task.status.state") != "TASK_STATE_COMPLETED" {
			t.Errorf("%s, answered: %v %v", verb, answered, failure)
		}
	}
	for range 4 { // both work, and are done
		if state := next(); state == "TASK_STATE_INPUT_REQUIRED" {
			t.Error("it is pushed that it asks, once more")
		}
	}
}

// TestPushesLeaveNothing has nothing known any more of configs whose task has ended, of one that was deleted, and of one
// that had nothing more to be told when the process before was killed; and the figures say what was delivered.
func TestPushesLeaveNothing(t *testing.T) {
	t.Parallel()
	h := &house{t: t, dir: t.TempDir()}
	s, err := openStore(h.dir)(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	left := store.Webhook{WebhookKey: store.WebhookKey{Source: pushSource, ID: "gone/config"}, Position: 3}
	if err := s.EnlistWebhooks(t.Context(), []store.Webhook{left}); err != nil {
		t.Fatal(err)
	}
	h.open(h.pushing)
	t.Cleanup(h.close)
	url, told := receiver(t)
	task := h.send("anna", "turn")
	config := fmt.Sprintf(`{"taskId":%q,"id":"c","url":%q}`, task["id"], url)
	if _, failure := h.rpc("anna", "CreateTaskPushNotificationConfig", config); failure != nil {
		t.Fatal(failure)
	}
	params := strings.TrimSuffix(message("chunks", ""), "}") + `,"configuration":{"taskPushNotificationConfig":{"url":"` + url + `"}}}`
	h.rpc("anna", "SendMessage", params)
	for range 4 {
		<-told
	}
	figures := func() string {
		body, err := io.ReadAll(h.request("anna", "GET", "/metrics/push-notifications", "").Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	for deadline := time.Now().Add(time.Minute); ; runtime.Gosched() { // until what is known of the four is kept
		if text := figures(); strings.Contains(text, `"delivery_stats":{"failed_deliveries":0,"success_rate":100,"successful_deliveries":4,"total_deliveries":4}`) &&
			strings.Contains(text, `"configuration_stats":{"active_configs":1,"expired_configs":1,"total_configs":2}`) {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("the figures are %s", text)
		}
	}
	h.rpc("anna", "DeleteTaskPushNotificationConfig", config)
	for deadline := time.Now().Add(time.Minute); ; runtime.Gosched() {
		list, err := s.Webhooks(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 {
			return
		} else if time.Now().After(deadline) {
			t.Fatalf("known are still %+v", list)
		}
	}
}

// TestNoPush is about a server that delivers nothing.
func TestNoPush(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	if _, failure := h.rpc("anna", "CreateTaskPushNotificationConfig", `{"taskId":"x","url":"https://example.com"}`); failure["code"] != -32003.0 {
		t.Errorf("got %v", failure)
	}
}
