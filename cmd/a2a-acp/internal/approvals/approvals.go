// Package approvals is the verb approvals: the questions that wait for a person, and what they have allowed.
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

// Command returns the verb approvals.
func Command(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "Answer from this terminal what agents wait for",
		Long: `A question that an editor shows, or that tools run asks on its terminal, can
also be answered here. The first answer counts, wherever it is given. The
question then disappears everywhere, and a later answer is told that it came
too late. No answer in time is a no.

A question stays open when the process that asked it is killed. An answer to
it is given once, to the same call when it comes again: the same script and
values, by the same agent, in the same workspace, under the same rules and
governors and in the same sandbox. A question that the agent withdrew, or
whose turn or session was cancelled, cannot be answered.

Of an ID the beginning is enough, four characters or more, where no other
question's ID begins like that.

Approving needs a terminal that no agent has started. Every answer is
recorded with who gave it and where (a2a-acp audit list).`,
		Args: cli.VerbsOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(approvalsListCommand(env), approvalsShowCommand(env), approvalsWatchCommand(env),
		approvalsApproveCommand(env), approvalsDenyCommand(env), approvalsKeepCommand(env), approvalsRevokeCommand(env))
	return cmd
}

// shownApproval is a question in `approvals list -o json`. What in it comes from an agent is escaped.
type shownApproval struct {
	ID      string    `json:"id"`
	State   string    `json:"state"`
	Asked   time.Time `json:"asked"`
	Expires time.Time `json:"expires"`
	Door    string    `json:"door"`
	Agent   string    `json:"agent,omitempty"`
	// Principal is whose call to the daemon it is about.
	Principal string     `json:"principal,omitempty"`
	Session   string     `json:"session_id,omitempty"`
	Task      string     `json:"task_id,omitempty"`    // of the A2A client that it is asked for
	Context   string     `json:"context_id,omitempty"` // that the task belongs to
	CallID    string     `json:"call_id,omitempty"`
	ToolCall  string     `json:"tool_call_id,omitempty"`
	Kind      string     `json:"kind"`
	Title     string     `json:"title"`
	Text      string     `json:"text"`
	Digest    string     `json:"digest,omitempty"`
	Bound     bool       `json:"bound"`
	Lasting   []string   `json:"lasting,omitempty"` // what a yes for the rest of the session can allow, the narrowest first
	Always    int        `json:"always,omitempty"`  // which of these the yes has allowed, counted from 1
	Answered  *time.Time `json:"answered,omitempty"`
	Approver  string     `json:"approver,omitempty"`
	Reason    string     `json:"reason,omitempty"`
	// Asker is "waits" while the process that asked waits for the answer, and "gone" when it has ended.
	Asker  string     `json:"asker,omitempty"`
	Used   *time.Time `json:"used,omitempty"` // when the answer was given to a call
	UsedBy string     `json:"used_by,omitempty"`
}

func showApproval(a store.Approval) shownApproval {
	s := shownApproval{
		ID: display.Line(a.ID), State: string(a.State), Asked: a.Asked, Expires: a.Expires,
		Door:  display.Line(a.Door),
		Agent: display.Line(a.Agent), Principal: display.Line(a.Principal),
		Session: display.Line(a.Session), Task: display.Line(a.Task), Context: display.Line(a.Context),
		CallID:   display.Line(a.CallID),
		ToolCall: display.Line(a.ToolCall), Kind: display.Line(a.Kind), Title: display.Line(a.Title),
		Text: display.Whole(a.Text), Digest: display.Line(a.Digest), Bound: a.Bound,
		Always:   a.Always,
		Approver: display.Line(a.Approver), Reason: display.Line(a.Reason),
	}
	for _, words := range a.Lasting {
		s.Lasting = append(s.Lasting, display.Line(words))
	}
	if !a.Answered.IsZero() {
		s.Answered = &a.Answered
	}
	switch {
	case !a.Used.IsZero():
		s.Used, s.UsedBy = &a.Used, display.Line(a.UsedBy)
	case a.Left:
		s.Asker = "gone"
	case a.State == store.Pending:
		s.Asker = "waits"
	}
	return s
}

func approvalsListCommand(env *cli.Environment) *cobra.Command {
	var all, granted bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the questions that wait for an answer",
		Long: `list shows the questions that wait for an answer. BOUND says what an answer
is worth. yes: a2a-acp runs the act itself, only as it was shown, and within
five minutes of the answer. no: the editor or the agent carries it out, and
you answer what the agent says it will do. If the asker is gone, the process
that asked has ended, or its call was given up or put to the person of an MCP
client, and an answer is kept for the same call to come again.`,
		Example: `  a2a-acp approvals list
  a2a-acp approvals list --json | jq -r '.[].id'
  a2a-acp approvals list --all
  a2a-acp approvals list --granted`,
		Args: cobra.NoArgs,
	}
	f := cli.AddFormat(cmd)
	cmd.Flags().BoolVar(&all, "all", false,
		"also those of the last day that were answered, withdrawn or not answered")
	cmd.Flags().BoolVar(&granted, "granted", false,
		"instead, what was allowed for sessions that go on (\"always\")")
	cmd.MarkFlagsMutuallyExclusive("all", "granted")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if granted {
			return writeAllowances(cmd.Context(), env, *f)
		}
		list, err := listApprovals(cmd.Context(), env, func(a store.Approval) bool {
			return all || a.State == store.Pending || a.State == store.Gone || a.Kept()
		})
		if err != nil {
			return cli.Fail(exit.Host, err)
		}
		if *f != cli.FormatTable {
			shown := make([]shownApproval, len(list))
			for i, a := range list {
				shown[i] = showApproval(a)
			}
			return cli.WriteData(env.Stdout, *f, shown)
		}
		if len(list) == 0 {
			env.Say("nothing waits for an answer")
			return nil
		}
		out := cli.Table{Head: []string{"ID", "AGE", "STATE", "WHO", "KIND", "BOUND", "DIGEST", "WHAT"}, Spare: "DIGEST"}
		for _, a := range list {
			s := showApproval(a)
			out.Add(s.ID, inbox.Short(env.Now().Sub(a.Asked)), stateInWords(env, a), inbox.Who(a), s.Kind, yesNo(a.Bound),
				s.Digest[:min(8, len(s.Digest))], s.Title)
		}
		out.Write(env.Stdout)
		return nil
	}
	return cmd
}

// listApprovals returns the questions that are wanted; none where nothing was ever asked.
func listApprovals(ctx context.Context, env *cli.Environment,
	wanted func(store.Approval) bool) (list []store.Approval, err error) {
	approvals, err := app.OpenApprovals(ctx, env.AppOptions(nil, nil))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, approvals.Close()) }()
	everything, err := approvals.List(ctx)
	for _, a := range everything {
		if wanted(a) {
			list = append(list, a)
		}
	}
	return list, err
}

// completeApprovals completes the id of a question that waits.
func completeApprovals(env *cli.Environment) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var ids []cobra.Completion
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		list, _ := listApprovals(cmd.Context(), env,
			func(a store.Approval) bool { return a.State == store.Pending })
		for _, a := range list {
			s := showApproval(a)
			ids = append(ids, cobra.CompletionWithDesc(s.ID, s.Title))
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}

// stateInWords tells how long a question still waits, or what became of it.
func stateInWords(env *cli.Environment, a store.Approval) string {
	switch left := inbox.Short(a.Expires.Sub(env.Now())) + " left"; {
	case a.Kept():
		return fmt.Sprintf("%s, not used, %s", a.State, left)
	case a.State == store.Pending && a.Left:
		return left + ", asker gone"
	case a.State == store.Pending:
		return left
	}
	return string(a.State)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
