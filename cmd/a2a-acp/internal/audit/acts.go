package audit

import (
	"errors"
	"io/fs"
	"math"
	"path/filepath"
	"slices"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// recentEntries is how many entries are looked through first where the end of the record may be enough.
const recentEntries = 4000

// Acts reads the record, act by act. Damaged lines are told on stderr and make the error that comes
// with the rest.
func (f *ActFilter) Acts(env *cli.Environment) ([]audit.ActRecord, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	dir, err := app.StateDir(env.AppOptions(nil, nil))
	if err != nil {
		return nil, cli.Fail(exit.Host, err)
	}
	acts, err := f.read(env, filepath.Join(dir, "audit"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return acts, err
}

func (f *ActFilter) read(env *cli.Environment, dir string) ([]audit.ActRecord, error) {
	if f.session == allSessions {
		f.session = ""
	}
	filter := audit.Filter{Session: f.session, Task: f.task}
	filter.Since, filter.Until = f.since.Time(env.Now()), f.until.Time(env.Now())
	if f.number > 0 {
		if entry, err := audit.At(dir, f.number); err == nil {
			filter.About = &entry
		}
	}
	far := f.number > 0 || f.task != "" || !filter.Since.IsZero() || !filter.Until.IsZero()
	if f.back() == 0 && (far || f.session != "" || f.last == 0) {
		entries, err := audit.List(dir, filter)
		return f.pick(entries), hostError(err)
	}
	// A long record is read from its end, as far as needed.
	for n := int64(recentEntries); ; n *= 4 {
		if far {
			n = math.MaxInt64 / 8
		}
		entries, all, damage := audit.Recent(dir, n)
		if damage != nil && len(entries) == 0 {
			return nil, hostError(damage)
		}
		found, err := f.recent(entries, filter)
		if all || found.enough {
			f.session, f.unread = found.session, !all && found.session == ""
			return found.acts, errors.Join(err, hostError(damage))
		}
	}
}

func hostError(err error) error {
	if err == nil {
		return nil
	}
	return cli.Fail(exit.Host, err)
}

// recent is what the last entries of the record say.
type recent struct {
	session string
	acts    []audit.ActRecord
	enough  bool // those before would change nothing
}

func (f *ActFilter) recent(entries []audit.Entry, filter audit.Filter) (r recent, err error) {
	back := f.back()
	if back != 0 {
		s := sessionsOf(entries)
		if filter.Session, filter.NoSession, err = f.find(s); err != nil {
			return r, err
		}
		r.session, r.enough = filter.Session, s.isLast(back)
	}
	var wanted []audit.Entry
	for _, e := range entries {
		if filter.Fits(e) {
			wanted = append(wanted, e)
		}
	}
	r.acts = f.pick(wanted)
	if !r.enough && f.last > 0 && len(r.acts) == f.last && r.session == "" {
		r.enough = !slices.ContainsFunc(r.acts, func(c audit.ActRecord) bool { return !hasBeginning(c) })
	}
	return r, nil
}

// pick returns the acts that fit.
func (f *ActFilter) pick(entries []audit.Entry) []audit.ActRecord {
	var fitting []audit.ActRecord
	for _, act := range audit.ByAct(entries) {
		if f.fits(act) {
			fitting = append(fitting, act)
		}
	}
	if f.earlier = 0; f.last > 0 && len(fitting) > f.last {
		f.earlier = len(fitting) - f.last
		fitting = fitting[f.earlier:]
	}
	return fitting
}

// hasBeginning reports whether what is known of an act begins with its first entry.
func hasBeginning(c audit.ActRecord) bool {
	switch first := c[0]; first.Type {
	case events.ToolStarted, events.ToolAttempted, events.JobBegun, events.ApprovalAnswered, events.ApprovalLeft,
		events.ApprovalJoined, events.ApprovalUsed, events.ApprovalCancelled:
		return false
	case events.ToolEnded: // what was not even decided ended before anything ran
		o := first.Outcome
		return o == nil || o.ExitCode == nil && o.By == "" && !o.Cached
	}
	return true
}
