package approvals

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/inbox"
	"github.com/a2a-acp/a2a-acp/internal/store"
)

// shownAllowance is a grant in `approvals list --granted -o json`.
type shownAllowance struct {
	ID      string    `json:"id"`
	Granted time.Time `json:"granted"`
	Agent   string    `json:"agent,omitempty"`
	Session string    `json:"session_id"`
	Allows  string    `json:"allows"`
}

func showAllowance(g store.SessionApproval) shownAllowance {
	return shownAllowance{
		ID: display.Line(g.ID), Granted: g.Granted, Agent: display.Line(g.Agent),
		Session: display.Line(g.Session), Allows: display.Line(g.Words),
	}
}

// writeAllowances lists what is allowed for sessions that go on.
func writeAllowances(ctx context.Context, env *cli.Environment, f cli.Format) error {
	grants, err := listGrants(ctx, env)
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	shown := make([]shownAllowance, len(grants))
	out := cli.Table{Head: []string{"ID", "AGE", "WHO", "ALLOWS"}}
	for i, g := range grants {
		shown[i] = showAllowance(g)
		out.Add(shown[i].ID, inbox.Short(env.Now().Sub(g.Granted)), shown[i].Agent, shown[i].Allows)
	}
	switch {
	case f != cli.FormatTable:
		return cli.WriteData(env.Stdout, f, shown)
	case len(grants) == 0:
		env.Say("nothing is allowed for a session")
	default:
		out.Write(env.Stdout)
	}
	return nil
}

func listGrants(ctx context.Context, env *cli.Environment) (grants []store.SessionApproval, err error) {
	approvals, err := app.OpenApprovals(ctx, env.AppOptions(nil, nil))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, approvals.Close()) }()
	return approvals.SessionApprovals(ctx)
}

func approvalsRevokeCommand(env *cli.Environment) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "Take back what was allowed for a session, or an answer that nobody has used",
		Long: `revoke takes back what you allowed with "always": the next such act is asked
about again. What is already running continues. approvals list --granted
shows what is allowed. With the id of a question whose answer was not used
yet, it takes that answer back.`,
		Example: `  a2a-acp approvals list --granted
  a2a-acp approvals revoke w7c2mqn4`,
		Args: oneID,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion,
			cobra.ShellCompDirective) {
			var ids []cobra.Completion
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			grants, _ := listGrants(cmd.Context(), env)
			for _, g := range grants {
				ids = append(ids, cobra.CompletionWithDesc(showAllowance(g).ID, showAllowance(g).Allows))
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.CheckToTighten(); err != nil {
				return err
			}
			return revoke(cmd.Context(), env, args[0])
		},
	}
}

func revoke(ctx context.Context, env *cli.Environment, id string) (err error) {
	approvals, err := app.OpenApprovals(ctx, env.AppOptions(nil, nil))
	if errors.Is(err, fs.ErrNotExist) {
		return cli.Fail(exit.Usage, fmt.Errorf("%s: %w", display.Line(id), store.ErrNoSessionApproval))
	}
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	defer func() { err = errors.Join(err, approvals.Close()) }()
	if id, err = wholeRevoked(ctx, approvals, id); err != nil {
		return err
	}
	if q, err := approvals.TakeBack(ctx, id, env.Approver("cli")); err == nil {
		env.Say("asked again from now on: " + showApproval(q).Title)
		return nil
	} else if !errors.Is(err, store.ErrNoApproval) && !errors.Is(err, store.ErrNotKept) {
		return cli.Fail(exit.Host, err)
	}
	g, err := approvals.Revoke(ctx, id, env.Approver("cli"))
	switch {
	case errors.Is(err, store.ErrNoSessionApproval), errors.Is(err, store.ErrRevoked):
		return cli.Fail(exit.Usage, fmt.Errorf("%s: %w; a2a-acp approvals list --granted lists them",
			display.Line(id), err))
	case err != nil:
		return cli.Fail(exit.Host, err)
	}
	env.Say("asked again from now on: " + showAllowance(g).Allows)
	return nil
}

// wholeRevoked returns the ID of the grant, or of the question, that begins like that.
func wholeRevoked(ctx context.Context, approvals *app.Approvals, id string) (string, error) {
	questions, err := approvals.List(ctx)
	if err != nil {
		return "", cli.Fail(exit.Host, err)
	}
	grants, err := approvals.SessionApprovals(ctx)
	if err != nil {
		return "", cli.Fail(exit.Host, err)
	}
	all := namedQuestions(questions)
	for _, g := range grants {
		all = append(all, named{g.ID, "allowed for a session  " + g.Words})
	}
	return wholeID(id, all)
}
