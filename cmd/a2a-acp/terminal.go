package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/person"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

var errNobody = errors.New("no terminal to ask on")

// terminal asks the person at the terminal, one question at a time. It is a approval.Asker.
type terminal struct {
	env *environment
	yes bool
	// nobody tells why nobody is believed to sit here, such as that an agent started the verb; nil where a person may.
	nobody error
	// confirmed asks once for what root wants of a person beside the answer.
	confirmed func() error
	// board is where a question stands besides the terminal, and wait that it stands there alone when nobody is here. Optional.
	board approval.Board
	wait  bool

	turn  chan struct{} // holds one token, for the question that is on the screen
	lines *bufio.Reader
	left  bool // a question was not answered; belongs to whoever has the token
}

func newTerminal(env *environment, yes bool) *terminal {
	c, err := ownCaller()
	t := &terminal{env: env, yes: yes, nobody: err, turn: make(chan struct{}, 1)}
	t.confirmed = sync.OnceValue(func() error { return prove(context.Background(), env, c) })
	t.lines = bufio.NewReader(env.stdin)
	t.turn <- struct{}{}
	return t
}

// ownCaller is who has started this program, for what he is asked about his own act; an error where that may be an agent. What
// a person has cron or a container run, with --yes, is his act.
func ownCaller() (app.Caller, error) {
	c, err := app.FindCaller()
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

// beside puts the questions on a board as well.
func (t *terminal) beside(board approval.Board, wait bool) *terminal {
	t.board, t.wait = board, wait
	return t
}

// Ask implements approval.Asker. An agent that has a shell could type --yes, or bring a terminal of its own; a call
// from below a bridge is no person's act.
func (t *terminal) Ask(ctx context.Context, q approval.Question) (approval.Answer, error) {
	switch {
	case t.wait && (t.nobody != nil || !t.yes && !isTerminal(t.env.stdin)):
		return t.park(ctx, q)
	case t.nobody != nil:
		return t.given(ctx, q, fmt.Errorf("%w: %w", t.nobody, approval.ErrNobody))
	case t.yes:
		if err := t.confirmed(); err != nil {
			return approval.Answer{}, fmt.Errorf("%w: %w", approval.ErrNobody, err)
		}
		return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson, Reason: "--yes", By: t.env.approver("--yes")}, nil
	case !isTerminal(t.env.stdin):
		return t.given(ctx, q, fmt.Errorf("%w (%w; --yes confirms, --wait waits for a2a-acp approvals)", approval.ErrNobody, errNobody))
	}
	select {
	case <-ctx.Done():
		return approval.Answer{}, context.Cause(ctx)
	case <-t.turn:
		defer func() { t.turn <- struct{}{} }()
	}
	return approval.AskBeside(ctx, t.board, q, func(ctx context.Context) (approval.Answer, error) { return t.put(ctx, q) })
}

// park leaves a question where people at other terminals can answer it, and waits for them.
func (t *terminal) park(ctx context.Context, q approval.Question) (approval.Answer, error) {
	notice := t.board.Post(q)
	answer, found, err := notice.Earlier(ctx)
	defer func() { notice.Over(answer, err) }()
	if found || err != nil {
		return answer, err
	}
	answer, err = notice.Elsewhere(ctx, func(id string) {
		t.env.say(fmt.Sprintf("waiting for an answer from another terminal: a2a-acp approvals approve %s", id))
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

// given gives the answer that a person has left for this question when nobody waited for it; where there is none, nobody.
func (t *terminal) given(ctx context.Context, q approval.Question, nobody error) (approval.Answer, error) {
	if t.board == nil {
		return approval.Answer{}, nobody
	}
	notice := t.board.Post(q)
	answer, found, err := notice.Earlier(ctx)
	if !found && err == nil {
		err = nobody
	}
	notice.Over(answer, err)
	return answer, err
}

// put shows the question and reads the answer. Once a question was left, there are no more: the line that comes for it at
// last would be taken for the answer to another.
func (t *terminal) put(ctx context.Context, q approval.Question) (approval.Answer, error) {
	if t.left {
		return approval.Answer{}, fmt.Errorf("the question before was not answered: %w", approval.ErrNobody)
	}
	fmt.Fprintf(t.env.stderr, "%s\n\n%s\n\nRun it? [y/N] ", q.Title, q.Text)
	answer := make(chan string, 1)
	go func() { // ends with the line, or with the process: a read of a terminal cannot be interrupted
		line, _ := t.lines.ReadString('\n')
		answer <- line
	}()
	select {
	case <-ctx.Done():
		t.left = true
		fmt.Fprintf(t.env.stderr, "\na2a-acp: %v\n", context.Cause(ctx))
		return approval.Answer{}, context.Cause(ctx)
	case line := <-answer:
		if line = strings.ToLower(strings.TrimSpace(line)); line == "y" || line == "yes" {
			if err := t.confirmed(); err != nil {
				return approval.Answer{}, fmt.Errorf("%w: %w", approval.ErrNobody, err)
			}
			return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson, By: t.env.approver("terminal")}, nil
		}
		return approval.Answer{Verdict: permissions.Reject, Source: permissions.SourcePerson, Reason: "the person said no", By: t.env.approver("terminal")}, nil
	}
}
