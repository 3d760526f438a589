package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

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
		default:
			// What the record itself says of the lines before, whoever has written it anew says as well.
			from := int64(1)
			if v.good != nil && (v.good.outside || !c.outside) {
				from = v.good.Size + 1
			}
			another := Problem{Seq: from, File: c.source, Line: c.Line, Kind: Changed,
				Message: fmt.Sprintf("among the lines %d to %d is one that is not what was recorded: "+
					"the checkpoint has another root", from, c.Size)}
			if !v.explained() {
				v.found(another)
			} else if c.outside && v.doubted == nil {
				v.doubted = &another
			}
		}
	}
}
