package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultAddress is where the daemon listens when nobody says otherwise.
const DefaultAddress = "127.0.0.1:8642"

// Options are what a Server is made of.
type Options struct {
	Settings Settings
	Doors    []Door
	// Known are principals that the configuration does not have, with their tokens.
	Known []Identity
	// Open has everybody be this principal who shows no token; nil for nobody.
	Open *Principal
	// TokenFile is where the token of a principal stands that was made for this daemon; "" for none.
	TokenFile string
	Version   string
	// Ready says why nothing can be taken at the moment, whatever the door; nil when it can. Required.
	Ready func() error
	Say   func(line string) // required: one line for the person
	Grace time.Duration     // required: how long requests under way have at the end
}

// Identity is a principal and what it shows.
type Identity struct {
	Principal Principal
	Token     string
}

// Server is the daemon's frame. Its life is New, Listen, Run.
type Server struct {
	o          Options
	mux        *http.ServeMux
	http       *http.Server
	listeners  []net.Listener
	base       string
	identities atomic.Pointer[identities]
	draining   atomic.Bool
	requests   requests
}

// New makes a Server with all doors mounted. A door whose routes cannot be is an error.
func New(o Options) (s *Server, err error) {
	s = &Server{o: o, mux: http.NewServeMux()}
	s.requests.init()
	ids := &identities{open: o.Open}
	for _, identity := range o.Known {
		ids.known = append(ids.known, newKnown(identity.Principal, identity.Token))
	}
	s.identities.Store(ids)
	for _, door := range append([]Door{s.own()}, o.Doors...) {
		if err := s.mount(door); err != nil {
			return nil, err
		}
	}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true) // gRPC on loopback
	s.http = &http.Server{
		Handler: s.mux, Protocols: &protocols,
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	return s, nil
}

// mount gives a door its routes. http.ServeMux panics where two patterns are the same, or neither is more
// specific.
func (s *Server) mount(d Door) (err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("the door %s cannot be mounted: %v", d.Name, why)
		}
	}()
	for _, route := range d.Routes {
		if route.Scope == "" || route.Handler == nil {
			return fmt.Errorf("the door %s cannot be mounted: %s needs a scope and a handler", d.Name, route.Pattern)
		}
		s.mux.Handle(route.Pattern, &routed{Route: route, server: s})
	}
	return nil
}

// Listen opens the listeners. Nobody is answered before Run.
func (s *Server) Listen() error {
	addresses := s.o.Settings.Listen
	if len(addresses) == 0 {
		addresses = []string{DefaultAddress}
	}
	for _, address := range addresses {
		at, err := net.ResolveTCPAddr("tcp", address)
		if err == nil && !at.IP.IsLoopback() {
			err = errors.New("only loopback addresses are listened at so far")
		}
		var l net.Listener
		if err == nil {
			l, err = net.ListenTCP("tcp", at)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("listen at %s: %w", address, err), s.Close())
		}
		s.listeners = append(s.listeners, l)
	}
	s.base = "http://" + s.listeners[0].Addr().String()
	return nil
}

// Close closes the listeners of a Server that is not run.
func (s *Server) Close() error {
	var errs []error
	for _, l := range s.listeners {
		errs = append(errs, l.Close())
	}
	return errors.Join(errs...)
}

// FirstLine returns what standard output begins with, once the listeners are open: where the daemon is, and
// what each door adds.
func (s *Server) FirstLine() ([]byte, error) {
	line := []byte(`{`)
	add := func(name string, value any) error {
		encoded, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("the first line: %s: %w", name, err)
		}
		if len(line) > 1 {
			line = append(line, ',')
		}
		line = append(fmt.Appendf(line, "%q:", name), encoded...)
		return nil
	}
	err := add("url", s.base)
	if s.o.TokenFile != "" {
		err = errors.Join(err, add("token_file", s.o.TokenFile))
	}
	for _, door := range s.o.Doors {
		if door.FirstLine == nil {
			continue
		}
		for name, value := range sorted(door.FirstLine(s.base)) {
			err = errors.Join(err, add(name, value))
		}
	}
	return append(line, '}', '\n'), err
}

// Run answers requests until stop is done. Then none begins any more, and Run returns when those under way
// have ended: at the latest after the grace, or when now is done.
func (s *Server) Run(stop, now context.Context) error {
	failed := make(chan error, len(s.listeners))
	var serving sync.WaitGroup
	for _, l := range s.listeners {
		serving.Go(func() { // ends with the listener
			if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("%s: %w", l.Addr(), err)
			}
		})
	}
	var err error
	select {
	case <-stop.Done():
	case err = <-failed:
	}
	s.drain(now)
	serving.Wait()
	return err
}

// drain ends the daemon's work in order.
func (s *Server) drain(now context.Context) {
	s.draining.Store(true)
	ctx, cancel := context.WithTimeout(now, s.o.Grace)
	defer cancel()
	var doors sync.WaitGroup
	for _, door := range s.o.Doors {
		if door.Drain != nil {
			doors.Go(func() { door.Drain(ctx) }) // ends with ctx, if not before
		}
	}
	doors.Wait()
	s.requests.endStreams(errEnds)
	_ = s.http.Shutdown(ctx) // what is left is ended next
	s.requests.end(errEnds)
	_ = s.http.Close()
}

// errEnds is why what was under way is ended.
var errEnds = errors.New("the daemon ends")
