package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/person"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

func toolsResumeCommand(env *cli.Environment) *cobra.Command {
	var tools, policies []string
	cmd := &cobra.Command{
		Use:   "resume CALL",
		Short: "Ask on about the job that a call has begun",
		Long: `A tool with poll begins a job and asks about it until it has ended. Where its call has ended before that, by
poll_timeout or because the program was killed, resume asks on, and prints what the job came to.

CALL is the id of the call, which poll_timeout names, and audit list --json. resume makes a call of its own, which
is decided and recorded as one; the job is not begun again.`,
		Example: `  a2a-acp tools resume call_5f1c0d2e9ab34c6d7e8f9a0b`,
		Args:    cobra.ExactArgs(1),
	}
	cli.AddSources(cmd, &tools, &policies)
	yes := cmd.Flags().Bool("yes", false, "confirm a tool that requires confirmation")
	asJSON := cmd.Flags().Bool("json", false, "print the whole result as JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if found := person.Look(); found.AgentsAct() { // the job may be another's
			return cli.Fail(exit.Denied, found.Err())
		}
		id, job, err := recordedJob(env, args[0])
		if err != nil {
			return cli.Fail(exit.Usage, err)
		}
		options := env.AppOptions(tools, policies)
		options.OnlyTool = id
		return resumeJob(cmd.Context(), env, options, newCall(env, id, ""), *job, *yes, *asJSON)
	}
	return cmd
}

func resumeJob(ctx context.Context, env *cli.Environment, options app.Options, call tool.Call, job events.Job,
	yes, asJSON bool) (err error) {
	a, err := app.New(options)
	if err != nil {
		return cli.Fail(cli.StartCode(err), err)
	}
	defer func() { err = errors.Join(err, a.Stop(ctx)) }()
	live := &liveOutput{Terminal: cli.NewTerminal(env, yes).WithBoard(a.Questions, false), env: env}
	if !asJSON {
		return tellResult(env, live, a.Executor.Resume(ctx, call, job, live))
	}
	result := a.Executor.Resume(ctx, call, job, live.Terminal)
	if err := cli.WriteData(env.Stdout, cli.FormatJSON, result.InText()); err != nil {
		return err
	}
	return env.Ends(cli.CodeOfResult(result))
}

// recordedJob returns the job that a call has begun and of which it has no result, and the tool that was called.
func recordedJob(env *cli.Environment, call string) (id string, job *events.Job, err error) {
	dir, err := app.StateDir(env.AppOptions(nil, nil))
	if err != nil {
		return "", nil, err
	}
	completed := false
	err = audit.Scan(filepath.Join(dir, "audit"), audit.OfType(events.JobBegun, events.ToolEnded), func(e audit.Entry) error {
		switch {
		case e.CallID != call || e.Broken != "":
		case e.Type == events.JobBegun && e.Act != nil:
			id, job = e.Act.Tool, e.Job
		case e.Type == events.ToolEnded && e.Outcome != nil:
			completed = e.Outcome.Status == string(tool.StatusCompleted)
		}
		return nil
	})
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist): // without a record, no call is on it
		return "", nil, err
	case id == "":
		return "", nil, fmt.Errorf("no call %s that has begun a job is on record; `a2a-acp audit list` lists the calls",
			display.Line(call))
	case job == nil:
		return "", nil, fmt.Errorf("the call %s has begun a job, of which nothing stands on record (audit: metadata)",
			display.Line(call))
	case completed:
		return "", nil, fmt.Errorf("the call %s has followed its job to its end", display.Line(call))
	}
	return id, job, nil
}
