package audit

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// The first line of a proof, and what the second one begins with (c2sp.org/tlog-proof).
const (
	proofHeader = "c2sp.org/tlog-proof@v1"
	proofExtra  = "extra "
	proofIndex  = "index "
)

// Prove returns a proof that the line with a number stands in the record in dir, in the form of
// c2sp.org/tlog-proof, with the line itself as its extra data. Where the last checkpoint does not speak of
// that line yet, another is made.
func Prove(dir string, seq int64) ([]byte, error) {
	t, last, err := treeOver(dir, seq)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	line, err := lineOf(dir, seq)
	if err != nil {
		return nil, err
	}
	if leaf, err := t.leaf(seq); err != nil || leaf != tlog.RecordHash(line) {
		return nil, fmt.Errorf("%w: number %d is not what was recorded", ErrDamaged, seq)
	}
	hashes, err := tlog.ProveRecord(last.Size, seq-1, t)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n%s%s\n%s%d\n", proofHeader, proofExtra, base64.StdEncoding.EncodeToString(line), proofIndex, seq-1)
	for _, h := range hashes {
		fmt.Fprintln(&b, h)
	}
	fmt.Fprintf(&b, "\n%s", last.Note)
	return b.Bytes(), nil
}

// treeOver returns the tree as the last checkpoint speaks of it, which the caller closes. Where it does not
// speak of a line, another is made first.
func treeOver(dir string, seq int64) (*tree, Checkpoint, error) {
	t, last, err := treeAtCheckpoint(dir)
	if err == nil && last.Size >= seq {
		return t, last, nil
	}
	if err == nil {
		t.Close()
	}
	if _, _, err := MakeCheckpoint(dir); err != nil {
		return nil, Checkpoint{}, err
	}
	return treeAtCheckpoint(dir)
}

// treeAtCheckpoint returns the tree and the last checkpoint as they are.
func treeAtCheckpoint(dir string) (*tree, Checkpoint, error) {
	public, err := PublicKey(dir)
	if err != nil {
		return nil, Checkpoint{}, err
	}
	key, err := verifierOf(public)
	if err != nil {
		return nil, Checkpoint{}, err
	}
	last, err := lastCheckpoint(dir, key)
	if err != nil {
		return nil, Checkpoint{}, err
	}
	t, err := openTree(dir, false)
	if err != nil {
		return nil, Checkpoint{}, err
	}
	if err := t.begin(last); err != nil {
		t.Close()
		return nil, Checkpoint{}, err
	}
	return t, last, nil
}

// lineOf returns the line with a number.
func lineOf(dir string, seq int64) ([]byte, error) {
	whole, err := openStream(dir)
	if err != nil {
		return nil, err
	}
	defer whole.Close()
	offset, err := findSeq(whole, seq)
	if errors.Is(err, ErrCursor) {
		return nil, fmt.Errorf("no line has number %d: %w", seq, os.ErrNotExist)
	} else if err != nil {
		return nil, err
	}
	lines := whole.lines(offset, seq-1)
	return lines.raw()
}

// Proved is what a proof says.
type Proved struct {
	Entry      Entry
	Checkpoint Checkpoint
	Signed     bool // its checkpoint was signed with the key; without a key nothing is known of that
}

// CheckProof holds a proof against a public key and returns what it proves. It needs no record. Without a key ("")
// it can only say that the line is one of those that the checkpoint speaks of: anybody can make both. The error says
// what is wrong with the proof; it is ErrForged where that is the signature.
func CheckProof(proof []byte, public string) (*Proved, error) {
	head, signed, ok := strings.Cut(string(proof), "\n\n")
	lines := strings.Split(head, "\n")
	if !ok || len(lines) < 3 || lines[0] != proofHeader {
		return nil, fmt.Errorf("it is no proof: want %s, the record's line, its index, hashes and a checkpoint", proofHeader)
	}
	encoded, okLine := strings.CutPrefix(lines[1], proofExtra)
	line, err := base64.StdEncoding.DecodeString(encoded)
	if !okLine || err != nil {
		return nil, errors.New("it does not hold the line that it is about")
	}
	digits, okIndex := strings.CutPrefix(lines[2], proofIndex)
	index, err := strconv.ParseInt(digits, 10, 64)
	if !okIndex || err != nil || index < 0 {
		return nil, errors.New("it does not say which line it is about")
	}
	var hashes tlog.RecordProof
	for _, text := range lines[3:] {
		h, err := tlog.ParseHash(text)
		if err != nil {
			return nil, fmt.Errorf("%q is no hash", text)
		}
		hashes = append(hashes, h)
	}
	checkpoint, err := checkpointOfProof(signed, public)
	if err != nil {
		return nil, err
	}
	if index >= checkpoint.Size {
		return nil, fmt.Errorf("it is about number %d, and its checkpoint speaks of %d lines", index+1, checkpoint.Size)
	}
	if err := tlog.CheckRecord(hashes, checkpoint.Size, checkpoint.Root, index, tlog.RecordHash(line)); err != nil {
		return nil, errors.New("the line is not the one that the checkpoint speaks of")
	}
	entry, err := parseEntry(line)
	if err != nil {
		return nil, err
	}
	if entry.Seq != index+1 {
		return nil, fmt.Errorf("the line says that it is number %d, and stands at number %d", entry.Seq, index+1)
	}
	return &Proved{Entry: entry, Checkpoint: checkpoint, Signed: public != ""}, nil
}

// ErrForged is what a checkpoint is that the key has not signed.
var ErrForged = errors.New("its checkpoint was not signed with the key")

// checkpointOfProof reads the checkpoint at the end of a proof. Nobody's signature is asked for without a key.
func checkpointOfProof(signed, public string) (Checkpoint, error) {
	if public == "" {
		_, err := note.Open([]byte(signed), note.VerifierList())
		if unverified, ok := errors.AsType[*note.UnverifiedNoteError](err); ok {
			origin, _, _ := strings.Cut(unverified.Note.Text, "\n")
			return checkpointOf(unverified.Note.Text, origin, signed)
		}
		return Checkpoint{}, fmt.Errorf("its checkpoint: %w", err)
	}
	key, err := verifierOf(public)
	if err != nil {
		return Checkpoint{}, err
	}
	checkpoint, err := parseCheckpoint(signed, key)
	if err != nil {
		err = fmt.Errorf("%w %s: %w", ErrForged, key.Name(), err)
	}
	return checkpoint, err
}
