package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
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

	number int64 // only acts that the entry with this number may be about; 0 for all
	last   int   // only so many of the last acts that fit; 0 for all
	follow bool  // of the last session also what belongs to none and came after it had begun
	acts   bool  // leave out what only says what was in force, and what was tried out
	real   bool  // and all else that is no act

	earlier int  // how many that fit were left out before the last ones
	unread  bool // the record was not read to its beginning: there may be more
}

// results are those that acts can be picked by.
var results = []string{permissions.Approve.String(), permissions.Reject.String(), audit.ResultAsked, audit.ResultSeen,
	audit.ResultViolation, audit.ResultRefused}

// kinds are the kinds of acts.
var kinds = []string{
	string(permissions.ActionRead), string(permissions.ActionWrite), string(permissions.ActionDelete),
	string(permissions.ActionMove), string(permissions.ActionExecute), string(permissions.ActionFetch),
	string(permissions.ActionSearch), string(permissions.ActionCall), string(permissions.ActionSwitchMode),
	string(permissions.ActionOther),
}

func (f *ActFilter) addTo(cmd *cobra.Command) {
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		switch name { // what they were called before
		case "result":
			name = "decision"
		case "ended":
			name = "outcome"
		}
		return pflag.NormalizedName(name)
	})
	cmd.Flags().StringVar(&f.session, "session", "", "only this session: its id, last, 2 for the one before that, …; all")
	cmd.Flags().StringVar(&f.task, "task", "", "only this task of an A2A client")
	cmd.Flags().StringVar(&f.kind, "kind", "", "only acts of this kind: read, write, execute, call, fetch, …")
	cmd.Flags().StringVar(&f.result, "decision", "",
		"only acts with this result: approve, reject, seen, violation, refused by the sandbox of a confined agent, "+
			"or asked: those that somebody was asked about")
	cmd.Flags().StringVar(&f.tool, "tool", "", "only calls of tools whose id fits a pattern: deploy*")
	cmd.Flags().StringVar(&f.agent, "agent", "", "only acts of an agent, by a part of its name")
	cmd.Flags().StringVar(&f.principal, "principal", "", "only acts of a principal of the daemon, by its name")
	cmd.Flags().StringVar(&f.by, "by", "", "only acts that this decided: a rule by its name, or person")
	cmd.Flags().StringVar(&f.ended, "outcome", "", "only acts that ended so: completed, failed, cancelled, not_done, …")
	cmd.Flags().StringVar(&f.text, "text", "", "only acts whose record holds a text, in large or small letters")
	cmd.Flags().StringVar(&f.event, "event", "",
		"only acts with this event: a type such as tool.started, or a name of the original a2a-acp's: tool_failed")
	cmd.Flags().Var(&f.since, "since", "only acts from then on: 7d or 90m ago, a day, or a time: 2026-11-24T09:00:00Z")
	cmd.Flags().Var(&f.until, "until", "only acts before then")
	_ = cmd.RegisterFlagCompletionFunc("kind",
		cobra.FixedCompletions(kinds, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("decision",
		cobra.FixedCompletions(results, cobra.ShellCompDirectiveNoFileComp))
	completeEvent(cmd)
}

// completeEvent completes the names of events.
func completeEvent(cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("event", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return events.Names(), cobra.ShellCompDirectiveNoFileComp
	})
}

// check refuses a pattern that is none, and the name of a kind, a result or an event that there is none of.
func (f *ActFilter) check() error {
	if _, err := path.Match(f.tool, ""); err != nil {
		return cli.Fail(exit.Usage, fmt.Errorf("--tool %q: %w", f.tool, err))
	}
	if f.result != "" && !slices.Contains(results, f.result) {
		return cli.Fail(exit.Usage, fmt.Errorf("--decision %q: want one of %s", f.result, strings.Join(results, ", ")))
	}
	if f.kind != "" && !slices.Contains(kinds, f.kind) {
		return cli.Fail(exit.Usage, fmt.Errorf("--kind %q: want one of %s", f.kind, strings.Join(kinds, ", ")))
	}
	name := f.event
	if _, known := events.Named(name); name == "" || known {
		return nil
	}
	meant := ""
	if near := spelling.Nearest(name, events.Names()); near != "" {
		meant = fmt.Sprintf(" (did you mean %s?)", near)
	}
	return cli.Fail(exit.Usage, fmt.Errorf("--event %q: there is no such event%s", name, meant))
}

// sayNone says that no act fits, and where else there may be some.
func (f *ActFilter) sayNone(env *cli.Environment) {
	if f.session == "" || f.session == lastSession { // there is none, or all were looked at
		env.Say("no recorded act matches")
		return
	}
	env.Say(fmt.Sprintf("no recorded act of the session %s matches; --session all looks at all of them", display.Line(f.session)))
}

// sayEarlier says how many acts that fit come before those that are listed, and what lists them.
func (f *ActFilter) sayEarlier(env *cli.Environment) {
	switch {
	case f.unread:
		env.Say("earlier acts are not looked for; --last 0 lists all")
	case f.earlier > 0:
		env.Say(display.Count(f.earlier, "earlier act is", "earlier acts are") + " not shown; --last 0 lists all")
	}
}

// entryFilter is what the record's own filter can pick.
func (f *ActFilter) entryFilter(env *cli.Environment) audit.Filter {
	filter := audit.Filter{Session: f.session, Task: f.task, Since: f.since.Time(env.Now()), Until: f.until.Time(env.Now())}
	if f.session == allSessions {
		filter.Session = ""
	}
	return filter
}

// entries returns what holds the filter against single entries.
func (f *ActFilter) entries(env *cli.Environment) func(audit.Entry) bool {
	filter := f.entryFilter(env)
	return func(e audit.Entry) bool {
		return filter.Fits(e) && (f.event == "" || e.Is(f.event)) && f.fits(audit.ActRecord{e})
	}
}

func (f *ActFilter) fits(c audit.ActRecord) bool {
	act := c.Act()
	switch {
	case f.kind != "" && (act == nil || act.Kind != f.kind):
		return false
	case f.real && (act == nil || act.Trial):
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
	// What the sandbox of a confined agent refused, or somebody was asked about, is picked whatever else became of the act.
	return f.result == "" || c.Result() == f.result || f.result == audit.ResultRefused && refused(c) ||
		f.result == audit.ResultAsked && c.Asked()
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
