// Package policy is the verb policy: check, explain, test, replay and suggest rules.
package policy

import (
	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
)

// Command returns the verb policy.
func Command(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Check, explain, test and try policies",
		Args:  cli.VerbsOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		policyCheckCommand(env), policyExplainCommand(env), policyTestCommand(env), policyReplayCommand(env),
		policySuggestCommand(env),
		policyFilesCommand(env),
	)
	return cmd
}
