package serve

import (
	"container/list"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// connections are those of all listeners. Of one that has no request under way nobody knows whose it is, and
// they cost memory: only so many may wait, and where there are more, the ones that have waited longest are
// closed. So whoever opens thousands and sends nothing keeps nobody out, and takes no more memory than the
// bound.
type connections struct {
	young time.Duration // how long one that waits is left alone, whoever else comes

	mu           sync.Mutex
	room         sync.Cond // of mu: something has changed for those who want to come in
	limits       Limits
	waiting      list.List // of *connection: those without a request, the one that waits longest first
	all          int
	ofPrincipals map[string]int
	closed       bool
}

// connection is one of them.
type connection struct {
	net.Conn
	in        *connections
	secure    bool
	waits     *list.Element // its place among those that wait; nil while it has a request
	since     time.Time     // that it waits
	principal string        // whose last request it was; "" before the first
	over      bool
}

func newConnections(l Limits) *connections {
	cs := &connections{limits: l, ofPrincipals: map[string]int{}, young: 250 * time.Millisecond}
	cs.room.L = &cs.mu
	return cs
}

// use puts other bounds in force.
func (cs *connections) use(l Limits) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.limits = l
	cs.room.Broadcast()
}

// guarded is a listener whose connections are among these.
type guarded struct {
	*listener
	in *connections
}

// Accept implements net.Listener. It waits for room.
func (g *guarded) Accept() (net.Conn, error) {
	for {
		made, err := g.listener.Accept()
		if err != nil {
			return nil, err
		}
		if !g.admits(made) {
			made.Close()
			continue
		}
		if c := g.in.enter(made, g.secure); c != nil {
			return c, nil
		}
		made.Close()
	}
}

// end lets nobody in any more, and closes those that wait.
func (cs *connections) end() {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.closed = true
	cs.room.Broadcast()
	for cs.waiting.Len() > 0 {
		_ = cs.drop(cs.waiting.Front().Value.(*connection)) // nobody has asked anything there
	}
}

// enter lets a connection in once there is room; nil where there is none for it.
func (cs *connections) enter(conn net.Conn, secure bool) *connection {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for !cs.closed && cs.waiting.Len() >= cs.limits.Waiting {
		oldest := cs.waiting.Front().Value.(*connection)
		if left := cs.young - time.Since(oldest.since); left > 0 {
			wake := time.AfterFunc(left, cs.room.Broadcast)
			cs.room.Wait()
			wake.Stop()
			continue
		}
		_ = cs.drop(oldest) // nobody has asked anything there
	}
	if cs.closed || cs.all >= cs.limits.Connections+cs.limits.Waiting {
		return nil
	}
	c := &connection{Conn: conn, in: cs, secure: secure}
	cs.all++
	cs.wait(c)
	return c
}

// wait has a connection wait for a request. Called with mu held, as are the next two.
func (cs *connections) wait(c *connection) {
	if c.waits == nil && !c.over {
		c.since = time.Now()
		c.waits = cs.waiting.PushBack(c)
	}
}

func (cs *connections) noLongerWaits(c *connection) {
	if c.waits != nil {
		cs.waiting.Remove(c.waits)
		c.waits = nil
		cs.room.Signal()
	}
}

// drop closes a connection and forgets it.
func (cs *connections) drop(c *connection) error {
	if c.over {
		return nil
	}
	c.over = true
	cs.noLongerWaits(c)
	cs.all--
	cs.of(c, "")
	return c.Conn.Close()
}

// of counts a connection as a principal's.
func (cs *connections) of(c *connection, principal string) {
	if c.principal == principal {
		return
	}
	if c.principal != "" {
		if cs.ofPrincipals[c.principal]--; cs.ofPrincipals[c.principal] == 0 {
			delete(cs.ofPrincipals, c.principal)
		}
	}
	if c.principal = principal; principal != "" {
		cs.ofPrincipals[principal]++
	}
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.in.mu.Lock()
	defer c.in.mu.Unlock()
	return c.in.drop(c)
}

// CloseWrite ends what is sent, so that a client which is still sending can read why it is cut.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// changed is told of a connection's state (http.Server.ConnState).
func (cs *connections) changed(conn net.Conn, state http.ConnState) {
	c := connectionOf(conn)
	if c == nil {
		return
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	switch state {
	case http.StateActive, http.StateHijacked:
		cs.noLongerWaits(c)
	case http.StateIdle:
		cs.wait(c)
	case http.StateNew, http.StateClosed: // enter and Close know
	}
}

// take counts a connection as that of a principal whose request has come. It is false where the principal has
// as many as it may.
func (cs *connections) take(conn net.Conn, principal string) bool {
	c := connectionOf(conn)
	if c == nil {
		return true
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if c.principal != principal && cs.ofPrincipals[principal] >= cs.limits.PrincipalConnections {
		return false
	}
	if !c.over {
		cs.of(c, principal)
	}
	return true
}

// count returns how many connections there are, and how many of them wait.
func (cs *connections) count() (all, waiting int) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.all, cs.waiting.Len()
}

// connectionOf finds ours below TLS.
func connectionOf(conn net.Conn) *connection {
	if over, ok := conn.(*tls.Conn); ok {
		conn = over.NetConn()
	}
	c, _ := conn.(*connection)
	return c
}

type connectionKey struct{}
