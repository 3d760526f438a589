package app

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// summaries says in one line what a session came to, when it is closed or its bridge ends: what the record
// has of it since the bridge began. It passes on what a bridge records, and so hears of sessions.
type summaries struct {
	events.Recorder
	dir  string       // of the record; "" where there is none
	from audit.Cursor // what was before is of other bridges
	say  func(string)

	mu       sync.Mutex
	sessions []string // that are open
}

func (a *App) newSummaries() *summaries {
	s := &summaries{Recorder: a.Record, say: a.o.Say}
	if a.state == "" {
		return s
	}
	s.dir = filepath.Join(a.state, "audit")
	var err error
	if s.from, err = audit.End(s.dir); err != nil {
		s.dir = "" // who reads the record is told
	}
	return s
}

// Record implements events.Recorder.
func (s *summaries) Record(ctx context.Context, event events.Event) error {
	err := s.Recorder.Record(ctx, event)
	switch event.Type {
	case events.SessionOpened:
		s.mu.Lock()
		if !slices.Contains(s.sessions, event.Session) {
			s.sessions = append(s.sessions, event.Session)
		}
		s.mu.Unlock()
	case events.SessionClosed:
		s.tell(event.Session)
	}
	return err
}

// Later implements events.Later.
func (s *summaries) Later(event events.Event) { events.RecordLater(s.Recorder, event) }

// tellAll tells of the sessions that nobody has closed.
func (s *summaries) tellAll() {
	s.mu.Lock()
	left := slices.Clone(s.sessions)
	s.mu.Unlock()
	s.tell(left...)
}

// tell tells of sessions in which anything was done.
func (s *summaries) tell(sessions ...string) {
	s.mu.Lock()
	s.sessions = slices.DeleteFunc(s.sessions, func(id string) bool { return slices.Contains(sessions, id) })
	s.mu.Unlock()
	if s.dir == "" || len(sessions) == 0 {
		return
	}
	summaries, err := s.since(s.from, sessions...)
	if err != nil {
		s.say(fmt.Sprintf("what the session came to cannot be told: %v", err))
		return
	}
	for _, id := range sessions {
		if summary := summaries[id]; summary.Acts() > 0 {
			s.say(fmt.Sprintf("session %s: %s (a2a-acp audit list --session %s)", display.Line(id), summary.Line(),
				display.ShellWord(id)))
		}
	}
}

// beginTurn returns what says in one line what a turn of a session came to, "" where nothing was done in it.
func (s *summaries) beginTurn(session string) func() string {
	if s.dir == "" {
		return nil
	}
	from, err := audit.End(s.dir)
	return func() string {
		summaries := map[string]*audit.Summary{}
		if err == nil {
			summaries, err = s.since(from, session)
		}
		if err != nil {
			return fmt.Sprintf("what the turn came to cannot be told: %v", err)
		}
		if summary := summaries[session]; summary.Acts() > 0 {
			return summary.Line()
		}
		return ""
	}
}

// since reads what sessions came to from a place in the record on.
func (s *summaries) since(from audit.Cursor, sessions ...string) (map[string]*audit.Summary, error) {
	entries := map[string][]audit.Entry{}
	if err := audit.ReadFrom(s.dir, from, func(e audit.Entry) {
		if slices.Contains(sessions, e.Session) {
			entries[e.Session] = append(entries[e.Session], e)
		}
	}); err != nil {
		return nil, err
	}
	summaries := map[string]*audit.Summary{}
	for _, id := range sessions {
		summary := audit.Summarise(audit.ByAct(entries[id]))
		summaries[id] = &summary
	}
	return summaries, nil
}
