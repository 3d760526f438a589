// Package audit is the verb audit: it lists, shows, follows and verifies the record.
package audit

import (
	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
)

// Command returns the verb audit.
func Command(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Read the record of what was asked, decided and done",
		Args:  cli.VerbsOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(auditSummaryCommand(env), auditListCommand(env), auditShowCommand(env), auditTailCommand(env),
		auditExportCommand(env), auditVerifyCommand(env), auditProveCommand(env), auditCheckpointCommand(env),
		auditHashCommand(env))
	return cmd
}
