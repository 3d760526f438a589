package audit

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// checkpointsName is the file of all checkpoints, the oldest first.
const checkpointsName = "checkpoints"

// Checkpoint says that the first Size lines of a record have the Merkle root Root (RFC 6962, 2.1). It is signed,
// in the form of c2sp.org/tlog-checkpoint, so that witnesses elsewhere can sign it as well.
type Checkpoint struct {
	Size int64
	Root tlog.Hash
	Note string // as it was signed
	Line int    // of the file that it was read from, from 1
}

// checkpointText is what is signed.
func checkpointText(origin string, size int64, root tlog.Hash) string {
	return fmt.Sprintf("%s\n%d\n%s\n", origin, size, base64.StdEncoding.EncodeToString(root[:]))
}

// parseCheckpoint reads a signed checkpoint. The error is a *note.UnverifiedNoteError where none of its
// signatures is by the key.
func parseCheckpoint(text string, key note.Verifier) (Checkpoint, error) {
	signed, err := note.Open([]byte(text), note.VerifierList(key))
	if err != nil {
		return Checkpoint{}, err
	}
	lines := strings.Split(signed.Text, "\n")
	if len(lines) < 4 || lines[0] != key.Name() {
		return Checkpoint{}, errors.New("it is no checkpoint of this record")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 1 || strconv.FormatInt(size, 10) != lines[1] {
		return Checkpoint{}, fmt.Errorf("%q is no size", lines[1])
	}
	root, err := tlog.ParseHash(lines[2])
	if err != nil {
		return Checkpoint{}, fmt.Errorf("its root: %w", err)
	}
	return Checkpoint{Size: size, Root: root, Note: text}, nil
}

// splitNotes returns the signed notes of a file that holds one behind the other, with the line that each begins
// at. A note is a text, an empty line, and signatures.
func splitNotes(file []byte) (notes []string, lines []int) {
	var current []byte
	line, begun, signatures := 0, 0, false
	end := func() {
		if len(bytes.TrimSpace(current)) > 0 {
			notes, lines = append(notes, string(current)), append(lines, begun)
		}
		current, signatures = nil, false
	}
	for text := range bytes.Lines(file) {
		line++
		isSignature := bytes.HasPrefix(text, []byte("— "))
		if signatures && !isSignature {
			end()
		}
		if len(current) == 0 {
			if len(bytes.TrimSpace(text)) == 0 {
				continue
			}
			begun = line
		}
		current, signatures = append(current, text...), isSignature
	}
	end()
	return notes, lines
}

// lastNote returns the last checkpoint of the record in dir; "" where there is none. A note that was torn by a
// crash is no checkpoint yet.
func lastNote(dir string) (string, error) {
	const tail = 4 << 10 // some twenty notes
	f, err := os.Open(filepath.Join(dir, checkpointsName))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	text := make([]byte, min(tail, info.Size()))
	if _, err := f.ReadAt(text, info.Size()-int64(len(text))); err != nil {
		return "", err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	notes, _ := splitNotes(text[:whole])
	for i := len(notes) - 1; i >= 0; i-- {
		if strings.Contains(notes[i], "\n\n— ") {
			return notes[i], nil
		}
	}
	return "", nil
}

// lastCheckpoint returns the last checkpoint of the record in dir, which the key has signed; the zero
// Checkpoint where there is none.
func lastCheckpoint(dir string, key note.Verifier) (Checkpoint, error) {
	text, err := lastNote(dir)
	if err != nil || text == "" {
		return Checkpoint{}, err
	}
	last, err := parseCheckpoint(text, key)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: the last checkpoint was not signed with the key of this record: %w",
			ErrDamaged, err)
	}
	return last, nil
}

// appendNote puts a checkpoint behind the others, on disk.
func appendNote(dir, text string) error {
	f, err := openFile(filepath.Join(dir, checkpointsName), os.O_APPEND)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() > 0 {
		text = "\n" + text
	}
	if _, err := f.WriteString(text); err != nil {
		return err
	}
	return f.Sync()
}
