package httptool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// What no message may hold.
const (
	clientSecret = "client:secret/with+signs"
	subjectToken = "subject-token-of-alice"
	givenToken   = "given-token-for-the-shop"
)

// wanted is a token of an exchange at an endpoint.
func wanted(endpoint string, change func(*TokenRequest)) TokenRequest {
	w := TokenRequest{Secret: clientSecret, Subject: subjectToken, API: tool.API{
		Name: "shop", Origin: "https://shop.example", Addresses: loopback,
		Auth: tool.Auth{Kind: tool.AuthTokenExchange, Token: tool.TokenSource{URL: endpoint, ClientID: "me:and/you",
			ClientAuth: tool.ClientAuthBasic, Audience: "shop", Scopes: []string{"read", "write"}}}}}
	if change != nil {
		change(&w)
	}
	return w
}

// failure wants an error to be a failure that holds nothing secret.
func failureOf(t *testing.T, err error) *tool.Failure {
	t.Helper()
	var f *tool.Failure
	if err == nil || !errors.As(err, &f) {
		t.Fatalf("%v is no failure", err)
	}
	for _, secret := range []string{clientSecret, url.QueryEscape(clientSecret), subjectToken, givenToken, canary} {
		if strings.Contains(fmt.Sprintf("%+v", *f), secret) {
			t.Errorf("the failure holds %q: %+v", secret, *f)
		}
	}
	return f
}

// endpoint is a token endpoint that answers as it is told to, and counts.
func endpoint(t *testing.T, answer http.HandlerFunc) (string, *atomic.Int32) {
	t.Helper()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/token", &asked
}

func says(answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answer)
	}
}

const good = `{"access_token":"` + givenToken + `","token_type":"Bearer","expires_in":300,` +
	`"issued_token_type":"urn:ietf:params:oauth:token-type:access_token"}`

func newClient(t *testing.T) *Client {
	t.Helper()
	c := New()
	t.Cleanup(c.Close)
	return c
}

// TestTokenRequest checks what a token endpoint is sent, in both ways of showing the client's secret (RFC 6749, 2.3.1
// and 4.4.2; RFC 8693, 2.1).
func TestTokenRequest(t *testing.T) {
	t.Parallel()
	var form url.Values
	var authorization string
	at, _ := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil || r.Method != "POST" {
			t.Errorf("%s: %v", r.Method, err)
		}
		form, authorization = r.PostForm, r.Header.Get("Authorization")
		says(good)(w, r)
	})
	r, _ := http.NewRequest("GET", at, nil)
	r.SetBasicAuth(url.QueryEscape("me:and/you"), url.QueryEscape(clientSecret))
	basic := r.Header.Get("Authorization")
	exchange := map[string]string{"grant_type": grantExchange, "subject_token": subjectToken, "subject_token_type": typeAccessToken,
		"requested_token_type": typeAccessToken, "audience": "shop", "scope": "read write"}
	for name, test := range map[string]struct {
		change        func(*TokenRequest)
		form          map[string]string
		authorization string
	}{
		"exchange": {nil, exchange, basic},
		"post": {func(w *TokenRequest) { w.API.Auth.Token.ClientAuth = tool.ClientAuthPost },
			merged(exchange, map[string]string{"client_id": "me:and/you", "client_secret": clientSecret}), ""},
		"client": {func(w *TokenRequest) {
			w.API.Auth.Kind, w.API.Auth.Token.Resource = tool.AuthClientCredentials, "https://shop.example/"
		}, map[string]string{"grant_type": "client_credentials", "audience": "shop", "resource": "https://shop.example/", "scope": "read write"},
			basic},
	} {
		token, err := newClient(t).Token(t.Context(), wanted(at, test.change))
		if err != nil || token.Value != givenToken || token.Took <= 0 {
			t.Errorf("%s: %+v, %v", name, token, err)
		}
		got := map[string]string{}
		for name, values := range form {
			got[name] = strings.Join(values, "|")
		}
		if fmt.Sprint(got) != fmt.Sprint(test.form) || authorization != test.authorization {
			t.Errorf("%s: sent %v and %q; want %v and %q", name, got, authorization, test.form, test.authorization)
		}
	}
}

func merged(a, b map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range []map[string]string{a, b} {
		for name, value := range m {
			all[name] = value
		}
	}
	return all
}

// TestTokensRefused is a table of endpoints that give no token which could be used, and of those that do.
func TestTokensRefused(t *testing.T) {
	t.Parallel()
	with := func(members string) string { return `{"access_token":"` + givenToken + `",` + members + `}` }
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			io.WriteString(w, body)
		}
	}
	echo := `"error_description":"no ` + subjectToken + ` for ` + clientSecret + `"`
	for name, test := range map[string]struct {
		answer    http.HandlerFunc
		code      tool.FailureCode // "" for a token
		retryable bool
	}{
		"as asked":             {says(good), "", false},
		"small letters":        {says(with(`"token_type":"bearer"`)), "", false},
		"a jwt":                {says(with(`"token_type":"Bearer","issued_token_type":"` + typeJWT + `"`)), "", false},
		"scopes and more":      {says(with(`"token_type":"Bearer","scope":"write admin read"`)), "", false},
		"no scopes said":       {says(with(`"token_type":"Bearer","scope":""`)), "", false},
		"less scope":           {says(with(`"token_type":"Bearer","scope":"read"`)), tool.FailScope, false},
		"a scope that begins":  {says(with(`"token_type":"Bearer","scope":"read writer"`)), tool.FailScope, false},
		"scopes of another":    {says(with(`"token_type":"Bearer","scope":["read","write"]`)), tool.FailScope, false},
		"invalid scope":        {status(400, `{"error":"invalid_scope",`+echo+`}`), tool.FailScope, false},
		"N_A":                  {says(with(`"token_type":"N_A"`)), tool.FailTokenExchange, false},
		"DPoP":                 {says(with(`"token_type":"DPoP"`)), tool.FailTokenExchange, false},
		"mac":                  {says(with(`"token_type":"mac"`)), tool.FailTokenExchange, false},
		"no type":              {says(with(`"expires_in":300`)), tool.FailTokenExchange, false},
		"a refresh token":      {says(with(`"token_type":"Bearer","issued_token_type":"urn:ietf:params:oauth:token-type:refresh_token"`)), tool.FailTokenExchange, false},
		"an id token":          {says(with(`"token_type":"Bearer","issued_token_type":"urn:ietf:params:oauth:token-type:id_token"`)), tool.FailTokenExchange, false},
		"a saml assertion":     {says(with(`"token_type":"Bearer","issued_token_type":"urn:ietf:params:oauth:token-type:saml2"`)), tool.FailTokenExchange, false},
		"nothing":              {says(`{"token_type":"Bearer"}`), tool.FailTokenExchange, false},
		"no json":              {says(`<html>` + subjectToken), tool.FailTokenExchange, false},
		"an error in a 200":    {says(with(`"token_type":"Bearer","error":"invalid_grant",` + echo)), tool.FailTokenExchange, false},
		"invalid grant":        {status(400, `{"error":"invalid_grant",`+echo+`}`), tool.FailTokenExchange, false},
		"an error that echoes": {status(400, `{"error":"`+subjectToken+`"}`), tool.FailTokenExchange, false},
		"a token in a 500":     {status(500, good), tool.FailTokenExchange, true},
		"away":                 {status(503, ``), tool.FailTokenExchange, true},
		"too many":             {status(429, ``), tool.FailTokenExchange, true},
		"long":                 {says(`{"token_type":"Bearer","access_token":"` + strings.Repeat("a", longestToken+1) + `"}`), tool.FailTokenExchange, false},
		"without end":          {says(`{"token_type":"Bearer","access_token":"` + strings.Repeat("a", 2<<20)), tool.FailTokenExchange, false},
		"gone": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				conn.Close()
			}
		}, tool.FailTokenExchange, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, _ := endpoint(t, test.answer)
			token, err := newClient(t).Token(t.Context(), wanted(at, nil))
			if test.code == "" {
				if err != nil || token.Value != givenToken {
					t.Errorf("got %+v, %v", token, err)
				}
				return
			}
			if f := failureOf(t, err); f.Code != test.code || f.Retryable != test.retryable || token.Value != "" {
				t.Errorf("got %+v, %+v", token, f)
			}
		})
	}
}

// TestTokenEndpointLeadsNowhere checks that neither the client's secret nor the subject follows a redirect, and that an
// endpoint which is not to be reached is not.
func TestTokenEndpointLeadsNowhere(t *testing.T) {
	t.Parallel()
	other, asked := endpoint(t, says(good))
	for _, status := range []int{301, 302, 303, 307, 308} {
		at, _ := endpoint(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other, status) })
		_, err := newClient(t).Token(t.Context(), wanted(at, nil))
		failureOf(t, err)
		own, n := endpoint(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/token", status) })
		_, err = newClient(t).Token(t.Context(), wanted(own, nil))
		if failureOf(t, err); n.Load() != 1 {
			t.Errorf("%d: asked %d times", status, n.Load())
		}
	}
	_, err := newClient(t).Token(t.Context(), wanted(other, func(w *TokenRequest) { w.API.Addresses = nil }))
	if f := failureOf(t, err); f.Retryable || asked.Load() != 0 {
		t.Errorf("%+v; %d requests arrived", f, asked.Load())
	}
}

// TestOneExchange checks that a thousand calls at once exchange once, that the token is kept for them and nobody else,
// and that a caller who leaves takes nothing with him.
func TestOneExchange(t *testing.T) {
	t.Parallel()
	begun, let := make(chan struct{}), make(chan struct{})
	at, asked := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		<-let
		says(good)(w, r)
	})
	c := newClient(t)
	leaving, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { // the first, who leaves
		_, err := c.Token(leaving, wanted(at, nil))
		left <- err
	}()
	<-begun
	var callers sync.WaitGroup
	var fetched atomic.Int32
	for range 1000 {
		callers.Go(func() {
			token, err := c.Token(t.Context(), wanted(at, nil))
			if err != nil || token.Value != givenToken {
				t.Errorf("got %+v, %v", token, err)
			}
			if token.Took > 0 {
				fetched.Add(1)
			}
		})
	}
	leave()
	if err := <-left; !errors.Is(err, &tool.Failure{Code: tool.FailCancelled}) {
		t.Errorf("who left got %v", err)
	}
	close(let)
	callers.Wait()
	if asked.Load() != 1 || fetched.Load() != 0 {
		t.Errorf("%d exchanges, %d of which the thousand made; want the one of who left", asked.Load(), fetched.Load())
	}
	late := wanted(at, nil) // looked before the token was there, and asks when it is
	if token, failure := c.tokens.renew(c, late.name(), late); failure != nil || token != (Token{Value: givenToken}) {
		t.Errorf("late: %+v, %v", token, failure)
	}
	go func() { // ends with the last of them
		for range begun {
		}
	}()
	for name, change := range map[string]func(*TokenRequest){
		"subject":  func(w *TokenRequest) { w.Subject = "of bob" },
		"client":   func(w *TokenRequest) { w.API.Auth.Token.ClientID = "another" },
		"secret":   func(w *TokenRequest) { w.Secret = "another" },
		"audience": func(w *TokenRequest) { w.API.Auth.Token.Audience = "another" },
		"resource": func(w *TokenRequest) { w.API.Auth.Token.Resource = "another" },
		"scopes":   func(w *TokenRequest) { w.API.Auth.Token.Scopes = []string{"read"} },
		"joined":   func(w *TokenRequest) { w.API.Auth.Token.Scopes = []string{"read write"} },
		"way":      func(w *TokenRequest) { w.API.Auth.Token.ClientAuth = tool.ClientAuthPost },
		"kind":     func(w *TokenRequest) { w.API.Auth.Kind = tool.AuthClientCredentials },
		"endpoint": func(w *TokenRequest) { w.API.Auth.Token.URL += "?x" },
	} {
		before := asked.Load()
		if _, err := c.Token(t.Context(), wanted(at, change)); err != nil || asked.Load() != before+1 {
			t.Errorf("another %s: %v, %d exchanges", name, err, asked.Load()-before)
		}
	}
	before := asked.Load()
	other := func(w *TokenRequest) { w.API.Auth.Token.Scopes = []string{"write", "read"} }
	if _, err := c.Token(t.Context(), wanted(at, other)); err != nil || asked.Load() != before {
		t.Error("scopes in another order are another token")
	}
	close(begun)
}

// TestTokenEnds checks how long a token is used: for what its endpoint says, less a fifth of it and at most a minute; not
// at all where it says nothing; and no longer than until a server does not take it.
func TestTokenEnds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		lasts string
		kept  time.Duration // 0 for not at all
	}{
		{`3600`, 59 * time.Minute}, {`"300"`, 4 * time.Minute}, {`100`, 80 * time.Second}, {`0`, 0}, {`-5`, 0}, {`null`, 0},
		{`9223372036854775807`, 24 * time.Hour},
	} {
		at, asked := endpoint(t, says(`{"access_token":"`+givenToken+`","token_type":"Bearer","expires_in":`+test.lasts+`}`))
		c, now := newClient(t), time.Now()
		c.tokens.now = func() time.Time { return now }
		get := func() {
			t.Helper()
			if token, err := c.Token(t.Context(), wanted(at, nil)); err != nil || token.Value != givenToken {
				t.Fatalf("%s: %+v, %v", test.lasts, token, err)
			}
		}
		get()
		now = now.Add(max(0, test.kept-2*time.Second))
		if get(); (asked.Load() == 1) != (test.kept > 0) {
			t.Errorf("%s: %d exchanges before its end", test.lasts, asked.Load())
		}
		if now = now.Add(4 * time.Second); test.kept > 0 && test.kept < time.Hour {
			if get(); asked.Load() != 2 {
				t.Errorf("%s: %d exchanges with one behind its end", test.lasts, asked.Load())
			}
		}
	}
	at, asked := endpoint(t, says(good))
	c := newClient(t)
	for i, drop := range []string{"", "another", givenToken} {
		c.DropToken(wanted(at, nil), drop)
		if _, err := c.Token(t.Context(), wanted(at, nil)); err != nil || asked.Load() != int32(max(1, i)) {
			t.Errorf("%q was not taken: %v, %d exchanges", drop, err, asked.Load())
		}
	}
}

// TestTokensAreBounded checks that callers cannot fill the memory with tokens.
func TestTokensAreBounded(t *testing.T) {
	t.Parallel()
	at, _ := endpoint(t, says(good))
	c := newClient(t)
	for i := range mostTokens + 16 {
		if _, err := c.Token(t.Context(), wanted(at, func(w *TokenRequest) { w.Subject = fmt.Sprint(i) })); err != nil {
			t.Fatal(err)
		}
	}
	if n := c.tokens.kept.Len(); n != mostTokens {
		t.Errorf("%d tokens are kept", n)
	}
}

// TestEndpointBreaker checks that an endpoint which fails is left alone for a while, and that one which refuses a caller,
// however often, is not: others could not call then.
func TestEndpointBreaker(t *testing.T) {
	t.Parallel()
	var status atomic.Int32
	at, asked := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		if s := status.Load(); s != 200 {
			w.WriteHeader(int(s))
			return
		}
		says(good)(w, r)
	})
	c := New()
	defer c.Close()
	c.tokens.recovery = time.Millisecond
	get := func() error {
		_, err := c.Token(t.Context(), wanted(at, nil))
		return err
	}
	for _, harmless := range []int32{400, 401, 403, 404, 429} {
		status.Store(harmless)
		for range 2 * endpointFailures {
			if f := failureOf(t, get()); f.Code != tool.FailTokenExchange {
				t.Fatalf("%d: %+v", harmless, f)
			}
		}
	}
	c.tokens.recovery = time.Hour
	c.tokens.breakers = map[string]*endpointBreaker{}
	status.Store(503)
	before := asked.Load()
	for range endpointFailures {
		failureOf(t, get())
	}
	other := wanted(at, func(w *TokenRequest) { w.API.CA = "/absent" })
	if _, err := c.Token(t.Context(), other); failureOf(t, err).Code == tool.FailCircuitOpen {
		t.Error("what one source gets wrong stops another")
	}
	f := failureOf(t, get())
	wait, _ := f.Details["retry_after_seconds"].(float64) // less the time that the machine took
	if f.Code != tool.FailCircuitOpen || !f.Retryable || wait <= 1800 || wait > 3600 || asked.Load() != before+endpointFailures {
		t.Errorf("%+v after %d requests", f, asked.Load()-before)
	}
}

// TestClosedFetchesNothing checks that what fetches a token ends with the client.
func TestClosedFetchesNothing(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	at, _ := endpoint(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		close(begun)
		<-r.Context().Done()
	})
	c := New()
	over := make(chan error, 1)
	go func() {
		_, err := c.Token(t.Context(), wanted(at, nil))
		over <- err
	}()
	<-begun
	c.Close()
	failureOf(t, <-over)
	_, err := c.Token(t.Context(), wanted(at, nil))
	failureOf(t, err)
}

// TestEndpointUpgrades: an endpoint that goes over to another protocol, and says no more, holds up neither calls nor the end.
func TestEndpointUpgrades(t *testing.T) {
	t.Parallel()
	at, _ := endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
		conn.Read(make([]byte, 1)) // until the client goes away
	})
	c := New()
	_, err := c.Token(t.Context(), wanted(at, nil))
	failureOf(t, err)
	c.Close()
}

func BenchmarkKeptToken(b *testing.B) {
	server := httptest.NewServer(says(good))
	defer server.Close()
	c := New()
	defer c.Close()
	w := wanted(server.URL, nil)
	for b.Loop() {
		if _, err := c.Token(b.Context(), w); err != nil {
			b.Fatal(err)
		}
	}
}
