package audit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// The sessions that --session takes beside an id.
const (
	lastSession = "last"
	allSessions = "all"
)

// sessions are those of some entries, the one that was opened last behind the others.
type sessions struct {
	ids           []string
	began         map[string]int64 // with its first entry, or with the files and the bridge that it began under
	opened        map[string]bool  // how it was opened stands there, too
	files, bridge int64            // when the last files came into force, and the last bridge began
}

func sessionsOf(entries []audit.Entry) *sessions {
	s := &sessions{began: map[string]int64{}, opened: map[string]bool{}}
	for _, e := range entries {
		s.add(e)
	}
	return s
}

func (s *sessions) add(e audit.Entry) {
	switch e.Type {
	case events.ConfigLoaded:
		s.files = e.Seq
	case events.BridgeStarted:
		if s.bridge = e.Seq; s.files == e.Seq-1 {
			s.bridge = s.files
		}
	}
	_, known := s.began[e.Session]
	switch {
	case e.Session == "" || known && e.Type != events.SessionOpened:
		return
	case known:
		s.ids = slices.DeleteFunc(s.ids, func(id string) bool { return id == e.Session })
	default:
		s.began[e.Session] = e.Seq
		if s.bridge > 0 {
			s.began[e.Session] = s.bridge
		}
	}
	s.ids = append(s.ids, e.Session)
	s.opened[e.Session] = s.opened[e.Session] || e.Type == events.SessionOpened
}

// isLast reports whether the session so far from the end is known, though not all entries are: that of others which
// are told of there, none was opened later.
func (s *sessions) isLast(back int) bool {
	if back > len(s.ids) {
		return false
	}
	return !slices.ContainsFunc(s.ids[len(s.ids)-back:], func(id string) bool { return !s.opened[id] })
}

// back returns which session --session wants, by its place from the end; 0 for another one.
func (f *ActFilter) back() int {
	if f.session == lastSession {
		return 1
	}
	if n, err := strconv.Atoi(f.session); err == nil {
		return n
	}
	return 0
}

// errNoSession says that a session is wanted and there is none.
var errNoSession = errors.New("no session is on record yet")

// find returns the id of the session that is wanted, by its place from the end, and the number of the entry behind
// which what belongs to no session counts as well; 0 for nothing of that.
func (f *ActFilter) find(s *sessions) (id string, from int64, err error) {
	back := f.back()
	switch _, known := s.began[f.session]; {
	case known:
		return f.session, 0, nil
	case len(s.ids) == 0 && f.follow:
		return "", 0, nil
	case len(s.ids) == 0:
		return "", 0, cli.Fail(exit.Usage,
			fmt.Errorf("%w; --session all also shows acts outside of sessions", errNoSession))
	case back < 1 || back > len(s.ids):
		return "", 0, cli.Fail(exit.Usage,
			fmt.Errorf("--session %s: no session is so far back; on record: %d", f.session, len(s.ids)))
	}
	id = s.ids[len(s.ids)-back]
	if f.follow {
		from = s.began[id]
	}
	return id, from, nil
}

// resolve puts the id of the session that is wanted in the place of how it is meant.
func (f *ActFilter) resolve(dir string) error {
	back := f.back()
	if back == 0 {
		return nil
	}
	for n := int64(recentEntries); ; n *= 4 {
		entries, all, err := audit.Recent(dir, n)
		if err != nil && len(entries) == 0 {
			return hostError(err)
		}
		if s := sessionsOf(entries); all || s.isLast(back) {
			f.session, _, err = f.find(s)
			return err
		}
	}
}
