package a2a

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/agentclient"
	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// cancelled notes which questions are over.
type cancelled struct {
	mu  sync.Mutex
	all []string
	err error // why that fails
}

func (c *cancelled) note(_ context.Context, owner, question string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, owner+" "+question)
	return c.err
}

func (c *cancelled) said() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(c.all)
	return strings.Join(slices.Compact(c.all), ", ")
}

// asks returns once the work has put so many questions.
func (r *run) asks(n int) {
	for {
		r.mu.Lock()
		stands, more := len(r.asking) >= n, r.asked
		r.mu.Unlock()
		if stands {
			return
		}
		<-more
	}
}

// TestEndedTaskHasNoQuestion ends a task that waits for an answer: the question that an earlier process has put, and that
// nobody waits for by now, is over, and with it a yes that was left for it. That is so however a task is ended.
func TestEndedTaskHasNoQuestion(t *testing.T) {
	t.Parallel()
	ending := make(map[string]agentclient.Outcome) // how an agent ends that has not asked again
	ending["because its agent dies"] = agentclient.Outcome{}
	ending["because its agent refuses"] = agentclient.Outcome{Stop: agentclient.StopRefusal}
	ending["because its agent is done"] = turnEnded
	for name, end := range map[string]func(t *testing.T, s *theatre, id any, later *atomic.Int64, revoked *atomic.Bool){
		"because its agent dies": nil, "because its agent refuses": nil, "because its agent is done": nil,
		"by its client": func(t *testing.T, s *theatre, id any, _ *atomic.Int64, _ *atomic.Bool) {
			if result, failure := s.call("anna", "CancelTask", fmt.Sprintf(`{"id":%q}`, id)); at(result, "status.state") != "TASK_STATE_CANCELED" {
				t.Errorf("cancelled: %v, %v", result, failure)
			}
		},
		"because it waits too long": func(_ *testing.T, s *theatre, _ any, later *atomic.Int64, _ *atomic.Bool) {
			later.Store(int64(2 * time.Hour))
			s.door.cleanOnce()
		},
		"because its principal is gone": func(_ *testing.T, s *theatre, _ any, _ *atomic.Int64, revoked *atomic.Bool) {
			revoked.Store(true)
			s.door.Recheck()
		},
	} {
		for _, goesOn := range []bool{false, true} { // the agent goes on with its session, and has not asked again
			outcome, byAgent := ending[name]
			if goesOn && name == "because it waits too long" || !goesOn && byAgent {
				continue // it waits for nobody, or there is no agent
			}
			t.Run(fmt.Sprintf("%s, goes on %t", name, goesOn), func(t *testing.T) {
				t.Parallel()
				var (
					over    cancelled
					later   atomic.Int64
					revoked atomic.Bool
				)
				continued, ends := make(chan struct{}), make(chan agentclient.Outcome, 1)
				s := newTheatre(t, func(a *troupe, ctx context.Context, p agentclient.Prompt, tell func(agentclient.Event)) (agentclient.Outcome, error) {
					began(tell)
					if !p.Continue {
						_, err := a.ask(ctx, p, tell, askedToRun)
						return agentclient.Outcome{}, err
					}
					close(continued)
					select {
					case outcome := <-ends:
						if outcome.Stop == "" {
							return outcome, &agentclient.EndedError{How: "was killed"}
						}
						return outcome, nil
					case <-ctx.Done():
					}
					return agentclient.Outcome{}, context.Cause(ctx)
				})
				task := s.says("anna", "ask", "")
				s.close()
				s.open(func(o *Options) {
					s.with(o)
					o.Cancelled = over.note
					o.Acts = func(string) bool { return !revoked.Load() }
					o.Retention = func() Retention { return Retention{Waiting: time.Hour} }
					o.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
				})
				if goesOn {
					s.troupe.question("q1", "anna")
					if err := s.troupe.Answer(t.Context(), "q1", agentclient.Answer{Principal: "anna", Option: askedToRun.Options[1]}); err != nil {
						t.Fatal(err)
					}
					<-continued
				}
				run := s.door.of(task["id"].(string))
				if !goesOn {
					run.asks(1)
				}
				if byAgent {
					ends <- outcome
				} else {
					end(t, s, task["id"], &later, &revoked)
				}
				<-run.over
				if got := over.said(); got != "anna q1" {
					t.Errorf("over are %q", got)
				}
			})
		}
	}
}

// TestKilledTaskHasNoQuestion kills the server once the agent goes on after an answer, and has not asked again: its task
// is failed by the next one, and the yes is over that it did not use.
func TestKilledTaskHasNoQuestion(t *testing.T) {
	t.Parallel()
	continued := make(chan struct{})
	s := newTheatre(t, func(a *troupe, ctx context.Context, p agentclient.Prompt, tell func(agentclient.Event)) (agentclient.Outcome, error) {
		began(tell)
		if !p.Continue {
			_, err := a.ask(ctx, p, tell, askedToRun)
			return agentclient.Outcome{}, err
		}
		close(continued)
		<-ctx.Done()
		return agentclient.Outcome{}, context.Cause(ctx)
	})
	task := s.says("anna", "ask", "")
	s.close()
	s.open(s.with)
	s.troupe.question("q1", "anna")
	if err := s.troupe.Answer(t.Context(), "q1", agentclient.Answer{Principal: "anna", Option: askedToRun.Options[1]}); err != nil {
		t.Fatal(err)
	}
	<-continued
	killed := logNow(t, s.dir)
	s.close()
	if err := os.WriteFile(filepath.Join(s.dir, tasklog.Name), killed, 0o600); err != nil { // into the file that was made here
		t.Fatal(err)
	}
	var over cancelled
	s.open(func(o *Options) {
		s.with(o)
		o.Cancelled = over.note
	})
	result, failure := s.call("anna", "GetTask", fmt.Sprintf(`{"id":%q}`, task["id"]))
	if at(result, "status.state") != "TASK_STATE_FAILED" || over.said() != "anna q1" {
		t.Errorf("the task is %v, %v, over are %q", result["status"], failure, over.said())
	}
}

// logNow returns the log of tasks as a process leaves it that is killed now.
func logNow(t *testing.T, dir string) []byte {
	t.Helper()
	kept := filepath.Join(t.TempDir(), "kept")
	for _, change := range []struct{ in, statement string }{
		{filepath.Join(dir, tasklog.Name), `VACUUM INTO '` + kept + `'`},
		{kept, `UPDATE tasks SET worker = ''`},
	} {
		db, err := sql.Open("sqlite", change.in)
		if err == nil {
			_, err = db.ExecContext(t.Context(), change.statement)
			err = errors.Join(err, db.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// TestCancelledOrNot has the store fail: a task that nobody works on is not said to be cancelled while its question stands.
func TestCancelledOrNot(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	task := h.send("anna", "put q7")
	h.close()
	over := cancelled{err: errors.New("the disk is full")}
	h.open(func(o *Options) { o.Cancelled = over.note })
	if r := h.door.of(task["id"].(string)); r != nil { // it puts the question again
		<-r.over
	}
	if result, failure := h.rpc("anna", "CancelTask", fmt.Sprintf(`{"id":%q}`, task["id"])); failure == nil {
		t.Errorf("it says %v", result)
	}
	over.mu.Lock()
	over.err = nil
	over.mu.Unlock()
	result, failure := h.rpc("anna", "CancelTask", fmt.Sprintf(`{"id":%q}`, task["id"]))
	if at(result, "status.state") != "TASK_STATE_CANCELED" || over.said() != "anna q7" {
		t.Errorf("once more: %v, %v, over are %q", result, failure, over.said())
	}
}
