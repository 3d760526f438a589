package webhook

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/store"
)

// ids are the subscriptions that have a row, once that is what fits.
func (h *house) ids(fits func(map[string]bool) bool) {
	h.t.Helper()
	s := h.store()
	ids := map[string]bool{}
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		list, err := s.Webhooks(h.t.Context())
		if err != nil {
			h.t.Fatal(err)
		}
		ids = map[string]bool{}
		for _, w := range list {
			ids[w.ID] = true
		}
		if fits(ids) {
			return
		}
	}
	h.t.Fatalf("known are %v", ids)
}

// TestForget has subscriptions forgotten that are over, and no others: neither one that is delivered to, whatever is said
// of it, nor one that may be again. One that is forgotten and comes again begins anew.
func TestForget(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t, nil)
	h.put("a")
	d := h.deliverer(h.sub("stays", r.URL), h.sub("over", r.URL), h.sub("rests", r.URL))
	r.wants("a", "a", "a")
	for _, id := range []string{"stays", "over", "rests"} {
		h.row(id, func(w store.Webhook) bool { return w.Position == 1 })
	}
	d.Set(RecordSource, []Subscription{h.sub("stays", r.URL)})
	var asked atomic.Int64
	d.Forget(RecordSource, func(_ context.Context, id string) (bool, error) {
		if asked.Add(1) == 1 {
			return false, errors.New("the disk is away for a moment")
		}
		return id != "rests", nil
	})
	h.ids(func(ids map[string]bool) bool { return ids["stays"] && ids["rests"] && !ids["over"] })
	d.Set(RecordSource, []Subscription{h.sub("stays", r.URL), h.sub("over", r.URL), h.sub("rests", r.URL)})
	r.wants("a")
	h.put("b")
	r.wants("b", "b", "b")
	h.stop(d)
	r.quiet()
}

// TestCounts counts what was delivered, what failed, and what was given up, for each source by itself.
func TestCounts(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var requests atomic.Int64
	r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		if requests.Add(1) <= 2 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	h.put("a", "b")
	d := h.deliverer(h.sub("0", r.URL, func(s *Subscription) {
		s.Retry = Retry{Attempts: 2, First: time.Millisecond, Longest: time.Millisecond, Multiplier: 1}
	}))
	r.wants("a")
	h.row("0", func(w store.Webhook) bool { return w.Attempts == 1 })
	h.clock.move(time.Second)
	r.wants("a", "b")
	h.row("0", func(w store.Webhook) bool { return w.Position == 2 })
	got := d.Counts(RecordSource)
	got.Took = 0
	if want := (Counts{Delivered: 1, Failed: 2, GivenUp: 1}); got != want || d.Counts("other") != (Counts{}) {
		t.Errorf("got %+v, and %+v of another source; want %+v", got, d.Counts("other"), want)
	}
}
