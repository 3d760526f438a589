package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// patience is how long a test waits for what has to come. It is never waited out where all is well.
const patience = 60 * time.Second

// house is a state directory with a record, and what it takes to deliver.
type house struct {
	t      *testing.T
	dir    string
	log    *audit.Log
	record *Record
	clock  *clock
	vault  vault

	mu    sync.Mutex
	said  []string
	noted []events.Event
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir(), clock: newClock(), vault: vault{}}
	var err error
	if h.log, err = audit.Open(filepath.Join(h.dir, "audit")); err != nil {
		t.Fatal(err)
	}
	h.record = NewRecord(filepath.Join(h.dir, "audit"))
	t.Cleanup(func() {
		h.record.Close()
		h.log.Close()
	})
	return h
}

// vault holds values by the names of secrets.
type vault map[string]string

func (v vault) Value(_ context.Context, r tool.Reference) (string, error) {
	if value, ok := v[r.Secret]; ok {
		return value, nil
	}
	return "", fmt.Errorf("there is no secret %s", r.Secret)
}

func stored(name string) Value { return Value{Reference: &tool.Reference{Secret: name}} }

// put records events with these details.
func (h *house) put(details ...string) {
	h.t.Helper()
	for _, detail := range details {
		h.event(events.Event{Type: events.ToolEnded, Detail: detail})
	}
}

func (h *house) event(e events.Event) {
	h.t.Helper()
	if err := h.log.Record(context.Background(), e); err != nil {
		h.t.Fatal(err)
	}
}

// open opens the store by the clock of the house.
func (h *house) open(ctx context.Context) (*store.Store, error) {
	return store.Open(ctx, store.Options{Path: filepath.Join(h.dir, store.Name), Now: h.clock.now, Relaxed: true})
}

func (h *house) store() *store.Store {
	h.t.Helper()
	s, err := h.open(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { s.Close() })
	return s
}

// options are those of a Deliverer by the clock of the house.
func (h *house) options() Options {
	return Options{Open: h.open, Vault: h.vault, Keys: &Keys{Dir: h.dir}, Now: h.clock.now, after: h.clock.after,
		random: func() float64 { return 0.5 }, Version: "1.2",
		Say: func(line string) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.said = append(h.said, line)
		},
		Record: func(_ context.Context, e events.Event) error {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.noted = append(h.noted, e)
			return nil
		},
	}
}

// deliverer begins to deliver to subscriptions of the record.
func (h *house) deliverer(list ...Subscription) *Deliverer {
	h.t.Helper()
	return h.deliver(h.options(), list...)
}

func (h *house) deliver(o Options, list ...Subscription) *Deliverer {
	h.t.Helper()
	d := New(o)
	d.Set(RecordSource, list)
	h.t.Cleanup(func() { h.stop(d) })
	return d
}

// stop ends a Deliverer without waiting for anybody.
func (h *house) stop(d *Deliverer) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := d.Close(ctx); err != nil {
		h.t.Error(err)
	}
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}

// sub is a subscription to all of the record, from its beginning, in the clear, to a server of the test.
func (h *house) sub(id, url string, change ...func(*Subscription)) Subscription {
	s := Subscription{Source: RecordSource, ID: id, Stream: h.record.Stream(Filter{}, FormatRecord), Begin: BeginBeginning,
		Target: Target{URL: Value{Literal: url}, Allow: loopback}}
	for _, f := range change {
		f(&s)
	}
	return s
}

// row waits until what is known of a subscription fits.
func (h *house) row(id string, fits func(store.Webhook) bool) store.Webhook {
	h.t.Helper()
	s := h.store()
	var last store.Webhook
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		list, err := s.Webhooks(h.t.Context())
		if err != nil {
			h.t.Fatal(err)
		}
		for _, w := range list {
			if last = w; w.ID == id && fits(w) {
				return w
			}
		}
	}
	h.t.Fatalf("%s did not come to that: %+v", id, last)
	return last
}

// heard is a request that a receiver had.
type heard struct {
	header http.Header
	id     string
	body   string
	detail string // of the entry, where the body is one
	seq    int64
}

// receiver is a server that hears deliveries, and answers as it is told.
type receiver struct {
	*httptest.Server
	t      *testing.T
	heard  chan heard
	mu     sync.Mutex
	answer http.HandlerFunc
}

func newReceiver(t *testing.T, answer http.HandlerFunc) *receiver {
	r := receive(t, answer)
	r.Server = httptest.NewServer(r)
	t.Cleanup(func() {
		r.CloseClientConnections()
		r.Close()
	})
	return r
}

func receive(t *testing.T, answer http.HandlerFunc) *receiver {
	return &receiver{t: t, heard: make(chan heard, 100000), answer: answer}
}

// answers has the receiver answer otherwise from now on.
func (r *receiver) answers(answer http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return // half a request
	}
	got := heard{header: q.Header, id: q.Header.Get(headerID), body: string(body)}
	var entry struct {
		Seq    int64
		Detail string
	}
	if json.Unmarshal(body, &entry) == nil {
		got.detail, got.seq = entry.Detail, entry.Seq
	}
	r.mu.Lock()
	answer := r.answer
	r.mu.Unlock()
	r.heard <- got
	if answer != nil {
		answer(w, q)
	}
}

// next waits for a request.
func (r *receiver) next() heard {
	r.t.Helper()
	select {
	case got := <-r.heard:
		return got
	case <-time.After(patience):
		r.t.Fatal("nothing was delivered")
		return heard{}
	}
}

// wants checks that requests with these details come, in this order.
func (r *receiver) wants(details ...string) (got []heard) {
	r.t.Helper()
	for _, want := range details {
		next := r.next()
		if next.detail != want {
			r.t.Errorf("got %q, want %q", next.detail, want)
		}
		got = append(got, next)
	}
	return got
}

// quiet checks that nothing has come.
func (r *receiver) quiet() {
	r.t.Helper()
	select {
	case got := <-r.heard:
		r.t.Errorf("it was sent %q", got.detail)
	default:
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// clock is one that the test moves.
type clock struct {
	mu      sync.Mutex
	at      time.Time
	waiting map[chan time.Time]time.Time
}

func newClock() *clock {
	return &clock{at: time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC), waiting: map[chan time.Time]time.Time{}}
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) after(at time.Time) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch := make(chan time.Time, 1)
	if !at.After(c.at) {
		ch <- c.at
		return ch
	}
	c.waiting[ch] = at
	return ch
}

// move moves the clock, and wakes whose time has come.
func (c *clock) move(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(by)
	for ch, at := range c.waiting {
		if !at.After(c.at) {
			ch <- c.at
			delete(c.waiting, ch)
		}
	}
}

func (h *house) saidAnyOf(words string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.said, func(line string) bool { return strings.Contains(line, words) })
}

// zone finds the addresses of names.
type zone map[string]netip.Addr

func (z zone) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if found, ok := z[host]; ok {
		return []netip.Addr{found}, nil
	}
	return nil, fmt.Errorf("%s: no such host", host)
}

// realNow is for what looks at a clock of its own.
func realNow() time.Time { return time.Now().Truncate(time.Second) }
