// Package audit is the verb audit: it lists, shows, follows and verifies the record.
package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Command returns the verb audit.
func Command(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Read the record of what was asked, decided and done",
		Args:  cli.VerbsOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(auditSummaryCommand(env), auditListCommand(env), auditShowCommand(env), auditTailCommand(env),
		auditExportCommand(env), auditVerifyCommand(env), auditProveCommand(env), auditCheckpointCommand(env),
		auditHashCommand(env))
	return cmd
}

func auditListCommand(env *cli.Environment) *cobra.Command {
	filter := ActFilter{follow: true}
	var last int
	var config bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what was asked, decided and done in the last session, an act a line",
		Long: `list shows the acts of the last session, and later ones that belong to no
session, such as calls from the command line. BY is who decided: a rule by
its name, or a person. ENDED is the outcome; of an act that the agent
carried out itself, it is what the agent reported.

"seen" is an act that the agent did by itself and nobody decided. A
"violation" is one that it did by itself against a rule or an answer.`,
		Example: `  a2a-acp audit list
  a2a-acp audit list --session 2
  a2a-acp audit list --session all --kind write --result reject
  a2a-acp audit list --session all --since 24h --json | jq '.[].decision'
  a2a-acp audit list --session all --tool 'deploy*' --text production
  a2a-acp audit list --config`,
		Args: cobra.NoArgs,
	}
	f := cli.AddFormat(cmd)
	filter.addTo(cmd)
	cmd.Flags().Lookup("session").DefValue = lastSession
	cmd.Flags().IntVarP(&last, "last", "n", 50, "how many of the last acts; 0 lists all")
	cmd.Flags().BoolVar(&config, "config", false,
		"also when bridges and sessions began, what files were in force, and calls of tools test")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		filter.acts = !config
		if !cmd.Flags().Changed("session") {
			filter.session = lastSession
		} else if filter.session != lastSession {
			filter.follow = false
		}
		acts, err := filter.Acts(env)
		if last > 0 && len(acts) > last {
			acts = acts[len(acts)-last:]
		}
		if *f != cli.FormatTable {
			list := []audit.Entry{}
			for _, act := range acts {
				list = append(list, act...)
			}
			return errors.Join(cli.WriteData(env.Stdout, *f, list), err)
		}
		if len(acts) == 0 {
			if err == nil {
				env.Say("no recorded act matches")
			}
			return err
		}
		filter.writeList(env, acts)
		return err
	}
	return cmd
}

// writeList writes acts one a line, below the session that they are of; where they are of several, each has
// its agent's name.
func (f *ActFilter) writeList(env *cli.Environment, acts []audit.ActRecord) {
	out := cli.Table{Head: []string{"NO", "TIME", "AGENT", "DECISION", "BY", "ENDED", "ACT"}}
	several := f.session == "" && slices.ContainsFunc(acts, func(c audit.ActRecord) bool { return c[0].Agent != "" })
	if f.session != "" {
		s := audit.Summarise(acts)
		s.Session = f.session
		fmt.Fprint(env.Stdout, heading(&s))
		if f.sessions > 1 {
			fmt.Fprintf(env.Stdout, " (one of %d; --session all lists them all)", f.sessions)
		}
		fmt.Fprintln(env.Stdout)
	}
	if !several {
		out.Head = slices.Delete(out.Head, 2, 3)
	}
	for _, c := range acts {
		row := []string{strconv.FormatInt(c[0].Seq, 10), c[0].Time.Local().Format(time.DateTime), orDash(c[0].Agent),
			orDash(c.Result()), orDash(c.By()), endOf(c), TitleOf(c)}
		if !several {
			row = slices.Delete(row, 2, 3)
		}
		out.Add(row...)
	}
	out.Write(env.Stdout)
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return display.Line(text)
}

func auditShowCommand(env *cli.Environment) *cobra.Command {
	var filter ActFilter
	var last, governors bool
	cmd := &cobra.Command{
		Use:   "show (NO | ID | --last | --governors)",
		Short: "Tell one act from its beginning to its end, or what governors said",
		Long: `show prints one act: who asked, what was decided, by whom and why, and how
it ended. NO is the number that audit list prints; ID is the id of the
entry, of the call, or of the agent's own call.

With --governors it prints only what governors said and what was decided
then: of that act, or of all acts that match, such as those of a session.`,
		Example: `  a2a-acp audit show 12
  a2a-acp audit show --governors --session sess_1 --json
  a2a-acp audit show --last --kind write
  a2a-acp audit show --last --result reject --json`,
		Args: cobra.MaximumNArgs(1),
	}
	f := cli.AddFormat(cmd)
	filter.addTo(cmd)
	cmd.Flags().BoolVar(&last, "last", false, "the last act that fits")
	cmd.Flags().BoolVar(&governors, "governors", false, "only what governors said, and what was decided then")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if governors && !last && len(args) == 0 {
			if len(args) == 1 {
				filter.number, _ = strconv.ParseInt(args[0], 10, 64)
			}
			acts, err := filter.Acts(env)
			return errors.Join(showGovernors(env, *f, acts), err)
		}
		if last == (len(args) == 1) {
			return cli.Fail(exit.Usage,
				errors.New("which act? a2a-acp audit show NO, with a number of a2a-acp audit list, or --last"))
		}
		if len(args) == 1 {
			filter.number, _ = strconv.ParseInt(args[0], 10, 64) //nolint:errcheck // another name of the act
		}
		acts, err := filter.Acts(env)
		if err != nil {
			env.Say(err.Error()) // the act may be whole all the same
		}
		act := Find(acts, args)
		if act == nil {
			return cli.Fail(exit.Usage,
				errors.New("no such act is on record; a2a-acp audit list --last 0 shows all"))
		}
		err = nil
		if slices.ContainsFunc(act, func(entry audit.Entry) bool { return entry.Broken != "" }) {
			err = cli.Fail(exit.Host,
				errors.New("the chain of the record is broken here: this may not be what was recorded"))
		}
		switch {
		case governors:
			return errors.Join(showGovernors(env, *f, []audit.ActRecord{act}), err)
		case *f != cli.FormatTable:
			return errors.Join(cli.WriteData(env.Stdout, *f, act), err)
		}
		for _, line := range tell(act) {
			fmt.Fprintln(env.Stdout, line)
		}
		return err
	}
	return cmd
}

// Find picks the act with a name, or the last one that is an act at all.
func Find(acts []audit.ActRecord, args []string) audit.ActRecord {
	for i := len(acts) - 1; i >= 0; i-- {
		if len(args) == 0 {
			if act := acts[i].Act(); act != nil && !act.Trial {
				return acts[i]
			}
			continue
		}
		for _, entry := range acts[i] {
			if args[0] == strconv.FormatInt(entry.Seq, 10) || args[0] == entry.ID ||
				args[0] == entry.CallID || args[0] == entry.ToolCall {
				return acts[i]
			}
		}
	}
	return nil
}

// endOf says in a word or two how an act ended.
func endOf(c audit.ActRecord) string {
	switch o := c.Outcome(); {
	case o == nil:
		return "-"
	case o.Status == string(tool.StatusFailed) && o.Signal != "":
		return display.Line(o.Signal)
	case o.Status == string(tool.StatusFailed) && o.ExitCode != nil:
		return fmt.Sprintf("exit %d", *o.ExitCode)
	default:
		return strings.ReplaceAll(display.Line(o.Status), "_", " ")
	}
}

// TitleOf says in a line what the act was.
func TitleOf(c audit.ActRecord) string {
	act := c.Act()
	switch {
	case act == nil && c[0].Detail != "":
		return string(c[0].Type) + ": " + display.Line(c[0].Detail)
	case act == nil && len(c[0].Command) > 0:
		return string(c[0].Type) + ": " + display.Line(strings.Join(c[0].Command, " "))
	case act == nil:
		return string(c[0].Type)
	}
	words := []string{act.Kind}
	if act.Kind == string(permissions.ActionCall) {
		words = append(words, act.Tool)
	}
	switch {
	case act.Shell != "":
		words = append(words, act.Shell)
	case len(act.Paths) > 0:
		words = append(words, strings.Join(inWorkspace(act), ", "))
	case act.Kind == string(permissions.ActionCall):
	case act.Tool != "":
		words = append(words, act.Tool)
	case act.Title != "":
		words = append(words, act.Title)
	}
	return display.Line(strings.Join(words, " "))
}

// inWorkspace names the files of an act, those in its workspace as they are called there.
func inWorkspace(act *events.Act) []string {
	names := slices.Clone(act.Paths)
	for i, name := range names {
		for _, dir := range act.Workspace {
			if below, ok := strings.CutPrefix(name, strings.TrimSuffix(dir, "/")+"/"); ok && filepath.IsLocal(below) {
				names[i] = below
				break
			}
		}
	}
	return names
}

// tell is the act as a story: a line says what it was, one where it came from, one each what happened.
func tell(c audit.ActRecord) []string {
	lines := []string{TitleOf(c)}
	if says := inShort(c); says != "" {
		lines = append(lines, "  "+says)
	}
	lines = append(lines, from(c))
	if act := c.Act(); act != nil && act.Dir != "" {
		lines = append(lines, "  in "+display.Line(act.Dir))
	}
	if act := c.Act(); act != nil && act.Title != "" {
		lines = append(lines, "  the agent calls it "+strconv.Quote(display.Line(act.Title)))
	}
	for _, entry := range c {
		at := entry.Time.Local().Format("15:04:05.000")
		switch {
		case entry.Type == events.ApprovalAsked && entry.Decision != nil:
			lines = append(lines, fmt.Sprintf("  %s  asked    the person, because %s", at, why(entry.Decision)))
		case entry.Type == events.ApprovalAnswered && entry.Decision != nil:
			lines = append(lines, fmt.Sprintf("  %s  answer   %s", at, decision(c, entry.Decision)))
		case entry.Type == events.ApprovalLeft, entry.Type == events.ApprovalJoined,
			entry.Type == events.ApprovalUsed:
			word := strings.TrimPrefix(string(entry.Type), "approval.")
			lines = append(lines, fmt.Sprintf("  %s  %-7s  %s", at, word, display.Line(entry.Detail)))
		case entry.Type == events.ToolDecided && entry.Decision != nil:
			lines = append(lines, fmt.Sprintf("  %s  decided  %s", at, decision(c, entry.Decision)))
			for _, reason := range entry.Decision.Reasons {
				lines = append(lines, strings.Repeat(" ", 25)+display.Line(reason))
			}
		case entry.Type == events.ToolEnded && entry.Outcome != nil:
			lines = append(lines, fmt.Sprintf("  %s  ended    %s", at, outcome(entry.Outcome)))
		case entry.Type == events.ToolStarted && entry.Outcome != nil:
			lines = append(lines, fmt.Sprintf("  %s  started  attempt %d", at, entry.Outcome.Attempt))
		case entry.Type == events.ToolStarted:
			lines = append(lines, fmt.Sprintf("  %s  started", at))
		case entry.Type == events.ToolAttempted && entry.Outcome != nil:
			lines = append(lines, fmt.Sprintf("  %s  tried    %s", at, outcome(entry.Outcome)))
		case entry.Type == events.GovernorsAsked && entry.Governance != nil:
			lines = append(lines, governorLines(at, entry.Governance)...)
		case entry.Type == events.CircuitChanged && entry.Circuit != nil:
			lines = append(lines, fmt.Sprintf("  %s  circuit  %s", at, circuitChange(entry.Circuit)))
		case entry.Type == events.SandboxRefused && entry.Act != nil:
			lines = append(lines, fmt.Sprintf("  %s  refused  by its sandbox, the agent says: %s; %s", at,
				refusedAct(entry.Act), display.Line(entry.Detail)))
		case entry.Type == events.ToolViolated:
			lines = append(lines, fmt.Sprintf("  %s  VIOLATED %s", at, seenStatus(c, entry)))
		case entry.Type == events.ToolSeen:
			lines = append(lines, fmt.Sprintf("  %s  seen     %s", at, seenStatus(c, entry)))
		default:
			lines = append(lines, strings.TrimRight(fmt.Sprintf("  %s  %s %s", at, entry.Type,
				display.Line(entry.Detail)), " "))
		}
		if entry.Late {
			lines = append(lines, strings.Repeat(" ", 25)+"recorded later, since nothing could be recorded then")
		}
		lines = append(lines, details(entry)...)
		if entry.Broken != "" {
			lines = append(lines, fmt.Sprintf("  %s  BROKEN   entry %d: %s", at, entry.Seq,
				display.Line(entry.Broken)))
		}
	}
	first, last := c[0], c[len(c)-1]
	numbers := strconv.FormatInt(first.Seq, 10)
	if last.Seq != first.Seq {
		numbers += " to " + strconv.FormatInt(last.Seq, 10)
	}
	return append(lines, fmt.Sprintf("  on record as %s in %s", numbers, last.File))
}

// refusedAct says in a line what a sandbox refused.
func refusedAct(act *events.Act) string {
	return display.Line(strings.Join(append([]string{act.Kind}, act.Paths...), " "))
}

// details are what an entry says beside its own line: what a bridge can and cannot see of its agent, which
// files counted, and what the result's a2a_diagnostics were.
func details(entry audit.Entry) []string {
	var lines []string
	for _, what := range slices.Sorted(maps.Keys(entry.Coverage)) {
		lines = append(lines, fmt.Sprintf("                %s: %s", what, display.Line(entry.Coverage[what])))
	}
	if entry.Outcome != nil {
		lines = append(lines, diagnostics(entry.Outcome.Diagnostics)...)
	}
	for _, file := range entry.Files {
		lines = append(lines, fmt.Sprintf("                %s  %s", display.Line(file.Path), file.SHA256))
	}
	for _, d := range entry.Damage {
		lines = append(lines, fmt.Sprintf("                %s at number %d: %s", display.Line(d.Kind), d.Seq, display.Line(d.Message)))
	}
	return lines
}

// diagnostics are the a2a_diagnostics of a call that failed, a line each. What is no text stands there as
// JSON.
func diagnostics(all map[string]any) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text, ok := all[name].(string)
		if !ok {
			encoded, err := json.Marshal(all[name])
			if err != nil {
				encoded = []byte(err.Error())
			}
			text = string(encoded)
		}
		lines = append(lines, display.Line(fmt.Sprintf("%s%s: %s", strings.Repeat(" ", 25), name, text)))
	}
	return lines
}

func from(c audit.ActRecord) string {
	first := c[0]
	words := []string{"  " + first.Time.Local().Format(time.DateTime)}
	for _, part := range [][2]string{{"principal", first.Principal}, {"agent", first.Agent},
		{"session", first.Session}, {"task", first.Task},
		{"call", first.CallID}, {"agent's call", first.ToolCall}} {
		if part[1] != "" {
			words = append(words, part[0]+" "+display.Line(part[1]))
		}
	}
	return strings.Join(words, " · ")
}

// decision says in a line what was decided and by whom. Where somebody answered because a rule or a
// governor asked, both are named.
func decision(c audit.ActRecord, d *events.Decision) string {
	by, rule := d.Source, d.Rule
	if by == string(permissions.SourceAct) {
		by = "the answer just before"
	}
	if d.At != "" {
		rule += " (" + d.At + ")"
	}
	asked := ""
	switch {
	case d.Rule == "":
	case answers(permissions.Source(d.Source)):
		asked = fmt.Sprintf("; %s %s asked", askerOf(c, d), rule)
	default:
		by += " " + rule
	}
	if d.Approver != "" {
		by += " (" + d.Approver + ")"
	}
	reason := ""
	if d.Reason != "" {
		reason = ": " + d.Reason
	}
	if d.Source == string(permissions.SourceNobody) { // the reason is that of the question
		return display.Line(fmt.Sprintf("%s, by %s%s%s", d.Result, by, asked, reason))
	}
	return display.Line(fmt.Sprintf("%s, by %s%s%s", d.Result, by, reason, asked))
}

// answers reports whether a source answers what a rule or a governor has asked, rather than being the one
// that is named.
func answers(s permissions.Source) bool {
	return s == permissions.SourcePerson || s == permissions.SourceCaller || s == permissions.SourceNobody
}

// askerOf says what it is that a decision names beside the one who answered.
func askerOf(c audit.ActRecord, d *events.Decision) string {
	for _, entry := range c {
		if entry.Governance == nil {
			continue
		}
		for _, answer := range entry.Governance.Answers {
			if answer.Governor == d.Rule && answer.At == d.At {
				return "governor"
			}
		}
	}
	return "rule"
}

func why(d *events.Decision) string {
	if d.Reason == "" {
		return "no reason was given"
	}
	return display.Line(d.Reason)
}

func outcome(o *events.Outcome) string {
	words := []string{strings.ReplaceAll(o.Status, "_", " ")}
	if o.ExitCode != nil {
		words = append(words, fmt.Sprintf("exit code %d", *o.ExitCode))
	}
	if o.Signal != "" {
		words = append(words, o.Signal)
	}
	switch o.By {
	case events.ByAgent:
		words = append(words, "done by the agent, as it says")
	case events.ByEditor:
		words = append(words, "done by the editor")
	}
	if o.Millis > 0 {
		words = append(words, fmt.Sprintf("after %.0f ms", o.Millis))
	}
	if o.Attempt > 0 {
		words = append(words, fmt.Sprintf("attempt %d", o.Attempt))
	}
	if o.Cached {
		words = append(words, "nothing ran: it is the result of call "+o.SameAs)
	} else if o.Level != "" {
		words = append(words, "confined: "+o.Level)
	}
	if len(o.LimitsHit) > 0 {
		words = append(words, "limits hit: "+strings.Join(o.LimitsHit, ", "))
	}
	if o.Error != "" {
		words = append(words, o.Error)
	}
	return display.Line(strings.Join(words, ", "))
}

func circuitChange(c *events.Circuit) string {
	text := fmt.Sprintf("of %s: %s, was %s", c.Tool, c.State, c.Before)
	if !c.Until.IsZero() {
		text += "; calls are refused until " + cli.Clock(c.Until)
	}
	return display.Line(text)
}

// seenStatus says what came of an act that the agent does by itself. Nobody but the agent knows.
func seenStatus(c audit.ActRecord, entry audit.Entry) string {
	says := "the agent did it by itself"
	if o := entry.Outcome; o != nil && o.Status != string(tool.StatusCompleted) {
		told := *o
		told.By = ""
		says = "the agent says that it came to nothing (" + outcome(&told) + ")"
	}
	switch d := entry.Decision; {
	case d != nil && d.Rule != "":
		says += fmt.Sprintf(", against rule %s (%s)", d.Rule, d.At)
		if d.Reason != "" {
			says += ": " + d.Reason
		}
	case c.Decided() == nil:
		says += "; nobody decided it"
	}
	if entry.Detail != "" {
		says += "; " + entry.Detail
	}
	return display.Line(says)
}

// inShort tells an act in one sentence: who decided, who carried it out, and how that ended.
func inShort(c audit.ActRecord) string {
	decided := c.Decided()
	switch c.Result() {
	case "approve":
	case "reject":
		return "rejected by " + byWhom(c) + "; it did not happen"
	case audit.ResultViolation:
		return "a violation: the agent did by itself what is not allowed"
	case audit.ResultSeen:
		return "only seen: the agent did it by itself, and nobody decided it"
	default:
		return ""
	}
	says := "approved by " + byWhom(c)
	switch o := c.Outcome(); {
	case o == nil && c.Act().Claimed:
		return says + "; the agent has not said how it ended"
	case o == nil:
		return says + "; how it ended is not on record"
	case o.Status == events.NotDone:
		return says + "; nothing came of it"
	case o.Status == events.EndUnknown:
		return says + ", done by the editor; nobody asked how it ended"
	case decided.Act != nil:
		who := map[string]string{events.ByAgent: "the agent", events.ByEditor: "the editor", "": "a2a-acp"}[o.By]
		says += ", done by " + who + ": " + endOf(c)
	}
	return says
}

// byWhom is who decided, and where a person has answered, how.
func byWhom(c audit.ActRecord) string {
	by := c.By()
	if d := c.Decided().Decision; by == d.Rule && by != "" {
		return askerOf(c, d) + " " + display.Line(by)
	}
	if by != "person" {
		return orDash(by)
	}
	for i := len(c) - 1; i >= 0; i-- {
		if d := c[i].Decision; d != nil && d.Approver != "" {
			return "a person (" + display.Line(d.Approver) + ")"
		}
	}
	return "a person"
}
