package webhook

import (
	"fmt"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/store"
)

// TestDelivers has what was recorded before and after delivered, in order.
func TestDelivers(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t, nil)
	h.put("a", "b")
	h.deliverer(h.sub("one", r.URL+"/hook"))
	first := r.wants("a", "b")
	h.put("c")
	first = append(first, r.wants("c")...)
	for i, got := range first {
		if got.seq != int64(i+1) || got.header.Get("Content-Type") != "application/json" || got.header.Get("User-Agent") != "a2a-acp/1.2" || got.id == "" {
			t.Errorf("got number %d, %v", got.seq, got.header)
		}
	}
	w := h.row("one", func(w store.Webhook) bool { return w.Position == 3 })
	if w.Delivered != 3 || w.State != store.WebhookOn || w.Attempts != 0 {
		t.Errorf("got %+v", w)
	}
}

// TestBegin checks where a subscription begins that nothing is known of.
func TestBegin(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t, nil)
	h.put("before")
	d := h.deliverer(h.sub("now", r.URL, func(s *Subscription) { s.Begin = BeginNow }))
	h.row("now", func(w store.Webhook) bool { return w.Position == 1 && w.Process != "" })
	h.put("after")
	r.wants("after")
	h.row("now", func(w store.Webhook) bool { return w.Position == 2 })
	h.stop(d)
	h.put("between")
	h.deliverer(h.sub("now", r.URL, func(s *Subscription) { s.Begin = BeginBeginning })) // which counts no more
	r.wants("between")
}

// TestMany has many subscriptions, and what is recorded while they are delivered to.
func TestMany(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var list []Subscription
	var receivers []*receiver
	for i := range 20 {
		r := newReceiver(t, nil)
		receivers = append(receivers, r)
		list = append(list, h.sub(fmt.Sprint(i), r.URL))
	}
	var want []string
	for i := range 100 {
		want = append(want, fmt.Sprint(i))
	}
	h.put(want[:50]...)
	h.deliverer(list...)
	h.put(want[50:]...)
	for _, r := range receivers {
		r.wants(want...)
	}
}
