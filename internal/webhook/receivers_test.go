package webhook

import (
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/netguard"
	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// hijack answers with these bytes, and closes the connection.
func hijack(raw string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		io.WriteString(conn, raw) //nolint:errcheck // the client goes away
		conn.Close()
	}
}

// reset ends the connection as a process does that crashes.
func reset(w http.ResponseWriter, _ *http.Request) {
	if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
		conn.(*net.TCPConn).SetLinger(0)
		conn.Close()
	}
}

func quick(s *Subscription) { s.Target.Timeout = 200 * time.Millisecond }

// TestReceivers has receivers answer well, badly and not at all. What is no answer with 2xx is a failure, is
// said in words that a terminal can show, and holds nobody up.
func TestReceivers(t *testing.T) {
	t.Parallel()
	flood := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, strings.Repeat("x", 64<<10)); err != nil {
				return
			}
		}
	}
	upgrade := func(w http.ResponseWriter, _ *http.Request) { // and says no more
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		//nolint:errcheck // what is written or read wrong has no answer
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
		conn.Read(make([]byte, 1)) //nolint:errcheck // until the client goes away
	}
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	headerThenHang := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(code)
			w.(http.Flusher).Flush()
			hang(w, r)
		}
	}
	for _, test := range []struct {
		name   string
		answer http.HandlerFunc
		says   string // "" for a success
		change func(*Subscription)
	}{
		{"200", nil, "", nil},
		{"201", status(201), "", nil},
		{"204", status(204), "", nil},
		{"299", status(299), "", nil},
		{"an endless answer", flood, "", nil},
		{"an answer that never ends", headerThenHang(200), "", nil},
		{"a length that is a lie", hijack("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"), "", nil},
		{"a length that is another lie", hijack("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nlong and longer"), "", nil},
		{"400", status(400), "HTTP status 400", nil},
		{"404", status(404), "HTTP status 404", nil},
		{"500", status(500), "HTTP status 500", nil},
		{"500 that never ends", headerThenHang(500), "HTTP status 500", nil},
		{"500 that floods", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500); flood(w, r) }, "HTTP status 500: xxxx", nil},
		{"no change", status(304), "HTTP status 304", nil},
		{"two lengths", hijack("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"), "Content-Length", nil},
		{"no HTTP", hijack("SSH-2.0-OpenSSH_9.9\r\n"), "malformed HTTP", nil},
		{"nothing", hijack(""), "EOF", nil},
		{"reset", reset, "reset by peer", nil},
		{"hangs", hang, "did not answer within 200ms", quick},
		{"a header that never ends", hijack("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20)), "header", quick},
		{"commands for a terminal", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(500)
			io.WriteString(w, "\x1b]0;owned\x07\x1b[2J\nalice: fine \u202egnp.exe")
		}, `\u{1b}]0;owned`, nil},
		{"a switch of protocols", upgrade, "another protocol", nil},
		{"only a promise", hijack("HTTP/1.1 100 Continue\r\n\r\n"), "EOF", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			r, other := newReceiver(t, test.answer), newReceiver(t, nil)
			h.put("a", "b")
			list := []Subscription{h.sub("one", r.URL), h.sub("other", other.URL)}
			if test.change != nil {
				test.change(&list[0])
			}
			h.deliverer(list...)
			r.wants("a")
			other.wants("a", "b")
			if test.says == "" {
				r.wants("b")
				return
			}
			w := h.row("one", func(w store.Webhook) bool { return w.Attempts == 1 })
			if !strings.Contains(w.Error, test.says) || w.Position != 0 || !w.Due.Equal(h.clock.now().Add(5*time.Second)) {
				t.Errorf("got %+v, want %q", w, test.says)
			}
			for _, c := range w.Error {
				if c < ' ' || c == 0x7f || c == '\u202e' {
					t.Errorf("%q has %q in it", w.Error, c)
				}
			}
			if len(w.Error) > 1000 {
				t.Errorf("%d bytes of it were kept", len(w.Error))
			}
			r.quiet()
			r.answers(nil)
			h.clock.move(5 * time.Second)
			again := r.wants("a", "b")
			if again[0].id == again[1].id {
				t.Error("two items have one id")
			}
		})
	}
}

// TestUnreachable has receivers that are not there at all, or not what they should be.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	stranger := httptest.NewUnstartedServer(nil)
	stranger.Config.ErrorLog = nil
	stranger.StartTLS()
	t.Cleanup(stranger.Close)
	for _, test := range []struct {
		name, url, says string
		change          func(*Subscription)
	}{
		{"nobody listens", gone.URL, "connection refused", nil},
		{"a certificate of nobody's", stranger.URL, "certificate", nil},
		{"not allowed", "https://127.0.0.1:1/", "loopback", func(s *Subscription) { s.Target.Allow = nil }},
		{"in the clear", "http://127.0.0.1:1/", "https://", func(s *Subscription) { s.Target.Allow = nil }},
		{"no such name", "https://no.such.name.invalid/", "no.such.name", nil},
		{"a name of this machine", "https://here.example/", "loopback", func(s *Subscription) { s.Target.Allow = nil }},
		{"a certificate that is no file", "https://127.0.0.1:1/", "ca_file", func(s *Subscription) { s.Target.CAFile = "/no/such/file" }},
		{"no secret", stranger.URL, "there is no secret TOKEN", func(s *Subscription) { s.Target.Auth = Auth{Kind: AuthBearer, Value: stored("TOKEN")} }},
		{"nothing to sign with", stranger.URL, "signing: there is no secret KEY", func(s *Subscription) { s.Target.Signing.Secrets = []Value{stored("KEY")} }},
		{"a weak key", stranger.URL, "can be guessed", func(s *Subscription) { s.Target.Signing.Secrets = []Value{stored("WEAK")} }},
		{"a value that breaks the header", stranger.URL, "what no header can", func(s *Subscription) { s.Target.Auth = Auth{Kind: AuthBearer, Value: stored("BROKEN")} }},
		{"a URL that is none", "", "url:", func(s *Subscription) { s.Target.URL = stored("WEAK") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.vault["WEAK"], h.vault["BROKEN"] = "geheim-1", "a\r\nX-Other: b"
			h.put("a")
			sub := h.sub("one", test.url)
			if test.change != nil {
				test.change(&sub)
			}
			o := h.options()
			o.resolver = zone{"here.example": netip.MustParseAddr("127.0.0.1")}
			h.deliver(o, sub)
			w := h.row("one", func(w store.Webhook) bool { return w.Error != "" })
			if !strings.Contains(w.Error, test.says) || w.Position != 0 {
				t.Errorf("got %+v, want %q", w, test.says)
			}
			if strings.Contains(w.Error, "geheim") || strings.Contains(w.Error, "X-Other") {
				t.Errorf("a secret is in %q", w.Error)
			}
			ours := strings.Contains("ca_file: there is no secret signing: url: what no header can can be guessed in the clear", strings.Fields(test.says)[0])
			if ours != (w.Attempts == 0) && !strings.Contains(test.url, "127.0.0.1:1") {
				t.Errorf("%d attempts were counted", w.Attempts)
			}
		})
	}
}

// TestTLS checks that a receiver is known by its certificate, and by that of ca_file only.
func TestTLS(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := receive(t, nil)
	r.Server = httptest.NewUnstartedServer(r)
	r.EnableHTTP2 = true
	r.StartTLS()
	t.Cleanup(r.Close)
	file := filepath.Join(h.dir, "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate().Raw})
	if err := os.WriteFile(file, block, 0o600); err != nil {
		t.Fatal(err)
	}
	h.put("a", "b")
	h.deliverer(h.sub("known", r.URL, func(s *Subscription) { s.Target.CAFile = file }), h.sub("unknown", r.URL))
	r.wants("a", "b")
	if w := h.row("unknown", func(w store.Webhook) bool { return w.Attempts == 1 }); !strings.Contains(w.Error, "certificate") {
		t.Errorf("got %q", w.Error)
	}
	r.quiet()
	// The file is read again when it has changed.
	block = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("none")})
	if err := os.WriteFile(file, block, 0o600); err != nil {
		t.Fatal(err)
	}
	h.put("c")
	if w := h.row("known", func(w store.Webhook) bool { return w.Error != "" }); !strings.Contains(w.Error, "no certificate in") {
		t.Errorf("got %q", w.Error)
	}
	r.quiet()
}

// TestRedirects checks that nobody is told but the receiver that was named.
func TestRedirects(t *testing.T) {
	t.Parallel()
	elsewhere := newReceiver(t, nil)
	for _, to := range []string{elsewhere.URL, "/final", "http://169.254.169.254/latest/meta-data/", "file:///etc/passwd"} {
		for _, code := range []int{301, 302, 303, 307, 308} {
			t.Run(fmt.Sprint(code, to), func(t *testing.T) {
				t.Parallel()
				h := newHouse(t)
				h.vault["TOKEN"] = "token-of-the-receiver"
				r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Location", to)
					w.WriteHeader(code)
				})
				h.put("a")
				h.deliverer(h.sub("one", r.URL, func(s *Subscription) { s.Target.Auth = Auth{Kind: AuthBearer, Value: stored("TOKEN")} }))
				w := h.row("one", func(w store.Webhook) bool { return w.Attempts == 1 })
				if !strings.Contains(w.Error, "not followed elsewhere") {
					t.Errorf("got %q", w.Error)
				}
				r.wants("a")
				r.quiet()
			})
		}
	}
	t.Cleanup(elsewhere.quiet)
}

// TestNoProxy checks that no proxy of the environment is used: it would choose the address.
func TestNoProxy(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	client, err := (&sender{}).client(&Target{}, false)
	if err != nil || client.Transport.(netguard.WithoutUpgrade).Proxy != nil {
		t.Errorf("a proxy may be used (%v)", err)
	}
}

// TestDayOff has a receiver that is away for a day: it is asked at the times of the schedule, and has then, in
// order, all that happened; nothing else waited for it.
func TestDayOff(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r, other := newReceiver(t, status(503)), newReceiver(t, nil)
	h.put("a", "b")
	h.deliverer(h.sub("away", r.URL), h.sub("other", other.URL))
	other.wants("a", "b")
	began, id := h.clock.now(), ""
	for i, delay := range aDay {
		got := r.wants("a")[0]
		if id == "" {
			id = got.id
		}
		if got.id != id {
			t.Errorf("attempt %d has the id %s, the one before %s", i+1, got.id, id)
		}
		w := h.row("away", func(w store.Webhook) bool { return w.Attempts == i+1 })
		if !w.Due.Equal(h.clock.now().Add(delay)) || !w.Failing.Equal(began) {
			t.Errorf("after attempt %d: %+v, want it due in %s", i+1, w, delay)
		}
		h.put(fmt.Sprint(i))
		other.wants(fmt.Sprint(i))
		h.clock.move(delay - time.Second)
		r.quiet()
		if i == len(aDay)-1 {
			r.answers(nil)
		}
		h.clock.move(time.Second)
	}
	if away := h.clock.now().Sub(began); away < 24*time.Hour {
		t.Errorf("it was away for %s", away)
	}
	r.wants("a", "b", "0", "1", "2", "3", "4", "5", "6")
	h.row("away", func(w store.Webhook) bool { return w.Position == 9 && w.Attempts == 0 && w.Error == "" && w.Dead == 0 })
}

// TestGivenUp has a receiver that does not take one item: it is given up after a day, which is on record, the
// others are delivered, and it can be sent once more.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t, status(422))
	h.put("poison", "b")
	h.deliverer(h.sub("one", r.URL, func(s *Subscription) {
		s.Retry = Retry{Attempts: 3, First: time.Minute, Longest: time.Hour, Multiplier: 2}
	}))
	id := r.wants("poison")[0].id
	for _, delay := range []time.Duration{time.Minute, 2 * time.Minute} {
		h.row("one", func(w store.Webhook) bool { return w.Due.Equal(h.clock.now().Add(delay)) })
		if delay > time.Minute {
			r.answers(func(w http.ResponseWriter, q *http.Request) {
				if q.Header.Get(headerID) == id {
					w.WriteHeader(422)
				}
			})
		}
		h.clock.move(delay)
		r.wants("poison")
	}
	r.wants("b")
	w := h.row("one", func(w store.Webhook) bool { return w.Position == 2 })
	if w.Dead != 1 || w.Attempts != 0 || w.Delivered != 1 {
		t.Errorf("got %+v", w)
	}
	letters, err := h.store().Letters(t.Context(), w.WebhookKey)
	if err != nil || len(letters) != 1 {
		t.Fatal(letters, err)
	}
	if l := letters[0]; l.Position != 1 || l.Item != id || l.Event != "tool.ended" || l.Attempts != 3 || !strings.Contains(l.Error, "422") || !l.GivenUp.Equal(h.clock.now()) {
		t.Errorf("got %+v", l)
	}
	h.mu.Lock()
	if len(h.noted) != 1 || h.noted[0].Type != events.WebhookFailed || !strings.Contains(h.noted[0].Detail, "one was not told of tool.ended, record 1") {
		t.Errorf("on record: %+v", h.noted)
	}
	h.mu.Unlock()
	r.answers(nil)
	if n, err := h.store().SendAgain(t.Context(), w.WebhookKey, nil); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if got := r.wants("poison")[0]; got.id != id {
		t.Errorf("it was sent again as %s, and was %s", got.id, id)
	}
	h.row("one", func(w store.Webhook) bool { return w.Dead == 0 && w.Again == 0 && w.Position == 2 })
}

// TestNoLoop has a receiver that takes nothing: what is on record about that is not recorded again.
func TestNoLoop(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t, status(500))
	h.event(events.Event{Type: events.WebhookFailed, Detail: "another was not told"})
	h.put("a")
	h.deliverer(h.sub("one", r.URL, func(s *Subscription) { s.Retry = Retry{Attempts: 1} }))
	h.row("one", func(w store.Webhook) bool { return w.Dead == 2 })
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.noted) != 1 || !strings.Contains(h.noted[0].Detail, "tool.ended") {
		t.Errorf("on record: %+v", h.noted)
	}
}

// TestGone has a receiver that wants nothing more. Nothing is sent until somebody resumes; then all of it is.
func TestGone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t, status(410))
	h.put("a")
	h.deliverer(h.sub("one", r.URL))
	r.wants("a")
	w := h.row("one", func(w store.Webhook) bool { return w.State == store.WebhookOff })
	if !strings.Contains(w.Reason, "410") || w.Position != 0 {
		t.Errorf("got %+v", w)
	}
	h.mu.Lock()
	if len(h.noted) != 1 || h.noted[0].Type != events.WebhookDisabled {
		t.Errorf("on record: %+v", h.noted)
	}
	h.mu.Unlock()
	h.put("b")
	h.clock.move(48 * time.Hour)
	r.answers(nil)
	r.quiet()
	if err := h.store().ChangeWebhook(t.Context(), w.WebhookKey, func(w *store.Webhook) error {
		w.State = store.WebhookOn
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	r.wants("a", "b")
}

// TestGoneElsewhere checks that another receiver is not held to what the one before said.
func TestGoneElsewhere(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r, other := newReceiver(t, status(410)), newReceiver(t, nil)
	h.put("a")
	d := h.deliverer(h.sub("one", r.URL))
	h.row("one", func(w store.Webhook) bool { return w.State == store.WebhookOff })
	d.Set(RecordSource, []Subscription{h.sub("one", other.URL)})
	other.wants("a")
	h.row("one", func(w store.Webhook) bool { return w.State == store.WebhookOn && w.Position == 1 })
}

// TestRetryAfter checks that a receiver is believed about when to come again, and that this counts as no failure.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := newClock().now()
	for _, test := range []struct {
		header string
		code   int
		due    time.Duration // behind the answer
		counts bool
	}{
		{"120", 429, 126 * time.Second, false}, // with the jitter of these tests
		{"0", 429, 1050 * time.Millisecond, false},
		{"120", 503, 126 * time.Second, false},
		{"120", 502, 126 * time.Second, false},
		{now.Add(time.Hour).Format(http.TimeFormat), 503, 63 * time.Minute, false},
		{now.Add(-time.Hour).Format(http.TimeFormat), 429, 1050 * time.Millisecond, false},
		{"4000000000", 429, 25*time.Hour + 12*time.Minute, false}, // a day, and not a century
		{"99999999999999999999", 429, 5 * time.Second, true},
		{"-1", 429, 5 * time.Second, true},
		{"soon", 429, 5 * time.Second, true},
		{"", 429, 5 * time.Second, true},
	} {
		t.Run(fmt.Sprint(test.code, test.header), func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", test.header)
				w.WriteHeader(test.code)
			})
			h.put("a")
			h.deliverer(h.sub("one", r.URL))
			w := h.row("one", func(w store.Webhook) bool { return w.Error != "" })
			if got := w.Due.Sub(now); got != test.due || (w.Attempts == 1) != test.counts {
				t.Errorf("due in %s after %d attempts, want %s", got, w.Attempts, test.due)
			}
			r.wants("a")
			h.clock.move(test.due - time.Millisecond)
			r.quiet()
			h.clock.move(time.Millisecond)
			r.wants("a")
		})
	}
}

// TestBusyForDays has a receiver that says for days that it is busy: that counts in the end.
func TestBusyForDays(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "86400")
		w.WriteHeader(429)
	})
	h.put("a")
	h.deliverer(h.sub("one", r.URL, func(s *Subscription) {
		s.Retry = Retry{Attempts: 2, First: time.Second, Longest: time.Second, Multiplier: 1}
	}))
	for range 4 { // days
		r.wants("a")
		due := h.row("one", func(w store.Webhook) bool { return w.Due.After(h.clock.now()) && w.Attempts < 2 }).Due
		h.clock.move(due.Sub(h.clock.now()))
	}
	r.wants("a")
	h.row("one", func(w store.Webhook) bool { return w.Dead == 1 && w.Position == 1 })
}
