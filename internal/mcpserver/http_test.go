package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A session is its principal's alone, and ends when it is told to.
func TestSessionsArePrincipals(t *testing.T) {
	t.Parallel()
	w := newWeb(t, newServer(t, fakeTools{list: oneTool("a"), call: echo}), HTTPOptions{})
	session := w.begin("alice")
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for _, row := range []struct {
		name, who, session string
		want               int
	}{
		{"its own", "alice", session, 200}, {"another's", "bob", session, 404}, {"nobody's", "", session, 404},
		{"one that there is not", "alice", "0123", 404},
	} {
		if status, text := w.post(list, "X-Who", row.who, headerSession, row.session); status != row.want {
			t.Errorf("%s: %d %s", row.name, status, text)
		}
	}
	for who, want := range map[string]int{"bob": 404, "alice": 204} {
		if who == "alice" {
			continue
		}
		if got := w.do(t.Context(), http.MethodDelete, "", "X-Who", who, headerSession, session).StatusCode; got != want {
			t.Errorf("%s ends it: %d", who, got)
		}
		if got := w.do(t.Context(), http.MethodGet, "", "X-Who", who, headerSession, session).StatusCode; got != want {
			t.Errorf("%s listens: %d", who, got)
		}
	}
	if got := w.do(t.Context(), http.MethodDelete, "", "X-Who", "alice", headerSession, session).StatusCode; got != 204 {
		t.Errorf("its own ends it: %d", got)
	}
	if status, _ := w.post(list, "X-Who", "alice", headerSession, session); status != 404 {
		t.Errorf("after the end: %d", status)
	}
}

// What a page of another origin, a name that is resolved anew, and a wrong form of a request get.
func TestRequestsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newWeb(t, newServer(t, fakeTools{list: oneTool("a"), call: echo}), HTTPOptions{MostBody: 1 << 20})
	list, headers := stateless("tools/list", "")
	call, _ := stateless("tools/call", `"name":"a"`)
	for _, row := range []struct {
		name, body string
		headers    []string
		want       int
		code       int // of the error
	}{
		{"as it should be", list, headers, 200, 0},
		{"another origin", list, append(headers, "Origin", "http://evil.example"), 403, codeRequest},
		{"no origin", list, append(headers, "Origin", "null"), 403, codeRequest},
		{"another name", list, append(headers, "Host", "evil.example"), 403, codeRequest},
		{"another name with our address in it", list, append(headers, "Host", "127.0.0.1.evil.example"), 403, codeRequest},
		{"no JSON", "junk", headers, 400, codeParse},
		{"nested deeply", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}}`, headers, 400, codeParams},
		{"nested beyond all", strings.Repeat("[", 1<<19), headers, 400, codeParse},
		{"too long", `"` + strings.Repeat("x", 1<<20) + `"`, headers, 413, codeRequest},
		{"a batch", "[" + list + "]", headers, 400, codeRequest},
		{"another type", list, append(headers, "Content-Type", "text/plain"), 415, codeRequest},
		{"nothing that we say", list, append(headers, "Accept", "text/html"), 406, codeRequest},
		{"a key twice", strings.Replace(list, `"method"`, `"method":"ping","method"`, 1), headers, 400, codeRequest},
		{"a key in another case", strings.Replace(list, `"id":1`, `"id":1,"Method":"tools/call"`, 1), headers, 400, codeRequest},
		{"no revision in the header", list, headers[2:], 400, codeHeader},
		{"another revision in the header", list, []string{headerRevision, "2025-11-25", headerMethod, "tools/list"}, 400, codeHeader},
		{"a revision that there is not", strings.Replace(list, Revision20260728, "2099-01-01", 1), []string{headerRevision, "2099-01-01", headerMethod, "tools/list"}, 400, codeRevision},
		{"another method in the header", list, []string{headerRevision, Revision20260728, headerMethod, "tools/call"}, 400, codeHeader},
		{"no name in the header", call, []string{headerRevision, Revision20260728, headerMethod, "tools/call"}, 400, codeHeader},
		{"another name in the header", call, []string{headerRevision, Revision20260728, headerMethod, "tools/call", headerName, "b"}, 400, codeHeader},
		{"a name in base64", call, []string{headerRevision, Revision20260728, headerMethod, "tools/call", headerName, "=?base64?YQ==?="}, 200, 0},
		{"bad base64", call, []string{headerRevision, Revision20260728, headerMethod, "tools/call", headerName, "=?base64?%%?="}, 400, codeHeader},
		{"answers beyond number", strings.Replace(call, `"name":"a"`, `"name":"a","inputResponses":{`+strings.TrimSuffix(
			strings.Repeat(`"k":1,`, 1000), ",")+`}`, 1), append(headers[:2:2], headerMethod, "tools/call", headerName, "a"), 200, codeParams},
		{"an answer twice", strings.Replace(call, `"name":"a"`, `"name":"a","inputResponses":{"k":1,"K":2}`, 1),
			append(headers[:2:2], headerMethod, "tools/call", headerName, "a"), 200, codeParams},
		{"no such method", strings.Replace(list, `tools/list`, `ping`, 1), []string{headerRevision, Revision20260728, headerMethod, "ping"}, 404, codeMethod},
		{"no session", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil, 400, codeHeader},
		{"a response", `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 400, codeRequest},
	} {
		status, text := w.post(row.body, row.headers...)
		var said struct {
			Error struct {
				Code int `json:"code"`
			} `json:"error"`
		}
		_ = json.Unmarshal([]byte(text), &said) // shown where it is wrong
		if status != row.want || said.Error.Code != row.code {
			t.Errorf("%s: %d %.300s, want %d and %d", row.name, status, text, row.want, row.code)
		}
	}
}

// sendUnread sends a request of which nobody reads the response.
func sendUnread(ctx context.Context, url, body string, headers []string) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	if response, err := http.DefaultClient.Do(r); err == nil {
		response.Body.Close()
	}
}

// Who hangs up gives a request up that stands for itself; in a session it goes on, and the rest is told to
// another connection.
func TestHangingUp(t *testing.T) {
	t.Parallel()
	begun, why, free := make(chan Call, 1), make(chan error, 1), make(chan struct{})
	w := newWeb(t, newServer(t, fakeTools{list: oneTool("a"), call: func(ctx context.Context, call Call) (CallResult, error) {
		call.Progress(Progress{Text: "one"})
		begun <- call
		select {
		case <-ctx.Done():
			why <- context.Cause(ctx)
			return CallResult{}, nil
		case <-free:
			call.Progress(Progress{Text: "two"})
			return CallResult{Content: "done"}, nil
		}
	}}), HTTPOptions{})

	body, headers := stateless("tools/call", `"name":"a"`, headerName, "a")
	ctx, hangUp := context.WithCancel(t.Context())
	go sendUnread(ctx, w.url, body, headers) // ends when it hangs up
	<-begun
	hangUp()
	if err := <-why; err == nil {
		t.Error("the call goes on")
	}

	session := w.begin("alice")
	ctx, hangUp = context.WithCancel(t.Context())
	response := w.do(ctx, http.MethodPost, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":1}}}`,
		"X-Who", "alice", headerSession, session)
	lines := bufio.NewReader(response.Body)
	last, message := "", ""
	for message == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			last = strings.TrimSpace(id)
		}
		message, _ = strings.CutPrefix(line, "data: ")
		if !strings.HasPrefix(line, "data: ") {
			message = ""
		}
	}
	if !strings.Contains(message, `"one"`) || last == "" {
		t.Fatalf("event %q: %s", last, message)
	}
	<-begun
	hangUp()
	close(free)
	response = w.do(t.Context(), http.MethodGet, "", "X-Who", "alice", headerSession, session, headerLast, last)
	rest := make([]byte, 0, 1<<10)
	for part := make([]byte, 1<<10); ; {
		n, err := response.Body.Read(part)
		rest = append(rest, part[:n]...)
		if err != nil {
			break
		}
	}
	if text := string(rest); strings.Contains(text, `"one"`) || !strings.Contains(text, `"two"`) || !strings.Contains(text, `"done"`) {
		t.Errorf("the rest is %s", text)
	}
	if got := w.do(t.Context(), http.MethodGet, "", "X-Who", "bob", headerSession, session, headerLast, last).StatusCode; got != 404 {
		t.Errorf("another is told the rest: %d", got)
	}
}

// There are so many sessions and no more; nobody pushes another's out, and those that nobody uses end.
func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWeb(t, newServer(t, fakeTools{list: oneTool("a"), call: echo}), HTTPOptions{MostSessions: 3})
	bob := w.begin("bob")
	first := w.begin("alice")
	second := w.begin("alice")
	third := w.begin("alice") // in place of the first
	for session, want := range map[string]int{first: 404, second: 200, third: 200} {
		if status, _ := w.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "X-Who", "alice", headerSession, session); status != want {
			t.Errorf("alice: %d, want %d", status, want)
		}
	}
	if status, _ := w.post(initialize, "X-Who", "carol"); status != 503 {
		t.Errorf("carol: %d", status)
	}
	if status, _ := w.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "X-Who", "bob", headerSession, bob); status != 200 {
		t.Errorf("bob: %d", status)
	}
	w.front.mu.Lock()
	for _, x := range w.front.sessions {
		x.used = time.Now().Add(-time.Hour)
	}
	w.front.mu.Unlock()
	w.front.sweep()
	if status, _ := w.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "X-Who", "bob", headerSession, bob); status != 404 {
		t.Errorf("after the sweep: %d", status)
	}
}

// One principal does not have all the sessions that there may be.
func TestSessionsForOthers(t *testing.T) {
	t.Parallel()
	w := newWeb(t, newServer(t, fakeTools{list: oneTool("a"), call: echo}), HTTPOptions{MostSessions: 4})
	for range 4 {
		w.begin("alice")
	}
	if status, _ := w.post(initialize, "X-Who", "bob"); status != 200 {
		t.Errorf("bob: %d", status)
	}
}

// A stream that listens is told of changes in both eras.
func TestChangesAreTold(t *testing.T) {
	t.Parallel()
	s := newServer(t, fakeTools{list: oneTool("a"), call: echo})
	w := newWeb(t, s, HTTPOptions{})
	session := w.begin("alice")
	listen, headers := stateless("subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
	for name, response := range map[string]*http.Response{
		"old": w.do(t.Context(), http.MethodGet, "", "X-Who", "alice", headerSession, session),
		"new": w.do(t.Context(), http.MethodPost, listen, headers...),
	} {
		lines := bufio.NewScanner(response.Body)
		if name == "new" {
			for lines.Scan() && !strings.Contains(lines.Text(), "acknowledged") {
			}
		}
		s.Changed()
		for lines.Scan() {
			if strings.Contains(lines.Text(), "list_changed") {
				break
			}
		}
		if !strings.Contains(lines.Text(), changedTools) {
			t.Errorf("%s: %v", name, lines.Err())
		}
		if name == "new" && !strings.Contains(lines.Text(), fmt.Sprintf(`"%s":1`, metaSubscription)) {
			t.Errorf("which subscription it is, is not told: %s", lines.Text())
		}
	}
}

// Calls that are not admitted are told when they may come again.
func TestAdmittance(t *testing.T) {
	t.Parallel()
	w := newWeb(t, newServer(t, fakeTools{list: oneTool("a"), call: echo}), HTTPOptions{
		Admit: func(r *http.Request) (func(), time.Duration, bool) { return nil, 1500 * time.Millisecond, false }})
	body, headers := stateless("tools/call", `"name":"a"`, headerName, "a")
	response := w.do(t.Context(), http.MethodPost, body, headers...)
	if response.StatusCode != 429 || response.Header.Get("Retry-After") != "2" {
		t.Errorf("%s, Retry-After %q", response.Status, response.Header.Get("Retry-After"))
	}
	if body, headers = stateless("tools/list", ""); w.do(t.Context(), http.MethodPost, body, headers...).StatusCode != 200 {
		t.Error("a list is refused, too")
	}
}

// taskLog keeps tasks in memory.
type taskLog struct {
	mu    sync.Mutex
	tasks map[string]Task
}

func (l *taskLog) Keep(_ context.Context, task Task) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tasks[task.ID] = task
	return nil
}

func (l *taskLog) Get(_ context.Context, _, id string) (Task, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	task, ok := l.tasks[id]
	if !ok {
		return task, ErrNoTask
	}
	return task, nil
}

// A call that has become a task keeps its place among those of its principal until it has ended, and one that waited
// needs a place before it goes on.
func TestTasksKeepTheirPlaces(t *testing.T) {
	t.Parallel()
	free, hold := make(chan struct{}, 1), make(chan struct{})
	free <- struct{}{}
	defer close(hold)
	var made atomic.Int64
	s, err := New(Options{Tasks: &taskLog{tasks: map[string]Task{}}, Key: func() ([]byte, error) { return []byte("k"), nil },
		Tools: fakeTools{list: oneTool("a"), call: func(ctx context.Context, call Call) (CallResult, error) {
			made.Add(1)
			if string(call.Arguments) == `{"ask":1}` && call.Answers == nil {
				return CallResult{Input: &InputRequired{State: "q", Waits: true, Requests: map[string]InputRequest{
					"approval": {Method: "elicitation/create", Params: json.RawMessage(`{}`)}}}}, nil
			}
			call.Defer()
			select {
			case <-hold:
			case <-ctx.Done():
			}
			return CallResult{}, nil
		}}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.CloseTasks()
	w := newWeb(t, s, HTTPOptions{Admit: func(*http.Request) (func(), time.Duration, bool) {
		select {
		case <-free:
			return sync.OnceFunc(func() { free <- struct{}{} }), 0, true
		default:
			return nil, time.Second, false
		}
	}})
	do := func(method, params, name string) (int, string) {
		body, headers := stateless(method, params, headerName, name)
		body = strings.Replace(body, `{"elicitation":{}}`, `{"elicitation":{},"extensions":{"`+tasksExtension+`":{}}}`, 1)
		response := w.do(t.Context(), http.MethodPost, body, headers...)
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(text)
	}
	id := func(text string) string {
		_, rest, _ := strings.Cut(text, `"taskId":"`)
		id, _, _ := strings.Cut(rest, `"`)
		return id
	}
	_, asked := do("tools/call", `"name":"a","arguments":{"ask":1}`, "a")
	status, long := do("tools/call", `"name":"a","arguments":{}`, "a")
	if id(asked) == "" || status != http.StatusOK || id(long) == "" {
		t.Fatalf("asked %s, long %d %s", asked, status, long)
	}
	if status, text := do("tools/call", `"name":"a","arguments":{}`, "a"); status != http.StatusTooManyRequests {
		t.Errorf("beside a task that runs another call begins: %d %s", status, text)
	}
	waiting := `"taskId":"` + id(asked) + `"`
	before := made.Load()
	do("tasks/update", waiting+`,"inputResponses":{"1.approval":{"action":"accept"}}`, id(asked))
	if _, text := do("tasks/get", waiting, id(asked)); made.Load() != before || !strings.Contains(text, `"input_required"`) {
		t.Errorf("beside a task that runs one that waited goes on: %s", text)
	}
	do("tasks/cancel", `"taskId":"`+id(long)+`"`, id(long))
	free <- <-free // it has ended
	if _, text := do("tasks/get", waiting, id(asked)); !strings.Contains(text, `"working"`) {
		t.Errorf("with a place, one that waited does not go on: %s", text)
	}
}

// memoryTasks keeps tasks as long as a test.
type memoryTasks struct {
	mu   sync.Mutex
	kept map[string]Task
}

func (m *memoryTasks) Keep(_ context.Context, task Task) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept[task.ID] = task
	return nil
}

func (m *memoryTasks) Get(_ context.Context, principal, id string) (Task, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if task, ok := m.kept[id]; ok && task.Principal == principal {
		return task, nil
	}
	return Task{}, ErrNoTask
}

// Of a principal that is taken away nothing goes on: no session, no call that its client does not wait for, no task.
// That of others does.
func TestExpel(t *testing.T) {
	t.Parallel()
	ended := make(chan string, 4)
	begun := make(chan bool, 4)
	tools := fakeTools{list: oneTool("wait"), call: func(ctx context.Context, c Call) (CallResult, error) {
		c.Defer()
		begun <- true
		<-ctx.Done()
		ended <- c.Client.Principal + ": " + context.Cause(ctx).Error()
		return CallResult{}, context.Cause(ctx)
	}}
	s, err := New(Options{Tools: tools, Tasks: &memoryTasks{kept: map[string]Task{}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.CloseTasks)
	w := newWeb(t, s, HTTPOptions{})
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`
	for _, who := range []string{"anna", "ben"} {
		session := w.begin(who)
		ctx, hangUp := context.WithCancel(t.Context())
		waiting := make(chan bool)
		go func() { // ends with hangUp
			defer close(waiting)
			request, _ := http.NewRequestWithContext(ctx, http.MethodPost, w.url, strings.NewReader(call))
			request.Header = http.Header{"Content-Type": {"application/json"}, headerSession: {session}, "X-Who": {who}}
			if answer, err := http.DefaultClient.Do(request); err == nil {
				answer.Body.Close()
			}
		}()
		<-begun
		hangUp()
		<-waiting
		body, headers := stateless("tools/call", `"name":"wait"`, headerName, "wait", "X-Who", who)
		body = strings.Replace(body, `{"elicitation":{}}`, `{"extensions":{"`+tasksExtension+`":{}}}`, 1)
		if _, text := w.post(body, headers...); !strings.Contains(text, `"taskId"`) {
			t.Fatalf("no task: %s", text)
		}
		<-begun
		if who == "anna" {
			defer func() {
				if status, _ := w.post(`{"jsonrpc":"2.0","id":2,"method":"ping"}`, headerSession, session, "X-Who", who); status != http.StatusNotFound {
					t.Errorf("her session answers with %d", status)
				}
			}()
		}
	}
	w.front.Expel("anna")
	for range 2 {
		if got := <-ended; got != "anna: "+ErrRevoked.Error() {
			t.Errorf("it ended so: %s", got)
		}
	}
	select {
	case got := <-ended:
		t.Errorf("it ended, too: %s", got)
	default:
	}
}
