package audit

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/ocsf"
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
  cloudevents  events in the form of CloudEvents 1.0
  ocsf         events of the Open Cybersecurity Schema Framework ` + ocsf.Version + `

Without a filter that looks at whole acts, such as --tool, a record of any
length is exported with little memory; csv needs more.`,
		Example: `  a2a-acp audit export --since 7d > week.jsonl
  a2a-acp audit export --format csv --decision reject > rejected.csv
  a2a-acp audit export --format seed --event tool_failed`,
		Args: cobra.NoArgs,
	}
	filter.addTo(command)
	command.Flags().StringVar(&format, "format", exportFormats[0].name, strings.Join(exportNames(), ", "))
	_ = command.RegisterFlagCompletionFunc("format",
		cobra.FixedCompletions(exportNames(), cobra.ShellCompDirectiveNoFileComp))
	command.RunE = func(*cobra.Command, []string) error {
		i := slices.Index(exportNames(), format)
		if i < 0 {
			return cli.Fail(exit.Usage, fmt.Errorf("--format %q: want %s", format, strings.Join(exportNames(), ", ")))
		}
		to := exportFormats[i]
		if to.entry == nil {
			acts, err := filter.Acts(env)
			return errors.Join(exportCSV(env.Stdout, acts), err)
		}
		out := bufio.NewWriterSize(env.Stdout, 64<<10)
		err := filter.eachEntry(env, func(e audit.Entry) error { return writeLine(out, to.entry(e)) })
		return errors.Join(out.Flush(), err)
	}
	return command
}

// exportFormats are the formats, the default first. entry gives what is written of an entry; csv has an act on each line.
var exportFormats = []struct {
	name  string
	entry func(audit.Entry) any
}{
	{"jsonl", func(e audit.Entry) any { return e.Raw }},
	{"csv", nil},
	{"seed", func(e audit.Entry) any { return e.Recorded().Told() }},
	{"cloudevents", func(e audit.Entry) any { return e.Recorded().CloudEvent() }},
	{"ocsf", func(e audit.Entry) any { return ocsf.Of(e.Recorded(), hostname()) }},
}

// hostname is that of this machine. The record does not have it: it stays where it was written.
var hostname = sync.OnceValue(func() string {
	name, _ := os.Hostname()
	return name
})

func exportNames() []string {
	var names []string
	for _, f := range exportFormats {
		names = append(names, f.name)
	}
	return names
}

// eachEntry gives a function the entries of all acts that fit, in the order of the record. Where an event is looked
// for, others are left out.
func (f *ActFilter) eachEntry(env *cli.Environment, each func(audit.Entry) error) error {
	if f.ofEntries() {
		return f.stream(env, each)
	}
	acts, damage := f.Acts(env)
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
	return damage
}

// ofEntries reports whether one entry alone says whether it is wanted.
func (f *ActFilter) ofEntries() bool {
	return f.kind == "" && f.result == "" && f.tool == "" && f.agent == "" && f.principal == "" && f.by == "" &&
		f.ended == "" && f.text == "" && f.hash == ""
}

// stream is eachEntry without holding them.
func (f *ActFilter) stream(env *cli.Environment, each func(audit.Entry) error) error {
	if err := f.check(); err != nil {
		return err
	}
	state, err := app.StateDir(env.AppOptions(nil, nil))
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	dir := filepath.Join(state, "audit")
	if err := f.resolve(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	var failed error
	err = audit.Each(dir, f.entryFilter(env), func(e audit.Entry) error {
		if f.event == "" || e.Is(f.event) {
			failed = each(e)
		}
		return failed
	})
	switch {
	case failed != nil:
		return failed
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return hostError(err)
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
			row[i] = plainCell(display.Full(row[i]))
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
