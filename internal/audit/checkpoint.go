package audit

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
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
	return checkpointOf(signed.Text, key.Name(), text)
}

// checkpointOf reads the text that is signed in a note, whole, of the record with a name.
func checkpointOf(signed, name, whole string) (Checkpoint, error) {
	lines := strings.Split(signed, "\n")
	if len(lines) < 4 || lines[0] != name {
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
	return Checkpoint{Size: size, Root: root, Note: whole}, nil
}

// longestNote bounds a signed note, of which ours have some 200 bytes.
const longestNote = 64 << 10

// tornMark ends a line that a crash or a full disk has torn, when another note is put behind it.
const tornMark = " (torn)"

// placedNote is a signed note of a file.
type placedNote struct {
	text string
	line int  // that it begins at, from 1
	open bool // its last line has no end, as after a crash; text has one
}

// The parts of a signed note, in their order.
const (
	noPart = iota
	textPart
	emptyPart // one line
	signaturesPart
)

// readNotes gives each signed note of a file that holds one behind the other to a function. A note is a text
// without empty lines, an empty line, and signatures. Anything else that stands there, as a crash leaves it, is
// passed over.
func readNotes(r io.Reader, each func(placedNote)) error {
	lines := bufio.NewReaderSize(r, longestNote)
	var note []byte
	part, line, begun := noPart, 0, 0
	end := func(open bool) {
		if part == signaturesPart {
			each(placedNote{text: string(note), line: begun, open: open})
		}
		note, part = note[:0], noPart
	}
	for {
		text, err := lines.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			note, part = note[:0], noPart
			continue
		case errors.Is(err, io.EOF) && len(text) == 0:
			end(false)
			return nil
		case err != nil && !errors.Is(err, io.EOF):
			return err
		}
		line++
		signature, empty := bytes.HasPrefix(text, []byte("— ")), len(bytes.TrimSpace(text)) == 0
		if part == signaturesPart && !signature {
			end(false)
		}
		switch {
		case bytes.HasSuffix(text, []byte(tornMark+"\n")), len(note)+len(text) > longestNote:
			part = noPart
		case signature && part >= emptyPart:
			part = signaturesPart
		case empty && part == textPart:
			part = emptyPart
		case !signature && !empty && part != textPart:
			note, part, begun = note[:0], textPart, line
		case !signature && !empty:
		default:
			part = noPart
		}
		if note = append(note, text...); part == noPart {
			note = note[:0]
		}
		if err != nil {
			note = append(note, '\n')
			end(true)
			return nil //nolint:nilerr // it is io.EOF
		}
	}
}

// lastNote returns the last checkpoint of the record in dir; "" where there is none. A note that was torn by a
// crash is no checkpoint yet.
func lastNote(dir string) (last string, err error) {
	const tail = 4 << 10 // some twenty notes
	f, err := openRead(filepath.Join(dir, checkpointsName))
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
	from := max(0, info.Size()-tail)
	err = readNotes(io.NewSectionReader(f, from, info.Size()-from), func(n placedNote) {
		if !n.open {
			last = n.text
		}
	})
	return last, err
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

// appendNote puts a checkpoint behind the others of a file that is open for that, on disk. What a crash has torn
// there gets a mark, and an end.
func appendNote(f *os.File, text string) error {
	if _, err := f.WriteString(afterNotes(f.Name()) + text); err != nil {
		return err
	}
	return f.Sync()
}

// afterNotes returns what has to stand between the notes of a file and the next one. A file that cannot be read
// is taken for whole.
func afterNotes(path string) string {
	f, err := openRead(path)
	if err != nil {
		return "\n"
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "\n"
	}
	last := make([]byte, 1)
	switch _, err := f.ReadAt(last, info.Size()-1); {
	case info.Size() == 0:
		return ""
	case err == nil && last[0] != '\n':
		return tornMark + "\n\n"
	}
	return "\n"
}

// LastCheckpoint returns the last checkpoint of the record in dir; the zero Checkpoint where there is none.
func LastCheckpoint(dir string) (Checkpoint, error) {
	key, err := ownVerifier(dir)
	if err != nil || key == nil {
		return Checkpoint{}, err
	}
	return lastCheckpoint(dir, key)
}

// CheckpointAfter returns the first checkpoint of the record in dir that speaks of more than a number of lines,
// and the zero Checkpoint where there is none. It reads the end of the file, unless what it looks for stands
// before.
func CheckpointAfter(dir string, size int64) (Checkpoint, error) {
	const tail = 64 << 10 // some three hundred notes
	key, err := ownVerifier(dir)
	if err != nil || key == nil {
		return Checkpoint{}, err
	}
	f, err := openRead(filepath.Join(dir, checkpointsName))
	if errors.Is(err, fs.ErrNotExist) {
		return Checkpoint{}, nil
	} else if err != nil {
		return Checkpoint{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Checkpoint{}, err
	}
	from := max(0, info.Size()-tail)
	for {
		var found Checkpoint
		earlier := false // the part that was read begins with one before what is looked for
		err := readNotes(io.NewSectionReader(f, from, info.Size()-from), func(n placedNote) {
			if found.Size > 0 || n.open {
				return
			}
			c, err := parseCheckpoint(n.text, key)
			switch {
			case err != nil:
			case c.Size > size:
				found = c
			default:
				earlier = true
			}
		})
		if err != nil || from == 0 || earlier || found.Size == 0 {
			return found, err
		}
		from = 0
	}
}

// ownVerifier checks signatures with the key of the record in dir; nil where nothing was signed yet.
func ownVerifier(dir string) (note.Verifier, error) {
	public, err := PublicKey(dir)
	if err != nil || public == "" {
		return nil, err
	}
	return verifierOf(public)
}
