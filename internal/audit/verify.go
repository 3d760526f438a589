package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"golang.org/x/mod/sumdb/tlog"
)

// VerifyOptions say what a record is held against beside itself.
type VerifyOptions struct {
	Checkpoints []string // files of signed notes that were kept elsewhere
	Key         string   // the public key as it was kept elsewhere; "" takes that of the record

	// pause is called before the lines are looked for, when it is known how many there are to be, and as by stream.
	pause func() error
}

// mostProblems bounds what a Report lists, and mostGaps what is known of lines that are missing.
const (
	mostProblems = 100
	mostGaps     = 1000
)

// Verify reads the whole record in dir and says what is wrong with it. It may be used while others write. An
// error means that it could not be read; damage is in the Report.
//
// Without a checkpoint that was kept elsewhere it can only say that the record is consistent: whoever can write
// the directory has the key as well, and can write and sign another record.
func Verify(dir string, o VerifyOptions) (*Report, error) {
	var report *Report
	err := againIfRetired(dir, func() (err error) {
		if report, err = verify(dir, o); err == nil && !report.OK {
			return errNotWhole
		}
		return err
	})
	if errors.Is(err, errNotWhole) {
		err = nil
	}
	return report, err
}

// errNotWhole says that there is damage, or that what was read of the record first was removed before the rest was read.
var errNotWhole = fmt.Errorf("the record is not whole: %w", fs.ErrNotExist)

func verify(dir string, o VerifyOptions) (*Report, error) {
	v := &verification{report: &Report{Problems: []Problem{}}}
	if err := v.readCheckpoints(dir, o); err != nil {
		return nil, err
	}
	v.head = headOf(dir) // before the size: what is on disk by then stands in front of it
	own := v.own()
	if o.pause != nil {
		if err := o.pause(); err != nil {
			return nil, err
		}
	}
	whole, err := openStream(dir)
	if once := max(v.head.Seq, own.Size); once > 0 && errors.Is(err, fs.ErrNotExist) {
		v.found(Problem{Seq: 1, Kind: Truncated,
			Message: fmt.Sprintf("nothing is left of it, and it once was on disk up to number %d", once)})
		return v.report, nil
	} else if err != nil {
		return nil, fmt.Errorf("read the record: %w", err)
	}
	defer whole.Close()
	whole.pause = o.pause
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
	retired  Removed       // what was removed on purpose, as the record says
	good     *signed       // the last one that the lines agree with, one from elsewhere before any other
	proven   int64         // up to which number the lines are what a checkpoint speaks of
	misnamed *Problem      // the first segment whose first line is not the one of its name
	doubted  *Problem      // what the first checkpoint from elsewhere says that other problems seemed to explain
}

// signed is a checkpoint and where it comes from.
type signed struct {
	Checkpoint
	source  string
	outside bool
}

func (v *verification) found(p Problem) {
	if len(v.report.Problems) == mostProblems {
		v.report.More++
		return
	}
	v.report.Problems = append(v.report.Problems, p)
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
