package audit

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

func auditExportCommand(env *cli.Environment) *cobra.Command {
	var filter ActFilter
	var format string
	command := &cobra.Command{
		Use:   "export",
		Short: "Print the record for other programs",
		Long: `export prints the matching acts of all sessions: as jsonl the record's own
lines, byte for byte, and as csv one act on each line, for a spreadsheet.`,
		Example: `  a2a-acp audit export --since 7d > week.jsonl
  a2a-acp audit export --format csv --result reject > rejected.csv`,
		Args: cobra.NoArgs,
	}
	filter.addTo(command)
	command.Flags().StringVar(&format, "format", "jsonl", "jsonl or csv")
	_ = command.RegisterFlagCompletionFunc("format",
		cobra.FixedCompletions([]string{"jsonl", "csv"}, cobra.ShellCompDirectiveNoFileComp))
	command.RunE = func(*cobra.Command, []string) error {
		write := exportLines
		switch format {
		case "jsonl":
		case "csv":
			write = exportCSV
		default:
			return cli.Fail(exit.Usage, fmt.Errorf("--format %q: want jsonl or csv", format))
		}
		acts, err := filter.Acts(env)
		return errors.Join(write(env.Stdout, acts), err)
	}
	return command
}

func exportLines(w io.Writer, acts []audit.ActRecord) error {
	entries := slices.Concat(acts...)
	slices.SortFunc(entries, func(a, b audit.Entry) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, entry := range entries {
		if _, err := fmt.Fprintf(w, "%s\n", entry.Raw); err != nil {
			return err
		}
	}
	return nil
}

// columns are those of the csv, in their order.
var columns = []string{"number", "time", "session", "agent", "kind", "tool", "act", "decision", "by", "reason", "approver",
	"ended", "exit_code", "ms", "error"}

func exportCSV(w io.Writer, acts []audit.ActRecord) error {
	out := csv.NewWriter(w)
	_ = out.Write(columns) // Error returns what went wrong
	for _, c := range acts {
		row := []string{strconv.FormatInt(c[0].Seq, 10), c[0].Time.UTC().Format(time.RFC3339Nano), c[0].Session, c[0].Agent}
		kind, name := "", ""
		if act := c.Act(); act != nil {
			kind, name = act.Kind, act.Tool
		}
		row = append(row, kind, name, TitleOf(c), c.Result(), c.By())
		reason, approver := "", ""
		if d := c.Decided(); d != nil && d.Decision != nil {
			reason, approver = d.Decision.Reason, d.Decision.Approver
		}
		row = append(row, reason, approver)
		ended := make([]string, 4)
		if o := c.Outcome(); o != nil {
			ended[0], ended[3] = o.Status, o.Error
			if o.ExitCode != nil {
				ended[1] = strconv.Itoa(*o.ExitCode)
			}
			if o.Millis > 0 {
				ended[2] = strconv.FormatFloat(o.Millis, 'f', -1, 64)
			}
		}
		row = append(row, ended...)
		for i := range row {
			row[i] = plainCell(row[i])
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// plainCell keeps a spreadsheet from taking what an agent wrote for a formula (CWE-1236).
func plainCell(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}
