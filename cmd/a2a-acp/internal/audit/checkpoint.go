package audit

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

func auditCheckpointCommand(env *cli.Environment) *cobra.Command {
	var key bool
	cmd := &cobra.Command{
		Use:   "checkpoint",
		Short: "Sign the record as it is now, and print that, to be kept elsewhere",
		Long: `checkpoint prints a signed note of a few lines, in the format of
c2sp.org/tlog-checkpoint: how many lines the record has, and the root of
their Merkle tree. Keep it where those who can write to the record cannot
change it. It proves later that these lines are unchanged; see audit verify
--checkpoint.

Checkpoints are also made automatically, after every minute in which
something was recorded. "audit:" in a2a-acp.yaml says where they go. Keep
the key that --key prints there, too.`,
		Example: `  a2a-acp audit checkpoint | ssh backup 'cat >> a2a-acp.checkpoints'
  a2a-acp audit checkpoint --key`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&key, "key", false, "print the public key")
	cmd.RunE = func(*cobra.Command, []string) error {
		dir, err := recordDir(env, "")
		if err != nil {
			return err
		}
		_, last, err := audit.MakeCheckpoint(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return cli.Fail(exit.Host, errors.New("nothing is on record yet"))
		}
		if err != nil {
			return cli.Fail(exit.Host, err)
		}
		if !key {
			_, err = fmt.Fprintln(env.Stdout, last.Note)
			return err
		}
		public, err := audit.PublicKey(dir)
		if err != nil {
			return cli.Fail(exit.Host, err)
		}
		_, err = fmt.Fprintln(env.Stdout, public)
		return err
	}
	return cmd
}
