package approvals

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/inbox"
	"github.com/a2a-acp/a2a-acp/internal/store"
)

// lookEvery is how often the questions are looked at: a person does not see the difference.
const lookEvery = 300 * time.Millisecond

func approvalsWatchCommand(env *cli.Environment) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Show the questions as they come, and answer them with a key",
		Long: `watch shows the waiting questions of all agents and programs that share the state directory, as they
come and go. y allows the question on the screen, once, and a for the rest of its session, if the
question says what that allows; n says no, and r says no with a reason for the agent. The whole
command and the whole change can be read: space and b scroll, Enter uses the whole screen. j and k
go to other questions, o reverses their order, q quits.

An answer counts if the question has been on the screen for a second, and a yes only if its end has been
there, too. A key that was typed before, together with others, or pasted, answers nothing. A question
that is answered elsewhere stays on the screen, with a note, until you go on with j.

Answering needs a terminal that no agent has started, as approvals approve does. Without a terminal, or
with --json, it prints a line for each question that comes, and one for each that is over.`,
		Example: `  a2a-acp approvals watch
  a2a-acp approvals watch --json | jq -r 'select(.event == "asked").title'`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "a JSON object on a line of its own for each")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
		w := &watch{env: env}
		defer w.close()
		if asJSON || !cli.IsTerminal(env.Stdin) || !cli.IsTerminal(env.Stdout) || env.Getenv("TERM") == "dumb" {
			return w.lines(ctx, asJSON)
		}
		return w.screen(ctx)
	}
	return cmd
}

// watch is the questions as they come and go.
type watch struct {
	env *cli.Environment
	// approvals is nil until there is a database: looking makes none.
	approvals *app.Approvals
}

func (w *watch) close() {
	if w.approvals != nil {
		_ = w.approvals.Close() // nothing was written that is not on the disk
	}
}

// look returns the questions of the last day.
func (w *watch) look(ctx context.Context) ([]store.Approval, error) {
	if w.approvals == nil {
		approvals, err := app.OpenApprovals(ctx, w.env.AppOptions(nil, nil))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		w.approvals = approvals
	}
	return w.approvals.List(ctx)
}

// watched is a line of `approvals watch --json`.
type watched struct {
	Event string `json:"event"` // asked or over
	shownApproval
}

// lines writes a line for each question that comes, and for each that is over.
func (w *watch) lines(ctx context.Context, asJSON bool) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	waiting := map[string]store.Approval{}
	for {
		all, err := w.look(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return cli.Fail(exit.Host, err)
		}
		now := make(map[string]store.Approval, len(waiting))
		for _, a := range all {
			_, waited := waiting[a.ID]
			switch {
			case a.State == store.Pending:
				now[a.ID] = a
				if !waited {
					err = errors.Join(err, w.line("asked", a, asJSON))
				}
			case waited:
				err = errors.Join(err, w.line("over", a, asJSON))
			}
		}
		if err != nil {
			return cli.Fail(exit.Host, err)
		}
		waiting = now
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// line writes one line.
func (w *watch) line(event string, a store.Approval, asJSON bool) error {
	s := showApproval(a)
	if asJSON {
		return cli.WriteLine(w.env.Stdout, watched{event, s})
	}
	words := "asks: " + s.Title
	if event == "over" {
		words = s.State
		if s.Approver != "" {
			words += inbox.By(s.Approver)
		}
	}
	_, err := fmt.Fprintf(w.env.Stdout, "%s  %s  %s  bound: %s  %s\n", s.ID, inbox.Who(a), s.Kind, yesNo(a.Bound), words)
	return err
}
