package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var hookA, hookB = WebhookKey{"record", "a"}, WebhookKey{"record", "b"}

// clocked opens a Store of its own whose clock the test moves.
func clocked(t *testing.T, path string, now *time.Time) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Path: path, Now: func() time.Time { return *now }, Relaxed: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func enlist(t *testing.T, s *Store, keys ...WebhookKey) {
	t.Helper()
	var list []Webhook
	for _, key := range keys {
		list = append(list, Webhook{WebhookKey: key, Position: 7, Token: "hash", Target: "t"})
	}
	if err := s.EnlistWebhooks(t.Context(), list); err != nil {
		t.Fatal(err)
	}
}

func lease(t *testing.T, s *Store, until time.Time, keys ...WebhookKey) (held []string, terms []int64) {
	t.Helper()
	list, err := s.LeaseWebhooks(t.Context(), keys, until)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range list {
		held, terms = append(held, w.ID), append(terms, w.Term)
	}
	return held, terms
}

// TestLease walks a lease through what can become of it between two Stores.
func TestLease(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_800_000_000_000)
	path := newPath(t)
	one, two := clocked(t, path, &now), clocked(t, path, &now)
	if held, _ := lease(t, one, now.Add(20*time.Second), hookA); held != nil {
		t.Errorf("what is not known was leased: %v", held)
	}
	enlist(t, one, hookA, hookB)
	enlist(t, two, hookA) // again, which changes nothing
	for _, step := range []struct {
		name  string
		s     *Store
		keys  []WebhookKey
		after time.Duration
		held  []string
	}{
		{"the first takes what it wants", one, []WebhookKey{hookA}, 0, []string{"a"}},
		{"the second what is left", two, []WebhookKey{hookA, hookB}, time.Second, []string{"b"}},
		{"the first renews", one, []WebhookKey{hookA}, 15 * time.Second, []string{"a"}},
		{"the second came too late, and has it all the same", two, []WebhookKey{hookA, hookB}, 10 * time.Second, []string{"b"}},
		{"the first lets its time run out", two, []WebhookKey{hookA, hookB}, 15 * time.Second, []string{"a", "b"}},
		{"and has lost it", one, []WebhookKey{hookA}, time.Second, nil},
		{"the second wants it no more", two, []WebhookKey{hookB}, time.Second, []string{"b"}},
		{"so that the first has it at once", one, []WebhookKey{hookA}, 0, []string{"a"}},
		{"the clock jumps back: nobody loses anything", two, []WebhookKey{hookA, hookB}, -time.Hour, []string{"b"}},
		{"nor gains", one, []WebhookKey{hookA, hookB}, 0, []string{"a"}},
	} {
		now = now.Add(step.after)
		if held, _ := lease(t, step.s, now.Add(20*time.Second), step.keys...); !slices.Equal(held, step.held) {
			t.Errorf("%s: got %v, want %v", step.name, held, step.held)
		}
	}
	if err := two.ReleaseWebhooks(t.Context()); err != nil {
		t.Fatal(err)
	}
	if held, _ := lease(t, one, now.Add(20*time.Second), hookA, hookB); len(held) != 2 {
		t.Errorf("what was given up was not taken: %v", held)
	}
}

// TestLeaseOfTheDead checks that the lease of a process that was killed is taken at once, whatever its time,
// and the one of a process that stands still only when its time has run out.
func TestLeaseOfTheDead(t *testing.T) {
	t.Parallel()
	now := time.Now()
	path := newPath(t)
	s := clocked(t, path, &now)
	enlist(t, s, hookA)
	o := start(t, "lease", path)
	o.line()
	o.stop()
	if held, _ := lease(t, s, now.Add(time.Minute), hookA); held != nil {
		t.Error("the lease of a process that stands still was taken before its time")
	}
	now = now.Add(2 * time.Hour)
	if held, _ := lease(t, s, now.Add(time.Minute), hookA); len(held) != 1 {
		t.Error("the lease of a process that stands still was not taken when its time had run out")
	}
	if err := s.ReleaseWebhooks(t.Context()); err != nil {
		t.Fatal(err)
	}
	o = start(t, "lease", path)
	o.line()
	if err := o.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = o.cmd.Wait()
	if held, _ := lease(t, s, now.Add(time.Minute), hookA); len(held) != 1 {
		t.Error("the lease of a process that was killed was not taken")
	}
}

// TestStep checks that what has become of a delivery is kept only for who has the lease, and knows what
// everybody has changed.
func TestStep(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_800_000_000_000)
	path := newPath(t)
	one, two := clocked(t, path, &now), clocked(t, path, &now)
	enlist(t, one, hookA)
	_, terms := lease(t, one, now.Add(time.Minute), hookA)
	term := terms[0]
	step := func(s *Store, st WebhookStep) bool {
		t.Helper()
		st.WebhookKey = hookA
		lost, err := s.StepWebhooks(t.Context(), []WebhookStep{st})
		if err != nil {
			t.Fatal(err)
		}
		return len(lost) == 0
	}
	if step(two, WebhookStep{Term: term, Position: 99}) {
		t.Error("who has no lease has moved it")
	}
	if !step(one, WebhookStep{Term: term, Position: 8, Token: "h8", Delivered: 1, Last: now}) {
		t.Error("a delivery was not kept")
	}
	failed := WebhookAttempts{Attempts: 2, Failing: now, Due: now.Add(time.Minute), Error: "HTTP 500"}
	if !step(one, WebhookStep{Term: term, Position: 8, Token: "h8", WebhookAttempts: failed}) {
		t.Error("a failure was not kept")
	}
	want := Webhook{WebhookKey: hookA, Position: 8, Token: "h8", State: WebhookOn, Target: "t", WebhookAttempts: failed, Delivered: 1,
		Last: now, Term: term, Until: now.Add(time.Minute)}
	check := func(name string) {
		t.Helper()
		list, err := two.Webhooks(t.Context())
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		if diff := cmp.Diff(want, list[0], cmpopts.IgnoreUnexported(Webhook{}), cmpopts.IgnoreFields(Webhook{}, "Process")); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	check("after a failure")

	if err := two.ChangeWebhook(t.Context(), hookA, func(w *Webhook) error {
		w.State, w.Reason, w.Since = WebhookPaused, "by alice", now
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if step(one, WebhookStep{Term: term, Position: 9}) {
		t.Error("who does not know of the pause has moved it")
	}
	want.State, want.Reason, want.Since, want.Term = WebhookPaused, "by alice", now, term+1
	check("paused")
	if err := two.ChangeWebhook(t.Context(), hookA, func(w *Webhook) error { w.Position = 99; return errors.New("no") }); err == nil {
		t.Error("a change that failed was kept")
	}
	if err := two.ChangeWebhook(t.Context(), hookB, func(*Webhook) error { return nil }); !errors.Is(err, ErrNoWebhook) {
		t.Errorf("got %v", err)
	}
	check("paused")
	if !step(one, WebhookStep{Term: term + 1, Position: 9, Token: "h9", Off: "HTTP 410"}) {
		t.Error("the end was not kept")
	}
	want.Position, want.Token, want.State, want.Reason, want.WebhookAttempts = 9, "h9", WebhookOff, "HTTP 410", WebhookAttempts{}
	check("off")
	if err := one.ForgetWebhook(t.Context(), hookA); err != nil {
		t.Fatal(err)
	}
	if list, err := one.Webhooks(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("it was not forgotten: %v, %v", list, err)
	}
}

// TestLetters checks what becomes of deliveries that were given up.
func TestLetters(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_800_000_000_000)
	s := clocked(t, newPath(t), &now)
	if _, err := s.SendAgain(t.Context(), hookA, nil); !errors.Is(err, ErrNoWebhook) {
		t.Errorf("got %v", err)
	}
	enlist(t, s, hookA, hookB)
	_, terms := lease(t, s, now.Add(time.Hour), hookA, hookB)
	term := terms[0]
	keep := func(key WebhookKey, l Letter, drop int64) {
		t.Helper()
		st := WebhookStep{WebhookKey: key, Term: term, Position: l.Position, Drop: drop}
		if l.Position > 0 {
			st.Keep = &l
		}
		if lost, err := s.StepWebhooks(t.Context(), []WebhookStep{st}); err != nil || lost != nil {
			t.Fatal(lost, err)
		}
	}
	dead := Letter{Position: 8, Item: "id-8", Event: "tool.ended", GivenUp: now,
		WebhookAttempts: WebhookAttempts{Attempts: 8, Failing: now.Add(-time.Hour), Error: "HTTP 500"}}
	keep(hookA, dead, 0)
	keep(hookB, Letter{Position: 5, Item: "other", GivenUp: now}, 0)
	letters := func(want ...Letter) {
		t.Helper()
		got, err := s.Letters(t.Context(), hookA)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	letters(dead)
	if _, found, err := s.NextAgain(t.Context(), hookA); found || err != nil {
		t.Errorf("it is sent again although nobody wants that: %v", err)
	}
	if n, err := s.SendAgain(t.Context(), hookA, nil); n != 1 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	term++ // for a: whoever delivers must look
	dead.Again, dead.Attempts, dead.Failing = now, 0, time.Time{}
	letters(dead)
	if n, err := s.SendAgain(t.Context(), hookA, []int64{3, 8}); n != 2 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	term++
	letters(Letter{Position: 3, Again: now}, dead)
	if l, found, err := s.NextAgain(t.Context(), hookA); l.Position != 3 || !found || err != nil {
		t.Errorf("got %+v, %v", l, err)
	}
	keep(hookA, Letter{}, 3)
	keep(hookA, Letter{}, 8)
	letters()
	term = terms[1]
	keep(hookB, Letter{Position: 6, GivenUp: now}, 5)
	if list, err := s.Webhooks(t.Context()); err != nil || list[0].Dead != 0 || list[1].Dead != 1 {
		t.Errorf("got %+v, %v", list, err)
	}
}

// TestLettersAreBounded checks that the oldest letters go where there are too many.
func TestLettersAreBounded(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_800_000_000_000)
	s := clocked(t, newPath(t), &now)
	enlist(t, s, hookA)
	_, terms := lease(t, s, now.Add(time.Hour), hookA)
	var steps []WebhookStep
	for i := range int64(mostLetters + 10) {
		steps = append(steps, WebhookStep{WebhookKey: hookA, Term: terms[0], Position: i + 1, Keep: &Letter{Position: i + 1, GivenUp: now}})
	}
	for chunk := range slices.Chunk(steps[:mostLetters-1], 5000) { // without the bound, which costs
		if _, err := s.db.ExecContext(t.Context(), `WITH RECURSIVE n(i) AS (VALUES(?) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			INSERT INTO webhook_letters (source, id, position, item, event, given_up) SELECT 'record', 'a', i, '', '', 1 FROM n`,
			chunk[0].Position, chunk[len(chunk)-1].Position); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.StepWebhooks(t.Context(), steps[mostLetters-1:]); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Letters(t.Context(), hookA); err != nil || len(list) != mostLetters || list[0].Position != 11 {
		t.Errorf("%d are kept, the first is %d (%v)", len(list), list[0].Position, err)
	}
}

// TestChanges checks that a Store hears of what another has changed, and not of what it has itself.
func TestChanges(t *testing.T) {
	t.Parallel()
	now := time.Now()
	path := filepath.Join(t.TempDir(), Name)
	one, two := clocked(t, path, &now), clocked(t, path, &now)
	number := func() int64 {
		t.Helper()
		n, err := one.Changes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := number()
	enlist(t, one, hookA)
	if number() != before {
		t.Error("its own change is one")
	}
	enlist(t, two, hookB)
	if number() == before {
		t.Error("another's change is none")
	}
}

// TestManyLease has many processes take leases of the same subscriptions at once: each has one holder.
func TestManyLease(t *testing.T) {
	t.Parallel()
	now := time.Now()
	path := newPath(t)
	s := clocked(t, path, &now)
	var keys []WebhookKey
	for i := range 50 {
		keys = append(keys, WebhookKey{"record", fmt.Sprint(i)})
	}
	enlist(t, s, keys...)
	var others []*other
	for range 8 {
		o := start(t, "leaseall", path)
		o.line()
		others = append(others, o)
	}
	for _, o := range others {
		o.tell()
	}
	total := 0
	for _, o := range others {
		var n int
		if _, err := fmt.Sscan(o.line(), &n); err != nil {
			t.Fatal(err)
		}
		total += n
	}
	if total != len(keys) {
		t.Errorf("%d leases were given for %d subscriptions", total, len(keys))
	}
}

// leaseOne is what the role lease does: it takes a lease for an hour, and stays.
func leaseOne(ctx context.Context, s *Store) error {
	list, err := s.LeaseWebhooks(ctx, []WebhookKey{hookA}, time.Now().Add(time.Hour))
	if err != nil || len(list) != 1 {
		return fmt.Errorf("got %v, %w", list, err)
	}
	return nil
}
