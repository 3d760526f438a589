package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

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

// proofReport is what verify says of a proof: a report about the one record that it proves, and that record.
type proofReport struct {
	audit.Report
	Signed bool         `json:"signed"` // the checkpoint was signed with the public key
	Record *audit.Entry `json:"record"`
}

// verifyProof holds a proof against a public key, "" for that of the record in dir, where there is one.
func verifyProof(env *cli.Environment, f cli.Format, dir, path, key string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	if key == "" {
		if key, err = audit.PublicKey(dir); err != nil {
			return cli.Fail(exit.Host, err)
		}
	}
	proved, err := audit.CheckProof(text, key)
	if f != cli.FormatTable {
		if wrong := cli.WriteData(env.Stdout, f, reportOfProof(path, proved, err)); wrong != nil {
			return wrong
		}
	}
	if err != nil {
		return cli.Fail(exit.ToolFailed, fmt.Errorf("%s: %w", path, err))
	}
	if f != cli.FormatTable {
		return nil
	}
	fmt.Fprintf(env.Stdout, "number %d of %s, %s: %s\n", proved.Entry.Seq, display.Count(proved.Checkpoint.Size, "line", "lines"),
		proved.Entry.Time.Local().Format(time.DateTime), display.Line(tailTitle(audit.ActRecord{proved.Entry})))
	if !proved.Signed {
		fmt.Fprintln(env.Stdout, "consistent; only the public key (--key) shows who signed its checkpoint")
	}
	return nil
}

func reportOfProof(path string, proved *audit.Proved, err error) proofReport {
	if err != nil {
		kind := audit.Changed
		if errors.Is(err, audit.ErrForged) {
			kind = audit.ForgedCheckpoint
		}
		return proofReport{Report: audit.Report{Problems: []audit.Problem{{File: path, Kind: kind, Message: err.Error()}}}}
	}
	seq, checkpoint := proved.Entry.Seq, proved.Checkpoint
	return proofReport{Report: audit.Report{OK: true, Records: 1, First: seq, Last: seq, Problems: []audit.Problem{},
		Checkpoint: &audit.Held{Size: checkpoint.Size, Root: checkpoint.Root.String(), Source: path}},
		Signed: proved.Signed, Record: &proved.Entry}
}
