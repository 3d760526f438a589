package webhook

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/netguard"
	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// The times of leases.
const (
	leaseTime  = 20 * time.Second
	renewEvery = 5 * time.Second
	// leaseEnds is how long before its end a lease is not relied on any more: others may have another clock.
	leaseEnds = 3 * time.Second
	// lookEvery is how often a process looks whether others have changed something.
	lookEvery = time.Second
	// longestWait is how long nobody looks at the clock.
	longestWait = 30 * time.Second
)

// Options are what a Deliverer is made of.
type Options struct {
	// Open opens the store when there is something to deliver. Required. The Deliverer closes it.
	Open    func(context.Context) (*store.Store, error)
	Vault   Vault                                     // optional: without it a target that refers to a value is an error
	Keys    *Keys                                     // required where a target wants signatures of the state directory
	Record  func(context.Context, events.Event) error // optional: what must be on record
	Say     func(string)                              // required: one line for the person
	Now     func() time.Time                          // optional, default time.Now
	Version string                                    // of the program, for receivers
	// reached is told which step of doc.go a delivery has come to. Of tests, which kill the process there.
	reached  func(step string)
	resolver netguard.Resolver // of tests
	random   func() float64    // likewise
	// after is time.After, by a clock that the tests move.
	after func(at time.Time) <-chan time.Time
}

// Deliverer delivers, for as long as the process lives: to the subscriptions that it was given, and has a
// lease of. It is safe for concurrent use. Close it.
type Deliverer struct {
	o      Options
	sender *sender

	draining chan struct{}      // closed when nothing is waited for any more
	drain    func()             // closes it
	cancel   context.CancelFunc // ends everything
	done     sync.WaitGroup

	mu     sync.Mutex
	wanted map[store.WebhookKey]*Subscription
	poke   chan struct{} // has a token when wanted has changed, or a worker has ended
	begun  bool
	counts map[string]Counts // by source
	// forgetting says by source what is to be forgotten; see Forget.
	forgetting map[string]isOver

	// Of the goroutine that keeps the leases, keep.
	workers map[store.WebhookKey]*worker
	known   map[store.WebhookKey]bool // that have a row
	changes int64
	told    string // what was said last of the store

	leased leaseEnd
	steps  stepper
}

// leaseEnd is when the leases of this process end, by its own clock, which nobody sets.
type leaseEnd struct {
	mu sync.Mutex
	at time.Time
}

func (l *leaseEnd) set(at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = at
}

func (l *leaseEnd) get() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}

// New makes a Deliverer. It does nothing before it is given subscriptions.
func New(o Options) *Deliverer {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.random == nil {
		o.random = rand.Float64
	}
	if o.after == nil {
		o.after = func(at time.Time) <-chan time.Time {
			// In pieces, since the clock may be set, and stands still while a machine sleeps.
			return time.After(min(at.Sub(o.Now()), longestWait))
		}
	}
	if o.reached == nil {
		o.reached = func(string) {}
	}
	d := &Deliverer{o: o, draining: make(chan struct{}), poke: make(chan struct{}, 1),
		counts: map[string]Counts{}, forgetting: map[string]isOver{},
		wanted: map[store.WebhookKey]*Subscription{}, workers: map[store.WebhookKey]*worker{},
		known:  map[store.WebhookKey]bool{},
		sender: &sender{vault: o.Vault, keys: o.Keys, now: o.Now, version: o.Version, resolver: o.resolver}}
	d.drain = sync.OnceFunc(func() { close(d.draining) })
	return d
}

// Set has the Deliverer deliver to these subscriptions of a source, and to no others of it. What it knows of
// them, and what is owed to them, stays. One that is the same as before is not disturbed: what is on its way to a slow
// receiver is not sent anew because another subscription has come or gone.
func (d *Deliverer) Set(source string, list []Subscription) {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := maps.Clone(d.wanted)
	maps.DeleteFunc(d.wanted, func(key store.WebhookKey, _ *Subscription) bool { return key.Source == source })
	for _, s := range list {
		if known := before[s.key()]; known != nil && known.isSame(&s) {
			d.wanted[s.key()] = known
			continue
		}
		d.wanted[s.key()] = &s
	}
	if !d.begun && len(d.wanted) > 0 && !d.isDraining() {
		d.begun = true
		ctx, cancel := context.WithCancel(context.Background())
		d.cancel = cancel
		d.done.Go(func() { d.keep(ctx) }) // ends with ctx, or when everything is drained
	}
	d.wake()
}

// wake has the leases looked at now.
func (d *Deliverer) wake() {
	select {
	case d.poke <- struct{}{}:
	default:
	}
}

func (d *Deliverer) isDraining() bool {
	select {
	case <-d.draining:
		return true
	default:
		return false
	}
}

// Close delivers what can be delivered at once, until ctx ends, and gives up the leases. What is owed then
// another process delivers.
func (d *Deliverer) Close(ctx context.Context) error {
	d.mu.Lock()
	d.drain()
	begun := d.begun
	d.mu.Unlock()
	if begun {
		stop := context.AfterFunc(ctx, d.cancel)
		d.done.Wait()
		stop()
		d.cancel()
	}
	d.sender.forget()
	return nil
}

// keep has the leases, and a worker for each, until everything is drained or ctx ends.
func (d *Deliverer) keep(ctx context.Context) {
	s := d.openStore(ctx)
	if s == nil {
		return
	}
	// What is kept at the end is kept whatever has ended.
	defer s.Close() //nolint:errcheck // what was kept is kept
	defer d.release(s)
	d.steps.set(s)
	var renewed time.Time
	for {
		changes, err := s.Changes(ctx)
		if err == nil && (changes != d.changes || time.Since(renewed) >= renewEvery || d.wasPoked()) {
			if err = d.round(ctx, s); err == nil {
				d.changes, renewed = changes, time.Now()
			}
		}
		d.tell(ctx, err)
		select {
		case <-time.After(lookEvery):
		case <-d.poke:
			renewed = time.Time{}
		case <-d.draining:
			d.finish(ctx)
			return
		case <-ctx.Done():
			d.finish(ctx)
			return
		}
	}
}

func (d *Deliverer) wasPoked() bool {
	select {
	case <-d.poke:
		return true
	default:
		return false
	}
}

// openStore opens the store, and tries again while it cannot.
func (d *Deliverer) openStore(ctx context.Context) *store.Store {
	for {
		s, err := d.o.Open(ctx)
		if err == nil {
			return s
		}
		d.tell(ctx, err)
		select {
		case <-time.After(renewEvery):
		case <-d.draining:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// tell says once what keeps everything from being delivered.
func (d *Deliverer) tell(ctx context.Context, err error) {
	text := ""
	if err != nil && ctx.Err() == nil {
		text = err.Error()
	}
	if text != "" && text != d.told {
		d.o.Say("webhooks wait: " + text)
	}
	d.told = text
}

// round looks which subscriptions there are, takes their leases, and has a worker for each that it has.
func (d *Deliverer) round(ctx context.Context, s *store.Store) error {
	d.mu.Lock()
	wanted := maps.Clone(d.wanted)
	d.mu.Unlock()
	maps.DeleteFunc(d.workers, func(_ store.WebhookKey, w *worker) bool { return w.hasEnded() })
	if err := d.enlist(ctx, s, wanted); err != nil {
		return err
	}
	d.o.reached("enlist")
	began := time.Now()
	rows, err := s.LeaseWebhooks(ctx, slices.Collect(maps.Keys(wanted)), d.o.Now().Add(leaseTime))
	if err != nil {
		return err
	}
	d.leased.set(began.Add(leaseTime - leaseEnds))
	d.o.reached("lease")
	held := make(map[store.WebhookKey]bool, len(rows))
	for _, row := range rows {
		held[row.WebhookKey] = true
		sub, w := wanted[row.WebhookKey], d.workers[row.WebhookKey]
		if w != nil && w.sub == sub && w.row.Term == row.Term {
			continue
		}
		if w != nil {
			w.end()
		}
		if row.Target != sub.Target.name() {
			if err := d.meet(ctx, s, &row, sub); err != nil {
				return err
			}
		}
		d.workers[row.WebhookKey] = d.start(ctx, s, sub, row)
	}
	for key, w := range d.workers {
		if !held[key] {
			w.end()
			delete(d.workers, key)
		}
	}
	return d.forget(ctx, s)
}

// meet has a subscription begin anew with another receiver, or what it takes to reach it: that is not held to
// what came of the one before.
func (d *Deliverer) meet(ctx context.Context, s *store.Store, row *store.Webhook, sub *Subscription) error {
	err := s.ChangeWebhook(ctx, row.WebhookKey, func(w *store.Webhook) error {
		w.Target, w.Due = sub.Target.name(), time.Time{}
		if w.State == store.WebhookOff {
			w.State, w.Reason, w.Since = store.WebhookOn, "", d.o.Now()
		}
		*row = *w
		row.Term++
		return nil
	})
	return err
}

// release gives up the leases.
func (d *Deliverer) release(s *store.Store) {
	ctx, cancel := context.WithTimeout(context.Background(), renewEvery)
	defer cancel()
	if err := s.ReleaseWebhooks(ctx); err != nil {
		d.o.Say("webhooks: " + err.Error()) // their time runs out by itself
	}
	d.o.reached("release")
}

// finish waits until all workers have come to where they would have to wait, or ctx has ended.
func (d *Deliverer) finish(ctx context.Context) {
	for _, w := range d.workers {
		select {
		case <-w.ended:
		case <-ctx.Done():
			w.end()
		}
	}
}

// enlist makes known what is not.
func (d *Deliverer) enlist(ctx context.Context, s *store.Store, wanted map[store.WebhookKey]*Subscription) error {
	maps.DeleteFunc(d.known, func(key store.WebhookKey, _ bool) bool { return wanted[key] == nil }) // many come and go
	var list []*Subscription
	for key, sub := range wanted {
		if !d.known[key] {
			list = append(list, sub)
		}
	}
	if list == nil {
		return nil
	}
	if err := enlist(ctx, s, list); err != nil {
		return err
	}
	for key := range wanted {
		d.known[key] = true
	}
	return nil
}

// Enlist makes subscriptions known that are not, for a process that delivers nothing itself: what happens from
// now on is owed to them.
func Enlist(ctx context.Context, s *store.Store, list []Subscription) error {
	var wanted []*Subscription
	for i := range list {
		wanted = append(wanted, &list[i])
	}
	return enlist(ctx, s, wanted)
}

func enlist(ctx context.Context, s *store.Store, list []*Subscription) error {
	known, err := s.Webhooks(ctx)
	if err != nil {
		return err
	}
	var rows []store.Webhook
	for _, sub := range list {
		if slices.ContainsFunc(known, func(w store.Webhook) bool { return w.WebhookKey == sub.key() }) {
			continue
		}
		at, err := sub.begin(ctx)
		if err != nil {
			return err
		}
		rows = append(rows, store.Webhook{WebhookKey: sub.key(), Position: at.Number, Token: at.Token,
			Target: sub.Target.name()})
	}
	if rows == nil {
		return nil
	}
	return s.EnlistWebhooks(ctx, rows)
}
