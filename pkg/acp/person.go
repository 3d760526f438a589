package acp

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// Person answers questions in the editor's place, where nobody looks at what an editor shows. Safe for
// concurrent use.
type Person interface {
	// Ask asks, and waits. It returns ctx's cause if ctx ends first: the question was withdrawn, or answered
	// elsewhere. It is called for one question of a session at a time, and the Bridge writes a notification
	// of the method Asks to the editor first, so that what came before the question can be told before it.
	Ask(ctx context.Context, asked Asked) (Picked, error)
	// Answered is told how a question has ended that Ask was called for.
	Answered(id string, answer approval.Answer, err error)
}

// Asks is the method of the notification that stands for a question; its param question is the question's ID.
const Asks = "_a2a-acp/asks"

// Asked is a question for a Person.
type Asked struct {
	ID string
	approval.Question
	// Options are the answers that there are, with names that say what they do. One of them is picked.
	Options []permissions.Option
	// Stands gets the id by which the question can be answered elsewhere, too, and is closed once it is known
	// whether it can.
	Stands <-chan string
}

// Picked is the option that a person has picked.
type Picked struct {
	Option string // its id
	By     string // required: who it was, and where
	Reason string // what was said beside
}

// answer is what the option of a question of ours amounts to.
func (p Picked) answer(q approval.Question) (approval.Answer, error) {
	for _, o := range optionsOf(q) {
		if o.ID != p.Option {
			continue
		}
		a := approval.Answer{Verdict: permissions.Approve, Always: q.LastingOf(allowSession, o.ID),
			Source: permissions.SourcePerson, Reason: p.Reason, By: p.By}
		if o.Kind == rejectOnce {
			a.Verdict, a.Reason = permissions.Reject, cmp.Or(p.Reason, gate.SaidNo)
		}
		return a, nil
	}
	return approval.Answer{}, errors.New("an option was chosen that was not offered")
}

// askPerson has a question put to the Person, at its place among what the session sends to the editor. Whoever
// calls it calls answered with the id in the end.
func (s *Session) askPerson(ctx context.Context, q approval.Question, options []permissions.Option, stands <-chan string,
	at *place) (id string, picked Picked, err error) {
	id = s.b.ours.nextID()
	at.put(request("", Asks, map[string]string{"question": id}))
	picked, err = s.b.o.Person.Ask(ctx, Asked{ID: id, Question: q, Options: options, Stands: stands})
	return id, picked, err
}

// answered tells the Person how a question has ended that was put to it.
func (b *Bridge) answered(id string, answer approval.Answer, err error) {
	if id != "" {
		b.o.Person.Answered(id, answer, err)
	}
}

// standing is a board that tells by which id the one question that is posted can be answered there.
type standing struct {
	approval.Board
	id    chan string // gets it, and is closed once it is known, or that there is none
	known func()
}

// standingOn makes one of a board, which may be nil.
func standingOn(board approval.Board) *standing {
	s := &standing{Board: board, id: make(chan string, 1)}
	s.known = sync.OnceFunc(func() { close(s.id) })
	if board == nil {
		s.known()
	}
	return s
}

// board returns it as a Board; nil where there is none.
func (s *standing) board() approval.Board {
	if s.Board == nil {
		return nil
	}
	return s
}

// Post implements approval.Board.
func (s *standing) Post(q approval.Question) approval.Notice {
	return standingNotice{s.Board.Post(q), s}
}

type standingNotice struct {
	approval.Notice
	on *standing
}

// Elsewhere implements approval.Notice.
func (n standingNotice) Elsewhere(ctx context.Context, stands func(id string)) (approval.Answer, error) {
	defer n.on.known()
	return n.Notice.Elsewhere(ctx, func(id string) {
		n.on.id <- id // never blocks: one id, room for one
		n.on.known()
		if stands != nil {
			stands(id)
		}
	})
}
