package telemetry

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v4"
	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"github.com/a2a-acp/a2a-acp/internal/audit"
)

// The measures of sending.
const (
	mostBatch   = 512              // spans in one request
	mostBehind  = 100_000          // entries that are told later; older ones are not
	oldest      = time.Hour        // of a span that is told; a collector takes no older ones, or shows them nowhere
	mostWait    = 30 * time.Second // between two tries
	atTheEnd    = time.Second      // that the end of a process waits for the last request
	leaseChecks = 10 * time.Second // how often it is looked whether whoever sends has ended
)

// Options are those of an Exporter.
type Options struct {
	Destination *Destination                           // required
	Record      string                                 // required: the directory of the record
	State       string                                 // required: a directory of exporters' own; made if need be
	Tool        func(id string) (Tool, bool)           // what the configuration has of a tool. Required.
	Known       func(id string) bool                   // which names of tools may be labels. Required.
	Gauges      []Gauge                                // further numbers
	Version     string                                 // of this program
	Say         func(line string)                      // required
	Now         func() time.Time                       // optional, default time.Now
	Wait        func(d time.Duration) <-chan time.Time // optional, default time.After
}

// Exporter sends what the record says to a collector, while nobody else does. Close it.
type Exporter struct {
	o        Options
	feed     *audit.Feed
	end      context.CancelFunc // of everything but the last requests
	last     context.Context
	cutOff   context.CancelFunc // of these
	done     sync.WaitGroup
	counters *Counters
	resource *resourcepb.Resource
	scope    *commonpb.InstrumentationScope
	begun    time.Time

	mu      sync.Mutex
	trouble map[string]bool // what was said, and still is so
}

// Export begins to send what is recorded from now on, and what was not sent before. It opens files, and waits for no
// network.
func Export(o Options) (*Exporter, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wait == nil {
		o.Wait = time.After
	}
	feed, err := audit.OpenFeed(o.Record)
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(context.Background())
	last, cutOff := context.WithCancel(context.Background())
	var instance [16]byte
	rand.Read(instance[:]) // never fails
	e := &Exporter{o: o, feed: feed, end: end, last: last, cutOff: cutOff, trouble: map[string]bool{},
		counters: NewCounters(o.Known, o.Gauges...),
		resource: o.Destination.resource(o.Version, hex.EncodeToString(instance[:])), begun: o.Now(),
		scope: &commonpb.InstrumentationScope{Name: "github.com/a2a-acp/a2a-acp", Version: o.Version}}
	begun, err := e.begin()
	e.done.Go(func() { e.run(ctx, begun, err) }) // ends with Close
	return e, nil
}

// Close sends what is there, for a second at most, and ends the Exporter.
func (e *Exporter) Close() error {
	e.end()
	defer time.AfterFunc(atTheEnd, e.cutOff).Stop()
	e.done.Wait()
	e.cutOff()
	return e.feed.Close()
}

// begin takes the right to send, and looks from where on.
func (e *Exporter) begin() (*leased, error) {
	l, err := lease(e.o.State, e.o.Destination)
	if err != nil {
		return nil, err
	}
	if err := e.start(l); err != nil {
		l.release()
		return nil, err
	}
	return l, nil
}

// run waits until nobody else sends to this place, and then sends. l and err are what begin returned first.
func (e *Exporter) run(ctx context.Context, l *leased, err error) {
	for {
		if err == nil {
			e.hold(ctx, l)
			l.release()
			return
		}
		if !errors.Is(err, errTaken) {
			e.say("lease", "what happens is not sent to a collector: %v", err)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-e.o.Wait(leaseChecks):
		}
		l, err = e.begin()
	}
}

// hold sends until ctx ends.
func (e *Exporter) hold(ctx context.Context, l *leased) {
	var beside sync.WaitGroup
	if e.o.Destination.Metrics != nil {
		beside.Go(func() { e.report(ctx) }) // ends with ctx
	}
	defer beside.Wait()
	err := e.follow(ctx, l) // also where ctx has ended: what is there is sent
	for ctx.Err() == nil && (errors.Is(err, audit.ErrCursor) || errors.As(err, new(*audit.Damage))) {
		e.say("record", "the record is not what was followed so far, so what happens from now on is sent: %v", err)
		before := l.from
		if l.from, err = e.feed.Last(0); err != nil || l.from == before {
			break
		}
		l.keep()
		err = e.follow(ctx, l)
	}
	if err != nil && ctx.Err() == nil {
		e.say("record", "what happens is no longer sent to a collector: %v", err)
	}
}

// start sets the place from which on is sent: behind what was sent last, if that is not too long ago. It is written
// down at once, so that whoever goes on does so from there, though nothing could be sent.
func (e *Exporter) start(l *leased) error {
	end, err := e.feed.Last(0)
	if err != nil {
		return err
	}
	if !l.read() || l.from.Seq > end.Seq {
		l.from = end
		l.keep()
	}
	if end.Seq-l.from.Seq > mostBehind {
		l.from, err = e.feed.Last(mostBehind)
	}
	return err
}

// follow reads the record from a place on, and sends, until ctx ends or the record cannot be read on.
func (e *Exporter) follow(ctx context.Context, l *leased) error {
	r, err := e.feed.Read(l.from)
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // it only reads
	var to *sender
	if e.o.Destination.Traces != nil {
		if to, err = newSender(e.o.Destination.Traces); err != nil {
			e.say("traces", "spans are not sent: %v", err)
		} else {
			defer to.close()
		}
	}
	made := newSpans(e.o.Tool)
	for {
		last := ctx.Err() != nil // then gather takes all that is there
		batch, err := e.gather(ctx, r, made)
		if to != nil && len(batch) > 0 && !e.spans(ctx, to, batch) {
			return nil // ctx has ended; they are told by whoever goes on
		}
		if r.Cursor() != l.from {
			l.from = r.Cursor()
			l.keep()
		}
		if err != nil || last && len(batch) < mostBatch {
			return err
		}
	}
}

// gather waits for an entry, and returns the spans that end within Delay, or are there when ctx ends.
func (e *Exporter) gather(ctx context.Context, r *audit.Reader, made *spans) (batch []*tracepb.Span, err error) {
	take := func(entry audit.Entry) {
		e.counters.Take(entry)
		if span := made.take(entry); span != nil && e.o.Now().Sub(entry.Time) < oldest {
			batch = append(batch, span)
		}
	}
	wait := ctx
	for len(batch) < mostBatch {
		entry, err := r.Next(wait)
		if err != nil && wait.Err() == nil {
			return batch, err
		}
		if err != nil {
			break
		}
		take(entry)
		if wait == ctx {
			timed, cancel := context.WithTimeout(ctx, e.o.Destination.Delay)
			defer cancel()
			wait = timed
		}
	}
	for len(batch) < mostBatch && ctx.Err() != nil { // what is still there
		entry, err := r.Poll()
		if errors.Is(err, io.EOF) {
			return batch, nil
		}
		if err != nil {
			return batch, err
		}
		take(entry)
	}
	return batch, nil
}

// spans sends a batch, again and again, and reports whether it was taken, or refused for good. Once ctx has ended
// it is tried once more.
func (e *Exporter) spans(ctx context.Context, to *sender, batch []*tracepb.Span) bool {
	body, err := tracesRequest(e.resource, e.scope, batch)
	if err != nil {
		e.say("traces", "spans are not sent: %v", err)
		return true
	}
	return e.deliver(ctx, to, "spans", body)
}

// deliver sends a request until it is taken or refused, or ctx ends.
func (e *Exporter) deliver(ctx context.Context, to *sender, what string, body []byte) (settled bool) {
	pause := backoff.NewExponentialBackOff(backoff.WithInitialInterval(time.Second), backoff.WithMaxInterval(mostWait),
		backoff.WithMaxElapsedTime(0))
	for {
		err := to.send(e.last, body)
		if err == nil {
			e.over(what, "%s are sent to %s again", what, to.signal.URL.Host)
			return true
		}
		if errors.Is(err, errRefused) {
			e.say(what, "%s are not told to %s: %v", what, to.signal.URL.Host, err)
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		e.say(what, "%s cannot be sent to %s now: %v; that goes on by itself", what, to.signal.URL.Host, err)
		after := pause.NextBackOff()
		if asked := new(later); errors.As(err, &asked) {
			after = max(after, asked.after)
		}
		select {
		case <-ctx.Done():
		case <-e.o.Wait(after):
		}
	}
}

// report sends the numbers, every Interval and at the end.
func (e *Exporter) report(ctx context.Context) {
	to, err := newSender(e.o.Destination.Metrics)
	if err != nil {
		e.say("metrics", "numbers are not sent: %v", err)
		return
	}
	defer to.close()
	for {
		select {
		case <-ctx.Done():
		case <-e.o.Wait(e.o.Destination.Interval):
		}
		body, err := metricsRequest(e.resource, e.scope, e.counters.Families(), e.begun, e.o.Now())
		if err == nil {
			err = to.send(e.last, body) // the next report has all that this one has
		}
		if err != nil {
			e.say("numbers", "numbers cannot be sent to %s now: %v; that goes on by itself", to.signal.URL.Host, err)
		} else {
			e.over("numbers", "numbers are sent to %s again", to.signal.URL.Host)
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// say tells of trouble once, until it is over.
func (e *Exporter) say(what, format string, args ...any) {
	e.mu.Lock()
	known := e.trouble[what]
	e.trouble[what] = true
	e.mu.Unlock()
	if !known {
		e.o.Say(fmt.Sprintf(format, args...))
	}
}

// over tells that trouble is over, if there was some.
func (e *Exporter) over(what, format string, args ...any) {
	e.mu.Lock()
	known := e.trouble[what]
	delete(e.trouble, what)
	e.mu.Unlock()
	if known {
		e.o.Say(fmt.Sprintf(format, args...))
	}
}
