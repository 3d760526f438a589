package approval

import (
	"context"
	"errors"
	"sync"
)

// Board is where a question also stands, so that it can be answered from another terminal or door.
type Board interface {
	// Post prepares a notice of the question. It has no effect yet, and never blocks.
	Post(Question) Notice
}

// Notice is one question on a Board. Its methods may be called at the same time.
type Notice interface {
	// Earlier is called before anybody is asked. If another call of the session is asking the same
	// question, Earlier calls waits and waits for that call's answer: a no counts for this call, too, a yes
	// does not. Then it returns the answer that a person has left for this question after the process that
	// asked it had ended; found is false if there is none. It is an error, which is ErrNobody, if too many questions of
	// the same principal wait. Over must be called in the end.
	Earlier(ctx context.Context, waits func()) (answer Answer, found bool, err error)
	// Over reports the end of the asking, with the answer or an error.
	Over(Answer, error)
	// Elsewhere posts the notice and waits until somebody answers elsewhere. It returns ctx's cause if ctx
	// ends first, and another error if nobody can answer elsewhere. The notice stays posted. stands, if not
	// nil, is called with the id under which it can be answered.
	Elsewhere(ctx context.Context, stands func(id string)) (Answer, error)
	// Settle hands in the answer that was given here, removes the notice and returns the answer that holds:
	// this one if first is true, else the one that was given elsewhere before. It may block on the disk.
	Settle(here Answer) (holds Answer, first bool)
	// Withdraw removes the notice, so that nobody can answer any more. With ErrAskerGone the notice stays.
	Withdraw(why error)
}

// ErrElsewhere is the cause for withdrawing a question that was answered elsewhere.
var ErrElsewhere = errors.New("it was answered elsewhere")

// ErrAskerGone is the cause if nobody waits for an answer any more, but nobody has taken the question back:
// whoever asks it again may get the answer.
var ErrAskerGone = errors.New("the question stays, for whoever asks again")

// AskerGone returns an error that is ErrAskerGone and says why.
func AskerGone(why string) error { return askerGone(why) }

type askerGone string

func (e askerGone) Error() string        { return string(e) }
func (e askerGone) Is(target error) bool { return target == ErrAskerGone }

// AskOnBoard asks a person here, with ask, while the question also stands on the board, and returns the
// answer that came first. The context of ask ends with ErrElsewhere if that was the one from the board.
// Without a board it only asks here. waits is called before it waits for another call that asks the same.
func AskOnBoard(ctx context.Context, board Board, question Question, waits func(),
	ask func(context.Context) (Answer, error)) (Answer, error) {
	return AskAndTell(ctx, board, question, waits, nil, ask)
}

// AskAndTell is AskOnBoard, and has stands called with the id under which the question can be answered
// elsewhere, from another goroutine, once it can; with "" if it cannot be. stands may be nil.
func AskAndTell(ctx context.Context, board Board, question Question, waits func(), stands func(id string),
	ask func(context.Context) (Answer, error)) (Answer, error) {
	if board == nil {
		return ask(ctx)
	}
	notice := board.Post(question)
	answer, found, err := notice.Earlier(ctx, waits)
	if err == nil && !found {
		answer, err = askAt(ctx, notice, stands, ask)
	}
	notice.Over(answer, err)
	return answer, err
}

// askAt asks here while the notice stands.
func askAt(ctx context.Context, notice Notice, stands func(id string),
	ask func(context.Context) (Answer, error)) (Answer, error) {
	asking, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var elsewhere *Answer
	var watching sync.WaitGroup
	watching.Go(func() { // ends with an answer elsewhere, or when there is one here
		told := stands == nil
		answer, err := notice.Elsewhere(asking, func(id string) {
			if told = true; stands != nil {
				stands(id)
			}
		})
		if !told {
			stands("")
		}
		if err == nil {
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
