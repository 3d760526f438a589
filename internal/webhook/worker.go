package webhook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// The times of a worker.
const (
	keepEvery   = 2 * time.Second // how long it is kept in memory alone that nothing was wanted
	keepPassed  = 1000            // and of how many items
	againAfter  = time.Minute     // when what this machine keeps from being sent is tried again
	sayEvery    = time.Hour       // how often a person is told of the same receiver
	furthest    = 2 * LongestDelay
	mostBusiest = 0.1 // what Retry-After is made longer by, at the most: nobody comes back with all others
)

// worker delivers to one subscription, under one lease, until somebody else changes something.
type worker struct {
	d     *Deliverer
	store *store.Store
	sub   *Subscription
	row   store.Webhook // as it was kept last

	at    Position // behind what was looked at
	last  bool     // everything was drained when it looked
	again bool     // there may be letters that are wanted once more
	stood string   // why the source gave nothing, as it is kept; "" where it does
	said  time.Time

	cancel context.CancelFunc
	ended  chan struct{}
}

// delivery is the one that a subscription is at.
type delivery struct {
	item   *Item
	letter *store.Letter // where it is sent again, out of its turn; else nil
}

// start begins a worker.
func (d *Deliverer) start(ctx context.Context, s *store.Store, sub *Subscription, row store.Webhook) *worker {
	ctx, cancel := context.WithCancel(ctx)
	w := &worker{d: d, store: s, sub: sub, row: row, at: Position{Number: row.Position, Token: row.Token},
		again: row.Again > 0, cancel: cancel, ended: make(chan struct{})}
	if row.Failing.IsZero() && row.Due.IsZero() { // else it is what a receiver has said
		w.stood = row.Error
	}
	go w.run(ctx) // ends with ctx, when everything is drained, or when the lease is lost
	return w
}

// end ends the worker, and returns when it has.
func (w *worker) end() {
	w.cancel()
	<-w.ended
}

func (w *worker) hasEnded() bool {
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

// run delivers one item after the other.
func (w *worker) run(ctx context.Context) {
	defer close(w.ended)
	defer w.d.wake() // so that another one begins where that is right
	defer w.cancel()
	for w.goesOn(ctx) {
		w.last = w.d.isDraining()
		news := w.sub.Stream.News()
		next, err := w.next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			w.forget(ctx)
			return
		case err != nil:
			w.stuck(ctx, err, news)
		case w.stood != "" && (next == nil || next.letter == nil):
			w.goOn(ctx)
		case next == nil:
			w.rest(ctx, news)
		case w.isDue(ctx):
			w.deliver(ctx, next)
		}
	}
}

// goesOn waits while nothing is to be delivered at all, and reports whether the worker has anything to do
// after that. What changes the row has another worker begin.
func (w *worker) goesOn(ctx context.Context) bool {
	if ctx.Err() == nil && w.row.State != store.WebhookOn {
		w.wait(ctx, time.Time{}, nil) // until the row is another one, or everything is drained
		return false
	}
	return ctx.Err() == nil && time.Now().Before(w.d.leased.get())
}

// wait waits until a moment (zero: for ever), for news (nil: none), and for the end. Where everything was drained
// already when the worker has looked, it ends the worker: nothing is waited for then.
func (w *worker) wait(ctx context.Context, until time.Time, news <-chan struct{}) {
	if w.last {
		w.cancel()
		return
	}
	var at <-chan time.Time
	if !until.IsZero() {
		at = w.d.o.after(until)
	}
	select {
	case <-at:
	case <-news:
	case <-w.d.draining: // it looks once more
	case <-ctx.Done():
	}
}

// next returns what is to be delivered next; nil where there is nothing.
func (w *worker) next(ctx context.Context) (*delivery, error) {
	if w.again {
		if next, err := w.nextAgain(ctx); next != nil || err != nil {
			return next, err
		}
		w.again = false
	}
	item, at, err := w.sub.Stream.Next(ctx, w.at)
	w.at = at
	if item == nil || err != nil {
		return nil, err
	}
	return &delivery{item: item}, nil
}

// nextAgain returns the first letter that is wanted once more; nil for none. One whose item is gone is given up.
func (w *worker) nextAgain(ctx context.Context) (*delivery, error) {
	for {
		letter, found, err := w.store.NextAgain(ctx, w.sub.key())
		if err != nil || !found {
			return nil, err
		}
		item, err := w.sub.Stream.At(ctx, letter.Position)
		if err == nil && letter.Item != "" && item.ID != letter.Item {
			err = ErrNoItem
		}
		switch {
		case err == nil:
			letter.Item, letter.Event = item.ID, item.Event
			return &delivery{item: item, letter: &letter}, nil
		case !errors.Is(err, ErrNoItem):
			return nil, err
		}
		letter.Again, letter.GivenUp, letter.Error = time.Time{}, w.d.o.Now(), ErrNoItem.Error()
		if !w.keep(ctx, func(step *store.WebhookStep) { step.Keep = &letter }) {
			return nil, ctx.Err()
		}
	}
}

// isDue waits until something may be sent; false where it has waited, and everything is to be looked at anew.
func (w *worker) isDue(ctx context.Context) bool {
	now := w.d.o.Now()
	until := w.row.Due
	if until.Sub(now) > furthest { // somebody has set the clock back
		until = now
	}
	if quiet := w.sub.Quiet.until(now); quiet.After(until) {
		until = quiet
	}
	if !until.After(now) {
		return true
	}
	w.wait(ctx, until, nil)
	return false
}

// deliver makes an attempt, and keeps what came of it.
func (w *worker) deliver(ctx context.Context, next *delivery) {
	// What somebody has changed a moment ago counts for this item already.
	if has, err := w.store.HasWebhook(ctx, w.sub.key(), w.row.Term); err != nil || !has {
		w.cancel()
		return
	}
	w.d.o.reached("read")
	a := w.d.sender.send(ctx, &w.sub.Target, next.item)
	w.d.o.reached("send")
	if ctx.Err() != nil && !a.ok() {
		return // nobody's fault: it is tried again
	}
	w.d.count(w.sub.Source, a)
	switch {
	case a.ok():
		w.succeed(ctx, next)
	case a.ours:
		w.postpone(ctx, a.why)
	case a.gone():
		w.switchOff(ctx, next, a.why)
	default:
		w.fail(ctx, next, a)
	}
}

func (w *worker) succeed(ctx context.Context, next *delivery) {
	w.keep(ctx, func(step *store.WebhookStep) {
		step.Delivered, step.Last = 1, w.d.o.Now()
		step.Due, step.Error = time.Time{}, ""
		if next.letter != nil {
			step.Drop = next.letter.Position
			return
		}
		step.Position, step.Token = next.item.Position.Number, next.item.Position.Token
		step.WebhookAttempts = store.WebhookAttempts{}
	})
	w.d.o.reached("settle")
}

// postpone puts off what cannot be sent for a reason on this machine: that is no failure of the receiver's.
func (w *worker) postpone(ctx context.Context, why string) {
	w.say(why)
	w.keep(ctx, func(step *store.WebhookStep) {
		step.Due, step.Error = w.d.o.Now().Add(againAfter), why
	})
	w.d.o.reached("fail")
}

// switchOff keeps that the receiver wants nothing more. The delivery is owed until somebody resumes.
func (w *worker) switchOff(ctx context.Context, next *delivery, why string) {
	w.record(ctx, next.item, events.WebhookDisabled, fmt.Sprintf("%s was switched off by its receiver: %s", w.sub.name(), why))
	w.keep(ctx, func(step *store.WebhookStep) { step.Off, step.Error = why, why })
	w.d.o.reached("fail")
	w.cancel() // the row is another one now
}

// fail keeps a failed attempt, and when the next one is due; or that there is none.
func (w *worker) fail(ctx context.Context, next *delivery, a answer) {
	now := w.d.o.Now()
	state := w.row.WebhookAttempts
	if next.letter != nil {
		state = next.letter.WebhookAttempts
	}
	if state.Failing.IsZero() {
		state.Failing = now
	}
	delay := time.Duration(float64(a.after) * (1 + mostBusiest*w.d.o.random()))
	if a.after == 0 || now.Sub(state.Failing) > busyFor {
		state.Attempts++
		delay = max(delay, w.sub.Retry.delay(state.Attempts, w.d.o.random()))
	}
	state.Due, state.Error = now.Add(delay), a.why
	if state.Attempts >= w.sub.Retry.attempts() {
		w.giveUp(ctx, next, state)
		return
	}
	w.say(a.why)
	w.keep(ctx, func(step *store.WebhookStep) {
		step.Due, step.Error = state.Due, state.Error
		if next.letter == nil {
			step.WebhookAttempts = state
			return
		}
		letter := *next.letter
		letter.WebhookAttempts = state
		step.Keep = &letter
	})
	w.d.o.reached("fail")
}

// giveUp keeps that a delivery is not tried any more. The next one is.
func (w *worker) giveUp(ctx context.Context, next *delivery, state store.WebhookAttempts) {
	item := next.item
	w.d.countGivenUp(w.sub.Source)
	w.record(ctx, item, events.WebhookFailed, fmt.Sprintf("%s was not told of %s, %s %d (%s), after %d attempts: %s", w.sub.name(),
		item.Event, w.sub.Source, item.Position.Number, item.ID, state.Attempts, state.Error))
	letter := store.Letter{Position: item.Position.Number, Item: item.ID, Event: item.Event, GivenUp: w.d.o.Now(),
		WebhookAttempts: state}
	letter.Due = time.Time{}
	w.keep(ctx, func(step *store.WebhookStep) {
		step.Keep, step.Due, step.Error = &letter, time.Time{}, state.Error
		if next.letter == nil {
			step.Position, step.Token = item.Position.Number, item.Position.Token
			step.WebhookAttempts = store.WebhookAttempts{Error: state.Error}
		}
	})
	w.d.o.reached("fail")
}

// stuck waits where the source gives nothing. What is gone from it is passed over, and that is on record.
func (w *worker) stuck(ctx context.Context, err error, news <-chan struct{}) {
	var gap *GapError
	switch {
	case ctx.Err() != nil:
		return
	case errors.As(err, &gap):
		w.record(ctx, nil, events.WebhookFailed, fmt.Sprintf("%s was not told of %s %d to %d: they are no longer there",
			w.sub.name(), w.sub.Source, gap.From, gap.To))
		letter := store.Letter{Position: gap.From, GivenUp: w.d.o.Now(), WebhookAttempts: store.WebhookAttempts{Error: gap.Error()}}
		w.keep(ctx, func(step *store.WebhookStep) {
			step.Position, step.Token, step.Keep = gap.After.Number, gap.After.Token, &letter
			step.WebhookAttempts = store.WebhookAttempts{}
		})
		return
	}
	why := display.Line(err.Error())
	if errors.Is(err, ErrMoved) {
		why += fmt.Sprintf("; a2a-acp webhooks resume %s --from now, or --from beginning, says where to go on", w.sub.ID)
	}
	w.stood = why
	if w.row.Error != why {
		w.say(why)
		w.keep(ctx, func(step *store.WebhookStep) { step.Error = why })
	}
	w.wait(ctx, w.d.o.Now().Add(againAfter), news)
}

// goOn keeps that the source gives something again, whether it is wanted or not: nobody is to be told what to do about
// it any more.
func (w *worker) goOn(ctx context.Context) {
	if w.row.Error == w.stood {
		w.keep(ctx, func(step *store.WebhookStep) { step.Position, step.Token, step.Error = w.at.Number, w.at.Token, "" })
	}
	w.stood = ""
}

// rest waits for news. How far the worker has looked is kept when that was much, or some while ago.
func (w *worker) rest(ctx context.Context, news <-chan struct{}) {
	if w.at == w.kept() {
		w.wait(ctx, time.Time{}, news)
		return
	}
	if w.at.Number < w.row.Position+keepPassed && !w.last {
		w.wait(ctx, w.d.o.Now().Add(keepEvery), news)
		select {
		case <-news:
			return
		default:
		}
	}
	w.keep(ctx, func(step *store.WebhookStep) { step.Position, step.Token = w.at.Number, w.at.Token })
}

// kept is the position that is kept.
func (w *worker) kept() Position { return Position{Number: w.row.Position, Token: w.row.Token} }

// forget ends a subscription whose source has ended.
func (w *worker) forget(ctx context.Context) {
	w.d.mu.Lock()
	if w.d.wanted[w.sub.key()] == w.sub {
		delete(w.d.wanted, w.sub.key())
	}
	w.d.mu.Unlock()
	if err := w.store.ForgetWebhook(ctx, w.sub.key()); err != nil && ctx.Err() == nil {
		w.say(err.Error())
	}
}

// keep keeps a step from where the row is, and reports whether it holds. While the store cannot, the worker
// waits: nothing is sent before it is kept what came of the last attempt.
func (w *worker) keep(ctx context.Context, change func(*store.WebhookStep)) bool {
	step := store.WebhookStep{WebhookKey: w.sub.key(), Term: w.row.Term, Position: w.row.Position, Token: w.row.Token,
		WebhookAttempts: w.row.WebhookAttempts}
	change(&step)
	for {
		lost, err := w.d.steps.keep(ctx, step)
		switch {
		case err == nil && lost:
			w.cancel()
			return false
		case err == nil:
			w.row.WebhookAttempts = step.WebhookAttempts
			if before := w.kept(); step.Position != before.Number || step.Token != before.Token {
				w.row.Position, w.row.Token = step.Position, step.Token
				w.at = w.kept()
			}
			return true
		}
		w.say(display.Line(err.Error()))
		w.last = w.d.isDraining()
		if w.wait(ctx, w.d.o.Now().Add(lookEvery), nil); ctx.Err() != nil {
			return false
		}
	}
}

// say tells the person what is wrong, now and then.
func (w *worker) say(why string) {
	now := w.d.o.Now()
	if w.said.IsZero() || now.Sub(w.said) >= sayEvery {
		w.said = now
		w.d.o.Say(fmt.Sprintf("%s: %s", cmp.Or(w.sub.Called, "webhook "+w.sub.ID), why))
	}
}

// record puts on record what whoever answers for it must know, unless it came of an entry about webhooks: two
// receivers that are gone would tell each other of it for ever.
func (w *worker) record(ctx context.Context, of *Item, what events.Type, detail string) {
	if w.d.o.Record == nil || of != nil && strings.HasPrefix(of.Event, "webhook.") {
		return
	}
	if err := w.d.o.Record(ctx, events.Event{Type: what, Time: w.d.o.Now(), Detail: detail}); err != nil {
		w.say(display.Line(err.Error()))
	}
}
