package main

import "github.com/spf13/cobra"

func sandboxCommand(env *environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sandbox",
		Short: "Run any command in the sandbox that tools run in",
		Args:  verbsOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(sandboxExecCommand(env))
	return cmd
}
