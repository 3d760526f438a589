package permissions

import (
	"context"
	"errors"
	"sync"
)

// Board is where a question stands besides the place where a person is asked, so that it can be answered from elsewhere: a
// terminal, another door.
type Board interface {
	// Post prepares a notice of the question. It has no effect yet, and never blocks.
	Post(Question) Notice
}

// Notice is one question on a Board. Its methods may be called at the same time.
type Notice interface {
	// ID names the question for whoever answers it elsewhere.
	ID() string
	// Elsewhere puts the notice up and waits until somebody has answered elsewhere. It returns ctx's cause when ctx ends
	// first, and another error where nobody can answer elsewhere. The notice stays up.
	Elsewhere(ctx context.Context) (Answer, error)
	// Settle brings the answer that was given here, takes the notice down, and gives the answer that holds: this one, or the
	// one that was given elsewhere before, when first is false. It may block on the disk.
	Settle(here Answer) (holds Answer, first bool)
	// Withdraw takes the notice down: nobody can answer any more.
	Withdraw(why error)
}

// ErrElsewhere is why a question is withdrawn that was answered elsewhere.
var ErrElsewhere = errors.New("it was answered elsewhere")

// AskBeside asks a person here, with ask, while the question stands on the board, and gives the answer that came first.
// ask's context ends with ErrElsewhere when the answer came from elsewhere. Without a board the person is asked here alone.
func AskBeside(ctx context.Context, board Board, question Question, ask func(context.Context) (Answer, error)) (Answer, error) {
	if board == nil {
		return ask(ctx)
	}
	asking, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	notice := board.Post(question)
	var elsewhere *Answer
	var watching sync.WaitGroup
	watching.Go(func() { // ends with an answer elsewhere, or when there is one here
		if answer, err := notice.Elsewhere(asking); err == nil {
			elsewhere = &answer
			stop(ErrElsewhere)
		}
	})
	here, err := ask(asking)
	stop(nil)
	watching.Wait()
	switch {
	case elsewhere != nil:
		return *elsewhere, nil // also where an answer came here at the same time: the other was first
	case err != nil:
		notice.Withdraw(err)
		return Answer{}, err
	}
	holds, _ := notice.Settle(here)
	return holds, nil
}
