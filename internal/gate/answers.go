package gate

import (
	"slices"
	"sync"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// The bounds of Answers. What goes beyond them is not kept, and so it is decided, or asked, anew.
const (
	mostActSessions = 1024
	mostActs        = 256 // of one session
)

// Answers keeps answers for the acts that they are about, each for one time and no longer than the turn in
// which it was given. The zero Answers is empty and ready. It is safe for concurrent use.
type Answers struct {
	mu       sync.Mutex
	sessions map[string]*turnAnswers
}

// turnAnswers is what was said in one turn of one session.
type turnAnswers struct {
	count   int
	answers map[string][]answer // by Effect.key, the oldest first; all of them of one verdict
}

// answer is what was said of an act, and of what state.
type answer struct {
	permissions.Decision
	state string
}

// Allow lets the act happen once. The Decision says who allowed it. What was said last of an act holds:
// refusals of the same act are forgotten.
func (s *Answers) Allow(session string, e Effect, d permissions.Decision) {
	s.put(session, e, d, permissions.Approve)
}

// Refuse has the act refused once, without asking again. Permissions of the same act are forgotten.
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

// Take finds what was said of the act and uses it up: a no, or a yes to the state that the act is about.
// The Decision has SourceAct and the rule and reason of the one that was given. It is false when nothing
// was said.
func (s *Answers) Take(session string, e Effect) (permissions.Decision, bool) {
	key, ok := e.key()
	if !ok {
		return permissions.Decision{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	said := s.sessions[session]
	if said == nil || len(said.answers[key]) == 0 {
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

// EndTurn forgets what was said in the session: it was said for one turn.
func (s *Answers) EndTurn(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, session)
}
