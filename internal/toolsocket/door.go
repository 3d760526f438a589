package toolsocket

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/unixsocket"
)

// TokenVariable is the environment variable in which the token travels to Attach.
const TokenVariable = "A2A_ATTACH_TOKEN"

// ErrClosed is why a call ends, as context.Cause gives it, when its Door is closed. The other causes are
// mcpserver.ErrCancelled and mcpserver.ErrGone.
var ErrClosed = errors.New("the tools were taken away")

// helloTime is how long a connection may take to show the token.
const helloTime = 10 * time.Second

// ListenOptions says what a Door is made of.
type ListenOptions struct {
	Tools mcpserver.Tools // required
	// Optional: where the socket's directory is best made ($XDG_RUNTIME_DIR); used if it is ours alone.
	Dir     string
	TempDir string // optional, default os.TempDir(): where it is made otherwise
	// Optional: the user that may attach, where that is another than ours; only root can make such a Door.
	User int
	// Optional: told of every connection that is refused or breaks the rules. Safe for concurrent use.
	Say func(line string)
}

// Door is a socket at which one process may attach, once, to use tools. Close it.
type Door struct {
	tools mcpserver.Tools
	say   func(string)

	listener *unixsocket.Listener
	token    string

	ctx    context.Context // ends when the Door is closed
	cancel context.CancelCauseFunc
	ended  sync.WaitGroup // the accepting goroutine and one for each connection
	close  func() error

	mu     sync.Mutex
	spent  bool           // somebody has shown the token
	guests int            // connections that have not shown it
	peers  map[*peer]bool // connections that have
}

// Listen makes the socket and waits there in the background. The Door lets in one process of our own user,
// or of o.User, that shows the token, and nobody after it.
func Listen(o ListenOptions) (*Door, error) {
	if o.Tools == nil {
		return nil, errors.New("offer tools: Tools is required")
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	listener, err := unixsocket.Listen(unixsocket.Options{RuntimeDir: o.Dir, TempDir: o.TempDir, User: o.User})
	if err != nil {
		return nil, fmt.Errorf("offer tools: %w", err)
	}
	d := &Door{peers: map[*peer]bool{}, tools: o.Tools, say: o.Say, listener: listener,
		token: unixsocket.Token(32)}
	d.ctx, d.cancel = context.WithCancelCause(context.Background())
	d.close = sync.OnceValue(d.shut)
	d.ended.Go(d.accept) // ends when the listener is closed
	return d, nil
}

// Socket returns the path at which to attach.
func (d *Door) Socket() string { return d.listener.Path() }

// Token returns what the process that attaches has to show. It is a secret until it is spent.
func (d *Door) Token() string { return d.token }

// Changed tells whoever has attached that the list of tools is another now. It never blocks; several
// changes may be told as one.
func (d *Door) Changed() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for p := range d.peers {
		select {
		case p.changed <- struct{}{}:
		default: // one is still to be told
		}
	}
}

// Close ends the calls that are under way, with ErrClosed as the cause, and returns when they have ended
// and nothing is left: no connection, no goroutine, no file. Closing twice is harmless.
func (d *Door) Close() error { return d.close() }

func (d *Door) shut() error {
	d.cancel(ErrClosed)
	err := d.listener.Close()
	d.ended.Wait()
	if err != nil {
		return fmt.Errorf("close the door to the tools: %w", err)
	}
	return nil
}

// accept lets connections come in until the Door is closed.
func (d *Door) accept() {
	for {
		conn, err := d.listener.AcceptUnix()
		if d.ctx.Err() != nil {
			if err == nil {
				conn.Close()
			}
			return
		}
		if err != nil {
			d.say(fmt.Sprintf("the tools cannot be reached any more: %v", err))
			return
		}
		who, err := d.greet(conn)
		if err != nil {
			d.tell("refused", who, err)
			conn.Close()
			continue
		}
		d.ended.Go(func() { d.serve(conn, who) }) // ends with the connection, or the Door
	}
}

// greet looks at who is there before anything is read.
func (d *Door) greet(conn *net.UnixConn) (unixsocket.Peer, error) {
	who, err := d.listener.Admits(conn)
	if err != nil {
		return who, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.guests >= mostGuests {
		return who, fmt.Errorf("%d others have not shown the token yet", d.guests)
	}
	d.guests++
	return who, nil
}

// farewell is for a connection that greet let in and that has shown the token, or never will.
func (d *Door) farewell() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.guests--
}

// admit tells whether the token is the right one, for the first time. Somebody who has it has nothing to
// gain from the time that comparing takes, and nobody else learns anything from it.
func (d *Door) admit(token string) error {
	right := subtle.ConstantTimeCompare([]byte(token), []byte(d.token)) == 1
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case !right:
		return errors.New("wrong token")
	case d.spent:
		return errors.New("the token has been used before: only one process may attach, once")
	}
	d.spent = true
	return nil
}

// tell tells the person what became of a connection that did not go as it should.
func (d *Door) tell(what string, who unixsocket.Peer, why error) {
	by := ""
	if who.Known {
		by = fmt.Sprintf(" by process %d of user %d", who.PID, who.UID)
	}
	d.say(fmt.Sprintf("a connection%s to the tools was %s: %v", by, what, why))
}
