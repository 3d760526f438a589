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
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

func auditTailCommand(env *cli.Environment) *cobra.Command {
	var last, after int64
	var follow, asJSON bool
	var filter ActFilter
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Print the last entries of the record, and follow it",
		Long: `tail prints recorded entries, one on each line: its number, when, what, and
the act. With --follow it waits for more until it is interrupted. It
compares each entry with the one before it, and fails where the record was
changed. The filters are held against each entry by itself: a decision
stands in another one than the outcome.`,
		Example: `  a2a-acp audit tail -f
  a2a-acp audit tail -f --event tool_failed --tool 'deploy*'
  a2a-acp audit tail --after 120 --json | jq -r '.type'`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().Int64VarP(&last, "last", "n", 10, "how many of the last entries")
	cmd.Flags().Int64Var(&after, "after", 0, "begin after the entry with this number")
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "wait for more")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the record's own lines")
	filter.addTo(cmd)
	cmd.MarkFlagsMutuallyExclusive("last", "after")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := filter.check(); err != nil {
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
		if err := filter.resolve(filepath.Join(dir, "audit")); err != nil {
			return err
		}
		wants := filter.entries(env)
		from := audit.Cursor{Seq: after}
		if !cmd.Flags().Changed("after") {
			if from, err = lastThatFit(filepath.Join(dir, "audit"), feed, last, wants); err != nil {
				return cli.Fail(exit.Host, err)
			}
		}
		reader, err := feed.Read(from)
		if err != nil {
			return cli.Fail(exit.Host, err)
		}
		defer reader.Close() //nolint:errcheck // it only reads
		if err := printEntries(cmd.Context(), env.Stdout, reader, wants, follow, asJSON); err != nil {
			return err
		}
		if follow {
			env.Say(fmt.Sprintf("--after %d goes on from here", reader.Cursor().Seq))
		}
		return nil
	}
	return cmd
}

// lastThatFit returns the place in front of the last n entries that are wanted.
func lastThatFit(dir string, feed *audit.Feed, n int64, wants func(audit.Entry) bool) (audit.Cursor, error) {
	for many := max(n, recentEntries); n > 0; many *= 4 {
		entries, all, err := audit.Recent(dir, many)
		if err != nil {
			break // the reader tells, when it comes there
		}
		left := n
		for i := len(entries) - 1; i >= 0; i-- {
			if wants(entries[i]) {
				left--
			}
			if left == 0 {
				return audit.Cursor{Seq: entries[i].Seq - 1}, nil
			}
		}
		if all {
			return audit.Cursor{}, nil
		}
	}
	return feed.Last(n)
}

// printEntries prints what the reader gives, as far as it is wanted, until ctx ends, or the record where it is not to
// be followed.
func printEntries(ctx context.Context, w io.Writer, reader *audit.Reader, wants func(audit.Entry) bool,
	follow, asJSON bool) error {
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
		if !wants(entry) {
			continue
		}
		line := string(display.JSON(entry.Raw))
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
