package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestRate has a principal told when it calls too often, and how long to wait, and others not.
func TestRate(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	as := newAccounts()
	one := &Principal{Name: "one", rate: Rate{Count: 3, Per: time.Minute}}
	call := func(p *Principal) error {
		_, r, err := as.begin(t.Context(), p, ScopeTools, now)
		if err == nil {
			as.over(r)
		}
		return err
	}
	for n := range 3 {
		if err := call(one); err != nil {
			t.Errorf("call %d: %v", n, err)
		}
	}
	var tooMany *errTooMany
	now = now.Add(20 * time.Second)
	for _, what := range []string{"the fourth", "after one that was refused"} {
		if err := call(one); !errors.As(err, &tooMany) || tooMany.wait != 40*time.Second {
			t.Errorf("%s: %v, %+v", what, err, tooMany)
		}
	}
	if err := call(&Principal{Name: "two", rate: Rate{Count: 1, Per: time.Hour}}); err != nil {
		t.Errorf("another: %v", err)
	}
	now = now.Add(40 * time.Second)
	if err := call(one); err != nil {
		t.Errorf("after the wait: %v", err)
	}
	now = now.Add(-24 * time.Hour)
	for range 2 {
		if err := call(one); err != nil {
			t.Errorf("after the clock was set back: %v", err)
		}
	}
	if err := call(one); !errors.As(err, &tooMany) {
		t.Errorf("the clock was set back, and the limit forgets: %v", err)
	}
	if err := call(&Principal{Name: "one", rate: Rate{Count: 100, Per: time.Minute}}); err != nil {
		t.Errorf("after the configuration has another rate: %v", err)
	}
}

// TestAccountsAreForgotten has any number of subjects of an issuer take a bounded room.
func TestAccountsAreForgotten(t *testing.T) {
	t.Parallel()
	now := time.Now()
	as := newAccounts()
	for n := range 3 * mostAccounts {
		p := &Principal{Name: "corp:" + strconv.Itoa(n), rate: Rate{Count: 1, Per: time.Second}}
		_, r, err := as.begin(t.Context(), p, ScopeTools, now)
		if err != nil {
			t.Fatal(err)
		}
		as.over(r)
		now = now.Add(time.Millisecond)
	}
	if len(as.all) > mostAccounts {
		t.Errorf("%d accounts", len(as.all))
	}
}

// TestAtOnce has as many requests of a principal as it may, streams not counted, over the wire.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan bool), make(chan bool)
	stays := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		begun <- true
		select {
		case <-goOn:
		case <-r.Context().Done():
		}
	})
	h := run(t, func(o *Options) {
		o.Settings.Principals = map[string]PrincipalSpec{"ci": {Token: tool.Reference{Env: "x"}, Scopes: []Scope{ScopeTools}, AtOnce: 1}}
		o.Resolve = func(_ context.Context, _ tool.Reference) (string, error) { return "tok-ci", nil }
	}, Door{Name: "d", Routes: []Route{
		{Pattern: "/call", Scope: ScopeTools, Handler: stays},
		{Pattern: "/news", Scope: ScopeTools, Handler: stays, Streams: true},
		{Pattern: "/later", Scope: ScopeTools, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			Streams(r.Context())
			Streams(r.Context()) // twice is once
			stays(w, r)
		})},
	}})
	var asking sync.WaitGroup
	for _, path := range []string{"/news", "/news", "/later", "/call"} {
		asking.Go(func() { h.get(path, "tok-ci") })
		<-begun
	}
	answer, body := h.get("/call", "tok-ci")
	if answer.StatusCode != 429 || answer.Header.Get("Retry-After") != "1" || !strings.Contains(body, "under way") {
		t.Errorf("one more: %s, %v, %s", answer.Status, answer.Header, body)
	}
	if answer, _ := h.get("/status", "tok-one"); answer.StatusCode != 200 {
		t.Errorf("another's: %s", answer.Status)
	}
	close(goOn)
	asking.Wait()
	h.accounts.mu.Lock()
	defer h.accounts.mu.Unlock()
	if a := h.accounts.all["ci"]; a.open != 0 || a.underWay != 0 {
		t.Errorf("after all have ended: %+v", *a)
	}
}

// TestReload has what a reload takes away end, and what it leaves go on.
func TestReload(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name         string
		change       func(map[string]PrincipalSpec)
		token        string // that is shown afterwards
		call, stream bool   // whether those that are under way go on
		status       int
	}{
		{"nothing", func(map[string]PrincipalSpec) {}, "tok-ci", true, true, 200},
		{"the principal is gone", func(m map[string]PrincipalSpec) { delete(m, "ci") }, "tok-ci", false, false, 401},
		{"its scope is gone", func(m map[string]PrincipalSpec) { m["ci"] = PrincipalSpec{Token: tool.Reference{Env: "tok-ci"}} }, "tok-ci", false, false, 403},
		{"another scope is gone", func(m map[string]PrincipalSpec) { // a stream may tell what that one let it see
			m["ci"] = PrincipalSpec{Token: tool.Reference{Env: "tok-ci"}, Scopes: []Scope{ScopeTools}}
		}, "tok-ci", true, false, 200},
		{"it has another token", func(m map[string]PrincipalSpec) {
			m["ci"] = PrincipalSpec{Token: tool.Reference{Env: "tok-new"}, Scopes: []Scope{ScopeTools}}
		}, "tok-new", true, false, 200},
		{"its token is another's", func(m map[string]PrincipalSpec) {
			m["ci"] = PrincipalSpec{Token: tool.Reference{Env: "tok-new"}, Scopes: []Scope{ScopeTools}}
			m["web"] = PrincipalSpec{Token: tool.Reference{Env: "tok-ci"}, Scopes: []Scope{ScopeTools}}
		}, "tok-ci", true, false, 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			begun, goOn := make(chan bool), make(chan bool)
			ended := map[string]error{}
			var mu sync.Mutex
			stays := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				begun <- true
				select {
				case <-goOn:
				case <-r.Context().Done():
				}
				mu.Lock()
				defer mu.Unlock()
				ended[r.URL.Path] = context.Cause(r.Context()) // also of one that goes on as late as it has ended
			})
			settings := Settings{Listen: []string{"127.0.0.1:0"}, Limits: DefaultLimits(), Grace: time.Minute,
				Principals: map[string]PrincipalSpec{"ci": {Token: tool.Reference{Env: "tok-ci"}, Scopes: []Scope{ScopeTools, ScopeAdmin}}}}
			h := run(t, func(o *Options) {
				o.Settings = settings
				o.Resolve = func(_ context.Context, r tool.Reference) (string, error) { return r.Env, nil }
			}, Door{Name: "d", Routes: []Route{
				{Pattern: "/call", Scope: ScopeTools, Handler: stays}, {Pattern: "/news", Scope: ScopeTools, Handler: stays, Streams: true},
				{Pattern: "/x", Scope: ScopeTools, Handler: who},
			}})
			var asking sync.WaitGroup
			for _, path := range []string{"/call", "/news"} {
				asking.Go(func() { h.get(path, "tok-ci") })
				<-begun
			}
			changed := settings
			changed.Principals = map[string]PrincipalSpec{"ci": settings.Principals["ci"]}
			test.change(changed.Principals)
			if err := h.Configure(t.Context(), changed); err != nil {
				t.Fatal(err)
			}
			if answer, body := h.get("/x", test.token); answer.StatusCode != test.status {
				t.Errorf("afterwards: %s, %s", answer.Status, body)
			}
			close(goOn)
			asking.Wait()
			for path, stays := range map[string]bool{"/call": test.call, "/news": test.stream} {
				if err := ended[path]; stays && err != nil || !stays && !errors.Is(err, errRevoked) {
					t.Errorf("%s ended because %v; it was to stay: %t", path, err, stays)
				}
			}
		})
	}
}

// TestBadReload has settings that cannot be used change nothing.
func TestBadReload(t *testing.T) {
	t.Parallel()
	good := Settings{Listen: []string{"127.0.0.1:0"}, Limits: DefaultLimits(),
		Principals: map[string]PrincipalSpec{"ci": {Token: tool.Reference{Env: "tok-ci"}, Scopes: []Scope{ScopeTools}}}}
	h := run(t, func(o *Options) {
		o.Settings = good
		o.Resolve = func(_ context.Context, r tool.Reference) (string, error) {
			if r.Env == "" {
				return "", errors.New("there is no such variable")
			}
			return r.Env, nil
		}
	}, Door{Name: "d", Routes: []Route{{Pattern: "/x", Scope: ScopeTools, Handler: who}}})
	at := tool.Source{File: "a2a-acp.yaml", Line: 3, Column: 5}
	for name, test := range map[string]struct {
		change func(*Settings)
		says   string
	}{
		"a token that cannot be had": {func(s *Settings) {
			s.Principals = map[string]PrincipalSpec{"new": {Source: at}}
		}, "a2a-acp.yaml:3:5: the principal new: there is no such variable"},
		"two with one token": {func(s *Settings) {
			s.Principals = map[string]PrincipalSpec{"a": {Token: tool.Reference{Env: "same"}}, "b": {Token: tool.Reference{Env: "same"}}}
		}, "a and b have the same token"},
		"one with the token of another kind": {func(s *Settings) {
			s.Principals = map[string]PrincipalSpec{"a": {Token: tool.Reference{Env: "tok-one"}}}
		}, "one and a have the same token"},
		"a certificate that is not there": {func(s *Settings) {
			s.TLS = TLS{Cert: "/nonexistent", Key: "/nonexistent", Source: at}
		}, "a2a-acp.yaml:3:5: "},
		"an issuer's certificates that are not there": {func(s *Settings) {
			s.Issuers = map[string]IssuerSpec{"corp": {CA: "/nonexistent", Source: at}}
		}, "a2a-acp.yaml:3:5: the issuer corp: "},
	} {
		changed := good
		test.change(&changed)
		err := h.Configure(t.Context(), changed)
		var setting *SettingError
		if !errors.As(err, &setting) || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "same\"") {
			t.Errorf("%s: %v; want one with %q", name, err, test.says)
		}
		if answer, body := h.get("/x", "tok-ci"); answer.StatusCode != 200 || body != "ci" {
			t.Errorf("%s: afterwards %s, %s", name, answer.Status, body)
		}
	}
}

// TestTokenFiles has a token that stands in a file count as it stands there now, and nobody let in where there
// is none.
func TestTokenFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "token")
	writeToken := func(text string) {
		t.Helper()
		next := path + ".next"
		if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, path); err != nil {
			t.Fatal(err)
		}
	}
	writeToken("first")
	var said []string
	h := run(t, func(o *Options) {
		o.Settings.Principals = map[string]PrincipalSpec{"ci": {Token: tool.Reference{File: path}, Scopes: []Scope{ScopeTools}}}
		o.Say = func(line string) { said = append(said, line) }
		o.Resolve = func(_ context.Context, r tool.Reference) (string, error) {
			data, err := os.ReadFile(r.File)
			if err == nil && len(data) == 0 {
				err = fmt.Errorf("%s is empty", r.File)
			}
			return string(data), err
		}
	}, Door{Name: "d", Routes: []Route{{Pattern: "/x", Scope: ScopeTools, Handler: who}}})
	expect := func(what, token string, status int) {
		t.Helper()
		if answer, _ := h.get("/x", token); answer.StatusCode != status {
			t.Errorf("%s: %s, want %d", what, answer.Status, status)
		}
	}
	expect("the first", "first", 200)
	writeToken("second")
	expect("the old one", "first", 401)
	expect("the new one", "second", 200)
	writeToken("")
	expect("an empty file", "second", 401)
	writeToken("third")
	expect("the third", "third", 200)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	expect("no file", "third", 401)
	expect("no file, once more", "third", 401)
	if len(said) != 2 || strings.Contains(strings.Join(said, ""), "second") {
		t.Errorf("said %q", said)
	}
}
