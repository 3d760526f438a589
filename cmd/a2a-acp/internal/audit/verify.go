package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

// recordDir returns the directory of the record: a copy that was named, else our own.
func recordDir(env *cli.Environment, named string) (string, error) {
	if named != "" {
		return named, nil
	}
	dir, err := app.StateDir(env.AppOptions(nil, nil))
	if err != nil {
		return "", cli.Fail(exit.Host, err)
	}
	return filepath.Join(dir, "audit"), nil
}

func auditVerifyCommand(env *cli.Environment) *cobra.Command {
	var o audit.VerifyOptions
	var dir, proof string
	var accept bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check that the record is what was recorded",
		Long: `verify reads the whole record and prints what is wrong with it, the first
damaged line first. It exits with 1 if something is.

A record by itself can only be shown to be consistent: whoever can write to
its directory also has its key, and could write and sign another record.
Compared with a checkpoint that was kept elsewhere (--checkpoint), it is
shown to be the same record, up to the line that the checkpoint names. For
how checkpoints get there, see "audit:" in a2a-acp.yaml, and audit
checkpoint.

Programs that record look at its end, and at what came since the last
checkpoint: with damage there nothing runs. Damage before that only verify
finds. --accept-damage puts a damaged record aside unchanged and begins a new
one, which says so in its first line. That needs a terminal that no agent has
started.`,
		Example: `  a2a-acp audit verify
  a2a-acp audit verify --checkpoint /mnt/backup/a2a-acp.checkpoints
  a2a-acp audit verify --json | jq .problems
  a2a-acp audit verify --proof act-12.tlog-proof --key "$KEY"`,
		Args: cobra.NoArgs,
	}
	f := cli.AddFormat(cmd)
	cmd.Flags().StringArrayVar(&o.Checkpoints, "checkpoint", nil, "file of checkpoints that was kept elsewhere")
	cmd.Flags().StringVar(&o.Key, "key", "", "the public key, as audit checkpoint --key printed it once")
	cmd.Flags().StringVar(&proof, "proof", "", "check a proof of audit prove; no record is needed with --key")
	cmd.Flags().StringVar(&dir, "record", "", "directory of a copy of a record, in the place of our own")
	cmd.Flags().BoolVar(&accept, "accept-damage", false, "put a damaged record aside and begin a new one")
	cmd.MarkFlagsMutuallyExclusive("proof", "accept-damage", "checkpoint")
	cmd.MarkFlagsMutuallyExclusive("record", "accept-damage")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		dir, err := recordDir(env, dir)
		if err != nil {
			return err
		}
		switch {
		case proof != "":
			return verifyProof(env, *f, dir, proof, o.Key)
		case accept:
			return acceptDamage(cmd, env, dir)
		}
		report, err := audit.Verify(dir, o)
		if errors.Is(err, fs.ErrNotExist) && len(o.Checkpoints) == 0 {
			env.Say("nothing is on record yet")
			if *f == cli.FormatTable {
				return nil
			}
			report, err = &audit.Report{OK: true, Problems: []audit.Problem{}}, nil
		}
		if err != nil {
			return cli.Fail(exit.Host, err)
		}
		if *f != cli.FormatTable {
			err = cli.WriteData(env.Stdout, *f, report)
		} else {
			for _, line := range reportLines(report) {
				fmt.Fprintln(env.Stdout, line)
			}
		}
		if err == nil && !report.OK {
			err = cli.Fail(exit.ToolFailed, errors.New("the record is damaged; keep a copy of "+dir+
				" as evidence. a2a-acp audit verify --accept-damage puts it aside and begins a new record"))
		}
		return err
	}
	return cmd
}

// reportLines tells what Verify found.
func reportLines(r *audit.Report) []string {
	lines := []string{fmt.Sprintf("%d records, from number %d to %d", r.Records, r.First, r.Last)}
	for _, p := range r.Problems {
		where := ""
		if p.Seq > 0 {
			where = fmt.Sprintf(" at number %d", p.Seq)
		}
		if p.File != "" {
			where += " (" + p.File
			if p.Line > 0 {
				where += fmt.Sprintf(":%d", p.Line)
			}
			where += ")"
		}
		lines = append(lines, fmt.Sprintf("%s%s: %s", strings.ReplaceAll(string(p.Kind), "_", " "),
			display.Line(where), display.Line(p.Message)))
	}
	if r.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d problems more", r.More))
	}
	switch {
	case !r.OK:
	case r.Checkpoint == nil:
		lines = append(lines, "consistent; no checkpoint speaks of it yet")
	case r.Outside:
		lines = append(lines, fmt.Sprintf("the record of that day, up to number %d: it agrees with the checkpoint in %s",
			r.Checkpoint.Size, display.Line(r.Checkpoint.Source)))
		if r.Last > r.Checkpoint.Size {
			lines = append(lines, fmt.Sprintf("consistent from there to number %d", r.Last))
		}
	default:
		lines = append(lines, "consistent; only a checkpoint that was kept elsewhere (--checkpoint) shows more")
	}
	return lines
}

func acceptDamage(cmd *cobra.Command, env *cli.Environment, dir string) error {
	if err := cli.CheckAtTerminal(env, "accepting damage"); err != nil {
		return err
	}
	if !env.AskYes("Put the record in " + display.Line(dir) + " aside, and begin a new one?") {
		return cli.Fail(exit.Denied, errors.New("nothing was changed"))
	}
	if err := cli.Confirm(cmd.Context(), env); err != nil {
		return err
	}
	aside, err := audit.Accept(dir, env.Approver("cli"))
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	env.Say("the damaged record lies in " + aside + "; a new one has begun")
	return nil
}

func verifyProof(env *cli.Environment, f cli.Format, dir, path, key string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	if key == "" {
		if key, err = audit.PublicKey(dir); err != nil || key == "" {
			return cli.Fail(exit.Usage, errors.Join(errors.New("--proof: want --key, the public key of the record"), err))
		}
	}
	proved, err := audit.CheckProof(text, key)
	if err != nil {
		return cli.Fail(exit.ToolFailed, fmt.Errorf("%s: %w", path, err))
	}
	if f != cli.FormatTable {
		return cli.WriteData(env.Stdout, f, proved.Entry)
	}
	fmt.Fprintf(env.Stdout, "number %d of %d lines, %s: %s\n", proved.Entry.Seq, proved.Checkpoint.Size,
		proved.Entry.Time.Local().Format(time.DateTime), tailTitle(audit.ActRecord{proved.Entry}))
	return nil
}

func auditProveCommand(env *cli.Environment) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "prove NO",
		Short: "Print a proof that a line stands in the record",
		Long: `prove prints the line with a number, and the proof that it is in the record,
in the format of c2sp.org/tlog-proof. audit verify --proof checks it without
the record, and so can other programs.`,
		Example: `  a2a-acp audit prove 12 > act-12.tlog-proof
  a2a-acp audit verify --proof act-12.tlog-proof`,
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&dir, "record", "", "directory of a copy of a record, in the place of our own")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		seq, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil || seq < 1 {
			return cli.Fail(exit.Usage, fmt.Errorf("%q is no number of a line; a2a-acp audit tail prints them", args[0]))
		}
		dir, err := recordDir(env, dir)
		if err != nil {
			return err
		}
		proof, err := audit.Prove(dir, seq)
		if errors.Is(err, fs.ErrNotExist) {
			return cli.Fail(exit.Usage, err)
		}
		if err != nil {
			return cli.Fail(exit.Host, err)
		}
		_, err = env.Stdout.Write(proof)
		return err
	}
	return cmd
}

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
