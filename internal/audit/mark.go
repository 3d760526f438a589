package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// markName is the file that says that a record is damaged where those who open it do not look, or cannot see it.
const markName = "damaged"

// mark says what is damaged in a record. Whoever can write the record can take it away; then the damage is found
// once more.
type mark struct {
	Kind  Kind      `json:"kind"`
	Seq   int64     `json:"seq,omitempty"`
	Found time.Time `json:"found"`
}

// error says it as ErrDamaged. It uses no text of the file.
func (m mark) error() error {
	kinds := []Kind{Changed, Missing, Inserted, Reordered, Truncated, RolledBack, ForgedCheckpoint}
	if !slices.Contains(kinds, m.Kind) || m.Found.IsZero() {
		return fmt.Errorf("%w: it has a mark that says so (%s)", ErrDamaged, markName)
	}
	what := "it"
	if m.Seq > 0 {
		what = fmt.Sprintf("number %d", m.Seq)
	}
	return fmt.Errorf("%w: %s was found %s on %s", ErrDamaged, what,
		strings.ReplaceAll(string(m.Kind), "_", " "), m.Found.UTC().Format(time.RFC3339))
}

func (m mark) write(dir string) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	f, err := openFile(filepath.Join(dir, markName), 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt(append(text, '\n'), 0); err != nil {
		return err
	}
	return errors.Join(f.Sync(), syncDir(dir))
}

// Marked returns ErrDamaged for a record that has a mark, and nil for another.
func Marked(dir string) error {
	f, err := openRead(filepath.Join(dir, markName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var m mark
	if err == nil {
		defer f.Close()
		_ = json.NewDecoder(io.LimitReader(f, 4<<10)).Decode(&m) // one that cannot be read is one
	}
	return m.error()
}
