package cli

import (
	"cmp"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a2a-acp/a2a-acp/internal/inbox"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// The library that prints help cuts lines at the edge of the terminal, in the middle of words, and wraps
// texts that were wrapped in the source once more. So texts are fitted before it gets them.

// The measures of a help text.
const (
	widestHelp    = 100 // columns; longer lines are hard to read
	pipedHelp     = 80  // columns where nobody knows how wide the terminal behind a pager is; man and git take as many
	narrowestHelp = 16  // columns of a description that are worth wrapping for
	HelpMargin    = 4   // columns that the library leaves on the left of lists
)

// FitHelp wraps what help says of a command and of those below it to a width; 0 is the widest.
func FitHelp(cmd *cobra.Command, width int) {
	if width <= 0 || width > widestHelp {
		width = widestHelp
	}
	left := 0
	cmd.Flags().VisitAll(func(f *pflag.Flag) { left = max(left, len("-o --")+len(f.Name)) })
	for _, sub := range cmd.Commands() {
		left = max(left, len(sub.Use)+len(" [--flags]"))
		if sub.HasSubCommands() {
			left = max(left, len(sub.Use)+len(" [command] [--flags]"))
		}
	}
	right := max(width-HelpMargin-left-2, narrowestHelp)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		room := right
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" && f.DefValue != "0" {
			room -= len(f.DefValue) + len(" ()")
		}
		f.Usage = wrap(f.Usage, max(room, narrowestHelp), 0)
	})
	for _, sub := range cmd.Commands() {
		if sub.Long == "" {
			sub.Long = sub.Short // which is wrapped for another place
		}
		FitHelp(sub, width)
		sub.Short = wrap(sub.Short, right, 0)
	}
	cmd.Long = FitText(cmd.Long, width-HelpMargin)
}

// HelpWidth returns how wide a help text is that goes to stdout. What it goes to may be a pager on the terminal that stderr is.
func HelpWidth(stdout, stderr io.Writer) int {
	return cmp.Or(TerminalWidth(stdout), TerminalWidth(stderr), pipedHelp)
}

// HelpOutput returns where help is written. The library fills lines with blanks to a width of its own; where that is no
// terminal, and so perhaps a pager on a narrower one, they would go on in an empty line.
func HelpOutput(w io.Writer) io.Writer {
	if IsTerminal(w) {
		return w
	}
	return &trimmed{to: w}
}

// trimmed writes lines without the blanks at their ends.
type trimmed struct {
	to     io.Writer
	blanks int // that are left out so far
}

func (t *trimmed) Write(text []byte) (int, error) {
	out := make([]byte, 0, len(text)+t.blanks)
	for _, b := range text {
		switch b {
		case ' ':
			t.blanks++
			continue
		case '\n':
			t.blanks = 0
		}
		for ; t.blanks > 0; t.blanks-- {
			out = append(out, ' ')
		}
		out = append(out, b)
	}
	if _, err := t.to.Write(out); err != nil {
		return 0, err
	}
	return len(text), nil
}

// listed is the beginning of a line of a list: a word, a gap, and what it means.
var listed = lazyregexp.New(`^ +\S.{0,24}?  +`)

// FitText fills paragraphs anew. Indented lines stay lines of their own; those of a list hang where its
// text begins.
func FitText(text string, width int) string {
	type block struct {
		text string
		hang int
	}
	var blocks []block
	joins := false // whether the next line can go on with the last block
	for _, line := range strings.Split(text, "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if line != "" && joins && indent == blocks[len(blocks)-1].hang {
			blocks[len(blocks)-1].text += " " + line[indent:]
			continue
		}
		hang := indent
		if start := listed.FindString(line); start != "" {
			hang = utf8.RuneCountInString(start)
		}
		blocks = append(blocks, block{line, hang})
		joins = line != "" && (indent == 0 || hang > indent)
	}
	lines := make([]string, 0, len(blocks))
	for _, b := range blocks {
		lines = append(lines, wrap(b.text, width, b.hang))
	}
	return strings.Join(lines, "\n")
}

// Fold breaks a line between words where it is wider than the terminal that it is for; what follows is indented.
func Fold(w io.Writer, line string, hang int) string {
	if width := TerminalWidth(w); width > 2*hang {
		return wrap(line, width, hang)
	}
	return line
}

// Marked puts a mark before each line of what a person is asked about, as approvals watch does.
func Marked(w io.Writer, text string) string {
	return strings.Join(inbox.Marked(text, TerminalWidth(w)), "\n")
}

// FoldText folds each line of a text, but for those that show a file, whose columns mean something. What follows stands
// two characters further in than the line.
func FoldText(w io.Writer, text string) string { return foldText(text, TerminalWidth(w)) }

func foldText(text string, width int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		hang := len(line) - len(strings.TrimLeft(line, " ")) + 2
		if width > 2*hang && !excerpt.MatchString(line) {
			lines[i] = wrapWords(toFold(line), width, hang)
		}
	}
	return strings.Join(lines, "\n")
}

// toFold splits a line into what is not to be broken: words, and those that look like the beginning of a line of ours with
// the word in front of them. A name that somebody chose could have one stand where a line of ours would.
func toFold(line string) (words []string) {
	for _, word := range strings.SplitAfter(line, " ") {
		if last := len(words) - 1; last >= 0 && looksLikeOurs(word) {
			words[last] += word
			continue
		}
		words = append(words, word)
	}
	return words
}

// excerpt is a line of a file, or what stands below it: "5 |   when: x".
var excerpt = lazyregexp.New(`^ *[0-9]* *\|`)

// wrap breaks a line between words; what follows the first line is indented. Gaps and words that are too
// long stay whole.
func wrap(line string, width, hang int) string {
	return wrapWords(strings.SplitAfter(line, " "), width, hang)
}

func wrapWords(words []string, width, hang int) string {
	var out strings.Builder
	column := 0
	for i, word := range words {
		length := utf8.RuneCountInString(strings.TrimRight(word, " "))
		if i > 0 && length > 0 && column+length > width && column > hang {
			out.WriteString("\n" + strings.Repeat(" ", hang))
			column = hang
		}
		out.WriteString(word)
		column += utf8.RuneCountInString(word)
	}
	lines := strings.Split(out.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
