package approval

import (
	"context"
	"errors"
	"sync"
)

// Board is where a question stands besides the place where a person is asked, so that it can be answered
// from elsewhere: a terminal, another door.
type Board interface {
	// Post prepares a notice of the question. It has no effect yet, and never blocks.
	Post(Question) Notice
}

// Notice is one question on a Board. Its methods may be called at the same time.
type Notice interface {
	// Earlier is called before anybody is asked. While another call of the session asks the very same, it
	// waits for that one's answer, and calls waits before that: a no is this one's, too, and a yes is not.
	// Then it gives the answer that a person has left for this question, after the process that asked it
	// before had ended; found is false where there is none. Over must be called in the end.
	Earlier(ctx context.Context, waits func()) (answer Answer, found bool, err error)
	// Over says that the asking has come to its end, with that answer or an error.
	Over(Answer, error)
	// Elsewhere puts the notice up and waits until somebody has answered elsewhere. It returns ctx's cause
	// when ctx ends first, and another error where nobody can answer elsewhere. The notice stays up. Once
	// it is up, stands is told by which id it can be answered; it may be nil.
	Elsewhere(ctx context.Context, stands func(id string)) (Answer, error)
	// Settle brings the answer that was given here, takes the notice down, and gives the answer that holds:
	// this one, or the one that was given elsewhere before, when first is false. It may block on the disk.
	Settle(here Answer) (holds Answer, first bool)
	// Withdraw takes the notice down: nobody can answer any more. With ErrAskerGone it stays.
	Withdraw(why error)
}

// ErrElsewhere is why a question is withdrawn that was answered elsewhere.
var ErrElsewhere = errors.New("it was answered elsewhere")

// ErrAskerGone is why nobody waits for an answer any more though nobody has taken the question back:
// whoever asks the very same again may be given the answer.
var ErrAskerGone = errors.New("the question stays, for whoever asks again")

// AskerGone makes an error that is ErrAskerGone and says why.
func AskerGone(why string) error { return askerGone(why) }

type askerGone string

func (e askerGone) Error() string        { return string(e) }
func (e askerGone) Is(target error) bool { return target == ErrAskerGone }

// AskOnBoard asks a person here, with ask, while the question stands on the board, and gives the answer that
// came first. ask's context ends with ErrElsewhere when the answer came from elsewhere. Without a board the
// person is asked here alone. waits is called where another call asks the very same, before its answer is
// waited for.
func AskOnBoard(ctx context.Context, board Board, question Question, waits func(),
	ask func(context.Context) (Answer, error)) (Answer, error) {
	if board == nil {
		return ask(ctx)
	}
	notice := board.Post(question)
	answer, found, err := notice.Earlier(ctx, waits)
	if err == nil && !found {
		answer, err = askAt(ctx, notice, ask)
	}
	notice.Over(answer, err)
	return answer, err
}

// askAt asks here while the notice stands.
func askAt(ctx context.Context, notice Notice, ask func(context.Context) (Answer, error)) (Answer, error) {
	asking, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var elsewhere *Answer
	var watching sync.WaitGroup
	watching.Go(func() { // ends with an answer elsewhere, or when there is one here
		if answer, err := notice.Elsewhere(asking, nil); err == nil {
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
