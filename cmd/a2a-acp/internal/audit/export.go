package audit

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
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
		Long: `export prints the matching acts of all sessions. The formats are

  jsonl        the record's own lines, byte for byte
  csv          one act on each line, for a spreadsheet
  seed         events as the original a2a-acp tells them, such as tool_execution
  cloudevents  events in the form of CloudEvents 1.0`,
		Example: `  a2a-acp audit export --since 7d > week.jsonl
  a2a-acp audit export --format csv --decision reject > rejected.csv
  a2a-acp audit export --format seed --event tool_failed`,
		Args: cobra.NoArgs,
	}
	filter.addTo(command)
	command.Flags().StringVar(&format, "format", exportFormats[0].name, "jsonl, csv, seed or cloudevents")
	_ = command.RegisterFlagCompletionFunc("format",
		cobra.FixedCompletions(exportNames(), cobra.ShellCompDirectiveNoFileComp))
	command.RunE = func(*cobra.Command, []string) error {
		i := slices.Index(exportNames(), format)
		if i < 0 {
			return cli.Fail(exit.Usage, fmt.Errorf("--format %q: want %s", format, strings.Join(exportNames(), ", ")))
		}
		acts, err := filter.Acts(env)
		return errors.Join(exportFormats[i].write(env.Stdout, acts, &filter), err)
	}
	return command
}

// exportFormats are the formats, the default first.
var exportFormats = []struct {
	name  string
	write func(io.Writer, []audit.ActRecord, *ActFilter) error
}{
	{"jsonl", exportLines},
	{"csv", exportCSV},
	{"seed", exportSeed},
	{"cloudevents", exportCloudEvents},
}

func exportNames() []string {
	var names []string
	for _, f := range exportFormats {
		names = append(names, f.name)
	}
	return names
}

func exportLines(w io.Writer, acts []audit.ActRecord, f *ActFilter) error {
	return f.eachEntry(acts, func(e audit.Entry) error { return writeLine(w, e.Raw) })
}

func exportSeed(w io.Writer, acts []audit.ActRecord, f *ActFilter) error {
	return f.eachEntry(acts, func(e audit.Entry) error { return writeLine(w, e.Recorded().Told()) })
}

func exportCloudEvents(w io.Writer, acts []audit.ActRecord, f *ActFilter) error {
	return f.eachEntry(acts, func(e audit.Entry) error { return writeLine(w, e.Recorded().CloudEvent()) })
}

// eachEntry gives the entries of acts to a function in the order of the record. Where an event is looked for,
// others are left out.
func (f *ActFilter) eachEntry(acts []audit.ActRecord, each func(audit.Entry) error) error {
	entries := slices.Concat(acts...)
	slices.SortFunc(entries, func(a, b audit.Entry) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, entry := range entries {
		if f.event != "" && !entry.Is(f.event) {
			continue
		}
		if err := each(entry); err != nil {
			return err
		}
	}
	return nil
}

// writeLine writes a value as JSON on a line; what is JSON already, byte for byte.
func writeLine(w io.Writer, v any) error {
	line, raw := v.(json.RawMessage)
	if !raw {
		var err error
		if line, err = json.Marshal(v); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s\n", line)
	return err
}

// columns are those of the csv, in their order.
var columns = []string{"number", "time", "session", "agent", "kind", "tool", "act", "decision", "by", "reason", "approver",
	"ended", "exit_code", "ms", "error"}

func exportCSV(w io.Writer, acts []audit.ActRecord, _ *ActFilter) error {
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
