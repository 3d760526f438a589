package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// notInTree is what the tree says of a line.
const notInTree = "it is not the line that the checkpoint speaks of"

// gap is a run of numbers of lines that are not there.
type gap struct{ from, to int64 }

// noRecord takes a line that none of ours has written for the one that should stand there.
func (v *verification) noRecord(lines *lineReader, why string) {
	v.report.Records++
	v.last++
	v.blame(v.last, lines, "it is no record: "+why)
	v.prevSeq = unknown
}

// blame says that the line with a number is not the one that was recorded.
func (v *verification) blame(seq int64, lines *lineReader, message string) {
	if v.blamed == nil {
		v.blamed = map[int64]int{}
	}
	if _, already := v.blamed[seq]; already || len(v.blamed) > mostProblems {
		return
	}
	v.blamed[seq] = len(v.report.Problems)
	p := Problem{Seq: seq, Kind: Changed, Message: message}
	if seq == v.last {
		p.File, p.Line = lines.file(), lines.line
	}
	v.found(p)
}

// line takes in one line. known and same say whether the tree has one with its number, and that very one.
func (v *verification) line(lines *lineReader, line []byte, at envelope, leaf tlog.Hash, known, same bool) {
	if named := lines.at.first; lines.line == 1 && at.seq != named && v.misnamed == nil {
		v.misnamed = &Problem{Seq: at.seq, File: lines.file(), Line: 1, Kind: Changed,
			Message: fmt.Sprintf("the name of its file is of number %d", named)}
	}
	if v.report.Records == 0 && at.seq > 1 && at.seq == lines.at.first {
		v.begin(at.seq - 1)
	}
	v.report.Records++
	hash := lineHash(line)
	_, prevBlamed := v.blamed[at.seq-1]
	switch {
	case at.seq > v.last:
		switch {
		case at.seq == v.last+1:
		case len(v.gaps) < mostGaps:
			v.gaps = append(v.gaps, gap{v.last + 1, at.seq - 1})
		default:
			v.report.More++
		}
		v.last = at.seq
		switch {
		case known && !same:
			v.blame(at.seq, lines, notInTree)
		case v.prevSeq != at.seq-1 || prevBlamed || string(at.prev) == v.prevHash:
		case v.tree.has(at.seq-1) && !known:
			v.blame(at.seq, lines, "its prev is not the hash of the line before")
		default:
			v.blame(at.seq-1, lines, fmt.Sprintf("number %d has another hash as its prev", at.seq))
		}
		if at.seq == v.head.Seq && hash != v.head.Hash {
			v.blame(at.seq, lines, "another line was put on disk with this number")
		}
	case v.fill(at.seq):
		v.found(Problem{Seq: at.seq, File: lines.file(), Line: lines.line, Kind: Reordered,
			Message: fmt.Sprintf("it stands behind number %d", v.last)})
	default:
		// Of two lines with one number the one that was recorded stays.
		if i, blamed := v.blamed[at.seq]; blamed && i < len(v.report.Problems) && (same || !known) {
			v.report.Problems[i].Kind = Inserted
			v.report.Problems[i].Message = "it stands in front of the line with this number"
			break
		}
		v.found(Problem{Seq: at.seq, File: lines.file(), Line: lines.line, Kind: Inserted,
			Message: "a line with this number stands before it"})
	}
	v.prevSeq, v.prevHash = at.seq, hash
	if bytes.Contains(line, []byte(`"type":"`+events.RecordRetired+`"`)) {
		if entry, err := parseEntry(line); err == nil && entry.Type == events.RecordRetired {
			if entry.Retired > v.retired.To {
				v.retired = Removed{entry.Retired, at.seq}
			}
		}
	}
	if v.whole.size == at.seq-1 {
		v.whole.add(leaf)
		v.compare()
	}
}

// fill takes a number out of the gaps, and reports whether it was in one.
func (v *verification) fill(seq int64) bool {
	i, _ := slices.BinarySearchFunc(v.gaps, seq, func(g gap, seq int64) int { return cmp.Compare(g.to, seq) })
	if i == len(v.gaps) || seq < v.gaps[i].from {
		return false
	}
	var rest []gap
	if g := v.gaps[i]; g.from < seq {
		rest = append(rest, gap{g.from, seq - 1})
	}
	if g := v.gaps[i]; seq < g.to {
		rest = append(rest, gap{seq + 1, g.to})
	}
	v.gaps = slices.Replace(v.gaps, i, i+1, rest...)
	return true
}

// clearLines takes back what the tree said of lines that a checkpoint then agreed with: the tree is another.
func (v *verification) clearLines() {
	n := len(v.report.Problems)
	v.report.Problems = slices.DeleteFunc(v.report.Problems, func(p Problem) bool {
		return p.Kind == Changed && p.Message == notInTree && p.Seq <= v.proven
	})
	if len(v.report.Problems) == n {
		return
	}
	// The checkpoint that agreed may be one of somebody who has the key, and the tree bent for the lines to explain
	// why one from elsewhere does not.
	if v.doubted != nil && !v.explained() {
		v.found(*v.doubted)
	}
	v.found(Problem{File: treeName, Kind: Changed,
		Message: "it has not the hashes of the lines, which are what the checkpoint speaks of"})
}
