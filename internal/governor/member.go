package governor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// judge is one kind of governor at work.
type judge interface {
	// judge says what it thinks. It returns when ctx ends at the latest, a moment later where it has to end
	// a program, and leaves nothing running. An error is no answer.
	judge(ctx context.Context, in *input) (answer, error)
}

// member is one governor.
type member struct {
	spec    Spec
	phase   string
	tools   permissions.ToolPatterns
	judge   judge
	breaker *gobreaker.CircuitBreaker[answer] // nil for what runs in this process
}

// The circuit breaker of scripts and URLs: after so many failures in a row nobody waits for it any more,
// until it may try again.
const (
	failuresInARow = 5
	pause          = 30 * time.Second
)

func (g *Governors) newMember(spec Spec, phase string) *member {
	m := &member{spec: spec, phase: phase, tools: permissions.CompileTools(spec.AppliesTo)}
	switch spec.Kind {
	case KindScript:
		m.judge = &script{spec: spec.Script, timeout: spec.Timeout, host: g.o.Host, vault: g.o.Vault}
	case KindHTTP:
		m.judge = newHTTP(&spec, g.o)
	case KindCEL:
		m.judge = newExpression(spec.CEL, spec.Message)
	case KindRate, KindBudget:
		m.judge = &limiter{id: spec.ID, limit: spec.Limit, message: spec.Message, ledger: g.ledger}
	case KindSecrets:
		m.judge = &textScan{what: "secrets", verb: spec.Found, message: spec.Message, exact: g.o.Redactor, find: secretsIn}
	case KindPatterns:
		m.judge = &textScan{what: "what a pattern matches", verb: spec.Found, message: spec.Message, find: finder(spec.Patterns)}
	default:
		m.judge = nobody{fmt.Errorf("there is no governor of type %s", quoted(string(spec.Kind)))}
	}
	if spec.Kind == KindScript || spec.Kind == KindHTTP {
		m.breaker = gobreaker.NewCircuitBreaker[answer](gobreaker.Settings{
			Name: spec.ID, Timeout: pause, MaxRequests: 1,
			ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= failuresInARow },
			// A caller who gave up, or a governor that was not waited for, says nothing about it.
			IsExcluded: func(err error) bool { return errors.Is(err, errDecided) || errors.Is(err, errGaveUp) },
		})
	}
	return m
}

// nobody is a governor that cannot be asked.
type nobody struct{ why error }

func (n nobody) judge(context.Context, *input) (answer, error) { return answer{}, n.why }

// identity names what a governor is, so that a reload knows it again.
func (m *member) identity() string {
	encoded, err := json.Marshal(struct {
		Spec  Spec
		Phase string
	}{m.spec, m.phase})
	if err != nil {
		return ""
	}
	return string(encoded)
}

// counts reports whether the governor counts acts rather than looks at them.
func (m *member) counts() bool { return m.spec.Kind == KindRate || m.spec.Kind == KindBudget }

// wanted reports whether the governor is to be asked about an act.
func (m *member) wanted(r *permissions.Review) bool {
	byRule := r.Decided.Source == permissions.SourcePolicy && r.Decided.Verdict == permissions.Approve
	switch {
	case !m.tools.Match(r.Tools):
		return false
	case m.spec.Required:
		return true
	case r.Decided.SkipGovernors:
		return false
	case byRule && m.spec.RequiresManual:
		return false
	}
	return true
}

// errGaveUp ends governors whose caller does not wait any more.
var errGaveUp = errors.New("the caller gave up")

// opinion asks the governor and says what its answer, or its silence, counts as.
func (m *member) opinion(ctx context.Context, in *input) opinion {
	began := time.Now()
	a, err := m.ask(ctx, in)
	o := opinion{member: m, answer: a, err: err, millis: float64(time.Since(began).Microseconds()) / 1000}
	if err == nil && a.status == statusError {
		o.err = errors.New("it says that it failed")
		if len(a.messages) > 0 {
			o.err = fmt.Errorf("it says that it failed: %s", a.messages[0])
		}
	}
	switch {
	case errors.Is(o.err, errDecided):
		o.answer.status, o.silent = statusCancelled, true
	case o.err != nil:
		fallback := m.spec.OnError
		o.answer.status = statusError
		if errors.Is(o.err, context.DeadlineExceeded) || errors.Is(o.err, errDeadline) ||
			errors.Is(o.err, errTimeout) {
			o.answer.status, fallback = statusTimeout, m.spec.OnTimeout
		}
		o.countsAs = string(fallback)
		switch fallback {
		case FallbackIgnore:
			o.silent = true
		case FallbackReject:
			o.verdict = permissions.Reject
		default:
			o.countsAs, o.verdict = string(FallbackAsk), permissions.Ask
		}
	case a.status == statusApprove:
		o.verdict = permissions.Approve
	case a.status == statusReject:
		o.verdict = permissions.Reject
	case a.status == statusAbstain:
		o.silent = true
	default: // needs_attention, and whatever else there may come to be
		o.verdict = permissions.Ask
	}
	return o
}

// errTimeout ends one governor whose time is up.
var errTimeout = errors.New("its time was up")

// ask asks, within the governor's own time and through its circuit breaker.
func (m *member) ask(ctx context.Context, in *input) (a answer, err error) {
	if in.problem != nil {
		return answer{}, in.problem
	}
	timeout := m.spec.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	within, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("%w (%s)", errTimeout, timeout))
	defer cancel()
	once := func() (a answer, err error) {
		defer func() {
			if fault := recover(); fault != nil {
				a, err = answer{}, bug("%v", fault)
			}
		}()
		a, err = m.judge.judge(within, in)
		// An answer that came after its time is none: the act may have been decided without it.
		switch cause := context.Cause(within); {
		case cause == nil:
		case errors.Is(cause, errDecided), errors.Is(cause, errTimeout), errors.Is(cause, errDeadline):
			return answer{exitCode: a.exitCode}, cause
		default:
			return answer{exitCode: a.exitCode}, fmt.Errorf("%w: %w", errGaveUp, cause)
		}
		return a, err
	}
	if m.breaker == nil {
		return once()
	}
	a, err = m.breaker.Execute(once)
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return answer{}, fmt.Errorf("it failed %d times in a row, so it is left alone for %s", failuresInARow,
			pause)
	}
	return a, err
}
