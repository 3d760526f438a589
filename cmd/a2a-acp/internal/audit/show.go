package audit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

func auditShowCommand(env *cli.Environment) *cobra.Command {
	var filter ActFilter
	var last, governors bool
	cmd := &cobra.Command{
		Use:   "show [NO | ID]",
		Short: "Tell one act, or a whole session, from its beginning to its end",
		Long: `show prints one act: who asked, what was decided, by whom and why, and how
it ended. NO is the number that audit list prints; ID is the id of the
entry, of the call, or of the agent's own call.

With --session (its id, or last) or --task, and no act, it prints what they
came to, and then all of their acts, one after the other.

With --governors it prints only what governors said and what was decided
then: of that act, or of all acts that match, such as those of a session.`,
		Example: `  a2a-acp audit show 12
  a2a-acp audit show --session last
  a2a-acp audit show --governors --session sess_1 --json
  a2a-acp audit show --last --kind write
  a2a-acp audit show --last --decision reject --json`,
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
		if !last && len(args) == 0 && (filter.session != "" || filter.task != "") {
			acts, err := filter.Acts(env)
			return errors.Join(showAll(env, *f, &filter, acts), err)
		}
		if last == (len(args) == 1) {
			return cli.Fail(exit.Usage,
				errors.New("which act? a2a-acp audit show NO, with a number of a2a-acp audit list, --last, or --session ID"))
		}
		if len(args) == 1 {
			filter.number, _ = strconv.ParseInt(args[0], 10, 64) //nolint:errcheck // another name of the act
		}
		if last {
			filter.last, filter.real = 1, true
		}
		acts, err := filter.Acts(env)
		if err != nil {
			env.Say(err.Error()) // the act may be whole all the same
		}
		act := Find(acts, args)
		if act == nil {
			return cli.Fail(exit.Usage,
				errors.New("no such act is on record; a2a-acp audit list --session all --last 0 lists all"))
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
			fmt.Fprintln(env.Stdout, cli.FoldText(env.Stdout, line))
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

// showAll tells acts one after the other, below what they came to.
func showAll(env *cli.Environment, f cli.Format, filter *ActFilter, acts []audit.ActRecord) error {
	if f != cli.FormatTable {
		list := []audit.Entry{}
		for _, act := range acts {
			list = append(list, act...)
		}
		return cli.WriteData(env.Stdout, f, list)
	}
	if len(acts) == 0 {
		filter.sayNone(env)
		return nil
	}
	s := audit.Summarise(acts)
	s.Session = filter.session
	fmt.Fprintf(env.Stdout, "%s\n%s\n", cli.Fold(env.Stdout, heading(env, &s), 2), s.Line())
	for _, act := range acts {
		fmt.Fprintln(env.Stdout)
		for _, line := range tell(act) {
			fmt.Fprintln(env.Stdout, cli.FoldText(env.Stdout, line))
		}
	}
	return nil
}
