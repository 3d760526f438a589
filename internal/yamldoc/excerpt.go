package yamldoc

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/a2a-acp/a2a-acp/internal/display"
)

// Excerpt is the line of a file that a mistake stands in, as a person may read it: characters that a terminal
// would act upon are escapes, what looks like a secret is hidden, and of a long line there is what surrounds
// the place.
type Excerpt struct {
	Text string `json:"text"`
	// Column and Width are the place in Text, in columns of a terminal, where wide letters take two: from 1,
	// and 1 at the least.
	Column int `json:"column"`
	Width  int `json:"width"`
}

const (
	widestExcerpt = 74  // columns, so that a terminal of 80 has room for it and the number of the line
	excerptBefore = 30  // columns of a long line that are shown before the place
	tabColumns    = 4   // as many spaces stand for a tab
	nearPlace     = 400 // characters on each side that a line is looked at
	mask          = "********"
)

// piece is what one character of a line becomes in an excerpt.
type piece struct {
	text  string
	width int
}

// newExcerpt shows a line with a place in it, from column to before end, which count characters from 1. What
// lies in one of the hidden spans is not shown.
func newExcerpt(line string, column, end int, hidden []span) *Excerpt {
	all := []rune(line)
	first := min(max(column, 1)-1, len(all))
	last := min(max(end-1, first), len(all))
	// of a line without end, no more is looked at
	from, to := max(first-nearPlace, 0), min(first+nearPlace, len(all))
	pieces := asShown(all[from:to], from, hidden)
	first, last = first-from, min(last, to)-from
	start, width := widthOf(pieces[:first]), widthOf(pieces[first:last])
	if total := widthOf(pieces); total > widestExcerpt {
		pieces, start = aroundPlace(pieces, start)
		width = min(width, widthOf(pieces)-start)
	}
	var text strings.Builder
	for _, p := range pieces {
		text.WriteString(p.text)
	}
	return &Excerpt{Text: strings.TrimRight(text.String(), " "), Column: start + 1, Width: max(width, 1)}
}

// asShown returns a part of a line, which begins after some characters of it, character by character.
func asShown(line []rune, skipped int, hidden []span) []piece {
	pieces := make([]piece, len(line))
	for i, r := range line {
		text := string(r)
		switch {
		case r == '\t':
			text = strings.Repeat(" ", tabColumns)
		case display.Hidden(r) || r == '\ufffd':
			text = display.Line(text)
		}
		pieces[i] = piece{text, displaywidth.String(text)}
	}
	secret := make([]bool, len(line))
	for _, s := range hidden {
		for i := max(s.from-skipped, 0); i < min(s.to-skipped, len(pieces)); i++ {
			secret[i] = true
		}
	}
	for i := range pieces {
		switch {
		case !secret[i]:
		case i == 0 || !secret[i-1]:
			pieces[i] = piece{mask, len(mask)}
		default:
			pieces[i] = piece{}
		}
	}
	return pieces
}

// aroundPlace cuts a long line to what surrounds the column start, and gives the place in what is left.
func aroundPlace(pieces []piece, start int) (cut []piece, place int) {
	const more = "…"
	from, skipped := 0, 0
	for total := widthOf(pieces); start-skipped > excerptBefore && total-skipped > widestExcerpt-1; from++ {
		skipped += pieces[from].width
	}
	if from > 0 {
		cut, place = append(cut, piece{more, 1}), 1
	}
	place += start - skipped
	width := widthOf(cut)
	for _, p := range pieces[from:] {
		if width+p.width > widestExcerpt {
			return append(cut, piece{more, 1}), place
		}
		cut, width = append(cut, p), width+p.width
	}
	return cut, place
}

func widthOf(pieces []piece) int {
	width := 0
	for _, p := range pieces {
		width += p.width
	}
	return width
}

// write adds the line and what points to the place, with the number of the line in front.
func (x *Excerpt) write(b *strings.Builder, line int) {
	number := strconv.Itoa(line)
	margin := strings.Repeat(" ", len(number))
	fmt.Fprintf(b, "\n%s |\n%s | %s\n%s | %s^%s", margin, number, x.Text, margin,
		strings.Repeat(" ", x.Column-1), strings.Repeat("~", x.Width-1))
}
