package audit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// Kind says what happened to a record.
type Kind string

// The kinds of damage.
const (
	Changed          Kind = "changed"           // a line is not the one that was recorded
	Missing          Kind = "missing"           // lines are gone from the middle, or from the beginning
	Inserted         Kind = "inserted"          // a line stands there that was not recorded, or once more
	Reordered        Kind = "reordered"         // a line stands behind one that was recorded after it
	Truncated        Kind = "truncated"         // lines are gone from the end
	RolledBack       Kind = "rolled_back"       // the record is whole, and ends before a checkpoint from outside
	ForgedCheckpoint Kind = "forged_checkpoint" // a checkpoint was not signed with the key of the record
	Torn             Kind = "torn"              // the last line has no end, as after a crash; opening mends it
)

// Problem is one thing that Verify found.
type Problem struct {
	Seq     int64  `json:"seq"` // the number of the first line that it is about; 0 where that is not known
	File    string `json:"file"`
	Line    int    `json:"line"` // of that file, from 1; 0 where it is about none
	Kind    Kind   `json:"kind"`
	Message string `json:"message"`
}

// Held is the checkpoint that the record was held against.
type Held struct {
	Size   int64  `json:"size"`
	Root   string `json:"root"`
	Source string `json:"source"` // the file that it comes from
}

// Report is what Verify found.
type Report struct {
	OK      bool  `json:"ok"`
	Records int64 `json:"records"`
	First   int64 `json:"first"` // the number of the first line that is there
	Last    int64 `json:"last"`
	// Checkpoint is one from outside that the record agrees with, else its own last one; nil for none.
	Checkpoint *Held     `json:"checkpoint"`
	Outside    bool      `json:"-"` // Checkpoint was kept elsewhere, as its source says
	Problems   []Problem `json:"problems"`
	// More counts the problems that are not listed.
	More int `json:"more,omitempty"`
}

// VerifyOptions say what a record is held against beside itself.
type VerifyOptions struct {
	Checkpoints []string // files of signed notes that were kept elsewhere
	Key         string   // the public key as it was kept elsewhere; "" takes that of the record
}

// mostProblems bounds what a Report lists, and mostGaps what is known of lines that are missing.
const (
	mostProblems = 100
	mostGaps     = 1000
)

// notInTree is what the tree says of a line.
const notInTree = "it is not the line that the checkpoint speaks of"

// Verify reads the whole record in dir and says what is wrong with it. It may be used while others write. An
// error means that it could not be read; damage is in the Report.
//
// Without a checkpoint that was kept elsewhere it can only say that the record is consistent: whoever can write
// the directory has the key as well, and can write and sign another record.
func Verify(dir string, o VerifyOptions) (*Report, error) {
	var report *Report
	err := againIfRetired(dir, func() (err error) {
		report, err = verify(dir, o)
		return err
	})
	return report, err
}

func verify(dir string, o VerifyOptions) (*Report, error) {
	v := &verification{report: &Report{Problems: []Problem{}}}
	if err := v.readCheckpoints(dir, o); err != nil {
		return nil, err
	}
	v.head = headOf(dir) // before the size: what is on disk by then stands in front of it
	own := v.own()
	whole, err := openStream(dir)
	if once := max(v.head.Seq, own.Size); once > 0 && errors.Is(err, fs.ErrNotExist) {
		v.found(Problem{Seq: 1, Kind: Truncated,
			Message: fmt.Sprintf("nothing is left of it, and it once was on disk up to number %d", once)})
		return v.report, nil
	} else if err != nil {
		return nil, fmt.Errorf("read the record: %w", err)
	}
	defer whole.Close()
	if v.tree, err = openLeaves(dir, own); err != nil {
		return nil, fmt.Errorf("read the record: %w", err)
	}
	defer v.tree.Close()
	if err := v.read(whole); err != nil {
		return nil, err
	}
	v.conclude(whole, own)
	return v.report, nil
}

// verification is a Report that is being made.
type verification struct {
	report      *Report
	checkpoints []signed // by size
	head        Cursor
	tree        *leaves

	whole    compactRange  // of the lines so far, while they come in order
	last     int64         // the greatest number so far
	gaps     []gap         // numbers that have not come
	prevSeq  int64         // of the line that was read last; unknown where that is no record
	prevHash string        // of the same
	blamed   map[int64]int // the lines that are not what was recorded, and where report.Problems says so
	retired  int64         // up to which number lines were removed on purpose, as the record says
	good     *signed       // the last one that the lines agree with, one from elsewhere before any other
	proven   int64         // up to which number the lines are what a checkpoint speaks of
	misnamed *Problem      // the first segment whose first line is not the one of its name
}

// signed is a checkpoint and where it comes from.
type signed struct {
	Checkpoint
	source  string
	outside bool
}

// gap is a run of numbers of lines that are not there.
type gap struct{ from, to int64 }

func (v *verification) found(p Problem) {
	if len(v.report.Problems) == mostProblems {
		v.report.More++
		return
	}
	v.report.Problems = append(v.report.Problems, p)
}

// readCheckpoints takes in those of the record and those that were kept elsewhere. One that the key has not
// signed is a problem.
func (v *verification) readCheckpoints(dir string, o VerifyOptions) error {
	public, err := PublicKey(dir)
	if err != nil {
		return fmt.Errorf("read the record: %w", err)
	}
	sources := []signed{{source: filepath.Join(dir, checkpointsName)}}
	for _, path := range o.Checkpoints {
		sources = append(sources, signed{source: path, outside: true})
	}
	var key note.Verifier
	if text := cmp.Or(o.Key, public); text != "" {
		if key, err = verifierOf(text); err != nil && o.Key != "" {
			return err
		} else if err != nil {
			v.found(Problem{File: publicName, Kind: Changed, Message: err.Error()})
		}
	}
	for _, from := range sources {
		if err := v.readSource(from, key); err != nil {
			return err
		}
	}
	slices.SortStableFunc(v.checkpoints, func(a, b signed) int { return cmp.Compare(a.Size, b.Size) })
	return nil
}

// readSource takes in the checkpoints of one file.
func (v *verification) readSource(from signed, key note.Verifier) error {
	open := openRead
	if from.outside {
		open = os.Open // whatever the caller has named
	}
	f, err := open(from.source)
	if errors.Is(err, fs.ErrNotExist) && !from.outside {
		return nil
	} else if err != nil {
		return fmt.Errorf("read the checkpoints: %w", err)
	}
	defer f.Close()
	count := 0
	err = readNotes(f, func(n placedNote) {
		count++
		if key == nil {
			v.found(Problem{File: from.source, Line: n.line, Kind: ForgedCheckpoint,
				Message: "the record has no key (" + publicName + "), so nothing can be said of this checkpoint"})
			return
		}
		next, err := parseCheckpoint(n.text, key)
		switch {
		case err != nil && n.open: // a crash has torn it
		case err != nil:
			v.found(Problem{File: from.source, Line: n.line, Kind: ForgedCheckpoint,
				Message: fmt.Sprintf("%v; the key that should have signed it is %s", err, key.Name())})
		default:
			next.Line, next.Note = n.line, ""
			v.checkpoints = append(v.checkpoints, signed{next, from.source, from.outside})
		}
	})
	if err != nil {
		return fmt.Errorf("read the checkpoints: %w", err)
	}
	if count == 0 && from.outside {
		return fmt.Errorf("%s holds no checkpoint; a2a-acp audit checkpoint prints one", from.source)
	}
	return nil
}

// own returns the last checkpoint of the record itself; the zero Checkpoint where there is none.
func (v *verification) own() Checkpoint {
	for _, c := range slices.Backward(v.checkpoints) {
		if !c.outside {
			return c.Checkpoint
		}
	}
	return Checkpoint{}
}

// read goes through all lines.
func (v *verification) read(from *stream) error {
	v.report.First = from.first()
	lines := from.lines(0, 0)
	for {
		line, err := lines.raw()
		var damage *Damage
		switch {
		case errors.Is(err, io.EOF):
			if torn := from.size() - lines.offset; torn > 0 {
				v.found(Problem{Seq: v.last + 1, File: from.last(), Line: lines.line + 1, Kind: Torn,
					Message: fmt.Sprintf("%d bytes without an end, as a crash leaves them; "+
						"they are set aside when the record is opened", torn)})
			}
			return nil
		case errors.As(err, &damage):
			v.noRecord(&lines, damage.Why)
			continue
		case err != nil:
			return fmt.Errorf("read the record: %w", err)
		}
		place, err := parseEnvelope(line)
		if err != nil {
			v.noRecord(&lines, err.Error())
			continue
		}
		leaf := tlog.RecordHash(line)
		known, same := v.tree.holds(place.seq, leaf)
		if !same && !json.Valid(line) {
			v.noRecord(&lines, "it is not JSON")
			continue
		}
		v.line(&lines, line, place, leaf, known, same)
	}
}

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
			v.retired = max(v.retired, entry.Retired)
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

// begin takes in the lines before the first one that is there, of which the tree has the hashes, and holds them
// against the checkpoints of their time.
func (v *verification) begin(before int64) {
	if v.whole = v.tree.before(before); v.whole.size == 0 {
		return
	}
	for len(v.checkpoints) > 0 && v.checkpoints[0].Size <= before {
		c := v.checkpoints[0]
		v.checkpoints = v.checkpoints[1:]
		proof, err := tlog.ProveTree(before, c.Size, &v.tree.t)
		if err == nil {
			err = tlog.CheckTree(proof, before, v.whole.root(), c.Size, c.Root)
		}
		if err != nil {
			v.found(Problem{Seq: 1, File: c.source, Line: c.Line, Kind: Changed, Message: fmt.Sprintf("among the lines "+
				"up to %d, which were removed, was one that is not what was recorded: the checkpoint has another root", before)})
			return
		}
		v.agrees(c)
	}
}

// agrees takes note of a checkpoint that the lines agree with.
func (v *verification) agrees(c signed) {
	if v.good == nil || c.outside || !v.good.outside {
		v.good = &c
	}
}

// compare holds the lines so far against the checkpoints that speak of so many.
func (v *verification) compare() {
	for len(v.checkpoints) > 0 && v.checkpoints[0].Size <= v.whole.size {
		c := v.checkpoints[0]
		v.checkpoints = v.checkpoints[1:]
		switch {
		case c.Root == v.whole.root():
			v.agrees(c)
			v.proven = c.Size
		case !v.explained():
			// What the record itself says of the lines before, whoever has written it anew says as well.
			from := int64(1)
			if v.good != nil && (v.good.outside || !c.outside) {
				from = v.good.Size + 1
			}
			v.found(Problem{Seq: from, File: c.source, Line: c.Line, Kind: Changed,
				Message: fmt.Sprintf("among the lines %d to %d is one that is not what was recorded: "+
					"the checkpoint has another root", from, c.Size)})
		}
	}
}

// explained reports whether a problem with lines was found, from which others may follow.
func (v *verification) explained() bool {
	return slices.ContainsFunc(v.report.Problems, func(p Problem) bool { return p.Kind != ForgedCheckpoint && p.Kind != Torn })
}

// conclude says what is known when all lines were read. own is the last checkpoint of the record itself.
func (v *verification) conclude(from *stream, own Checkpoint) {
	v.report.Last = v.last
	v.clearLines()
	for _, g := range v.gaps {
		if g.to < from.first() && g.to <= v.retired {
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
	if v.good != nil {
		v.report.Checkpoint = &Held{Size: v.good.Size, Root: v.good.Root.String(), Source: v.good.source}
		v.report.Outside = v.good.outside
	}
}

// clearLines takes back what the tree said of lines that a checkpoint then agreed with: the tree is another.
func (v *verification) clearLines() {
	n := len(v.report.Problems)
	v.report.Problems = slices.DeleteFunc(v.report.Problems, func(p Problem) bool {
		return p.Kind == Changed && p.Message == notInTree && p.Seq <= v.proven
	})
	if len(v.report.Problems) < n {
		v.found(Problem{File: treeName, Kind: Changed,
			Message: "it has not the hashes of the lines, which are what the checkpoint speaks of"})
	}
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
