package hook

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/unixsocket"
)

// mostAtOnce is how many hooks at one Door may wait for an answer at the same time, since a sub-agent's calls
// come at once with those of the agent; and how many may speak.
const mostAtOnce = 64

// The reasons why a call is not waited for any longer, as context.Cause gives them.
var (
	ErrGone   = errors.New("the agent gave the call up")
	ErrClosed = errors.New("the session has ended")
)

// DoorOptions says what a Door is made of.
type DoorOptions struct {
	unixsocket.Options
	Agent Agent // required: whose hooks they are
	// Decide answers for a Call before it. It may take as long as a person does; ctx ends when the agent
	// gives the call up, or the Door is closed. Required, safe for concurrent use.
	Decide func(context.Context, Call) Answer
	// Ended is told of a Call after it. Required, safe for concurrent use.
	Ended func(Call)
	// Again answers at once for a Call that the agent asks about once more. Optional, safe for concurrent use:
	// without it the answer is no.
	Again func(Call) Answer
	// Begun is told that a session has begun. Optional, safe for concurrent use.
	Begun func()
	Say   func(line string) // required: what breaks the rules
}

// Door is where the hooks of an agent's ask. Close it.
type Door struct {
	o        DoorOptions
	listener *unixsocket.Listener
	ctx      context.Context
	cancel   context.CancelCauseFunc
	ended    sync.WaitGroup // the accepting goroutine and one for each connection
	reading  chan struct{}  // a place for each whose words are read
	waiting  chan struct{}  // a place for each that waits for a decision
}

// Listen makes a Door.
func Listen(o DoorOptions) (*Door, error) {
	listener, err := unixsocket.Listen(o.Options)
	if err != nil {
		return nil, fmt.Errorf("listen for the agent's hooks: %w", err)
	}
	d := &Door{o: o, listener: listener, reading: make(chan struct{}, mostAtOnce),
		waiting: make(chan struct{}, mostAtOnce)}
	d.ctx, d.cancel = context.WithCancelCause(context.Background())
	d.ended.Go(d.accept) // ends when the listener is closed
	return d, nil
}

// Socket returns what the agent's hooks are to connect to.
func (d *Door) Socket() string { return d.listener.Path() }

// Close ends what waits, and removes the socket. Closing twice is harmless.
func (d *Door) Close() error {
	d.cancel(ErrClosed)
	err := d.listener.Close()
	d.ended.Wait()
	return err
}

func (d *Door) accept() {
	for {
		conn, err := d.listener.AcceptUnix()
		if err != nil {
			if d.ctx.Err() == nil {
				d.o.Say(fmt.Sprintf("the agent's hooks cannot reach us any more, so its own acts are refused: %v", err))
			}
			return
		}
		if _, err := d.listener.Admits(conn); err != nil {
			d.o.Say(fmt.Sprintf("a connection of a hook was refused: %v", err))
			conn.Close()
			continue
		}
		select {
		case d.reading <- struct{}{}: // soon, since nobody takes longer than connectTime
		case <-d.ctx.Done():
			conn.Close()
			return
		}
		d.ended.Go(func() { // ends with the answer, or with the connection, or with the Door
			d.serve(conn)
		})
	}
}

// serve answers one hook. The agent hears nothing where its words cannot be read, and takes that for a no.
func (d *Door) serve(conn *net.UnixConn) {
	defer conn.Close()
	defer context.AfterFunc(d.ctx, func() { conn.Close() })()
	heard := sync.OnceFunc(func() { <-d.reading })
	defer heard()
	conn.SetReadDeadline(time.Now().Add(connectTime)) //nolint:errcheck // then reading fails too
	told := bufio.NewReader(io.LimitReader(conn, mostEvent+1))
	event, err := told.ReadBytes('\n')
	if err != nil {
		return
	}
	conn.SetReadDeadline(time.Time{}) //nolint:errcheck // then reading fails too
	call, err := d.o.Agent.Read(event)
	if err != nil {
		d.o.Say(err.Error())
		d.answer(conn, Answer{Reason: "a2a-acp: " + err.Error()})
		return
	}
	switch call.Moment {
	case After:
		d.o.Ended(call)
		_, _ = conn.Write([]byte("{}\n")) // the hook may be gone, and nothing waits for it
		return
	case Begins:
		if d.o.Begun != nil {
			d.o.Begun()
		}
		_, _ = conn.Write([]byte("{}\n"))
		return
	case Again:
		answer := Answer{Reason: "a2a-acp did not allow it: nobody has asked before"}
		if d.o.Again != nil {
			answer = d.o.Again(call)
		}
		_, _ = conn.Write(append(d.o.Agent.SayAgain(answer, call), '\n'))
		return
	}
	heard()
	select {
	case d.waiting <- struct{}{}:
		defer func() { <-d.waiting }()
	default: // what has ended is heard all the same
		d.o.Say(fmt.Sprintf("a hook was refused: %d of them wait already", mostAtOnce))
		d.answer(conn, Answer{Reason: fmt.Sprintf(
			"a2a-acp did not allow it: %d of the agent's acts wait for an answer already; try again when some have one", mostAtOnce)})
		return
	}
	ctx, cancel := context.WithCancelCause(d.ctx)
	defer cancel(nil)
	var watching sync.WaitGroup
	watching.Go(func() { // ends when the hook is gone, or the connection is closed below
		_, _ = told.ReadByte()
		cancel(ErrGone)
	})
	if answer := d.o.Decide(ctx, call); ctx.Err() == nil { // else nobody is to act on it
		d.answer(conn, answer)
	}
	conn.Close()
	watching.Wait()
}

func (d *Door) answer(conn *net.UnixConn, a Answer) {
	_, _ = conn.Write(append(d.o.Agent.Say(a), '\n')) // a hook that is gone has blocked its tool
}
