package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

func auditTailCommand(env *cli.Environment) *cobra.Command {
	var last, after int64
	var follow, asJSON bool
	var event string
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Print the last entries of the record, and follow it",
		Long: `tail prints recorded entries, one on each line: its number, when, what, and
the act. With --follow it waits for more until it is interrupted. It
compares each entry with the one before it, and fails where the record was
changed.`,
		Example: `  a2a-acp audit tail -f
  a2a-acp audit tail -f --event tool_failed
  a2a-acp audit tail --after 120 --json | jq -r '.type'`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().Int64VarP(&last, "last", "n", 10, "how many of the last entries")
	cmd.Flags().Int64Var(&after, "after", 0, "begin after the entry with this number")
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "wait for more")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the record's own lines")
	cmd.Flags().StringVar(&event, "event", "",
		"of these entries only this event: a type such as tool.started, or a name of the original a2a-acp's: tool_failed")
	completeEvent(cmd)
	cmd.MarkFlagsMutuallyExclusive("last", "after")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkEvent(event); err != nil {
			return err
		}
		dir, err := app.StateDir(env.AppOptions(nil, nil))
		if err != nil {
			return cli.Fail(exit.Host, err)
		}
		feed, err := audit.OpenFeed(filepath.Join(dir, "audit"))
		if errors.Is(err, fs.ErrNotExist) {
			env.Say("nothing is on record yet")
			return nil
		}
		if err != nil {
			return cli.Fail(exit.Host, err)
		}
		defer feed.Close() //nolint:errcheck // it only watches
		from := audit.Cursor{Seq: after}
		if !cmd.Flags().Changed("after") {
			if from, err = feed.Last(last); err != nil {
				return cli.Fail(exit.Host, err)
			}
		}
		reader, err := feed.Read(from)
		if err != nil {
			return cli.Fail(exit.Host, err)
		}
		defer reader.Close() //nolint:errcheck // it only reads
		if err := printEntries(cmd.Context(), env.Stdout, reader, event, follow, asJSON); err != nil {
			return err
		}
		if follow {
			env.Say(fmt.Sprintf("--after %d goes on from here", reader.Cursor().Seq))
		}
		return nil
	}
	return cmd
}

// printEntries prints what the reader gives, or one event of it, until ctx ends, or the record where it is not to
// be followed.
func printEntries(ctx context.Context, w io.Writer, reader *audit.Reader, event string, follow, asJSON bool) error {
	for {
		entry, err := reader.Poll()
		if errors.Is(err, io.EOF) && follow {
			entry, err = reader.Next(ctx)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
			return nil
		}
		if err != nil {
			return cli.Fail(exit.Host, err)
		}
		if event != "" && !entry.Is(event) {
			continue
		}
		line := string(entry.Raw)
		if !asJSON {
			act := audit.ActRecord{entry}
			line = fmt.Sprintf("%6d  %s  %-8s  %s", entry.Seq, entry.Time.Local().Format(time.DateTime),
				orDash(act.Result()), tailTitle(act))
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
}

// tailTitle says what an entry is, and of which act.
func tailTitle(entry audit.ActRecord) string {
	kind, title := string(entry[0].Type), TitleOf(entry)
	if entry[0].Act == nil {
		return title
	}
	return kind + ": " + title
}
