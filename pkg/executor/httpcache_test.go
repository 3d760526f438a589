package executor

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/answer"
	"github.com/a2a-acp/a2a-acp/internal/httptool"
	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// library is a service whose answers may be kept. Each says the how manieth it is, and to whom it was given.
type library struct {
	mu       sync.Mutex
	headers  map[string]string // of every answer
	status   int               // of the next answers; 0 for 200
	holds    bool              // what it is asked about still holds
	requests []*http.Request
}

func (l *library) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = append(l.requests, r)
	w.Header()["Date"] = nil // it has another clock than the test
	for name, value := range l.headers {
		w.Header().Set(name, value)
	}
	if l.holds && (r.Header.Get("If-None-Match") != "" || r.Header.Get("If-Modified-Since") != "") {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if l.status != 0 {
		w.WriteHeader(l.status)
	}
	fmt.Fprintf(w, `{"answer": %d}`, len(l.requests))
}

func (l *library) asked() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.requests)
}

// set changes what the library answers from now on.
func (l *library) set(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

// reading makes a house with tools that read and change a book of a library, whose answers are kept. The clock is the
// test's.
func reading(t *testing.T, l *library) (h *house, at *time.Time) {
	t.Helper()
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	h = newHouse(t, rule(permissions.Approve))
	h.vault = vault{"key": shopKey}
	client := httptool.New()
	t.Cleanup(client.Close)
	now := time.Now()
	at = &now
	clock := func() time.Time { return *at }
	h.executor.client, h.executor.now, h.executor.turns = client, clock, &turns{now: clock, sleep: h.sleep}
	h.executor.requests = requests{client: client, now: clock, turns: h.executor.turns}
	var entries []*Entry
	for id, method := range map[string]string{"read": "GET", "change": "PUT", "look": "HEAD"} {
		book := script("")
		book.ID, book.Name, book.Script, book.Sandbox.AllowedPaths = id, id, "", nil
		book.Parameters = []tool.Parameter{{Name: "book", Type: tool.TypeString}, {Name: "tenant", Type: tool.TypeString},
			{Name: "password", Type: tool.TypeString, Secret: true}}
		book.Sandbox.References = map[string]tool.Reference{tool.AuthBearer.Reference(): {Secret: "key"}}
		book.Sandbox.Limits.Output = 1 << 20
		book.Caching.HTTP = method != "PUT"
		book.HTTP = &tool.HTTP{Method: method, Line: method + " " + server.URL + "/books/{{book}}", API: tool.API{Name: "library",
			Origin: server.URL, Addresses: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Auth: tool.Auth{Kind: tool.AuthBearer}}}
		if method == "GET" {
			book.HTTP.Answer.Pick = "/answer"
		}
		template, findings := request.Compile(request.Spec{Method: method, Base: server.URL, Path: "/books/{{book|default('1')}}",
			Headers: []request.Field{{Name: "X-Tenant", Value: request.Text("{{tenant}}")},
				{Name: "X-Request-Id", Value: request.Text("{{uuid()}}")}, {Name: "X-Password", Value: request.Text("{{password}}")}}}, book.Parameters)
		read, wrong := answer.Compile(book.HTTP.Answer, nil)
		if template == nil || len(wrong) > 0 {
			t.Fatal(findings, wrong)
		}
		entries = append(entries, &Entry{Tool: book, Request: template, Answer: read})
	}
	h.tools = NewTools(entries)
	return h, at
}

// reads makes a call with an id of its own.
func (h *house) reads(t *testing.T, as, name, arguments string) tool.Result {
	t.Helper()
	call := h.call(arguments)
	call.Tool, call.ID, call.Origin.Principal, call.Origin.Served = name, randomID(), as, as != ""
	return h.executor.Execute(t.Context(), call, person{h})
}

// TestStoredAnswer checks that an answer is given again while it is fresh, that the server is asked about it from then on,
// and what is told and recorded of both.
func TestStoredAnswer(t *testing.T) {
	t.Parallel()
	l := &library{headers: map[string]string{"Cache-Control": "max-age=60", "ETag": `"first"`}}
	h, now := reading(t, l)
	first := h.reads(t, "", "read", `{}`)
	again := h.reads(t, "", "read", `{}`)
	if first.Stdout != "1" || again.Stdout != "1" || l.asked() != 1 {
		t.Fatalf("got %q and then %q with %d requests, want 1 twice with one", first.Stdout, again.Stdout, l.asked())
	}
	report := func(r tool.Result) string {
		data, _ := json.Marshal(r.Metadata.HTTP)
		return strings.ReplaceAll(string(data), l.requests[0].Host, "HOST")
	}
	fresh := `{"method":"GET","url":"http://HOST/books/1","status":200,"attempts":0,"from_cache":true}`
	if got := report(again); got != fresh || !again.Cached || again.Status != tool.StatusCompleted {
		t.Errorf("told %s, cached %t, %s; want %s", got, again.Cached, again.Status, fresh)
	}
	*now = now.Add(time.Minute)
	l.set(func() { l.holds = true })
	if got := h.reads(t, "", "read", `{}`); got.Stdout != "1" || !got.Cached || got.Metadata.HTTP.Attempts != 1 || l.asked() != 2 ||
		l.requests[1].Header.Get("If-None-Match") != `"first"` || l.requests[1].Header.Get("Authorization") == "" {
		t.Errorf("a stale answer that holds: %+v of %+v with %d requests", got.Stdout, got.Metadata.HTTP, l.asked())
	}
	if got := h.reads(t, "", "read", `{}`); got.Stdout != "1" || l.asked() != 2 {
		t.Errorf("what holds is fresh again: %q with %d requests", got.Stdout, l.asked())
	}
	*now = now.Add(time.Minute)
	l.set(func() { l.holds, l.headers["ETag"] = false, `"second"` })
	if got := h.reads(t, "", "read", `{}`); got.Stdout != "3" || got.Cached || got.Metadata.HTTP.FromCache {
		t.Errorf("what does not hold is answered anew: %q, cached %t", got.Stdout, got.Cached)
	}
	var recorded []string
	for _, e := range h.of(events.ToolEnded) {
		recorded = append(recorded, fmt.Sprint(e.Outcome.Cached, e.Outcome.SameAs == first.CallID))
	}
	if want := []string{"false false", "true true", "true true", "true true", "false false"}; !slices.Equal(recorded, want) {
		t.Errorf("on record: %q, want %q", recorded, want)
	}
	if started := len(h.of(events.ToolStarted)); started != 3 {
		t.Errorf("%d requests are on record, want each of the 3 that were sent", started)
	}
}

// TestStoredFor checks for whom an answer is kept: for those who would send the very same request with the very same
// credential, and for nobody else.
func TestStoredFor(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change    func(h *house, l *library)
		as, tool  string
		arguments string
		want      int // requests
	}{
		"the same":              {nil, "", "read", `{}`, 1},
		"another book":          {nil, "", "read", `{"book":"2"}`, 2},
		"another tenant":        {nil, "", "read", `{"tenant":"b"}`, 2},
		"a principal":           {nil, "alice", "read", `{}`, 2},
		"another method":        {nil, "", "look", `{}`, 2},
		"another key":           {func(h *house, _ *library) { h.vault = vault{"key": "another-" + shopKey} }, "", "read", `{}`, 2},
		"a tool that is other":  {func(h *house, _ *library) { h.rewrite("read") }, "", "read", `{}`, 2},
		"another meaning":       {meansOther, "", "read", `{}`, 2},
		"rules that say no now": {func(h *house, _ *library) { h.authority = authorityOf(rule(permissions.Reject)) }, "", "read", `{}`, 1},
		"with a secret":         {nil, "", "read", `{"password":"hunter22-hunter22"}`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &library{headers: map[string]string{"Cache-Control": "max-age=60"}}
			h, _ := reading(t, l)
			h.reads(t, "", "read", `{}`)
			if test.change != nil {
				test.change(h, l)
			}
			got := h.reads(t, test.as, test.tool, test.arguments)
			if l.asked() != test.want || got.Cached != (test.want == 1 && got.Error == nil) {
				t.Errorf("%d requests, cached %t, want %d", l.asked(), got.Cached, test.want)
			}
			if strings.Contains(name, "rules") && got.Status != tool.StatusDenied {
				t.Errorf("status %s, want a denial", got.Status)
			}
		})
	}
}

// meansOther has an answer mean something by what it holds.
func meansOther(h *house, _ *library) {
	entry, _ := h.tools.Lookup("read")
	other, its := *entry, *entry.Tool
	its.ErrorMapping = map[int]tool.MappedError{meantBy(0): {Code: -32603, Message: "No", If: "body.answer == 1"}}
	other.Tool = &its
	other.Answer, _ = answer.Compile(its.HTTP.Answer, []string{"body.answer == 1"})
	h.tools = NewTools([]*Entry{&other})
}

func authorityOf(rules ...permissions.Rule) *permissions.Authority {
	return permissions.New(permissions.Options{Policies: permissions.NewSet([]permissions.File{{Version: permissions.Version2, Rules: rules}})})
}

// rewrite has a tool read something else of its answers.
func (h *house) rewrite(id string) {
	entry, _ := h.tools.Lookup(id)
	other, its := *entry, *entry.Tool
	wire := *its.HTTP
	wire.Answer.Pick = ""
	its.HTTP, other.Tool = &wire, &its
	other.Answer, _ = answer.Compile(wire.Answer, nil)
	h.tools = NewTools([]*Entry{&other})
}

// TestNotStored checks what is never given again.
func TestNotStored(t *testing.T) {
	t.Parallel()
	fresh := "max-age=60"
	for name, test := range map[string]struct {
		headers map[string]string
		status  int
		change  func(h *house, l *library) // between the two
	}{
		"no-store":                   {headers: map[string]string{"Cache-Control": "no-store"}},
		"a cookie":                   {headers: map[string]string{"Cache-Control": fresh, "Set-Cookie": "a=b"}},
		"it varies by anything":      {headers: map[string]string{"Cache-Control": fresh, "Vary": "*"}},
		"it varies by the call":      {headers: map[string]string{"Cache-Control": fresh, "Vary": "X-Request-Id"}},
		"it varies by the question":  {headers: map[string]string{"Cache-Control": fresh, "Vary": "If-None-Match"}},
		"it has failed":              {headers: map[string]string{"Cache-Control": fresh}, status: 404},
		"it is an error of theirs":   {headers: map[string]string{"Cache-Control": fresh}, status: 500},
		"it is another success":      {headers: map[string]string{"Cache-Control": fresh}, status: 203},
		"it repeats the credential":  {headers: map[string]string{"Cache-Control": fresh}, change: nil},
		"the book was changed":       {headers: map[string]string{"Cache-Control": fresh}, change: func(h *house, _ *library) { h.reads(h.t, "bob", "change", `{}`) }},
		"the key was refused":        {headers: map[string]string{"Cache-Control": fresh}, change: refused},
		"the clock has gone back":    {headers: map[string]string{"Cache-Control": fresh}, change: func(h *house, _ *library) { h.clock(-time.Hour) }},
		"a failed change is no such": {headers: map[string]string{"Cache-Control": fresh}, change: failedChange},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &library{headers: test.headers, status: test.status}
			h, _ := reading(t, l)
			if name == "it repeats the credential" {
				l.headers["X-Said"] = shopKey // headers are not told
				h.rewrite("read")
				h.vault = vault{"key": `{"answer": 1}`}
			}
			h.reads(t, "", "read", `{}`)
			if test.change != nil {
				test.change(h, l)
			}
			before := l.asked()
			got := h.reads(t, "", "read", `{}`)
			if stored := name == "a failed change is no such"; got.Cached != stored || (l.asked() == before) != stored {
				t.Errorf("cached %t, %d requests more", got.Cached, l.asked()-before)
			}
		})
	}
}

// refused has the library refuse the key once, for another book.
func refused(h *house, l *library) {
	l.set(func() { l.status = http.StatusUnauthorized })
	h.reads(h.t, "", "read", `{"book":"2"}`)
	l.set(func() { l.status = 0 })
}

func failedChange(h *house, l *library) {
	l.set(func() { l.status = http.StatusConflict })
	h.reads(h.t, "", "change", `{}`)
	l.set(func() { l.status = 0 })
}

// clock sets the house's clock forward.
func (h *house) clock(by time.Duration) {
	now := h.executor.now()
	h.executor.now = func() time.Time { return now.Add(by) }
}

// TestHoldsNot checks that a server is not believed that says of another answer that it still holds, or says so unasked.
func TestHoldsNot(t *testing.T) {
	t.Parallel()
	l := &library{headers: map[string]string{"Cache-Control": "max-age=60", "ETag": `"first"`}}
	h, now := reading(t, l)
	h.reads(t, "", "read", `{}`)
	*now = now.Add(time.Hour)
	l.set(func() { l.holds, l.headers["ETag"] = true, `"another"` })
	got := h.reads(t, "", "read", `{}`)
	if got.Stdout != "3" || got.Cached || l.asked() != 3 || l.requests[2].Header.Get("If-None-Match") != "" {
		t.Errorf("got %q with %d requests, want a third one that asks about nothing", got.Stdout, l.asked())
	}
	if n := len(h.of(events.ToolAttempted)); n != 1 {
		t.Errorf("%d attempts are on record beside the last, want 1", n)
	}
	l.set(func() { l.status = http.StatusNotModified })
	if got := h.reads(t, "", "read", `{"book":"2"}`); got.Status != tool.StatusFailed || got.ExitCode != http.StatusNotModified || got.Cached {
		t.Errorf("304 to a question that nobody asked: %s, %d", got.Status, got.ExitCode)
	}
}

// TestStaleIsNotGiven checks that a stale answer is given to nobody where its server fails, and is still asked about then.
func TestStaleIsNotGiven(t *testing.T) {
	t.Parallel()
	l := &library{headers: map[string]string{"Cache-Control": "max-age=60, stale-if-error=600", "ETag": `"first"`}}
	h, now := reading(t, l)
	h.reads(t, "", "read", `{}`)
	*now = now.Add(time.Hour)
	l.set(func() { l.status = http.StatusServiceUnavailable })
	if got := h.reads(t, "", "read", `{}`); got.Status != tool.StatusFailed || got.Cached {
		t.Errorf("status %s, cached %t, want the failure", got.Status, got.Cached)
	}
	l.set(func() { l.status, l.holds = 0, true })
	if got := h.reads(t, "", "read", `{}`); got.Stdout != "1" || !got.Cached {
		t.Errorf("got %q, cached %t, want the first one, which holds", got.Stdout, got.Cached)
	}
}

// TestStoredPerToken checks that an answer is kept for one token, and with it for one caller.
func TestStoredPerToken(t *testing.T) {
	t.Parallel()
	s := &shop{headers: map[string]string{"Cache-Control": "max-age=60"}}
	h, order := ordering(t, s)
	order.Caching.HTTP, order.HTTP.Method, order.HTTP.Line = true, "GET", "GET "+order.HTTP.API.Origin+"/orders"
	template, findings := request.Compile(request.Spec{Method: "GET", Base: order.HTTP.API.Origin, Path: "/orders"}, nil)
	if template == nil {
		t.Fatal(findings)
	}
	h.tools = NewTools([]*Entry{{Tool: order, Request: template}})
	s.quiet = true
	asked := func(token string) int {
		h.executor.Execute(t.Context(), h.by(token), person{h})
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.requests)
	}
	alice, bob := callersToken, callersToken+"-of-bob"
	for i, step := range []struct {
		token string
		want  int
	}{{alice, 1}, {alice, 1}, {bob, 2}, {bob, 2}} {
		if got := asked(step.token); got != step.want {
			t.Errorf("step %d: %d requests, want %d", i+1, got, step.want)
		}
	}
}
