package webhook

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/store"
)

// change changes a subscription as a person does from elsewhere.
func (h *house) change(id string, f func(*store.Webhook)) {
	h.t.Helper()
	if err := h.store().ChangeWebhook(h.t.Context(), store.WebhookKey{Source: RecordSource, ID: id}, func(w *store.Webhook) error {
		f(w)
		return nil
	}); err != nil {
		h.t.Fatal(err)
	}
}

// TestPaused has a subscription paused and resumed: nothing is sent meanwhile, and nothing is lost.
func TestPaused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r, other := newReceiver(t, nil), newReceiver(t, nil)
	h.put("a")
	h.deliverer(h.sub("one", r.URL), h.sub("other", other.URL))
	r.wants("a")
	other.wants("a")
	h.row("one", func(w store.Webhook) bool { return w.Position == 1 })
	h.change("one", func(w *store.Webhook) { w.State = store.WebhookPaused })
	h.put("b", "c")
	other.wants("b", "c")
	h.clock.move(48 * time.Hour)
	r.quiet()
	h.change("one", func(w *store.Webhook) { w.State = store.WebhookOn })
	r.wants("b", "c")
}

// TestSkipped has a person move a subscription to another place.
func TestSkipped(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t, status(500))
	h.put("a", "b", "c")
	h.deliverer(h.sub("one", r.URL))
	r.wants("a")
	h.row("one", func(w store.Webhook) bool { return w.Attempts == 1 })
	r.answers(nil)
	h.change("one", func(w *store.Webhook) {
		w.Position, w.Token, w.WebhookAttempts = 2, "", store.WebhookAttempts{}
	})
	r.wants("c")
	h.change("one", func(w *store.Webhook) { w.Position, w.Token = 0, "" })
	r.wants("a", "b", "c")
}

// TestQuietHours has events in quiet hours: they are sent when these are over, in order.
func TestQuietHours(t *testing.T) {
	t.Parallel()
	h := newHouse(t) // at noon
	r, other := newReceiver(t, nil), newReceiver(t, nil)
	h.deliverer(h.sub("one", r.URL, func(s *Subscription) { s.Quiet = &Quiet{Start: 720, End: 780, Zone: time.UTC} }), h.sub("other", other.URL))
	h.put("a", "b")
	other.wants("a", "b")
	h.row("other", func(w store.Webhook) bool { return w.Position == 2 }) // else the hour would be too long for the answer
	h.clock.move(time.Hour - time.Second)
	h.put("c")
	other.wants("c")
	r.quiet()
	h.clock.move(time.Second)
	r.wants("a", "b", "c")
}

// TestSlow has a receiver that takes its time: nobody else waits for it, least of all who records.
func TestSlow(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	let := make(chan struct{})
	slow := newReceiver(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-let:
		case <-r.Context().Done():
		}
	})
	other := newReceiver(t, nil)
	h.deliverer(h.sub("slow", slow.URL), h.sub("other", other.URL))
	var want []string
	for i := range 50 {
		want = append(want, string(rune('A'+i)))
	}
	h.put(want...)
	other.wants(want...)
	slow.wants("A")
	slow.quiet()
	close(let)
	slow.wants(want[1:]...)
}

// TestAlone has two processes' worth of Deliverers: one delivers, and the other one goes on when it ends.
func TestAlone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t, nil)
	h.put("a")
	first := h.deliverer(h.sub("one", r.URL))
	r.wants("a")
	second := h.deliverer(h.sub("one", r.URL))
	h.put("b")
	r.wants("b")
	h.row("one", func(w store.Webhook) bool { return w.Position == 2 })
	h.stop(first)
	h.put("c")
	r.wants("c")
	h.row("one", func(w store.Webhook) bool { return w.Position == 3 })
	h.stop(second)
	h.put("d")
	h.deliverer(h.sub("one", r.URL))
	r.wants("d")
	r.quiet()
}

// TestClose delivers what can be delivered at once before it returns, and waits for nobody who does not answer.
func TestClose(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var waiting atomic.Bool
	r, dead := newReceiver(t, nil), newReceiver(t, status(500))
	hanging := newReceiver(t, func(_ http.ResponseWriter, q *http.Request) {
		waiting.Store(true)
		<-q.Context().Done()
	})
	d := h.deliverer(h.sub("one", r.URL), h.sub("dead", dead.URL), h.sub("hanging", hanging.URL))
	h.put("a")
	r.wants("a")
	dead.wants("a")
	hanging.wants("a")
	h.put("b", "c", "d")
	ctx, cancel := context.WithCancel(t.Context())
	closed := make(chan struct{})
	go func() { // ends when it is closed
		defer close(closed)
		if err := d.Close(ctx); err != nil {
			t.Error(err)
		}
	}()
	r.wants("b", "c", "d")
	h.row("one", func(w store.Webhook) bool { return w.Position == 4 })
	select {
	case <-closed:
		t.Error("it did not wait for an attempt that was under way")
	default:
	}
	cancel()
	<-closed
	for _, id := range []string{"one", "dead", "hanging"} {
		h.row(id, func(w store.Webhook) bool { return w.Process == "" })
	}
	if w := h.row("hanging", func(store.Webhook) bool { return true }); w.Attempts != 0 {
		t.Errorf("an attempt that we broke off was counted: %+v", w)
	}
	h.put("e")
	r.quiet()
}

// TestNothingToDo checks that a Deliverer without subscriptions opens nothing.
func TestNothingToDo(t *testing.T) {
	t.Parallel()
	o := Options{Open: func(context.Context) (*store.Store, error) {
		t.Error("the store was opened")
		return nil, context.Canceled
	}}
	d := New(o)
	d.Set(RecordSource, nil)
	if err := d.Close(t.Context()); err != nil {
		t.Error(err)
	}
	d.Set(RecordSource, []Subscription{{ID: "late", Source: RecordSource}})
}

// TestStoreFails checks that nothing is sent while the store cannot be opened, which is said once.
func TestStoreFails(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t, nil)
	h.put("a")
	o := h.options()
	o.Open = func(context.Context) (*store.Store, error) { return nil, errBroken }
	d := h.deliver(o, h.sub("one", r.URL))
	for !h.saidAnyOf("webhooks wait: " + errBroken.Error()) {
		time.Sleep(10 * time.Millisecond)
	}
	h.stop(d)
	r.quiet()
}

// TestEnlist has a process that delivers nothing make a subscription known: what happens from then on is owed.
func TestEnlist(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t, nil)
	now := func(s *Subscription) { s.Begin = BeginNow }
	h.put("before")
	s := h.store()
	for range 2 {
		if err := Enlist(t.Context(), s, []Subscription{h.sub("one", r.URL, now)}); err != nil {
			t.Fatal(err)
		}
		h.put("after")
	}
	h.deliverer(h.sub("one", r.URL, now))
	r.wants("after", "after")
}

// TestSayEvery checks that a person is told of a receiver now and then, and not each time.
func TestSayEvery(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t, status(500))
	h.put("a")
	h.deliverer(h.sub("one", r.URL, func(s *Subscription) {
		s.Retry = Retry{Attempts: 100, First: time.Minute, Longest: time.Minute, Multiplier: 1}
	}))
	for i := range 10 {
		r.wants("a")
		h.row("one", func(w store.Webhook) bool { return w.Attempts == i+1 })
		h.clock.move(time.Minute)
	}
	r.wants("a")
	h.mu.Lock()
	defer h.mu.Unlock()
	if text := strings.Join(h.said, "\n"); strings.Count(text, "webhook one: ") != 1 {
		t.Errorf("it was said:\n%s", text)
	}
}
