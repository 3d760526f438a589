package approval

import (
	"context"
	"fmt"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// MostWaiting is how many questions of one principal wait for a person, and how many are being asked, at whichever doors.
// No person answers more.
const MostWaiting = 64

// tooMany is the error of a question that is not put. It is no answer, and nothing of it stands: it is ErrNobody.
type tooMany struct{}

func (tooMany) Error() string {
	return fmt.Sprintf("%d questions wait for the person already, and no more are put; the person can answer them at a terminal "+
		"with `a2a-acp approvals`; make the same call again then", MostWaiting)
}

func (tooMany) Is(target error) bool { return target == ErrNobody }

// whose names who has the question put, for counting; "" where that is not counted: the agent of a person who sits
// before it has its questions put by that person's own programs, and one that is left would be in the way for a day.
func (q Question) whose() string {
	if q.Principal == "" && q.Door != tool.DoorMCP { // all clients that start a2a-acp mcp are one
		return ""
	}
	return "of " + q.Principal
}

// mayAsk notes that a question is asked, until over is called. It is an error where its principal has too many that
// wait, unless it is answered in its call, or too many that are being asked.
func (q *Questions) mayAsk(ctx context.Context, question Question) (over func(), err error) {
	whose := question.whose()
	if whose == "" {
		return func() {}, nil
	}
	if !question.InCall {
		if err := q.mayStay(ctx, question, false); err != nil {
			return nil, err
		}
	}
	q.counting.Lock()
	defer q.counting.Unlock()
	if q.asking[whose] >= MostWaiting {
		return nil, tooMany{}
	}
	q.asking[whose]++
	return func() {
		q.counting.Lock()
		defer q.counting.Unlock()
		if q.asking[whose]--; q.asking[whose] == 0 {
			delete(q.asking, whose)
		}
	}, nil
}

// mayStay is an error where the principal of a question has too many that wait beside this one. One that was asked
// before may be asked again (its answer is not lost), unless it is being asked now: it may stand already, or not yet.
func (q *Questions) mayStay(ctx context.Context, question Question, now bool) error {
	if question.whose() == "" || !q.everAsked() {
		return nil
	}
	s, err := q.open(ctx)
	if err != nil {
		return nil //nolint:nilerr // where nobody can be asked elsewhere, none waits
	}
	others, known, err := s.Standing(ctx, string(question.Door), question.Principal, question.Key())
	if err != nil || known && !now || others < MostWaiting {
		return nil //nolint:nilerr // likewise
	}
	return tooMany{}
}

// MayStay is an error where a question that was asked in its call cannot stay when that has not answered it.
func (d *Desk) MayStay(ctx context.Context, question Question) error {
	return d.questions.mayStay(ctx, question, true)
}
