package acmecert

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options are what Certificates are made of.
type Options struct {
	Spec Spec              // required
	Dir  string            // required: where each authority has its directory; it is made where it is missing
	Say  func(line string) // required: one line for the person
	Now  func() time.Time  // optional, default time.Now
}

// Certificates are those of the names of a Spec. Their life is Open, Start, Close. They are safe for
// concurrent use. Nil is none, of which nothing is missing.
type Certificates struct {
	o     Options
	files files

	start sync.Once
	end   context.CancelFunc
	ended chan struct{} // closed when nobody asks the authority any more
	look  chan struct{} // has something to read where it is to be looked at once what is due
	ctx   context.Context
	times times

	mu         sync.Mutex
	domains    map[string]*domain
	challenges map[string]*tls.Certificate // what the authority sees of a name while it looks
}

// domain is a name and its certificate.
type domain struct {
	shown   *tls.Certificate // nil for none yet
	due     time.Time        // when the authority is asked again
	failure failure          // of the last try; zero after one that came to something
	reason  error            // what came of the last try in this process
}

// Open reads the certificates that are there. It asks nobody for others.
func Open(o Options) (*Certificates, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &Certificates{
		o: o, files: files{o.Spec.place(o.Dir)}, ended: make(chan struct{}), look: make(chan struct{}, 1), times: defaultTimes(),
		domains: map[string]*domain{}, challenges: map[string]*tls.Certificate{},
	}
	c.ctx, c.end = context.WithCancel(context.Background())
	if err := c.files.make(); err != nil {
		return nil, err
	}
	for _, name := range o.Spec.Domains {
		d := &domain{due: o.Now()}
		var err error
		if d.shown, err = c.files.certificate(name); err != nil {
			return nil, err
		}
		if d.shown != nil {
			d.due = renewal(d.shown)
		}
		if d.failure = c.files.failed(name); d.failure.of(o.Spec) && !d.failure.Again.After(o.Now().Add(longestWait)) {
			d.due = later(d.due, d.failure.Again)
		} else {
			d.failure = failure{}
		}
		c.domains[name] = d
	}
	return c, nil
}

// Start has the authority asked for what is missing, and for what gets old, until Close.
func (c *Certificates) Start() {
	if c == nil {
		return
	}
	c.start.Do(func() {
		go c.run() // ends with Close
	})
}

// Close ends that. An order under way is given up.
func (c *Certificates) Close() {
	if c == nil {
		return
	}
	c.end()
	c.start.Do(func() { close(c.ended) })
	<-c.ended
}

// Retry forgets when the next try after a failure is due: a person may have mended what was wrong.
func (c *Certificates) Retry() {
	if c == nil {
		return
	}
	c.mu.Lock()
	for _, d := range c.domains {
		if d.failure != (failure{}) {
			d.due = c.o.Now()
		}
	}
	c.mu.Unlock()
	c.poke()
}

// poke has what is due looked at once.
func (c *Certificates) poke() {
	select {
	case c.look <- struct{}{}:
	default:
	}
}

// Spec returns what the certificates are of.
func (c *Certificates) Spec() Spec { return c.o.Spec }

// Get returns the certificate of the name that a client asks for; who asks for none gets that of the first.
// It never waits.
func (c *Certificates) Get(name string) (*tls.Certificate, error) {
	if name == "" {
		name = c.o.Spec.Domains[0]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.domains[strings.ToLower(name)]
	switch {
	case d == nil:
		return nil, errors.New("there is no certificate for the name that the client asks for")
	case d.shown == nil:
		return nil, errors.New("there is no certificate yet")
	}
	return d.shown, nil
}

// Shown returns the certificates that there are, in the order of their names in the Spec.
func (c *Certificates) Shown() []*tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []*tls.Certificate
	for _, name := range c.o.Spec.Domains {
		if d := c.domains[name]; d != nil && d.shown != nil {
			list = append(list, d.shown)
		}
	}
	return list
}

// Challenge returns what a client sees that asks for a name as the authority does (acme.ALPNProto). It fails
// at all times but those when the authority is waited for.
func (c *Certificates) Challenge(name string) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if shown := c.challenges[strings.ToLower(name)]; shown != nil {
		return shown, nil
	}
	return nil, errors.New("nothing is to be proved about the name")
}

// Certifies reports whether there is a certificate for a name.
func (c *Certificates) Certifies(name string) bool {
	_, err := c.Get(name)
	return err == nil && name != ""
}

// Missing reports whether no name has a certificate that counts: nobody can be served.
func (c *Certificates) Missing() bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.o.Now()
	for _, d := range c.domains {
		if d.shown != nil && now.Before(d.shown.Leaf.NotAfter) {
			return false
		}
	}
	return true
}

// Trouble says what is wrong with certificates that should be there, or be newer; nil for nothing.
func (c *Certificates) Trouble() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, name := range c.o.Spec.Domains {
		switch d := c.domains[name]; {
		case d.reason != nil:
			errs = append(errs, fmt.Errorf("%s: %w", name, d.reason))
		case d.failure != (failure{}):
			errs = append(errs, fmt.Errorf("%s: the last try to have a certificate came to nothing", name))
		case d.shown == nil:
			errs = append(errs, fmt.Errorf("%s: there is no certificate yet", name))
		}
	}
	return errors.Join(errs...)
}

// run asks for what is due until Close.
func (c *Certificates) run() {
	defer close(c.ended)
	tick := time.NewTicker(time.Minute) // and not one timer: the machine may sleep, and its clock be set
	defer tick.Stop()
	for {
		for _, name := range c.dueNow() {
			if c.ctx.Err() != nil {
				return
			}
			c.renew(name)
		}
		select {
		case <-c.ctx.Done():
			return
		case <-c.look:
		case <-tick.C:
		}
	}
}

// dueNow lists the names that the authority is to be asked about now.
func (c *Certificates) dueNow() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.o.Now()
	return slices.DeleteFunc(slices.Clone(c.o.Spec.Domains), func(name string) bool { return c.domains[name].due.After(now) })
}

// renew has a certificate for a name. The one before stays where that comes to nothing.
func (c *Certificates) renew(name string) {
	made, err := c.order(name)
	if c.ctx.Err() == nil {
		c.settle(name, made, err)
	}
}

// errOld is what is wrong with a certificate that is to be renewed as soon as it is there. Without it, a clock that is
// wrong would have the authority asked again and again.
var errOld = errors.New("the one that has come is to be renewed already: is the clock of this machine right?")

// settle puts what came of an order in use, and says so. made is nil where nothing did.
func (c *Certificates) settle(name string, made *tls.Certificate, err error) {
	c.mu.Lock()
	d, now := c.domains[name], c.o.Now()
	if made != nil {
		d.shown, d.due = made, renewal(made)
		if !d.due.After(now) {
			err = errOld
		}
	}
	d.reason = err
	if err == nil {
		d.failure = failure{}
	} else {
		d.failure = d.failure.next(c.o.Spec, now, err)
		d.due = d.failure.Again
	}
	failed := d.failure
	c.mu.Unlock()
	if err := c.files.setFailed(name, failed); err != nil {
		c.o.Say(fmt.Sprintf("the certificates' directory: %v", err))
	}
	if made != nil {
		c.o.Say(fmt.Sprintf("%s has a certificate, until %s", name, made.Leaf.NotAfter.UTC().Format(time.DateTime)))
	}
	if err != nil {
		c.o.Say(fmt.Sprintf("%s gets no new certificate: %v; what there was is still in use, and the next try is at %s",
			name, err, failed.Again.UTC().Format(time.DateTime)))
	}
}
