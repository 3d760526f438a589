package httptool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/sony/gobreaker/v2"
	"golang.org/x/sync/singleflight"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// tokens are those that were fetched, until they end. They stand in memory only. Safe for concurrent use.
type tokens struct {
	now      func() time.Time
	recovery time.Duration // how long nothing is asked of an endpoint that does not work

	flights singleflight.Group
	life    context.Context // ends with the client
	end     context.CancelFunc
	working sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	kept     *simplelru.LRU[string, keptToken]
	breakers map[string]*endpointBreaker // by endpoint, and by how it is reached: what one source gets wrong stops no other
}

// keptToken is a token that may be used until then.
type keptToken struct {
	value string
	until time.Time
}

// The bounds of what is kept, and of an endpoint that does not work: seed 002's numbers.
const (
	mostTokens       = 1024
	longestLeeway    = time.Minute
	endpointFailures = 5
	endpointRecovery = 30 * time.Second
	endpointTrials   = 3
)

func (k *tokens) open() {
	k.now, k.recovery = time.Now, endpointRecovery
	k.life, k.end = context.WithCancel(context.Background())
	k.kept, _ = simplelru.NewLRU[string, keptToken](mostTokens, nil) // fails of no size
	k.breakers = map[string]*endpointBreaker{}
}

func (k *tokens) close() {
	k.end()
	k.mu.Lock()
	k.closed = true
	k.kept.Purge()
	k.mu.Unlock()
	k.working.Wait()
}

// name tells the tokens apart: by endpoint, client, subject, audience, resource and scopes. It holds no part of
// a secret, and a client whose secret has changed asks anew.
func (w TokenRequest) name() string {
	from := w.API.Auth.Token
	scopes := slices.Clone(from.Scopes)
	slices.Sort(scopes)
	text, err := json.Marshal([]any{w.API.Auth.Kind, from.URL, from.ClientID, from.ClientAuth, from.Audience, from.Resource, scopes,
		w.API.Addresses, w.API.CA, sha256.Sum256([]byte(w.Secret)), sha256.Sum256([]byte(w.Subject))})
	if err != nil { // of texts and numbers there is none
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Token returns the token that the requests to a source are to show: one that was kept, or a new one. Of many that
// want the same at once, one asks the endpoint, and goes on where its caller leaves. What is returned beside a token
// is a *tool.Failure, whose words hold nothing that the endpoint said.
func (c *Client) Token(ctx context.Context, w TokenRequest) (Token, error) {
	name := w.name()
	if value, ok := c.tokens.lookup(name); ok {
		return Token{Value: value}, nil
	}
	mine := false
	result := c.tokens.flights.DoChan(name, func() (any, error) {
		mine = true
		token, failure := c.tokens.renew(c, name, w)
		if failure != nil {
			return token, failure
		}
		return token, nil
	})
	select {
	case <-ctx.Done():
		return Token{}, tool.Failf(tool.FailCancelled, "the caller gave up")
	case r := <-result:
		token, _ := r.Val.(Token) // renew returns no other
		if !mine {
			token.Took = 0
		}
		return token, r.Err
	}
}

// DropToken has a token used no more, which a server did not take. One that was fetched since then stays.
func (c *Client) DropToken(w TokenRequest, value string) {
	c.tokens.mu.Lock()
	defer c.tokens.mu.Unlock()
	name := w.name()
	if kept, ok := c.tokens.kept.Peek(name); ok && kept.value == value {
		c.tokens.kept.Remove(name)
	}
}

func (k *tokens) lookup(name string) (string, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept, ok := k.kept.Get(name)
	if !ok || !k.now().Before(kept.until) {
		return "", false
	}
	return kept.value, true
}

// renew fetches a token, through the breaker of its endpoint, and keeps it for as long as it is good, less a leeway.
// One of which nobody says how long that is, is not kept.
func (k *tokens) renew(c *Client, name string, w TokenRequest) (Token, *tool.Failure) {
	from := w.API.Auth.Token
	breaker, ok := k.begin(fmt.Sprintf("%q", []string{from.URL, from.ClientID, w.API.CA, fmt.Sprint(w.API.Addresses)}))
	if !ok {
		return Token{}, tool.Failf(tool.FailCancelled, "the program ends")
	}
	defer k.working.Done()
	if value, ok := k.lookup(name); ok { // one that has come since this one was looked for
		return Token{Value: value}, nil
	}
	asked, started := k.now(), time.Now()
	got, failure := breaker.do(w, func() (fetched, *tool.Failure) { return c.fetch(k.life, w) })
	token := Token{got.value, time.Since(started)}
	if failure != nil || got.lasts <= 0 {
		return token, failure
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.closed {
		k.kept.Add(name, keptToken{got.value, asked.Add(got.lasts - min(longestLeeway, got.lasts/5))})
	}
	return token, nil
}

// begin returns the breaker of an endpoint, for work that close waits for; false once it is closed.
func (k *tokens) begin(endpoint string) (*endpointBreaker, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return nil, false
	}
	b := k.breakers[endpoint]
	if b == nil {
		b = newEndpointBreaker(k.now, k.recovery)
		k.breakers[endpoint] = b
	}
	k.working.Add(1)
	return b, true
}

// endpointBreaker keeps calls from an endpoint that does not work. What it says of a client or a subject is no reason
// for that: only that it does not answer, or fails by itself, is.
type endpointBreaker struct {
	breaker *gobreaker.CircuitBreaker[fetched]
	now     func() time.Time

	mu    sync.Mutex
	until time.Time // when it is tried again
}

func newEndpointBreaker(now func() time.Time, recovery time.Duration) *endpointBreaker {
	b := &endpointBreaker{now: now}
	b.breaker = gobreaker.NewCircuitBreaker[fetched](gobreaker.Settings{
		MaxRequests: endpointTrials, Timeout: recovery,
		ReadyToTrip: func(counts gobreaker.Counts) bool { return counts.ConsecutiveFailures >= endpointFailures },
		OnStateChange: func(_ string, _, to gobreaker.State) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.until = time.Time{}
			if to == gobreaker.StateOpen {
				b.until = now().Add(recovery)
			}
		},
		IsExcluded: func(err error) bool {
			var failure *tool.Failure
			if !errors.As(err, &failure) || !failure.Retryable {
				return true
			}
			status, answered := failure.Details["status"].(int)
			return answered && status < http.StatusInternalServerError
		},
	})
	return b
}

func (b *endpointBreaker) do(w TokenRequest, fetch func() (fetched, *tool.Failure)) (fetched, *tool.Failure) {
	got, err := b.breaker.Execute(func() (fetched, error) {
		got, failure := fetch()
		if failure != nil {
			return got, failure
		}
		return got, nil
	})
	var failure *tool.Failure
	switch {
	case err == nil:
		return got, nil
	case errors.As(err, &failure):
		return got, failure
	}
	b.mu.Lock()
	wait := math.Ceil(max(0, b.until.Sub(b.now()).Seconds()))
	b.mu.Unlock()
	failure = w.failf("failed too often of late, and is asked again in %.0f s", wait)
	failure.Code, failure.Retryable = tool.FailCircuitOpen, true
	failure.Details["retry_after_seconds"] = wait
	return got, failure
}
