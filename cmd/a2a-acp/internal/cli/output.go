package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/display"
)

// Data goes to stdout in the form that was asked for; talk goes to stderr. `-o table` is for people, the
// other forms for their scripts.

// Format is the value of -o.
type Format string

// The forms of output.
const (
	FormatTable Format = "table"
	FormatJSON  Format = "json"
	formatYAML  Format = "yaml"
)

// formatFlag is the value of -o.
type formatFlag struct {
	format *Format
	names  []string
}

// String implements pflag.Value, as do Set, which complains about what it does not know, and Type.
func (f formatFlag) String() string {
	if f.format == nil { // pflag asks the zero value, too
		return ""
	}
	return string(*f.format)
}

// Set implements pflag.Value.
func (f formatFlag) Set(s string) error {
	if !slices.Contains(f.names, s) {
		return fmt.Errorf("want %s", f.list())
	}
	*f.format = Format(s)
	return nil
}

// Type implements pflag.Value.
func (f formatFlag) Type() string { return strings.Join(f.names, "|") }

func (f formatFlag) list() string {
	last := len(f.names) - 1
	return strings.Join(f.names[:last], ", ") + " or " + f.names[last]
}

// AddFormat gives a verb -o and --json, with the forms that all have and those that it has besides.
func AddFormat(cmd *cobra.Command, more ...string) *Format {
	f := FormatTable
	flag := formatFlag{&f, append([]string{string(FormatTable), string(FormatJSON), string(formatYAML)}, more...)}
	cmd.Flags().VarP(flag, "output", "o", "form of the output: "+flag.list())
	asJSON := cmd.Flags().Bool("json", false, "the same as -o json")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if *asJSON {
			f = FormatJSON
		}
		return nil
	}
	_ = cmd.RegisterFlagCompletionFunc("output",
		cobra.FixedCompletions(flag.names, cobra.ShellCompDirectiveNoFileComp))
	return &f
}

// WriteData writes a value as JSON or YAML.
func WriteData(w io.Writer, f Format, v any) error {
	if f == formatYAML {
		// By way of JSON, so that both forms have the same names.
		data, err := json.Marshal(v)
		if err != nil {
			return err
		}
		var plain any
		var node yaml.Node
		if err := errors.Join(yaml.Unmarshal(display.YAML(data), &plain), node.Encode(plain)); err != nil {
			return err
		}
		quoteHidden(&node)
		var text bytes.Buffer
		enc := yaml.NewEncoder(&text)
		enc.SetIndent(2)
		if err := errors.Join(enc.Encode(&node), enc.Close()); err != nil {
			return err
		}
		_, err = w.Write(display.YAML(text.Bytes()))
		return err
	}
	return writeJSON(w, v, "  ")
}

// quoteHidden quotes the texts that have characters which only an escape may stand for.
func quoteHidden(node *yaml.Node) {
	if strings.ContainsFunc(node.Value, func(r rune) bool { return r != '\n' && display.Hidden(r) }) {
		node.Style = yaml.DoubleQuotedStyle
	}
	for _, child := range node.Content {
		quoteHidden(child)
	}
}

// WriteLine writes a value as JSON on a line.
func WriteLine(w io.Writer, v any) error { return writeJSON(w, v, "") }

// writeJSON writes a value as JSON. What it says is an agent's or a server's, and a terminal may read it.
func writeJSON(w io.Writer, v any, indent string) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(display.JSON(text.Bytes()))
	return err
}

// Table is rows for people. The last column is cut to the width of the terminal. Where hardly anything of
// it would be left, it stands below its row.
type Table struct {
	Head []string
	Rows [][]string
	// Whole shows all of the last column: what the reader has come for is never cut.
	Whole bool
	// Spare is the head of a column that is left out where there is no room for the last; "" for none.
	Spare string
}

// worthReading is how much of the last column must fit beside the others.
const worthReading = 24

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

func (t *Table) Write(w io.Writer) { t.WriteWithin(w, TerminalWidth(w)) }

// WriteWithin writes it for a terminal of so many columns; 0 for what is none.
func (t *Table) WriteWithin(w io.Writer, limit int) {
	t.lines(w, append([][]string{t.Head}, t.Rows...), limit)
}

// WriteRows leaves the head out. Nothing is cut: somebody must see all of it.
func (t *Table) WriteRows(w io.Writer) { t.WriteRowsWithin(w, TerminalWidth(w)) }

// WriteRowsWithin is WriteRows for a terminal of so many columns; 0 for what is none. A last column that is shown whole goes
// on below itself.
func (t *Table) WriteRowsWithin(w io.Writer, limit int) {
	hang := 0
	widths := t.widths(t.Rows)
	for _, width := range widths[:len(widths)-1] {
		hang += width + 2
	}
	if !t.Whole || limit < hang+worthReading {
		t.lines(w, t.Rows, 0)
		return
	}
	var rows strings.Builder
	t.lines(&rows, t.Rows, 0)
	for line := range strings.Lines(rows.String()) {
		fmt.Fprintln(w, wrap(strings.TrimSuffix(line, "\n"), limit, hang))
	}
}

func (t *Table) lines(w io.Writer, rows [][]string, limit int) {
	widths := t.widths(rows)
	if spare := slices.Index(t.Head, t.Spare); spare >= 0 && limit > 0 && t.IsCut(widths, limit) {
		for i, row := range rows {
			rows[i] = slices.Delete(slices.Clone(row), spare, spare+1)
		}
		widths = slices.Delete(widths, spare, spare+1)
	}
	if limit > 0 && t.IsCut(widths, limit) {
		t.WriteStacked(w, rows, widths, limit)
		return
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			if i == len(row)-1 {
				line.WriteString(cell)
				break
			}
			fmt.Fprintf(&line, "%-*s  ", widths[i], cell)
		}
		fmt.Fprintln(w, cut(strings.TrimRight(line.String(), " "), limit))
	}
}

func (t *Table) widths(rows [][]string) []int {
	widths := make([]int, len(t.Head))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// IsCut reports whether the last column is worth more room than there is beside the others.
func (t *Table) IsCut(widths []int, limit int) bool {
	left := limit
	for _, width := range widths[:len(widths)-1] {
		left -= width + 2
	}
	last := widths[len(widths)-1]
	return last > left && (t.Whole || left < worthReading)
}

// WriteStacked writes each row on lines of its own: as many columns as fit, and below them the others.
func (t *Table) WriteStacked(w io.Writer, rows [][]string, widths []int, limit int) {
	beside, used := 0, 0
	for beside < len(widths)-1 && used+widths[beside] <= limit {
		used += widths[beside] + 2
		beside++
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row[:beside] {
			fmt.Fprintf(&line, "%-*s  ", widths[i], cell)
		}
		fmt.Fprintln(w, cut(strings.TrimRight(line.String(), " "), limit))
		t.writeBelow(w, row[beside:], limit)
	}
}

// writeBelow writes the cells of a row that stand below it, next to each other as far as there is room.
func (t *Table) writeBelow(w io.Writer, cells []string, limit int) {
	const indent = "    "
	line := ""
	for i, cell := range cells {
		last := i == len(cells)-1
		left := limit - utf8.RuneCountInString(indent+line+"  ")
		switch {
		case cell == "":
		case line == "":
			line = cell
		case utf8.RuneCountInString(cell) <= left, last && left >= worthReading:
			line += "  " + cell
		default:
			fmt.Fprintln(w, cut(indent+line, limit))
			line = cell
		}
		if last && line != "" {
			if t.Whole {
				line = wrap(indent+line, limit, len(indent))
			} else {
				line = cut(indent+line, limit)
			}
			fmt.Fprintln(w, line)
		}
	}
}

// TerminalWidth returns the columns of a terminal; 0 for what is none, which has no limit.
func TerminalWidth(w io.Writer) int {
	if f, ok := w.(interface{ Fd() uintptr }); ok && IsTerminal(w) {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}

func cut(line string, width int) string {
	if width < 2 || utf8.RuneCountInString(line) <= width {
		return line
	}
	return string([]rune(line)[:width-1]) + "…"
}
