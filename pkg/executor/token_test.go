package executor

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/httptool"
	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// What nobody is to see.
const (
	clientSecret = "client-secret-of-ours"
	callersToken = "eyJhbGciOi.token-that-alice-has-shown.c2lnbmF0dXJl"
)

// shop is a service whose token endpoint gives each caller tokens, one after the other, and that takes only the last of
// them. It repeats what it is shown.
type shop struct {
	mu        sync.Mutex
	exchanges int
	requests  []string // the credentials of those that came
	good      string   // the token that is taken; "" for all
	refuses   int      // how many tokens more are not taken when they come
	answer    string   // of the token endpoint, in place of a token
	headers   map[string]string
	quiet     bool // it does not repeat what it is shown
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path == "/token" {
		s.exchanges++
		w.Header().Set("Content-Type", "application/json")
		if s.answer != "" {
			io.WriteString(w, s.answer)
			return
		}
		s.good = fmt.Sprintf("token-number-%d-for-%s", s.exchanges, r.PostFormValue("subject_token"))
		json.NewEncoder(w).Encode(map[string]any{"access_token": s.good, "token_type": "Bearer", "expires_in": 300})
		return
	}
	shown := r.Header.Get("Authorization")
	for name, value := range s.headers {
		w.Header().Set(name, value)
	}
	s.requests = append(s.requests, shown)
	if shown != "Bearer "+s.good || s.refuses > 0 {
		s.refuses = max(0, s.refuses-1)
		w.WriteHeader(http.StatusUnauthorized)
	}
	if s.quiet {
		return
	}
	fmt.Fprintf(w, "you have shown %s", shown)
}

// ordering makes a house with a tool that sends a request to a shop, which wants a token for whoever calls.
func ordering(t *testing.T, s *shop) (*house, *tool.Tool) {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	h := newHouse(t, rule(permissions.Approve))
	h.vault = vault{"client": clientSecret}
	client := httptool.New()
	t.Cleanup(client.Close)
	h.executor.client, h.executor.requests = client, requests{client: client}
	order := script("")
	order.Script, order.Sandbox.AllowedPaths, order.Parameters = "", nil, nil
	order.Sandbox.References = map[string]tool.Reference{tool.ClientSecret: {Secret: "client"}}
	order.HTTP = &tool.HTTP{Method: "POST", Line: "POST " + server.URL + "/orders", API: tool.API{Name: "shop", Origin: server.URL,
		Addresses: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		Auth: tool.Auth{Kind: tool.AuthTokenExchange, Token: tool.TokenSource{URL: server.URL + "/token", ClientID: "us", Caller: true,
			ClientAuth: tool.ClientAuthBasic, Audience: "the-shop", Scopes: []string{"orders"}}}}}
	template, findings := request.Compile(request.Spec{Method: "POST", Base: server.URL, Path: "/orders"}, nil)
	if template == nil {
		t.Fatal(findings)
	}
	h.tools = NewTools([]*Entry{{Tool: order, Request: template}})
	return h, order
}

// by is a call that came with a token.
func (h *house) by(token string) tool.Call {
	call := h.call(`{}`)
	call.Origin.Token = tool.NewCredential(token)
	return call
}

// hidden checks that nothing of a secret is in what was recorded, told and shown.
func (h *house) hidden(told ...any) {
	h.t.Helper()
	text, err := json.Marshal(h.events)
	if err != nil {
		h.t.Fatal(err)
	}
	all := string(text) + fmt.Sprintf("%+v %#v", told, told)
	for _, canary := range []string{clientSecret, callersToken, "alice-has-shown", "token-number"} {
		if strings.Contains(all, canary) {
			h.t.Errorf("%s is to be found in %s", canary, all)
		}
	}
}

// TestExchangedToken guards what happens with a token for whoever calls: it is exchanged once for all his calls, the
// subject's own goes to the token endpoint alone, and neither is to be found anywhere.
func TestExchangedToken(t *testing.T) {
	t.Parallel()
	s := &shop{}
	h, _ := ordering(t, s)
	call := h.by(callersToken)
	preview, failure := h.executor.Preview(call)
	if failure != nil || !strings.Contains(preview.Request.Given["auth.token_exchange"], "gives the client us for whoever calls, audience the-shop, scopes orders") {
		t.Errorf("shown is %+v, %v", preview.Request, failure)
	}
	first := h.executor.Execute(t.Context(), call, person{h})
	second := h.executor.Execute(t.Context(), call, person{h})
	for _, result := range []tool.Result{first, second} {
		if result.Status != tool.StatusCompleted || result.Stdout != "you have shown Bearer [secret]" {
			t.Errorf("got %+v", result)
		}
	}
	if s.exchanges != 1 || len(s.requests) != 2 || strings.Contains(strings.Join(s.requests, ""), "Bearer "+callersToken) {
		t.Errorf("%d exchanges, and shown was %q", s.exchanges, s.requests)
	}
	h.hidden(call, preview, first, second)
	var took []float64
	for _, e := range h.events {
		if e.Type == events.ToolEnded {
			took = append(took, e.Outcome.TokenMillis)
		}
	}
	if len(took) != 2 || took[0] <= 0 || took[1] != 0 {
		t.Errorf("the endpoint took %v", took)
	}
	other := h.executor.Execute(t.Context(), h.by("another-callers-token"), person{h})
	if other.Status != tool.StatusCompleted || s.exchanges != 2 || s.requests[2] == s.requests[1] {
		t.Errorf("another caller: %+v, %d exchanges, shown was %q", other, s.exchanges, s.requests)
	}
}

// TestTokenNotTaken guards that a token which the server does not take any more is dropped, and the request sent once
// more with a new one, both on record; and that it ends there.
func TestTokenNotTaken(t *testing.T) {
	t.Parallel()
	s := &shop{}
	h, order := ordering(t, s)
	order.Retry = tool.Retry{Attempts: 1}
	call := h.by(callersToken)
	h.executor.Execute(t.Context(), call, person{h})
	s.good = "revoked"
	result := h.executor.Execute(t.Context(), call, person{h})
	if result.Status != tool.StatusCompleted || s.exchanges != 2 || len(s.requests) != 3 || result.Metadata.HTTP.Attempts != 2 {
		t.Errorf("%+v, %d exchanges, %d requests", result, s.exchanges, len(s.requests))
	}
	if h.count("record tool.attempted") != 1 || h.count("record tool.started") != 3 {
		t.Errorf("on record: %v", h.steps)
	}
	s.refuses = 2
	again := h.executor.Execute(t.Context(), call, person{h})
	if again.ExitCode != 401 || s.exchanges != 3 || len(s.requests) != 5 {
		t.Errorf("%+v, %d exchanges, %d requests", again, s.exchanges, len(s.requests))
	}
	h.refuses[events.ToolAttempted] = fmt.Errorf("the disk is full")
	s.refuses = 1
	unrecorded := h.executor.Execute(t.Context(), call, person{h})
	if unrecorded.ExitCode != 401 || len(s.requests) != 6 {
		t.Errorf("sent again without a record: %+v, %d requests", unrecorded, len(s.requests))
	}
	h.hidden(result, again, unrecorded)
}

// TestNoToken guards that nothing is sent without the token that is wanted, and that nobody is asked about a call that
// has nobody to exchange a token for.
func TestNoToken(t *testing.T) {
	t.Parallel()
	for answer, code := range map[string]tool.FailureCode{
		`{"error":"invalid_grant","error_description":"` + callersToken + clientSecret + `"}`:                   tool.FailTokenExchange,
		`{"access_token":"` + callersToken + `","token_type":"N_A"}`:                                            tool.FailTokenExchange,
		`{"access_token":"token-number-1","token_type":"Bearer","scope":"other ` + clientSecret + `"}`:          tool.FailScope,
		`{"access_token":"token-number-1\r\nX-Admin: 1","token_type":"Bearer"}`:                                 tool.FailNotFound,
		`{"access_token":"` + strings.Repeat("token-number", 1<<17) + `","token_type":"Bearer","expires_in":1}`: tool.FailTokenExchange,
	} {
		s := &shop{answer: answer}
		h, _ := ordering(t, s)
		result := h.executor.Execute(t.Context(), h.by(callersToken), person{h})
		if result.Error == nil || result.Error.Code != code || len(s.requests) != 0 {
			t.Errorf("%.60s: %+v, %d requests", answer, result.Error, len(s.requests))
		}
		h.hidden(result)
	}
	s := &shop{}
	h, _ := ordering(t, s)
	h.authority = permissions.New(permissions.Options{Policies: permissions.NewSet([]permissions.File{{Version: permissions.Version2,
		Rules: []permissions.Rule{rule(permissions.Ask)}}})})
	result := h.execute(t.Context(), `{}`)
	if result.Error == nil || result.Error.Code != tool.FailTokenExchange || h.count("ask") != 0 || s.exchanges != 0 {
		t.Errorf("%+v; steps: %v", result, h.steps)
	}
}

// TestKeptForOneCaller guards that a result which is kept was got with a token is given to its caller alone.
func TestKeptForOneCaller(t *testing.T) {
	t.Parallel()
	s := &shop{}
	h, order := ordering(t, s)
	order.Caching = tool.Caching{Enabled: true, TTL: time.Hour, Results: 10, Bytes: 1 << 20}
	var cached []bool
	for _, token := range []string{"alices", "alices", "bobs", "alices"} {
		cached = append(cached, h.executor.Execute(t.Context(), h.by(token+"-token-of-today"), person{h}).Cached)
	}
	if !slices.Equal(cached, []bool{false, true, false, true}) {
		t.Errorf("kept: %v", cached)
	}
}

// TestTokensAreNotHeard guards that what is said about a token which is not taken is no part of what is heard.
func TestTokensAreNotHeard(t *testing.T) {
	t.Parallel()
	s := &shop{}
	h, _ := ordering(t, s)
	var heard atomic.Int32
	h.executor.Execute(t.Context(), h.by(callersToken), hearingPerson{person{h}, func() { heard.Add(1) }})
	if heard.Load() != 0 {
		t.Errorf("heard %d times", heard.Load())
	}
}

type hearingPerson struct {
	person
	hears func()
}

func (p hearingPerson) Output(Stream, []byte) { p.hears() }
