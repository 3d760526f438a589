package imports

import (
	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
)

// Command is `a2a-acp import`.
func Command(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Make tools of what others have written",
		Example: `  a2a-acp import cli kubectl get describe logs
  a2a-acp import openapi api.yaml --tag pets`,
		Args: cli.VerbsOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(cliCommand(env), openAPICommand(env))
	return cmd
}
