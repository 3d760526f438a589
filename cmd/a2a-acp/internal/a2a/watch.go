package a2a

import (
	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

func watchCommand(env *cli.Environment) *cobra.Command {
	save := ""
	cmd := &cobra.Command{
		Use:   "watch URL TASK",
		Short: "Follow a task of an A2A server, and answer what it asks",
		Long: `watch prints what a task has put out and puts out, until it ends. Where the connection breaks, it goes on where
it was. What the task asks is answered on the terminal, or with --answer. --json prints each event as a
line, in the protocol's own words.

It exits with 1 where the task failed, 3 where it was rejected, and 4 where it waits for an answer.`,
		Example: `  a2a-acp watch localhost:8642 0199f6… --token env:TOKEN
  a2a-acp watch https://agent.example 0199f6… --json | jq .statusUpdate`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	s := addServer(env, cmd)
	answers := addAnswers(env, cmd)
	cmd.Flags().StringVar(&save, "save", "", "a directory that files which come are kept in")
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
		return (&sending{env: env, client: client, at: s.again(args[0]), format: *format, save: save, answers: answers,
			lines: *format == cli.FormatJSON}).follow(ctx, args[1])
	}
	return cmd
}
