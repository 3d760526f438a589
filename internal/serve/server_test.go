package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// house is a running daemon for tests.
type house struct {
	*Server
	t    *testing.T
	stop context.CancelFunc
	now  context.CancelFunc
	over chan error // gets what Run returns
}

// run starts a daemon with doors, whose principals are one, with the token tok-one and the scope tools, and
// none, with tok-none and no scope. It is ended with the test.
func run(t *testing.T, change func(*Options), doors ...Door) *house {
	t.Helper()
	o := Options{
		Settings: Settings{Listen: []string{"127.0.0.1:0"}, Limits: DefaultLimits(), Grace: time.Minute}, Doors: doors,
		Ready: func() error { return nil }, Say: func(line string) { t.Log(line) },
		Known: []Identity{
			{Principal{Name: "one", Scopes: []Scope{ScopeTools}}, "tok-one"},
			{Principal{Name: "none"}, "tok-none"},
		},
	}
	if change != nil {
		change(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Listen(); err != nil {
		t.Fatal(err)
	}
	h := &house{Server: s, t: t, over: make(chan error, 1)}
	var stop, now context.Context
	stop, h.stop = context.WithCancel(context.Background())
	now, h.now = context.WithCancel(context.Background())
	go func() { h.over <- s.Run(stop, now) }() // ends with the test
	t.Cleanup(func() {
		h.stop()
		h.now()
		if err := <-h.over; err != nil {
			t.Error(err)
		}
		h.over <- nil
	})
	return h
}

// get asks for a path with a token, and returns the answer with its body.
func (h *house) get(path, token string) (*http.Response, string) {
	h.t.Helper()
	request, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, h.base+path, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		h.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return answer, string(body)
}

// who answers with who calls.
var who = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, PrincipalOf(r.Context())) })

// TestScopes has a route reached by those who have its scope, and by nobody else.
func TestScopes(t *testing.T) {
	t.Parallel()
	h := run(t, nil, Door{Name: "d", Routes: []Route{
		{Pattern: "/tools", Scope: ScopeTools, Handler: who, Metadata: "/meta"},
		{Pattern: "/any", Scope: AnyPrincipal, Handler: who},
		{Pattern: "/public", Scope: Anybody, Handler: who},
	}})
	for _, test := range []struct {
		path, token string
		status      int
		says        string
	}{
		{"/tools", "tok-one", 200, "one"},
		{"/tools", "tok-none", 403, `lacks the scope tools`},
		{"/tools", "", 401, "no token was shown"},
		{"/tools", "tok-two", 401, "not one that counts here"},
		{"/any", "tok-none", 200, "none"},
		{"/any", "", 401, "no token was shown"},
		{"/public", "", 200, "<nil>"},
		{"/elsewhere", "tok-one", 404, ""},
	} {
		answer, body := h.get(test.path, test.token)
		if answer.StatusCode != test.status || !strings.Contains(body, test.says) {
			t.Errorf("%s with %q: %s, %s; want %d, %s", test.path, test.token, answer.Status, body, test.status, test.says)
		}
		challenge := answer.Header.Get("WWW-Authenticate")
		if want := test.status == 401 || test.status == 403; want != (challenge != "") {
			t.Errorf("%s with %q: challenged with %q", test.path, test.token, challenge)
		}
		if test.path == "/tools" && test.status >= 400 &&
			(!strings.Contains(challenge, `scope="tools"`) || !strings.Contains(challenge, h.base+`/meta"`)) {
			t.Errorf("%s with %q: challenged with %q", test.path, test.token, challenge)
		}
	}
}

// TestFirstLine has the members of doors in it.
func TestFirstLine(t *testing.T) {
	t.Parallel()
	h := run(t, func(o *Options) { o.TokenFile = "/t" }, Door{Name: "d", FirstLine: func(base string) map[string]any {
		return map[string]any{"b": 1, "a": base + "/a"}
	}})
	line, err := h.FirstLine()
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("{\"url\":%q,\"token_file\":\"/t\",\"a\":%q,\"b\":1}\n", h.base, h.base+"/a")
	if string(line) != want || !json.Valid(line) {
		t.Errorf("got %s, want %s", line, want)
	}
}

// TestMountRefuses has doors that cannot be mounted said to be so, before anything is listened at.
func TestMountRefuses(t *testing.T) {
	t.Parallel()
	for name, routes := range map[string][]Route{
		"no scope":    {{Pattern: "/x", Handler: who}},
		"no handler":  {{Pattern: "/x", Scope: ScopeTools}},
		"twice":       {{Pattern: "/x", Scope: ScopeTools, Handler: who}, {Pattern: "/x", Scope: Anybody, Handler: who}},
		"the frame's": {{Pattern: "GET /healthz", Scope: ScopeTools, Handler: who}},
	} {
		if _, err := New(Options{Settings: Settings{Limits: DefaultLimits()}, Doors: []Door{{Name: "dee", Routes: routes}}}); err == nil || !strings.Contains(err.Error(), "the door dee") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDrain has the daemon end in order: no request begins, the one under way ends by itself, and then the
// streams are told.
func TestDrain(t *testing.T) {
	t.Parallel()
	begun, goOn, ended := make(chan bool, 2), make(chan bool), make(chan string, 3)
	h := run(t, nil, Door{
		Name: "d",
		Routes: []Route{
			{Pattern: "/works", Scope: ScopeTools, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				begun <- true
				<-goOn
				ended <- fmt.Sprint("work ", r.Context().Err())
			})},
			{Pattern: "/tells", Scope: ScopeTools, Streams: true, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				begun <- true
				<-r.Context().Done()
				ended <- fmt.Sprint("stream ", context.Cause(r.Context()))
			})},
			{Pattern: "/other", Scope: ScopeTools, Handler: who},
		},
		Drain: func(ctx context.Context) { // as a door that waits for its work
			goOn <- true
			ended <- fmt.Sprint("drained ", <-ended, " ", ctx.Err())
		},
	})
	var asking sync.WaitGroup
	asking.Go(func() { h.get("/works", "tok-one") }) // both end with the daemon
	asking.Go(func() { h.get("/tells", "tok-one") })
	<-begun
	<-begun
	h.draining.Store(true)
	if answer, _ := h.get("/other", "tok-one"); answer.StatusCode != 503 || answer.Header.Get("Retry-After") == "" {
		t.Errorf("a request while the daemon ends: %s, %v", answer.Status, answer.Header)
	}
	if answer, body := h.get("/readyz", ""); answer.StatusCode != 503 || !strings.Contains(body, "the daemon ends") {
		t.Errorf("ready: %s, %s", answer.Status, body)
	}
	h.stop()
	if err := <-h.over; err != nil {
		t.Error(err)
	}
	h.over <- nil
	asking.Wait()
	if first, second := <-ended, <-ended; first != "drained work <nil> <nil>" || second != "stream "+errEnds.Error() {
		t.Errorf("%q, %q", first, second)
	}
}

// TestReady names what keeps calls from being taken.
func TestReady(t *testing.T) {
	t.Parallel()
	why := errors.New("a detail that nobody is told")
	h := run(t, func(o *Options) { o.Ready = func() error { return why } }, Door{Name: "dee", Ready: func() error { return why }})
	answer, body := h.get("/readyz", "")
	if answer.StatusCode != 503 || !strings.Contains(body, `"waits_for":["the record","dee"]`) || strings.Contains(body, "detail") {
		t.Errorf("%s, %s", answer.Status, body)
	}
	if answer, body := h.get("/healthz", ""); answer.StatusCode != 200 {
		t.Errorf("%s, %s", answer.Status, body)
	}
}
