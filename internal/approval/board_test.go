package approval

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// slate is a Board with one notice on it, in the hands of a test.
type slate struct {
	t         *testing.T
	elsewhere chan Answer
	broken    error
	held      *Answer // an answer from elsewhere that was kept before ours
	left      *Answer // an answer that was there before anybody was asked
	over      int
	settled   []Answer
	withdrawn []string
}

func (s *slate) Post(Question) Notice { return s }
func (s *slate) Earlier(context.Context, func()) (Answer, bool, error) {
	if s.left != nil {
		return *s.left, true, nil
	}
	return Answer{}, false, nil
}
func (s *slate) Over(Answer, error) { s.over++ }
func (s *slate) Elsewhere(ctx context.Context, _ func(string)) (Answer, error) {
	if s.broken != nil {
		return Answer{}, s.broken
	}
	select {
	case answer := <-s.elsewhere:
		return answer, nil
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	}
}
func (s *slate) Settle(here Answer) (Answer, bool) {
	s.settled = append(s.settled, here)
	if s.held != nil {
		return *s.held, false
	}
	return here, true
}
func (s *slate) Withdraw(why error) { s.withdrawn = append(s.withdrawn, why.Error()) }

// TestAskBeside checks that the first answer holds, wherever it is given, and that the question then stands
// nowhere.
func TestAskBeside(t *testing.T) {
	t.Parallel()
	yes, no := Answer{Verdict: permissions.Approve, By: "cli"}, Answer{Verdict: permissions.Reject, By: "editor"}
	gone := errors.New("the session was closed")
	for _, test := range []struct {
		name      string
		slate     slate
		here      func(ctx context.Context, s *slate, cancel context.CancelCauseFunc) (Answer, error)
		want      Answer
		err       error
		settled   int
		withdrawn string
	}{
		{"here", slate{}, func(context.Context, *slate, context.CancelCauseFunc) (Answer, error) { return no, nil }, no, nil, 1, ""},
		{"elsewhere", slate{}, func(ctx context.Context, s *slate, _ context.CancelCauseFunc) (Answer, error) {
			s.elsewhere <- yes
			<-ctx.Done()
			if !errors.Is(context.Cause(ctx), ErrElsewhere) {
				s.t.Errorf("the question was withdrawn because %v", context.Cause(ctx))
			}
			return Answer{}, context.Cause(ctx)
		}, yes, nil, 0, ""},
		{"elsewhere, when here is an answer too", slate{}, func(ctx context.Context, s *slate, _ context.CancelCauseFunc) (Answer, error) {
			s.elsewhere <- yes
			<-ctx.Done()
			return no, nil
		}, yes, nil, 0, ""},
		{"elsewhere, which was not heard of", slate{held: &yes}, func(context.Context, *slate, context.CancelCauseFunc) (Answer, error) { return no, nil }, yes, nil, 1, ""},
		{"left by a person when nobody waited", slate{left: &yes}, func(_ context.Context, s *slate, _ context.CancelCauseFunc) (Answer, error) {
			s.t.Error("asked though there was an answer")
			return no, nil
		}, yes, nil, 0, ""},
		{"nobody, since the caller gives up", slate{}, func(ctx context.Context, _ *slate, cancel context.CancelCauseFunc) (Answer, error) {
			cancel(gone)
			<-ctx.Done()
			return Answer{}, context.Cause(ctx)
		}, Answer{}, gone, 0, gone.Error()},
		{"here, where the board is broken", slate{broken: errors.New("the disk is full")}, func(context.Context, *slate, context.CancelCauseFunc) (Answer, error) { return no, nil }, no, nil, 1, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := test.slate
			s.t, s.elsewhere = t, make(chan Answer)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			got, err := AskOnBoard(ctx, &s, Question{}, func() {}, func(ctx context.Context) (Answer, error) { return test.here(ctx, &s, cancel) })
			if got != test.want || !errors.Is(err, test.err) {
				t.Errorf("got %+v, %v; want %+v, %v", got, err, test.want, test.err)
			}
			if s.over != 1 {
				t.Errorf("the asking came to its end %d times", s.over)
			}
			if len(s.settled) != test.settled || strings.Join(s.withdrawn, ",") != test.withdrawn {
				t.Errorf("settled %v, withdrawn %v; want %d times, %q", s.settled, s.withdrawn, test.settled, test.withdrawn)
			}
		})
	}
}

// TestChange checks that a change is shown by what differs, that it cannot leave its fence, and that
// nothing in it hides.
func TestChange(t *testing.T) {
	t.Parallel()
	before := "one\ntwo\nthree\nfour\n"
	for _, test := range []struct {
		name   string
		change FileChange
		want   string
	}{
		{"a new file", FileChange{Path: "a\x1b", NewText: "x\u202e\n```\ny"}, "a\\u{1b} would hold, 10 bytes in all:\n````\nx\\u{202e}\n```\ny\n````"},
		{"a line", FileChange{Path: "a", OldText: &before, NewText: "one\n2\nthree\nfour\n"}, "a would change:\n```diff\n-two\n+2\n```"},
		{"a line more", FileChange{Path: "a", OldText: &before, NewText: before + "five"}, "a would change:\n```diff\n+five\n```"},
		{"all gone", FileChange{Path: "a", OldText: &before, NewText: ""}, "a would change:\n```diff\n-one\n-two\n-three\n-four\n```"},
		{"nothing", FileChange{Path: "a", OldText: &before, NewText: before}, "a would stay as it is"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := test.change.Show(); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
