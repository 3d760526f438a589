package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/acme"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Options are what a Server is made of.
type Options struct {
	Settings Settings // required; see Configure
	Doors    []Door
	// Inherited are sockets that the service manager has opened. The addresses of Settings are listened at
	// beside them, and DefaultAddress is not.
	Inherited []*os.File
	// Known are principals that the configuration does not have.
	Known []Identity
	// Open has everybody be this principal who shows no token, and then only loopback is listened at; nil for
	// nobody.
	Open *Principal
	// TokenFile is where the token of a principal stands that was made for this daemon; "" for none.
	TokenFile string
	// CertificateDir is where the certificates stand that an authority gives. Required where Settings have one.
	CertificateDir string
	Version        string
	// Resolve returns the value that a reference names, each time as it is then. Required where a principal has
	// one.
	Resolve func(ctx context.Context, r tool.Reference) (string, error)
	// Ready says why nothing can be taken at the moment, whatever the door; nil when it can. Required.
	Ready func() error
	Say   func(line string) // required: one line for the person
	// Visited is told of each request, let in or not; optional. It must not block.
	Visited func(Visit)
	Now     func() time.Time // optional, default time.Now
}

// Visit is a request that somebody has made. Its texts are the client's own, but for Principal and Why.
type Visit struct {
	Principal string // "" where nobody is known to have made it
	By        string // how the client has said who it is: token, api_key or jwt; "" for not at all
	Address   string
	UserAgent string
	Why       string // it was not let in; "" where it was
}

// Server is the daemon's frame. Its life is New, Listen, Run. It is safe for concurrent use.
type Server struct {
	o           Options
	mux         *http.ServeMux
	http        *http.Server
	listeners   []*listener
	base        string
	rules       rules
	inForce     atomic.Pointer[inForce]
	connections *connections
	accounts    *accounts
	draining    atomic.Bool
}

// inForce is what the settings came to. It never changes: a reload puts another one in its place.
type inForce struct {
	identities   *identities
	guard        *guard
	limits       Limits
	certificates certificates // nil for none
	grace        time.Duration
}

// headerTime is how long a client may take for the headers of a request.
const headerTime = 10 * time.Second

// errNoCertificate says that TLS cannot be spoken.
var errNoCertificate = errors.New("there is no certificate")

// New makes a Server with all doors mounted.
func New(o Options) (*Server, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{o: o, mux: http.NewServeMux(), accounts: newAccounts()}
	for _, door := range append([]Door{s.own()}, o.Doors...) {
		if err := s.mount(door); err != nil {
			return nil, err
		}
	}
	in, err := s.make(context.Background(), o.Settings)
	if err != nil {
		return nil, err
	}
	s.inForce.Store(in)
	s.rules = rules{tls: in.certificates != nil, plaintext: o.Settings.Plaintext, open: o.Open != nil}
	s.connections = newConnections(in.limits)
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true) // gRPC on loopback
	s.http = &http.Server{
		Handler: http.HandlerFunc(s.guarded), Protocols: &protocols,
		ReadHeaderTimeout: min(in.limits.Patience, headerTime), IdleTimeout: in.limits.Idle, MaxHeaderBytes: in.limits.Header,
		ConnState: s.connections.changed, ErrorLog: newErrorLog(o.Say),
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, connectionKey{}, conn)
		},
		TLSConfig:    s.tlsConfig(),
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){acme.ALPNProto: closeProved},
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

// make does all that can fail about settings.
func (s *Server) make(ctx context.Context, settings Settings) (in *inForce, err error) {
	in = &inForce{limits: settings.Limits.within(descriptors()), grace: settings.Grace}
	certified := func(string) bool { return false }
	if settings.TLS.IsSet() {
		if in.certificates, err = s.open(settings.TLS); err != nil {
			return nil, &SettingError{settings.TLS.Source, err}
		}
		certified = in.certificates.certifies
	}
	ids := &identities{open: s.o.Open}
	for _, identity := range s.o.Known {
		ids.add(identity)
	}
	known, err := newKnown(ctx, settings, s.o.Resolve, s.o.Say)
	if err != nil {
		return nil, err
	}
	ids.known = append(ids.known, known...)
	if err := ids.check(); err != nil {
		return nil, &SettingError{Err: err}
	}
	for name, spec := range sorted(settings.Issuers) {
		i, err := newIssuer(name, spec, len(settings.Issuers) == 1, s.issuer(name), settings.Workspace, s.o.Now, s.o.Say)
		if err != nil {
			return nil, err
		}
		ids.issuers = append(ids.issuers, i)
	}
	in.identities = ids
	in.guard = newGuard(settings, certified)
	return in, nil
}

// open returns the certificates of settings.
func (s *Server) open(t TLS) (certificates, error) {
	if t.ACME != nil {
		return s.fromAuthority(*t.ACME)
	}
	return newFileCertificate(t, s.o.Say)
}

// issuer returns the issuer of that name that is in force; nil for none.
func (s *Server) issuer(name string) *issuer {
	in := s.inForce.Load()
	if in == nil {
		return nil
	}
	for _, i := range in.identities.issuers {
		if i.name == name {
			return i
		}
	}
	return nil
}

// Configure puts other settings in force, as a whole or not at all. What is under way for a principal that is
// there no more, or whose scope is not, is ended.
func (s *Server) Configure(ctx context.Context, settings Settings) error {
	in, err := s.make(ctx, settings)
	if err != nil {
		return err
	}
	if (in.certificates != nil) != s.rules.tls {
		s.o.Say("serve.tls: whether TLS is spoken changes when the daemon is started again")
	}
	before := s.inForce.Swap(in)
	if was, is := before.authority(), in.authority(); was != is {
		was.Close()
		is.Start()
	} else {
		is.Retry()
	}
	s.connections.use(in.limits)
	s.accounts.recheck(in.identities)
	for _, door := range s.o.Doors {
		if door.Recheck != nil {
			door.Recheck(func(p *Principal, scope Scope) *Principal {
				now, _ := in.identities.now(p, scope)
				return now
			})
		}
	}
	before.identities.close()
	return nil
}

// Listen opens the listeners. Nobody is answered before Run.
func (s *Server) Listen() (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	for _, file := range s.o.Inherited {
		l, err := s.rules.inherit(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file.Name(), err)
		}
		s.listeners = append(s.listeners, l)
	}
	addresses := s.o.Settings.Listen
	if len(addresses) == 0 && len(s.listeners) == 0 {
		addresses = []string{DefaultAddress}
	}
	for _, text := range addresses {
		address, err := ParseAddress(text)
		if err != nil {
			return &SettingError{Err: fmt.Errorf("listen: %w", err)}
		}
		l, err := s.rules.listen(address)
		if err != nil {
			return fmt.Errorf("listen at %s: %w", text, err)
		}
		s.listeners = append(s.listeners, l)
	}
	if s.base = s.o.Settings.URL; s.base == "" {
		s.base = s.listeners[0].url
	}
	return nil
}

// URLs are where the daemon listens.
func (s *Server) URLs() []string {
	var all []string
	for _, l := range s.listeners {
		all = append(all, l.url)
	}
	return all
}

// Close closes the listeners of a Server that is not run.
func (s *Server) Close() error {
	var errs []error
	for _, l := range s.listeners {
		errs = append(errs, l.Close())
	}
	s.inForce.Load().close()
	return errors.Join(errs...)
}

// guarded lets in what the guard does.
func (s *Server) guarded(w http.ResponseWriter, r *http.Request) {
	in := s.inForce.Load()
	status, why, page := in.guard.check(r)
	if status != 0 {
		s.tell(r, Visit{Why: why})
		unread(http.NewResponseController(w), in.limits.Patience)
		w.Header().Set("Connection", "close")
		refuse(w, status, why)
		return
	}
	if page && shareWithPage(w, r) {
		return
	}
	s.mux.ServeHTTP(w, r)
}

// tell tells of a request.
func (s *Server) tell(r *http.Request, v Visit) {
	if s.o.Visited != nil {
		v.Address, v.UserAgent = r.RemoteAddr, r.UserAgent()
		s.o.Visited(v)
	}
}

// Run answers requests until stop is done. Then none begins any more, and Run returns when those under way
// have ended: at the latest after the grace, or when now is done.
func (s *Server) Run(stop, now context.Context) error {
	s.inForce.Load().authority().Start()
	failed := make(chan error, len(s.listeners))
	var serving sync.WaitGroup
	for _, l := range s.listeners {
		serving.Go(func() { // ends with the listener
			serve := s.http.Serve
			if l.secure {
				serve = func(l net.Listener) error { return s.http.ServeTLS(l, "", "") }
			}
			if err := serve(&guarded{l, s.connections}); !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("%s: %w", l.url, err)
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

// lastWords is how long requests have that were ended, to tell their clients so.
const lastWords = 5 * time.Second

// drain ends the daemon's work in order.
func (s *Server) drain(now context.Context) {
	s.draining.Store(true)
	ctx, cancel := context.WithTimeout(now, s.inForce.Load().grace)
	defer cancel()
	var doors sync.WaitGroup
	for _, door := range s.o.Doors {
		if door.Drain != nil {
			doors.Go(func() { door.Drain(ctx) }) // ends with ctx, if not before
		}
	}
	doors.Wait()
	s.accounts.endStreams(errEnds)
	s.connections.end()
	_ = s.http.Shutdown(ctx) // what is left is ended next
	s.accounts.endAll(errEnds)
	last, cancelLast := context.WithTimeout(now, lastWords)
	defer cancelLast()
	_ = s.http.Shutdown(last)
	_ = s.http.Close()
	s.inForce.Load().close()
}

// close lets go of connections to issuers and authorities.
func (in *inForce) close() {
	in.identities.close()
	in.authority().Close()
}
