package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// ActFilter picks acts by what a person remembers of them.
type ActFilter struct {
	session   string
	task      string
	kind      string
	result    string
	tool      string // a pattern
	agent     string
	principal string
	by        string
	ended     string
	text      string
	event     string
	hash      string   // of a value
	since     cli.When // the zero value is all, as is until's
	until     cli.When

	number   int64 // only acts that the entry with this number may be about; 0 for all
	sessions int   // how many there are on record; set by Acts
	follow   bool  // of the last session also what belongs to none and came after it had begun
	acts     bool  // leave out what only says what was in force, and what was tried out
}

func (f *ActFilter) addTo(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.session, "session", "", "only this session: its id, last, 2 for the one before that, …; all")
	cmd.Flags().StringVar(&f.task, "task", "", "only this task of an A2A client")
	cmd.Flags().StringVar(&f.kind, "kind", "", "only acts of this kind: read, write, execute, call, fetch, …")
	cmd.Flags().StringVar(&f.result, "result", "",
		"only acts with this result: approve, reject, seen, violation, or refused by the sandbox of a confined agent")
	cmd.Flags().StringVar(&f.tool, "tool", "", "only calls of tools whose id fits a pattern: deploy*")
	cmd.Flags().StringVar(&f.agent, "agent", "", "only acts of an agent, by a part of its name")
	cmd.Flags().StringVar(&f.principal, "principal", "", "only acts of a principal of the daemon, by its name")
	cmd.Flags().StringVar(&f.by, "by", "", "only acts that this decided: a rule by its name, or person")
	cmd.Flags().StringVar(&f.ended, "ended", "", "only acts that ended so: completed, failed, cancelled, not_done, …")
	cmd.Flags().StringVar(&f.text, "text", "", "only acts whose record holds a text, in large or small letters")
	cmd.Flags().StringVar(&f.event, "event", "",
		"only acts with this event: a type such as tool.started, or a name of the original a2a-acp's: tool_failed")
	cmd.Flags().Var(&f.since, "since", "only acts from then on: 7d or 90m ago, a day, or a time: 2026-11-24T09:00:00Z")
	cmd.Flags().Var(&f.until, "until", "only acts before then")
	_ = cmd.RegisterFlagCompletionFunc("kind",
		cobra.FixedCompletions([]string{"read", "write", "delete", "move", "execute", "fetch", "search",
			"call", "other"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("result",
		cobra.FixedCompletions([]string{"approve", "reject", "seen", "violation", "refused"},
			cobra.ShellCompDirectiveNoFileComp))
	completeEvent(cmd)
}

// completeEvent completes the names of events.
func completeEvent(cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("event", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return events.Names(), cobra.ShellCompDirectiveNoFileComp
	})
}

// checkEvent refuses the name of an event that there is none of.
func checkEvent(name string) error {
	if _, known := events.Named(name); name == "" || known {
		return nil
	}
	meant := ""
	if near := spelling.Nearest(name, events.Names()); near != "" {
		meant = fmt.Sprintf(" (did you mean %s?)", near)
	}
	return cli.Fail(exit.Usage, fmt.Errorf("--event %q: there is no such event%s", name, meant))
}

func (f *ActFilter) fits(c audit.ActRecord) bool {
	act := c.Act()
	switch {
	case f.kind != "" && (act == nil || act.Kind != f.kind):
		return false
	case f.acts && (slices.Contains(inForce, c[0].Type) || act != nil && act.Trial):
		return false
	}
	if f.tool != "" {
		if act == nil || act.Tool == "" {
			return false
		}
		if ok, err := path.Match(f.tool, act.Tool); err != nil || !ok {
			return false
		}
	}
	if f.agent != "" && !strings.Contains(strings.ToLower(c[0].Agent), strings.ToLower(f.agent)) ||
		f.principal != "" && c[0].Principal != f.principal ||
		f.by != "" && c.By() != f.by ||
		f.ended != "" && (c.Outcome() == nil || c.Outcome().Status != f.ended) ||
		f.text != "" && !slices.ContainsFunc(c, f.holdsText) ||
		f.hash != "" && !slices.ContainsFunc(c, func(entry audit.Entry) bool { return bytes.Contains(entry.Raw, []byte(f.hash)) }) ||
		f.event != "" && !slices.ContainsFunc(c, func(entry audit.Entry) bool { return entry.Is(f.event) }) {
		return false
	}
	// What the sandbox of a confined agent refused is picked whatever else became of the act.
	return f.result == "" || c.Result() == f.result || f.result == audit.ResultRefused && refused(c)
}

// holdsText reports whether an entry holds the text that is looked for, as people read it.
func (f *ActFilter) holdsText(entry audit.Entry) bool {
	var values any
	if json.Unmarshal(entry.Raw, &values) != nil {
		return false
	}
	found, text := false, strings.ToLower(f.text)
	tool.MapLeaves(values, func(leaf any) any {
		if s, ok := leaf.(string); ok && strings.Contains(strings.ToLower(s), text) {
			found = true
		}
		return leaf
	})
	return found
}

// inForce are the events that say what was in force when something happened, and that a list leaves out.
var inForce = []events.Type{events.BridgeStarted, events.BridgeEnded, events.DaemonStarted, events.DaemonEnded,
	events.SessionOpened, events.SessionClosed,
	events.ConfigLoaded}

func refused(c audit.ActRecord) bool {
	return slices.ContainsFunc(c, func(entry audit.Entry) bool { return entry.Type == events.SandboxRefused })
}

// Acts reads the record, act by act. Damaged lines are told on stderr and make the error that comes
// with the rest.
func (f *ActFilter) Acts(env *cli.Environment) ([]audit.ActRecord, error) {
	if _, err := path.Match(f.tool, ""); err != nil {
		return nil, cli.Fail(exit.Usage, fmt.Errorf("--tool %q: %w", f.tool, err))
	}
	if err := checkEvent(f.event); err != nil {
		return nil, err
	}
	dir, err := app.StateDir(env.AppOptions(nil, nil))
	if err != nil {
		return nil, cli.Fail(exit.Host, err)
	}
	dir = filepath.Join(dir, "audit")
	from, err := f.find(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	filter := audit.Filter{Session: f.session, Task: f.task}
	if f.number > 0 {
		if entry, err := audit.At(dir, f.number); err == nil {
			filter.About = &entry
		}
	}
	filter.Since, filter.Until = f.since.Time(env.Now()), f.until.Time(env.Now())
	if from > 0 {
		filter.NoSession = from
	}
	entries, err := audit.List(dir, filter)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var fitting []audit.ActRecord
	for _, act := range audit.ByAct(entries) {
		if f.fits(act) {
			fitting = append(fitting, act)
		}
	}
	if err != nil {
		err = cli.Fail(exit.Host, err)
	}
	return fitting, err
}
