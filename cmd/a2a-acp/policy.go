package main

import "github.com/spf13/cobra"

func policyCommand(env *environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Check, explain, test and try policies",
		Args:  verbsOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		policyCheckCommand(env), policyExplainCommand(env), policyTestCommand(env), policyReplayCommand(env), policySuggestCommand(env),
		policyFilesCommand(env),
	)
	return cmd
}
