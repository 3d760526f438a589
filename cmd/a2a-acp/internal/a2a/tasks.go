package a2a

import (
	"context"
	"fmt"
	"slices"
	"strings"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/a2aclient"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

func tasksCommand(env *cli.Environment) *cobra.Command {
	cmd := listCommand(env)
	cmd.Use = "tasks URL"
	cmd.Short = "List the tasks of an A2A server; show one, cancel it, have its news pushed"
	cmd.Long = `tasks lists the tasks that the server lets you see, those that changed last first. What is done with one of them
is said before the URL: show, cancel, push. An agent of a daemon has tasks of its own, at URL/agents/NAME.`
	cmd.Example = `  a2a-acp tasks localhost:8642 --token env:TOKEN --state input-required
  a2a-acp tasks show localhost:8642 0199f6…
  a2a-acp tasks cancel localhost:8642 0199f6…
  a2a-acp tasks push add localhost:8642 0199f6… https://hook.example/a2a`
	list := listCommand(env)
	list.Use, list.Short, list.Example = "list URL", "List the tasks", "  a2a-acp tasks list localhost:8642 --limit 10"
	cmd.AddCommand(list, showCommand(env), cancelCommand(env), pushCommand(env))
	return cmd
}

// stateNames are the states that tasks can be listed by.
var stateNames = []string{
	"submitted", "working", "input-required", "auth-required", "completed", "failed", "canceled", "rejected",
}

// mostPage is the most that the protocol has on a page.
const mostPage = 100

// besideContext is how wide a terminal is that has a context beside a task, both with ids as most servers make them, and a
// few words.
const besideContext = 140

func listCommand(env *cli.Environment) *cobra.Command {
	state, conversation, limit := "", "", 50
	cmd := &cobra.Command{Args: cobra.ExactArgs(1), ValidArgsFunction: cobra.NoFileCompletions}
	s := addServer(env, cmd)
	cmd.Flags().StringVar(&state, "state", "", "only those in this state, such as working")
	cmd.Flags().StringVar(&conversation, "context", "", "only those of this conversation")
	cmd.Flags().IntVar(&limit, "limit", limit, "at most so many")
	format := cli.AddFormat(cmd)
	_ = cmd.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(stateNames, cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		request := &wire.ListTasksRequest{ContextID: conversation}
		if state != "" {
			request.Status = wire.TaskState("TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(state, "-", "_")))
		}
		if limit < 1 {
			return cli.Fail(exit.Usage, fmt.Errorf("--limit: want at least 1"))
		}
		ctx, stop := s.within(cmd.Context())
		defer stop()
		client, err := s.connect(ctx, args[0])
		if err != nil {
			return err
		}
		list, err := pages(ctx, client, request, limit)
		if err != nil {
			return failure(err)
		}
		if *format != cli.FormatTable {
			return cli.WriteData(env.Stdout, *format, list)
		}
		table := cli.Table{Head: []string{"TASK", "STATE", "SINCE", "CONTEXT", ""}}
		narrow := cli.TerminalWidth(env.Stdout)
		if narrow >= besideContext {
			narrow = 0
		}
		if narrow > 0 { // --json has it
			table.Head = slices.Delete(table.Head, 3, 4)
		}
		for _, task := range list.Tasks {
			since, words := "", ""
			if task.Status.Timestamp != nil {
				since = cli.Clock(*task.Status.Timestamp)
			}
			if task.Status.Message != nil {
				words = cli.FirstLine(textOf(task.Status.Message.Parts))
			}
			cells := []string{display.Line(string(task.ID)), display.Line(stateName(task.Status.State)), since,
				display.Line(task.ContextID), words}
			if narrow > 0 {
				cells = slices.Delete(cells, 3, 4)
			}
			table.Add(cells...)
		}
		table.Write(env.Stdout)
		if len(list.Tasks) < list.TotalSize {
			env.Say(fmt.Sprintf("these are %d of %d; --limit shows more", len(list.Tasks), list.TotalSize))
		}
		return nil
	}
	return cmd
}

// pages reads page after page, until there are so many tasks.
func pages(ctx context.Context, client *a2aclient.Client, r *wire.ListTasksRequest, limit int) (*wire.ListTasksResponse, error) {
	all := &wire.ListTasksResponse{Tasks: []*wire.Task{}}
	for {
		r.PageSize = min(limit-len(all.Tasks), mostPage)
		page, err := client.Tasks(ctx, r)
		if err != nil {
			return nil, err
		}
		all.TotalSize, all.NextPageToken = page.TotalSize, page.NextPageToken
		all.Tasks = append(all.Tasks, page.Tasks[:min(len(page.Tasks), r.PageSize)]...)
		all.PageSize = len(all.Tasks)
		if page.NextPageToken == "" || len(page.Tasks) == 0 || len(all.Tasks) >= limit {
			return all, nil
		}
		r.PageToken = page.NextPageToken
	}
}

func showCommand(env *cli.Environment) *cobra.Command {
	save := ""
	cmd := &cobra.Command{
		Use: "show URL TASK", Short: "Print what a task has put out",
		Example: `  a2a-acp tasks show localhost:8642 0199f6…
  a2a-acp tasks show localhost:8642 0199f6… --json`,
		Args: cobra.ExactArgs(2), ValidArgsFunction: cobra.NoFileCompletions,
	}
	s := addServer(env, cmd)
	cmd.Flags().StringVar(&save, "save", "", "a directory that its files are kept in")
	_ = cmd.MarkFlagDirname("save")
	format := cli.AddFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := checkSave(save); err != nil {
			return cli.Fail(exit.Usage, err)
		}
		ctx, stop := s.within(cmd.Context())
		defer stop()
		client, err := s.connect(ctx, args[0])
		if err != nil {
			return err
		}
		task, err := client.Task(ctx, wire.TaskID(args[1]))
		if err != nil {
			return failure(err)
		}
		return writeTask(env, *format, task, save)
	}
	return cmd
}

func writeTask(env *cli.Environment, format cli.Format, task *wire.Task, save string) error {
	p := &printer{env: env, files: &fileSaver{dir: save}, quiet: format != cli.FormatTable}
	p.tell(task)
	p.end()
	if p.quiet {
		return cli.WriteData(env.Stdout, format, task)
	}
	if end := (a2aclient.End{Status: task.Status}); end.Waits() {
		(&answerer{env: env}).show(end, a2aclient.AskOf(task.Status))
	}
	return nil
}

func cancelCommand(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use: "cancel URL TASK...", Short: "Cancel tasks",
		Example: "  a2a-acp tasks cancel localhost:8642 0199f6… --token env:TOKEN",
		Args:    cobra.MinimumNArgs(2), ValidArgsFunction: cobra.NoFileCompletions,
	}
	s := addServer(env, cmd)
	format := cli.AddFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, stop := s.within(cmd.Context())
		defer stop()
		client, err := s.connect(ctx, args[0])
		if err != nil {
			return err
		}
		for _, id := range args[1:] {
			task, err := client.Cancel(ctx, wire.TaskID(id))
			if err != nil {
				return failure(err)
			}
			if err := writeTask(env, *format, task, ""); err != nil {
				return err
			}
		}
		return nil
	}
	return cmd
}
