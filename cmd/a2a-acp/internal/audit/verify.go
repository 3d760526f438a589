package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

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

A proof (--proof) is checked without the record. Only with the public key, --key
or that of our own record, is it known who signed the checkpoint in it; without
one, that the line and that checkpoint belong together.

Programs that record look at its end, and at what came since the last
checkpoint: with damage there nothing runs. The rest is read again once a day,
slowly, by a daemon, bridge or MCP server that is up for long enough; where
that finds damage, the record is marked, and nothing runs either. --accept-damage
puts a damaged record aside unchanged and begins a new one, which says so in its
first line, and programs that had stopped go on in it. That needs a terminal that
no agent has started.`,
		Example: `  a2a-acp audit verify
  a2a-acp audit verify --checkpoint /mnt/backup/a2a-acp.checkpoints
  a2a-acp audit verify --json | jq .problems
  a2a-acp audit verify --proof act-12.tlog-proof --key "$KEY"`,
		Args: cobra.NoArgs,
	}
	f := cli.AddFormat(cmd)
	cmd.Flags().StringArrayVar(&o.Checkpoints, "checkpoint", nil, "file of checkpoints that was kept elsewhere")
	cmd.Flags().StringVar(&o.Key, "key", "", "the public key, as audit checkpoint --key printed it once")
	cmd.Flags().StringVar(&proof, "proof", "", "check a proof of audit prove, for which no record is needed")
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
		if report.OK && audit.Marked(dir) != nil {
			env.Say("it is whole, and marked as damaged, so that nothing is recorded; --accept-damage takes the mark off")
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
	lines := []string{fmt.Sprintf("%s, from number %d to %d", display.Count(r.Records, "record", "records"), r.First, r.Last)}
	if gone := r.Removed; gone != nil {
		text := fmt.Sprintf("number 1 to %d were removed on purpose, as number %d says", gone.To, gone.By)
		if r.Outside && gone.By > r.Checkpoint.Size {
			text += ", of which the checkpoint does not speak"
		}
		lines = append(lines, text)
	}
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
		lines = append(lines, "and "+display.Count(r.More, "problem", "problems")+" more")
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
	switch agreed, err := env.AskYes(cmd.Context(), "Put the record in "+display.Line(dir)+" aside, and begin a new one?"); {
	case err != nil:
		return err
	case !agreed:
		return cli.Fail(exit.Denied, errors.New("nothing was changed"))
	}
	if err := cli.Confirm(cmd.Context(), env); err != nil {
		return err
	}
	aside, err := audit.Accept(dir, env.Approver("cli"))
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	if aside == "" {
		env.Say("the record is whole; the mark that said otherwise is taken off, which is on record")
		return nil
	}
	env.Say("the damaged record lies in " + aside + "; a new one has begun")
	return nil
}
