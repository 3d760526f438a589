package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/dirs"
	"github.com/a2a-acp/a2a-acp/internal/person"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

var errNobody = errors.New("no terminal to ask on")

// Terminal asks the person at the terminal, one question at a time. It is an approval.Asker.
type Terminal struct {
	env *Environment
	yes bool
	// nobody tells why nobody is believed to sit here, such as that an agent started the verb; nil where a
	// person may.
	nobody error
	// confirmed asks once for what root wants of a person beside the answer.
	confirmed func() error
	// board is where a question stands besides the terminal, and wait that it stands there alone when
	// nobody is here. Optional.
	board approval.Board
	wait  bool

	turn chan struct{} // holds one token, for the question that is on the screen
	left bool          // a question was not answered; belongs to whoever has the token
}

// NewTerminal returns what asks the person at the terminal; yes answers every question with yes.
func NewTerminal(env *Environment, yes bool) *Terminal {
	c, err := ownCaller()
	t := &Terminal{env: env, yes: yes, nobody: err, turn: make(chan struct{}, 1)}
	t.confirmed = sync.OnceValue(func() error { return prove(context.Background(), env, c) })
	t.turn <- struct{}{}
	return t
}

// ownCaller is who has started this program, for what he is asked about his own act; an error where that
// may be an agent. What a person has cron or a container run, with --yes, is his act.
func ownCaller() (person.Status, error) {
	c, err := person.Find(dirs.System)
	switch {
	case err != nil:
		return c, err
	case c.Caller == person.Agent:
		return c, fmt.Errorf("%w, which cannot approve for itself", person.ErrAgent)
	case c.AgentsAct():
		return c, c.Err()
	}
	return c, nil
}

// WithBoard puts the questions on a board as well.
func (t *Terminal) WithBoard(board approval.Board, wait bool) *Terminal {
	t.board, t.wait = board, wait
	return t
}

// Shows reports whether a question is put on this terminal, where it is read.
func (t *Terminal) Shows() bool {
	return t.nobody == nil && !t.yes && IsTerminal(t.env.Stdin) && IsTerminal(t.env.Stderr)
}

// Ask implements approval.Asker. An agent that has a shell could type --yes, or bring a terminal of its
// own; a call from below a bridge is no person's act.
func (t *Terminal) Ask(ctx context.Context, q approval.Question) (approval.Answer, error) {
	switch {
	case t.wait && (t.nobody != nil || !t.yes && !IsTerminal(t.env.Stdin)):
		return t.park(ctx, q)
	case t.nobody != nil:
		return t.earlierAnswer(ctx, q, fmt.Errorf("%w: %w", t.nobody, approval.ErrNobody))
	case t.yes:
		if err := t.confirmed(); err != nil {
			return approval.Answer{}, fmt.Errorf("%w: %w", approval.ErrNobody, err)
		}
		return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson,
			Reason: "--yes", By: t.env.Approver("--yes")}, nil
	case !IsTerminal(t.env.Stdin):
		return t.earlierAnswer(ctx, q,
			fmt.Errorf("%w (%w; --yes confirms, --wait waits for a2a-acp approvals)", approval.ErrNobody,
				errNobody))
	}
	select {
	case <-ctx.Done():
		return approval.Answer{}, context.Cause(ctx)
	case <-t.turn:
		defer func() { t.turn <- struct{}{} }()
	}
	return approval.AskOnBoard(ctx, t.board, q, func() {},
		func(ctx context.Context) (approval.Answer, error) { return t.put(ctx, q) })
}

// park leaves a question where people at other terminals can answer it, and waits for them.
func (t *Terminal) park(ctx context.Context, q approval.Question) (approval.Answer, error) {
	notice := t.board.Post(q)
	answer, found, err := notice.Earlier(ctx, func() {})
	defer func() { notice.Over(answer, err) }()
	if found || err != nil {
		return answer, err
	}
	answer, err = notice.Elsewhere(ctx, func(id string) {
		t.env.Say(fmt.Sprintf("waiting for an answer from another terminal: a2a-acp approvals approve %s", id))
	})
	switch {
	case err == nil:
		return answer, nil
	case ctx.Err() == nil:
		err = fmt.Errorf("%w: %w", approval.ErrNobody, err)
	}
	notice.Withdraw(err)
	return approval.Answer{}, err
}

// earlierAnswer returns the answer that a person has left for this question when nobody waited for it;
// where there is none, nobody.
func (t *Terminal) earlierAnswer(ctx context.Context, q approval.Question, nobody error) (approval.Answer, error) {
	if t.board == nil {
		return approval.Answer{}, nobody
	}
	notice := t.board.Post(q)
	answer, found, err := notice.Earlier(ctx, func() {})
	if !found && err == nil {
		err = nobody
	}
	notice.Over(answer, err)
	return answer, err
}

// put shows the question and reads the answer. Once a question was left, there are no more: the line that
// comes for it at last would be taken for the answer to another.
func (t *Terminal) put(ctx context.Context, q approval.Question) (approval.Answer, error) {
	if t.left {
		return approval.Answer{}, fmt.Errorf("the question before was not answered: %w", approval.ErrNobody)
	}
	if err := t.env.Prompt(Marked(t.env.Stderr, q.Title+"\n\n"+q.Text) + "\n\nRun it? [y/N] "); err != nil {
		return approval.Answer{}, fmt.Errorf("%w: %w", approval.ErrNobody, err)
	}
	line, err := t.env.ReadLine(ctx)
	if ctx.Err() != nil {
		t.left = true
		fmt.Fprintf(t.env.Stderr, "\na2a-acp: %v\n", context.Cause(ctx))
		return approval.Answer{}, context.Cause(ctx)
	}
	if err == nil && IsYes(line) { // what cannot be read is no yes
		if err := t.confirmed(); err != nil {
			return approval.Answer{}, fmt.Errorf("%w: %w", approval.ErrNobody, err)
		}
		return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson,
			By: t.env.Approver("terminal")}, nil
	}
	return approval.Answer{Verdict: permissions.Reject, Source: permissions.SourcePerson,
		Reason: "the person said no", By: t.env.Approver("terminal")}, nil
}
