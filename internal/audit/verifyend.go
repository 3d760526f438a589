package audit

import (
	"cmp"
	"fmt"
	"slices"
)

// conclude says what is known when all lines were read. own is the last checkpoint of the record itself.
func (v *verification) conclude(from *stream, own Checkpoint) {
	v.report.Last = v.last
	v.clearLines()
	for _, g := range v.gaps {
		if g.to < from.first() && g.to <= v.retired.To {
			continue
		}
		v.found(Problem{Seq: g.from, Kind: Missing, Message: lineCount(g.to-g.from+1, "gone")})
	}
	switch end := max(v.head.Seq, own.Size); {
	case v.last < end:
		v.found(Problem{Seq: v.last + 1, File: from.last(), Kind: Truncated,
			Message: fmt.Sprintf("it ends at number %d, and once was on disk up to number %d", v.last, end)})
	case len(v.checkpoints) > 0 && v.checkpoints[len(v.checkpoints)-1].Size > v.last:
		// It speaks of more than there ever was, as far as this directory knows.
		c := v.checkpoints[len(v.checkpoints)-1]
		v.found(Problem{Seq: v.last + 1, File: c.source, Line: c.Line, Kind: RolledBack,
			Message: fmt.Sprintf("it ends at number %d, and the checkpoint speaks of %d lines", v.last, c.Size)})
	}
	if v.misnamed == nil {
		v.misnamed = emptySegment(from, v.last)
	}
	if v.misnamed != nil && !v.explained() {
		v.found(*v.misnamed)
	}
	if !v.explained() && (own.Size > 0 && v.good == nil || len(v.checkpoints) > 0) {
		v.found(Problem{File: treeName, Kind: Missing,
			Message: "without it nothing can be said of the lines that were removed"})
	}
	slices.SortStableFunc(v.report.Problems, func(a, b Problem) int { return cmp.Compare(a.Seq, b.Seq) })
	v.report.OK = len(v.report.Problems) == 0
	if v.report.First > 1 && v.retired.To >= v.report.First-1 {
		v.report.Removed = &Removed{v.report.First - 1, v.retired.By}
	}
	if v.good != nil {
		v.report.Checkpoint = &Held{Size: v.good.Size, Root: v.good.Root.String(), Source: v.good.source}
		v.report.Outside = v.good.outside
	}
}

// explained reports whether a problem with lines was found, from which others may follow.
func (v *verification) explained() bool {
	return slices.ContainsFunc(v.report.Problems, func(p Problem) bool { return p.Kind != ForgedCheckpoint && p.Kind != Torn })
}

// emptySegment finds a segment without a line that no crash leaves there.
func emptySegment(from *stream, last int64) *Problem {
	for i, g := range from.segments {
		if i+1 < len(from.segments) && g.size == 0 || g.first > last+1 {
			return &Problem{File: segmentName(g.first), Kind: Inserted, Message: "no line stands in it"}
		}
	}
	return nil
}

func lineCount(n int64, what string) string {
	if n == 1 {
		return "it is " + what
	}
	return fmt.Sprintf("%d lines are %s", n, what)
}
