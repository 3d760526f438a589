package audit

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/replay"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// RecordedActs reads the acts of a last period, each once and by the number that audit list has for it, in the order in
// which they were decided. Damaged lines are told, and the rest is given.
func RecordedActs(env *cli.Environment, since time.Duration) ([]replay.Recorded, error) {
	dir, err := app.StateDir(env.AppOptions(nil, nil))
	if err != nil {
		return nil, cli.Fail(exit.Host, err)
	}
	commands, err := cli.Commands(env)
	if err != nil {
		return nil, err
	}
	var entries []audit.Entry
	filter := audit.Filter{Since: env.Now().Add(-since)}
	err = audit.Each(filepath.Join(dir, "audit"), filter, func(e audit.Entry) error {
		e.Raw = nil // a long record is held without it
		if e.Type != events.ToolDecided {
			e.Event = events.Event{Type: e.Type, Session: e.Session, CallID: e.CallID, ToolCall: e.ToolCall}
		}
		entries = append(entries, e)
		return nil
	})
	var damage *audit.Damage
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case errors.As(err, &damage):
		env.Say(err.Error())
	case err != nil:
		return nil, cli.Fail(exit.Host, err)
	}
	var acts []replay.Recorded
	for _, c := range audit.ByAct(entries) {
		if act, ok := replay.ReadBackAct(c, commands); ok {
			acts = append(acts, act)
		}
	}
	slices.SortStableFunc(acts, func(a, b replay.Recorded) int { return cmp.Compare(a.Entry.Seq, b.Entry.Seq) })
	return acts, nil
}
