package audit

import (
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// governorLines tell what each governor said, a line each.
func governorLines(at string, said *tool.Governance) []string {
	about := "about the act"
	if said.Phase == tool.PhaseOutput {
		about = "about its output"
	}
	var lines []string
	for _, a := range said.Answers {
		words := []string{fmt.Sprintf("  %s  governor %s, %s: %s", at, display.Line(a.Governor), about,
			display.Line(a.Status))}
		if a.CountsAs != "" {
			words = append(words, "counts as "+display.Line(a.CountsAs))
		}
		if a.Redacted > 0 {
			words = append(words, fmt.Sprintf("took out %d", a.Redacted))
		}
		if a.ExitCode != nil && *a.ExitCode != 0 {
			words = append(words, fmt.Sprintf("exit code %d", *a.ExitCode))
		}
		if a.HTTP != 0 && a.HTTP != 200 {
			words = append(words, fmt.Sprintf("HTTP status %d", a.HTTP))
		}
		words = append(words, fmt.Sprintf("after %.0f ms", a.Millis))
		line := strings.Join(words, ", ")
		for _, more := range append(a.Messages, a.Error) {
			if more != "" {
				line += ": " + display.Line(more)
			}
		}
		lines = append(lines, line)
		if a.FollowUp != "" {
			lines = append(lines, "                its prompt for the agent: "+display.Line(a.FollowUp))
		}
	}
	return lines
}

// showGovernors tells what governors said about acts, as the history that every door gives.
func showGovernors(env *cli.Environment, f cli.Format, acts []audit.ActRecord) error {
	if f != cli.FormatTable {
		return cli.WriteData(env.Stdout, f, audit.HistoryOf(acts))
	}
	told := false
	for _, c := range acts {
		if c.Governed() == nil {
			continue
		}
		fmt.Fprintln(env.Stdout, TitleOf(c))
		fmt.Fprintln(env.Stdout, from(c))
		for _, entry := range c {
			at := entry.Time.Local().Format("15:04:05.000")
			switch {
			case entry.Type == events.GovernorsAsked && entry.Governance != nil:
				for _, line := range governorLines(at, entry.Governance) {
					fmt.Fprintln(env.Stdout, line)
				}
			case entry.Type == events.ToolDecided && entry.Decision != nil:
				fmt.Fprintf(env.Stdout, "  %s  decided  %s\n", at, decision(c, entry.Decision))
			}
		}
		told = true
	}
	if !told {
		env.Say("no governor was asked about anything on record that fits")
	}
	return nil
}
