// Package sandbox is the verb sandbox: it runs a command in the sandbox of a confined agent.
package sandbox

import (
	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
)

// Command returns the verb sandbox.
func Command(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sandbox",
		Short: "Run any command in the sandbox that tools run in",
		Args:  cli.VerbsOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(sandboxExecCommand(env))
	return cmd
}
