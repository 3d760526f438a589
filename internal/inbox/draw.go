package inbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/store"
)

// The smallest screen on which questions are answered.
const (
	leastWidth  = 40
	leastHeight = 10
)

// fits reports whether the screen is large enough to read a question on.
func (b *Inbox) fits() bool { return b.width >= leastWidth && b.height >= leastHeight }

// Frame is what the screen is to show.
type Frame struct {
	Lines  []string // one for each row
	Marked int      // the row that stands out, from 0; -1 for none
	// Of names the text that is read in it: another value is another text, another part of it, or one that has to be
	// read anew, though it looks the same.
	Of string
}

// Frame returns what the screen is to show at that time. Each line is safe for a terminal, and no wider than
// the screen.
func (b *Inbox) Frame(now time.Time) Frame {
	f := Frame{Marked: -1}
	add := func(line string) { f.Lines = append(f.Lines, clip(line, b.width)) }
	add(b.heading())
	if !b.whole || b.looked == nil {
		list := b.listed()
		from := b.firstListed(list)
		for _, a := range list[from:min(from+b.listRows(), len(list))] {
			mark := "  "
			if b.isLookedAt(a) {
				f.Marked, mark = len(f.Lines), "> "
			}
			add(mark + b.row(a, now))
		}
	}
	if b.looked != nil && b.fits() {
		add(strings.Repeat("-", b.width))
		for _, line := range b.about(*b.looked, now) {
			add(line)
		}
		body := b.body()
		end := min(b.top+b.textRows(), len(body))
		f.Lines = append(f.Lines, body[min(b.top, end):end]...)
		f.Of = fmt.Sprintf("%d %d %d %d", b.looks, b.top, b.textRows(), b.width)
	}
	for len(f.Lines) < b.height-2 {
		f.Lines = append(f.Lines, "")
	}
	f.Lines = f.Lines[:max(0, min(len(f.Lines), b.height-2))]
	add(b.message)
	add(b.help())
	return f
}

func (b *Inbox) heading() string {
	order := "oldest first"
	if b.newestFirst {
		order = "newest first"
	}
	switch n := len(b.waiting); n {
	case 0:
		return "a2a-acp: nothing waits for an answer"
	case 1:
		return "a2a-acp: one question waits"
	default:
		return fmt.Sprintf("a2a-acp: %d questions wait, the %s", n, order)
	}
}

// firstListed returns the first question that has a row, so that the one that is looked at has one.
func (b *Inbox) firstListed(list []store.Approval) int {
	at := slices.IndexFunc(list, b.isLookedAt)
	return max(0, min(at-b.listRows()/2, len(list)-b.listRows()))
}

func (b *Inbox) row(a store.Approval, now time.Time) string {
	state := Short(now.Sub(a.Asked))
	if b.isLookedAt(a) && b.over != "" {
		state = "over"
	}
	return fmt.Sprintf("%s  %-4s  %-12s  %-8s  %s", display.Line(a.ID), state, clip(Who(a), 12),
		display.Line(a.Kind), display.Line(a.Title))
}

// about is what we know of a question ourselves: who asks, since when, and what an answer is worth.
func (b *Inbox) about(a store.Approval, now time.Time) []string {
	asks := fmt.Sprintf("%s asks, %s ago; it can be answered for another %s", Who(a), Short(now.Sub(a.Asked)),
		Short(a.Expires.Sub(now)))
	switch {
	case b.over != "":
		asks = "Over: " + display.Line(b.over)
	case a.Left:
		asks = fmt.Sprintf("%s does not wait any more; the answer is kept for the same call, for %s at the most", Who(a),
			Short(a.Expires.Sub(now)))
	}
	worth := "Not bound: " + Carrier(a) + " carries it out, in whatever way"
	if a.Bound {
		worth = "Bound: exactly this is run, and nothing else"
	}
	if a.Session != "" {
		worth += "; session " + display.Line(a.Session)
	}
	lines := len(b.body())
	shown := fmt.Sprintf("[%s, lines %d to %d of %d]", display.Line(a.ID), b.top+1,
		min(b.top+b.textRows(), lines), lines)
	return []string{asks, worth, shown}
}

const aboutRows = 3

// body is the question itself in lines for the screen. Nothing is left out.
func (b *Inbox) body() []string {
	if b.looked == nil {
		return nil
	}
	text := display.Line(b.looked.Title) + "\n\n" + display.Whole(b.looked.Text)
	for i, words := range b.lasting() {
		if i == 0 {
			text = strings.TrimRight(text, "\n") + "\n"
		}
		text += fmt.Sprintf("\n%s allows this, and for the rest of the session: %s", lastingKeys[i], display.Whole(words))
	}
	return Marked(text, max(b.width, leastWidth))
}

// Marked returns a text in lines for a screen of that width; 0 for one whose width is not known. A mark stands before each
// line, and another before what goes on from the line above: no text that others choose looks like a line of ours then.
func Marked(text string, width int) (lines []string) {
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		mark, parts := "| ", []string{strings.TrimSuffix(line, "\n")}
		if width > len(mark) {
			parts = wrapped(parts[0], width-len(mark))
		}
		for _, part := range parts {
			lines = append(lines, mark+part)
			mark = ": "
		}
	}
	return lines
}

// lastingKeys are the keys that allow for the rest of the session.
var lastingKeys = []string{"a", "2", "3"}

// lasting is what the question that is looked at can be allowed for the rest of its session, a key each.
func (b *Inbox) lasting() []string {
	if b.looked == nil || b.looked.Left {
		return nil
	}
	return b.looked.Lasting[:min(len(b.looked.Lasting), len(lastingKeys))]
}

// listRows is how many questions have a row.
func (b *Inbox) listRows() int {
	if b.whole {
		return 0
	}
	if b.looked == nil {
		return max(b.height-3, 0)
	}
	return max(1, min(len(b.listed()), b.height/4))
}

// textRows is how many lines of the question are shown.
func (b *Inbox) textRows() int {
	return max(0, b.height-b.listRows()-aboutRows-4) // the heading, the rule, the message and the help
}

func (b *Inbox) help() string {
	switch {
	case b.reason != nil:
		return "No, because: " + display.Line(*b.reason) + "_   (Enter says no, Esc goes back)"
	case b.looked == nil:
		return "q quit"
	case b.over != "" && len(b.waiting) > 0:
		return "This one is over.  j the next that waits  o order  q quit"
	case b.over != "":
		return "This one is over, and nothing else waits.  j close it  q quit"
	case !b.fits():
		return fmt.Sprintf("Too small: %d columns, %d lines at least.", leastWidth, leastHeight)
	}
	keys := []string{"y once", "n no", "r no, why", "space more", "Enter whole", "j k move", "o order", "q quit"}
	if n := len(b.lasting()); n > 0 {
		keys = slices.Insert(keys, 1, strings.Join(lastingKeys[:n], " ")+" session")
	}
	if len(b.listed()) < 2 {
		keys = slices.DeleteFunc(keys, func(k string) bool { return k == "j k move" || k == "o order" })
	}
	for _, last := range []string{"o order", "Enter whole", "space more"} { // to be shown, where there is no room
		if len(strings.Join(keys, "  ")) > b.width {
			keys = slices.DeleteFunc(keys, func(k string) bool { return k == last })
		}
	}
	return strings.Join(keys, "  ")
}

// longestWho is how many bytes of a name are shown: agents and clients choose theirs, and a long one could go on where a line
// of ours begins.
const longestWho = 64

// Who is the agent that asks, or the door where there is none.
func Who(a store.Approval) string {
	agent, principal := display.Line(agents.Short(a.Agent)), display.Line(a.Principal)
	for _, name := range []*string{&agent, &principal} {
		if len(*name) > longestWho {
			*name = display.Cut(*name, longestWho) + "…"
		}
	}
	switch {
	case principal != "" && agent != "":
		return principal + " (" + agent + ")"
	case principal != "":
		return principal
	case agent != "":
		return agent
	case a.Door == "cli":
		return "tools run"
	}
	return display.Line(a.Door)
}

// Carrier is who carries an act out that is not bound.
func Carrier(a store.Approval) string {
	return cmp.Or(display.Line(a.Carrier), "the editor or the agent")
}

// Short writes a time that has passed, or is left, for people.
func Short(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	}
	return fmt.Sprintf("%dh", int(d.Hours()))
}

// widths counts a character that some terminals show twice as wide as two: a line may end early, and never
// runs into the next.
var widths = displaywidth.Options{EastAsianWidth: true}

func width(r rune) int { return max(1, widths.Rune(r)) }

// wrapped cuts a line into parts that are no wider than that, between words where they are not too long; at least one.
// Nothing is left out.
func wrapped(line string, most int) (parts []string) {
	rest := []rune(strings.ReplaceAll(line, "\t", "    "))
	for {
		n := max(fitting(rest, most), 1)
		if n >= len(rest) {
			return append(parts, string(rest))
		}
		for at := n; at > n/2; at-- {
			if rest[at-1] == ' ' {
				n = at
				break
			}
		}
		parts, rest = append(parts, string(rest[:n])), rest[n:]
	}
}

// fitting returns how many characters are no wider than that together.
func fitting(line []rune, most int) int {
	used := 0
	for i, r := range line {
		if used += width(r); used > most {
			return i
		}
	}
	return len(line)
}

// clip cuts a line of ours to the width of the screen.
func clip(line string, most int) string {
	text := []rune(strings.ReplaceAll(line, "\t", "    "))
	if fitting(text, most) == len(text) {
		return line
	}
	return strings.TrimSuffix(string(text[:fitting(text, most-2)]), " ") + ".."
}
