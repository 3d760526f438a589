package gate

import (
	"slices"
	"sync"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// The bounds of Answers. An answer beyond them is dropped, so its act is decided again.
const (
	mostActSessions = 1024
	mostActs        = 256 // of one session
)

// Answers keeps what was answered about an act. An answer counts once, and at most until the end of the
// turn in which it was given. The zero Answers is ready to use. It is safe for concurrent use.
type Answers struct {
	mu       sync.Mutex
	sessions map[string]*turnAnswers
}

// turnAnswers holds the answers of one turn of one session.
type turnAnswers struct {
	count   int
	answers map[string][]answer // by Effect.key, the oldest first; all of them of one verdict
}

// answer is an answer to an act in a certain state.
type answer struct {
	permissions.Decision
	state string
}

// Allow lets the act happen once. The Decision says who allowed it. It replaces refusals of the same act.
func (s *Answers) Allow(session string, e Effect, d permissions.Decision) {
	s.put(session, e, d, permissions.Approve)
}

// Refuse makes the next decision about the act a rejection. It replaces approvals of the same act.
func (s *Answers) Refuse(session string, e Effect, d permissions.Decision) {
	s.put(session, e, d, permissions.Reject)
}

func (s *Answers) put(session string, e Effect, d permissions.Decision, verdict permissions.Verdict) {
	key, ok := e.key()
	state, known := e.state()
	if !ok || !known && verdict == permissions.Approve || session == "" {
		return
	}
	d.Verdict, d.Source, d.First = verdict, permissions.SourceAct, d.Source
	s.mu.Lock()
	defer s.mu.Unlock()
	said := s.sessions[session]
	if said == nil {
		if len(s.sessions) >= mostActSessions {
			return
		}
		if s.sessions == nil {
			s.sessions = map[string]*turnAnswers{}
		}
		said = &turnAnswers{answers: map[string][]answer{}}
		s.sessions[session] = said
	}
	if before := said.answers[key]; len(before) > 0 && before[0].Verdict != verdict {
		said.count -= len(before)
		delete(said.answers, key)
	}
	if said.count >= mostActs {
		return
	}
	said.count++
	said.answers[key] = append(said.answers[key], answer{d, state})
}

// Take returns and removes the answer to the act: a no, or a yes to the state that the act is about. The
// Decision has SourceAct, and the rule and reason of the answer. It returns false if there is no answer.
func (s *Answers) Take(session string, e Effect) (permissions.Decision, bool) {
	key, ok := e.key()
	if !ok {
		return permissions.Decision{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	said := s.sessions[session]
	if said == nil {
		return permissions.Decision{}, false
	}
	waiting := said.answers[key]
	state, _ := e.state()
	at := slices.IndexFunc(waiting, func(a answer) bool { return a.Verdict == permissions.Reject || a.state == state })
	if at < 0 {
		return permissions.Decision{}, false
	}
	taken := waiting[at].Decision
	said.count--
	if said.answers[key] = slices.Delete(waiting, at, at+1); len(waiting) == 1 {
		delete(said.answers, key)
	}
	return taken, true
}

// EndTurn drops the answers of the session, which counted for one turn.
func (s *Answers) EndTurn(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, session)
}
