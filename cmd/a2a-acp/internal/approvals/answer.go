package approvals

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/inbox"
	"github.com/a2a-acp/a2a-acp/internal/store"
)

func approvalsApproveCommand(env *cli.Environment) *cobra.Command {
	var yes bool
	var session int
	cmd := &cobra.Command{
		Use:   "approve ID",
		Short: "Say yes to a question, once",
		Long: `approve shows the whole question and asks you to confirm. The call continues
at once. Without --session nothing is allowed beyond this one act. If whoever
asked does not wait any more, the answer is kept for the same call to come
again.

It needs a terminal that no agent has started, with --yes too.`,
		Example: `  a2a-acp approvals approve k3f9x2ab
  a2a-acp approvals approve k3f9 --session
  a2a-acp approvals approve k3f9 --session=2
  a2a-acp approvals approve k3f9 --yes`,
		Args:              oneID,
		ValidArgsFunction: completeApprovals(env),
	}
	cmd.Flags().IntVar(&session, "session", 0, "also for the rest of its session, as the question says; --session=2 where it "+
		"offers more than one")
	cmd.Flags().Lookup("session").NoOptDefVal = "1"
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask for confirmation")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := cli.CheckAtTerminal(env, "approving"); err != nil {
			return err
		}
		return answerApproval(cmd.Context(), env, args[0], store.Answer{Approved: true, Always: session}, func() (bool, error) {
			if yes {
				return true, nil
			}
			how := "this once"
			if session != 0 {
				how = "and for the rest of the session"
			}
			return env.AskYes(cmd.Context(), "\nAllow it, "+how+"?")
		})
	}
	return cmd
}

func approvalsDenyCommand(env *cli.Environment) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "deny ID",
		Short: "Say no to a question",
		Long: `deny says no. The agent reads the reason, so that it can do better: "use the
staging branch". An agent cannot deny, not even its own questions: only a
person can answer.`,
		Example: `  a2a-acp approvals deny k3f9x2ab
  a2a-acp approvals deny k3f9x2ab --reason "use the staging branch"`,
		Args:              oneID,
		ValidArgsFunction: completeApprovals(env),
	}
	cmd.Flags().StringVar(&reason, "reason", "", "what the agent reads; at most 500 bytes")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(reason) > 500 {
			return cli.Fail(exit.Usage, errors.New("--reason: want 500 bytes or fewer"))
		}
		if err := cli.CheckToTighten(); err != nil {
			return err
		}
		return answerApproval(cmd.Context(), env, args[0], store.Answer{Reason: reason},
			func() (bool, error) { return true, nil })
	}
	return cmd
}

func approvalsShowCommand(env *cli.Environment) *cobra.Command {
	return &cobra.Command{
		Use:               "show ID",
		Short:             "Show a question whole",
		Example:           `  a2a-acp approvals show k3f9x2ab`,
		Args:              oneID,
		ValidArgsFunction: completeApprovals(env),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := listApprovals(cmd.Context(), env, func(store.Approval) bool { return true })
			if err != nil {
				return cli.Fail(exit.Host, err)
			}
			id, err := wholeID(args[0], namedQuestions(list))
			if err != nil {
				return err
			}
			for _, a := range list {
				if a.ID == id {
					writeQuestion(env, env.Stdout, a, true)
					return nil
				}
			}
			return tooLate(env, id, store.Approval{}, store.ErrNoApproval)
		},
	}
}

// oneID asks for an id in words that help.
func oneID(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		hint := ""
		if cmd.Flags().Lookup("session") != nil {
			hint = "; the number of --session stands behind a =: --session=2"
		}
		return cli.Fail(exit.Usage,
			fmt.Errorf("%s takes one ID, and %q is another word%s", cmd.CommandPath(), display.Line(args[1]), hint))
	}
	if len(args) == 0 {
		return cli.Fail(exit.Usage, fmt.Errorf("which question? %s ID; a2a-acp approvals list shows those that wait",
			cmd.CommandPath()))
	}
	return nil
}

// answerApproval shows a question whole and answers it, if the person means it.
func answerApproval(ctx context.Context, env *cli.Environment, id string, answer store.Answer,
	meant func() (bool, error)) (err error) {
	approvals, err := app.OpenApprovals(ctx, env.AppOptions(nil, nil))
	if errors.Is(err, fs.ErrNotExist) {
		return cli.Fail(exit.Usage, fmt.Errorf("%s: %w; nothing was ever asked", display.Line(id),
			store.ErrNoApproval))
	}
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	defer func() { err = errors.Join(err, approvals.Close()) }()
	questions, err := approvals.List(ctx)
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	if id, err = wholeID(id, namedQuestions(questions)); err != nil {
		return err
	}
	asked, err := approvals.Get(ctx, id)
	if err != nil {
		return tooLate(env, id, asked, err)
	}
	if asked.State != store.Pending {
		_, err := approvals.Answer(ctx, asked, answer) // which says why not
		return tooLate(env, id, asked, err)
	}
	writeQuestion(env, env.Stderr, asked, answer.Approved)
	switch offered := len(asked.Lasting); {
	case answer.Always != 0 && (offered == 0 || asked.Left):
		return cli.Fail(exit.Usage, fmt.Errorf("%s: it can be allowed once only; leave --session out", display.Line(id)))
	case answer.Always < 0 || answer.Always > offered:
		return cli.Fail(exit.Usage, fmt.Errorf("%s: --session is a number from 1 to %d", display.Line(id), offered))
	}
	if answer.Always > 1 {
		fmt.Fprintf(env.Stderr, "\n%s\n", cli.Marked(env.Stderr, fmt.Sprintf("--session=%d: %s", answer.Always,
			display.Line(asked.Lasting[answer.Always-1]))))
	}
	switch means, err := meant(); {
	case err != nil:
		env.Say("not answered; the question still waits")
		return err
	case !means:
		env.Say("not answered; the question still waits")
		return cli.Silent(exit.Denied)
	}
	if answer.Approved {
		if err := cli.Confirm(ctx, env); err != nil {
			return err
		}
	}
	answer.Approver = env.Approver("cli")
	answered, err := approvals.Answer(ctx, asked, answer)
	if err != nil {
		return tooLate(env, id, answered, err)
	}
	if answered.Kept() {
		env.Say(fmt.Sprintf("%s: whoever asked does not wait any more, so the answer waits until %s for the same call to come again; "+
			"a2a-acp approvals revoke %s takes it back",
			answered.State, answered.Expires.Local().Format("15:04 on Monday"), answered.ID))
		return nil
	}
	if answer.Always > 0 && answered.Always == 0 {
		env.Say(fmt.Sprintf("%s, this once: %s", answered.State, joinedSince))
		return nil
	}
	more := ""
	if answer.Approved {
		more = "; a2a-acp approvals keep " + answered.ID + " writes a rule for it"
	}
	env.Say(fmt.Sprintf("%s: whoever waits goes on%s", answered.State, more))
	return nil
}

// joinedSince is why a yes for the rest of a session counts once.
const joinedSince = "the session that was shown asks no more, and another one has asked the same; whoever waits goes on"

// writeQuestion shows a question, all of it, with what an answer to it is worth; where it may be a yes, also what
// --session would allow.
func writeQuestion(env *cli.Environment, w io.Writer, a store.Approval, mayAllow bool) {
	s := showApproval(a)
	who, ago := inbox.Who(a), inbox.Short(env.Now().Sub(a.Asked))
	head := fmt.Sprintf("%s asks, %s ago; it can be answered for another %s", who, ago, inbox.Short(a.Expires.Sub(env.Now())))
	switch {
	case a.State != store.Pending:
		head = fmt.Sprintf("%s asked, %s ago; %s", who, ago, stateInWords(env, a))
		if s.Approver != "" {
			head += inbox.By(s.Approver)
		}
		if s.Reason != "" {
			head += ": " + s.Reason
		}
	case a.Left:
		head = fmt.Sprintf("%s asked %s ago, and does not wait any more. Your answer waits for the same call to come again, "+
			"for %s at the most.", who, ago, inbox.Short(a.Expires.Sub(env.Now())))
	}
	say := func(line string) { fmt.Fprintln(w, cli.Fold(w, line, 0)) }
	say(head)
	fmt.Fprintf(w, "\n%s\n\n", cli.Marked(w, s.Title+"\n\n"+s.Text))
	switch {
	case a.State != store.Pending:
		return
	case mayAllow && !a.Left:
		for i, words := range s.Lasting {
			flag := "--session"
			if i > 0 {
				flag = fmt.Sprintf("--session=%d", i+1)
			}
			fmt.Fprintln(w, cli.Marked(w, fmt.Sprintf("With %s it is allowed for the rest of its session, too: %s.", flag, words)))
		}
	}
	if a.Bound {
		say(fmt.Sprintf("Bound: exactly this is run, and nothing else (%s).", s.Digest))
		return
	}
	say(fmt.Sprintf("Not bound: %s carries this out. What it really does is not held against your answer.", inbox.Carrier(a)))
}

// tooLate says why a question takes no answer.
func tooLate(env *cli.Environment, id string, a store.Approval, err error) error {
	id = display.Line(id)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrAnswered):
		return cli.Fail(exit.Usage, fmt.Errorf("%s: %s %s ago%s, and the first answer holds", id, a.State,
			inbox.Short(env.Now().Sub(a.Answered)), display.Line(inbox.By(a.Approver))))
	case errors.Is(err, store.ErrWithdrawn):
		return cli.Fail(exit.Usage, fmt.Errorf("%s: %w: %s", id, err, display.Line(a.Reason)))
	case errors.Is(err, store.ErrNoApproval):
		if len(id) < leastOfID {
			return cli.Fail(exit.Usage, fmt.Errorf("%s: write %d characters of the ID at least (a2a-acp approvals list shows it)",
				id, leastOfID))
		}
		return cli.Fail(exit.Usage, fmt.Errorf("%s: %w; a2a-acp approvals list shows those that wait", id, err))
	case errors.Is(err, store.ErrExpired), errors.Is(err, store.ErrGone):
		return cli.Fail(exit.Usage, fmt.Errorf("%s: %w", id, err))
	}
	return cli.Fail(exit.Host, err)
}
