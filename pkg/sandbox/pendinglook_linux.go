//go:build amd64 || arm64

package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// pendingLooks notes in which directories calls run whose changes are looked at when they end. What a program
// that was killed has noted, the next call in the same directory finds, and looks at what has changed there
// since.
//
// There is a file for each directory and program, which the program keeps locked as long as it lives. A
// call writes it anew when it begins and when it ends, and nothing waits for the disk.
type pendingLooks struct {
	dir string

	mu    sync.Mutex
	notes map[string]*note // by the directory that they are about
}

// note is a file that says since when calls run in a directory.
type note struct {
	file    *os.File
	path    string // of the directory
	since   time.Time
	running int
}

// openUnlooked makes the place for notes. Those of programs that ended while no call ran are removed.
func openUnlooked(dir string) (*pendingLooks, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make a place for notes of what runs where: %w", err)
	}
	u := &pendingLooks{dir: dir, notes: map[string]*note{}}
	for _, n := range u.abandoned("") {
		if n.since.IsZero() {
			n.forget()
		} else {
			n.file.Close()
		}
	}
	return u, nil
}

// begin notes that a call begins that may write to a directory, and returns the notes of programs that were
// killed while calls ran there. The caller closes them.
func (u *pendingLooks) begin(path string) ([]*note, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	n := u.notes[path]
	if n == nil {
		file, err := os.OpenFile(filepath.Join(u.dir, noteName(path)+randomName()),
			os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, err
		}
		n = &note{file: file, path: path}
		if err := errors.Join(unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB),
			n.write(time.Time{})); err != nil {
			n.forget()
			return nil, err
		}
		u.notes[path] = n
	}
	if n.running == 0 {
		if err := n.write(time.Now()); err != nil {
			return nil, err
		}
	}
	n.running++
	return u.abandoned(path), nil
}

// end notes that such a call has ended, and what it changed was looked at.
func (u *pendingLooks) end(path string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	n := u.notes[path]
	if n.running--; n.running == 0 {
		_ = n.write(time.Time{}) // it is looked at once more, then
	}
}

// close removes what is noted of this program.
func (u *pendingLooks) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, n := range u.notes {
		n.forget()
	}
}

// abandoned opens and locks the notes about a directory, or about any where it is "", whose programs are
// gone.
func (u *pendingLooks) abandoned(path string) (list []*note) {
	names, err := os.ReadDir(u.dir)
	if err != nil {
		return nil
	}
	for _, name := range names {
		if path != "" && !strings.HasPrefix(name.Name(), noteName(path)) {
			continue
		}
		file, err := os.OpenFile(filepath.Join(u.dir, name.Name()), os.O_RDWR|unix.O_NOFOLLOW, 0)
		if err != nil {
			continue
		}
		n := &note{file: file}
		if unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil || !n.read() ||
			path != "" && n.path != path {
			file.Close()
			continue
		}
		list = append(list, n)
	}
	return list
}

// noteName begins the names of the notes about a directory.
func noteName(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:16]) + "-"
}

// timeDigits is how many bytes of a note its time takes.
const timeDigits = 20

func (n *note) write(since time.Time) error {
	n.since = since
	nanoseconds := int64(0)
	if !since.IsZero() {
		nanoseconds = since.UnixNano()
	}
	_, err := n.file.WriteAt(fmt.Appendf(nil, "%0*d %s\n", timeDigits, nanoseconds, n.path), 0)
	return err
}

// read reports whether the file holds a note.
func (n *note) read() bool {
	text, err := os.ReadFile(n.file.Name())
	if err != nil || len(text) <= timeDigits+1 {
		return false
	}
	nanoseconds, err := strconv.ParseInt(string(text[:timeDigits]), 10, 64)
	if nanoseconds != 0 {
		n.since = time.Unix(0, nanoseconds)
	}
	n.path = strings.TrimSuffix(string(text[timeDigits+1:]), "\n")
	return err == nil
}

// forget removes a note.
func (n *note) forget() {
	_ = os.Remove(n.file.Name()) // what stays is looked at once more
	n.file.Close()
}

// note notes that a call runs that may write to what is watched, and has told what nobody has looked at
// since an earlier one.
func (h *Host) note(c *call) {
	if h.pendingLooks == nil && h.unnoted == nil {
		return
	}
	for i := range c.watched {
		w := &c.watched[i]
		notes, err := []*note(nil), h.unnoted
		if err == nil {
			notes, err = h.pendingLooks.begin(w.dir)
		}
		if err != nil {
			c.hints = append(c.hints, fmt.Sprintf("protected: it could not be noted that a call runs in %s: %v; "+
				"should this program be killed meanwhile, nobody looks at what the call changed", w.dir, err))
			continue
		}
		w.noted, w.missed = true, notes
		for _, n := range notes {
			if !n.since.IsZero() {
				c.changed = append(c.changed, w.tellMissed(n.since)...)
			}
		}
	}
}

// unnote notes that a call has ended. told says that what it found was told.
func (h *Host) unnote(c *call, told bool) {
	for _, w := range c.watched {
		if w.noted {
			h.pendingLooks.end(w.dir)
		}
		for _, n := range w.missed {
			if told {
				n.forget()
			} else {
				n.file.Close()
			}
		}
	}
}

// slack is how far a change time may lie before the change: some ticks of the clock, and two seconds on
// FAT, which has no fractions.
func (v version) slack() time.Duration {
	if v.changed.Nsec == 0 {
		return 2 * time.Second
	}
	return 50 * time.Millisecond
}

// tellMissed tells what others run or believe without a look, and has changed since calls began which
// nobody looked at when they ended, for their program was killed. The person may have changed it meanwhile:
// it is only told.
func (w *watched) tellMissed(since time.Time) []string {
	dir, err := openDirectory(w.dir)
	if err != nil {
		return nil // tellNew says so
	}
	defer dir.Close()
	root := int(dir.Fd())
	told := telling{dir: w.dir}
	untimed := false // a change of some would not show
	within := "/"    // of a directory what is in it is not told, too
	for _, at := range slices.Sorted(maps.Keys(w.before.there)) {
		v := w.before.there[at]
		if strings.HasPrefix(at, within) {
			continue
		}
		if time.Unix(v.changed.Unix()).Before(since.Add(-v.slack())) {
			untimed = untimed || v.kind == unix.S_IFREG && v.content != [16]byte{}
			continue
		}
		weight := w.judge.Weigh(at, func(path string) []byte { return readBelow(root, path) })
		if weight == Plain && v.kind == unix.S_IFLNK && leadsAsideBelow(root, at, w.judge) {
			weight = v.weighLink()
		}
		if weight == Plain {
			continue
		}
		if v.kind == unix.S_IFDIR {
			within = at
		}
		told.add(fmt.Sprintf("protected: %s was made or changed since %s, "+
			"when a call ran here and the program that ran it was killed: "+
			"others run or believe it without a look, and nobody has looked", w.shown(at),
			since.Format(time.DateTime)))
	}
	if untimed {
		told.add(fmt.Sprintf("protected: nobody can tell what a call has changed in %s that ran at %s, "+
			"when the program that ran it was killed: on this file system a file can be changed without a trace",
			w.dir, since.Format(time.DateTime)))
	}
	return told.lines()
}
