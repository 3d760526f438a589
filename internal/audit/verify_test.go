package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// recordOfADay makes a record of 60 lines in several segments: a checkpoint speaks of the first 20, another of
// the first 40, and outside is the file where both were kept elsewhere.
func recordOfADay(t *testing.T) (dir, outside string) {
	t.Helper()
	log, dir := segmented(t, 20)
	outside = filepath.Join(t.TempDir(), "outside")
	for n := range 2 {
		made, c, err := MakeCheckpoint(dir)
		if err != nil || !made || c.Size != int64(20*(n+1)) {
			t.Fatalf("made %v of %d lines, %v", made, c.Size, err)
		}
		old, _ := os.ReadFile(outside)
		if err := os.WriteFile(outside, append(old, c.Note+"\n"...), 0o600); err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			keep(t, log, decided(fmt.Sprint("later ", i)))
		}
	}
	log.unsigned = 0 // the last lines have no checkpoint
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, outside
}

// lines are those of a whole record, by segment.
func linesOf(t *testing.T, dir string) [][]byte {
	t.Helper()
	var all []byte
	for _, name := range names(t, dir) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text...)
	}
	return bytes.SplitAfter(bytes.TrimSuffix(all, []byte("\n")), []byte("\n"))
}

// writeLines writes a whole record as one segment.
func writeLines(t *testing.T, dir string, lines [][]byte) {
	t.Helper()
	for _, name := range names(t, dir) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	text := append(bytes.TrimSuffix(bytes.Join(lines, nil), []byte("\n")), '\n')
	if err := os.WriteFile(filepath.Join(dir, segmentName(1)), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// rewritten changes the line with a number, and makes every later line follow it, as somebody would who knows
// the format.
func rewritten(t *testing.T, lines [][]byte, seq int) [][]byte {
	t.Helper()
	prev := ""
	for i, line := range lines {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if i+1 == seq {
			line = bytes.Replace(line, []byte(`"detail":"`), []byte(`"detail":"nothing `), 1)
		}
		e, err := parseEnvelope(line)
		if err != nil {
			t.Fatal(err)
		}
		line = bytes.Replace(line, []byte(`"prev":"`+string(e.prev)), []byte(`"prev":"`+prev), 1)
		sum := sha256.Sum256(line)
		prev = hex.EncodeToString(sum[:])
		lines[i] = append(line, '\n')
	}
	return lines
}

// TestVerify tells every kind of damage, and which line it begins with.
func TestVerify(t *testing.T) {
	t.Parallel()
	edit := func(change func(t *testing.T, lines [][]byte) [][]byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			writeLines(t, dir, change(t, linesOf(t, dir)))
		}
	}
	replaced := func(seq int) func(*testing.T, [][]byte) [][]byte {
		return func(_ *testing.T, lines [][]byte) [][]byte {
			lines[seq-1] = bytes.Replace(lines[seq-1], []byte(`"detail":"`), []byte(`"detail":"nothing `), 1)
			return lines
		}
	}
	remove := func(t *testing.T, dir string, names ...string) {
		t.Helper()
		for _, name := range names {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := []struct {
		name    string
		damage  func(t *testing.T, dir string)
		outside bool   // the checkpoints that were kept elsewhere are at hand
		want    string // the problems: kind and number
	}{
		{name: "nothing", damage: func(*testing.T, string) {}},
		{name: "nothing, held against what was kept elsewhere", damage: func(*testing.T, string) {}, outside: true},
		{name: "in one file", damage: edit(func(_ *testing.T, lines [][]byte) [][]byte { return lines })},
		{name: "the tree is gone", damage: func(t *testing.T, dir string) { t.Helper(); remove(t, dir, treeName) }},
		{name: "a line is another", damage: edit(replaced(7)), want: "changed 7"},
		{name: "the first line is another", damage: edit(replaced(1)), want: "changed 1"},
		{name: "a line behind the last checkpoint is another", damage: edit(replaced(50)), want: "changed 50"},
		{name: "the last line is another", damage: edit(replaced(60)), want: "changed 60"},
		{name: "two lines are others", damage: edit(func(t *testing.T, lines [][]byte) [][]byte {
			t.Helper()
			return replaced(7)(t, replaced(45)(t, lines))
		}), want: "changed 7, changed 45"},
		{name: "a line is no record", damage: edit(func(_ *testing.T, lines [][]byte) [][]byte {
			lines[6] = []byte("hello\n")
			return lines
		}), want: "changed 7"},
		{name: "a line is no JSON", damage: edit(func(_ *testing.T, lines [][]byte) [][]byte {
			lines[49] = append(bytes.TrimSuffix(lines[49], []byte("}\n")), '\n')
			return lines
		}), want: "changed 50"},
		{name: "a line is gone", damage: edit(func(_ *testing.T, lines [][]byte) [][]byte {
			return slices.Delete(lines, 6, 7)
		}), want: "missing 7"},
		{name: "lines behind the last checkpoint are gone", damage: edit(func(_ *testing.T, lines [][]byte) [][]byte {
			return slices.Delete(lines, 49, 52)
		}), want: "missing 50"},
		{name: "the first lines are gone", damage: edit(func(_ *testing.T, lines [][]byte) [][]byte {
			return lines[3:]
		}), want: "missing 1"},
		{name: "a segment is gone", damage: func(t *testing.T, dir string) { t.Helper(); remove(t, dir, names(t, dir)[1]) },
			want: "missing SEGMENT"},
		{name: "the first segment is gone", damage: func(t *testing.T, dir string) { t.Helper(); remove(t, dir, segmentName(1)) },
			want: "missing 1"},
		{name: "a line stands there twice", damage: edit(func(_ *testing.T, lines [][]byte) [][]byte {
			return slices.Insert(lines, 10, lines[6])
		}), want: "inserted 7"},
		{name: "a line of somebody's stands between", damage: edit(func(_ *testing.T, lines [][]byte) [][]byte {
			forged := bytes.Replace(lines[6], []byte(`"detail":"`), []byte(`"detail":"nothing `), 1)
			return slices.Insert(lines, 6, forged)
		}), want: "inserted 7"},
		{name: "text stands between", damage: edit(func(_ *testing.T, lines [][]byte) [][]byte {
			return slices.Insert(lines, 6, []byte("hello\n"))
		}), want: "inserted 7"},
		{name: "two lines are swapped", damage: edit(func(_ *testing.T, lines [][]byte) [][]byte {
			lines[6], lines[7] = lines[7], lines[6]
			return lines
		}), want: "reordered 7"},
		{name: "a line stands much later", damage: edit(func(_ *testing.T, lines [][]byte) [][]byte {
			return slices.Insert(slices.Delete(slices.Clone(lines), 6, 7), 50, lines[6])
		}), want: "reordered 7"},
		{name: "the end is gone", damage: edit(func(_ *testing.T, lines [][]byte) [][]byte {
			return lines[:50]
		}), want: "truncated 51"},
		{name: "the end is gone, and what the lock says", damage: func(t *testing.T, dir string) {
			t.Helper()
			writeLines(t, dir, linesOf(t, dir)[:30])
			if err := os.WriteFile(filepath.Join(dir, lockName), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, want: "truncated 31"},
		{name: "half a line at the end", damage: func(t *testing.T, dir string) {
			t.Helper()
			appendTo(t, filepath.Join(dir, names(t, dir)[len(names(t, dir))-1]), `{"seq":61,"v"`)
		}, want: "torn 61"},
		{name: "written anew from a line on", damage: edit(func(t *testing.T, lines [][]byte) [][]byte {
			t.Helper()
			return rewritten(t, lines, 50)
		}), want: "changed 60"}, // what the lock says is all there is to hold it against
		{name: "written anew, with another tree", damage: func(t *testing.T, dir string) {
			t.Helper()
			writeLines(t, dir, rewritten(t, linesOf(t, dir), 30))
			remove(t, dir, treeName, lockName)
		}, want: "changed 21"},
		{name: "an older copy is back", damage: func(t *testing.T, dir string) {
			t.Helper()
			writeLines(t, dir, linesOf(t, dir)[:25])
			notes := notesOf(t, filepath.Join(dir, checkpointsName))
			if err := os.WriteFile(filepath.Join(dir, checkpointsName), []byte(notes[0].text), 0o600); err != nil {
				t.Fatal(err)
			}
			remove(t, dir, treeName, lockName)
		}},
		{name: "an older copy is back, held against what was kept elsewhere", damage: func(t *testing.T, dir string) {
			t.Helper()
			writeLines(t, dir, linesOf(t, dir)[:25])
			notes := notesOf(t, filepath.Join(dir, checkpointsName))
			if err := os.WriteFile(filepath.Join(dir, checkpointsName), []byte(notes[0].text), 0o600); err != nil {
				t.Fatal(err)
			}
			remove(t, dir, treeName, lockName)
		}, outside: true, want: "rolled_back 26"},
		{name: "all is written anew with the key at hand", damage: forge},
		{name: "all is written anew with the key at hand, held against what was kept elsewhere", damage: forge,
			outside: true, want: "changed 1"},
		{name: "all is written anew, with checkpoints of the same lines", damage: forgeTwice},
		{name: "the same, held against what was kept elsewhere ", damage: forgeTwice, outside: true, want: "changed 1"},
		{name: "all is written anew, with a tree of other hashes", damage: forgeTree, want: "changed 0"},
		{name: "the same, held against what was kept elsewhere  ", damage: forgeTree, outside: true, want: "changed 0, changed 1"},
		{name: "all is written anew, and it says that its first lines were removed on purpose", damage: forgeRetired},
		{name: "the same, held against what was kept elsewhere", damage: forgeRetired, outside: true, want: "changed 1"},
		{name: "the same, without a tree", damage: func(t *testing.T, dir string) {
			t.Helper()
			forgeRetired(t, dir)
			remove(t, dir, treeName, checkpointsName)
		}, outside: true, want: "missing 0"},
		{name: "all is written anew, and a checkpoint is somebody's", damage: func(t *testing.T, dir string) {
			t.Helper()
			other, _ := recordOfADay(t)
			forge(t, dir)
			appendTo(t, filepath.Join(dir, checkpointsName), "\n"+string(read(t, filepath.Join(other, checkpointsName))))
		}, outside: true, want: "forged_checkpoint 0, forged_checkpoint 0, changed 1"},
		{name: "no segment is left", damage: func(t *testing.T, dir string) { t.Helper(); remove(t, dir, names(t, dir)...) },
			want: "truncated 1"},
		{name: "the first segment has another name", damage: func(t *testing.T, dir string) {
			t.Helper()
			rename(t, dir, segmentName(1), segmentName(2))
		}, want: "changed 1"},
		{name: "a segment has another name", damage: func(t *testing.T, dir string) {
			t.Helper()
			first, _ := segmentFirst(names(t, dir)[1])
			rename(t, dir, segmentName(first), segmentName(first+1))
		}, want: "changed SEGMENT"},
		{name: "a segment is a link", damage: func(t *testing.T, dir string) {
			t.Helper()
			name := names(t, dir)[1]
			rename(t, dir, name, "moved")
			if err := os.Symlink("moved", filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}, want: "missing SEGMENT"},
		{name: "an empty segment stands far behind the end", damage: func(t *testing.T, dir string) {
			t.Helper()
			makeEmpty(t, filepath.Join(dir, segmentName(99)))
		}, want: "inserted 0"},
		{name: "an empty segment stands in the middle", damage: func(t *testing.T, dir string) {
			t.Helper()
			makeEmpty(t, filepath.Join(dir, segmentName(3)))
		}, want: "inserted 0"},
		{name: "an empty segment stands at the end, as a crash leaves it", damage: func(t *testing.T, dir string) {
			t.Helper()
			makeEmpty(t, filepath.Join(dir, segmentName(61)))
		}},
		{name: "the tree has another hash of a line", damage: func(t *testing.T, dir string) {
			t.Helper()
			hashes := read(t, filepath.Join(dir, treeName))
			hashes[11*32] ^= 1
			if err := os.WriteFile(filepath.Join(dir, treeName), hashes, 0o600); err != nil {
				t.Fatal(err)
			}
		}, want: "changed 0"},
		{name: "a checkpoint is somebody's", damage: func(t *testing.T, dir string) {
			t.Helper()
			other, _ := recordOfADay(t)
			appendTo(t, filepath.Join(dir, checkpointsName), "\n"+string(read(t, filepath.Join(other, checkpointsName))))
		}, want: "forged_checkpoint 0, forged_checkpoint 0"},
		{name: "a checkpoint speaks of more", damage: func(t *testing.T, dir string) {
			t.Helper()
			text := bytes.Replace(read(t, filepath.Join(dir, checkpointsName)), []byte("\n40\n"), []byte("\n50\n"), 1)
			if err := os.WriteFile(filepath.Join(dir, checkpointsName), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}, want: "forged_checkpoint 0"},
		{name: "the public key is another", damage: func(t *testing.T, dir string) {
			t.Helper()
			if err := os.WriteFile(filepath.Join(dir, publicName), []byte("a2a"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, want: "changed 0, forged_checkpoint 0, forged_checkpoint 0"},
		{name: "the key was replaced", damage: func(t *testing.T, dir string) {
			t.Helper()
			if _, err := makeKey(dir); err != nil {
				t.Fatal(err)
			}
		}, want: "forged_checkpoint 0, forged_checkpoint 0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir, outside := recordOfADay(t)
			want := test.want
			if strings.Contains(want, "SEGMENT") { // the second one
				first, _ := segmentFirst(names(t, dir)[1])
				want = strings.Replace(want, "SEGMENT", fmt.Sprint(first), 1)
			}
			test.damage(t, dir)
			o := VerifyOptions{}
			if test.outside {
				o.Checkpoints = []string{outside}
			}
			report, err := Verify(dir, o)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range report.Problems {
				got = append(got, fmt.Sprintf("%s %d", p.Kind, p.Seq))
			}
			if strings.Join(got, ", ") != want || report.OK != (want == "") {
				t.Errorf("got %q, ok %v, want %q: %+v", got, report.OK, want, report.Problems)
			}
			if report.OK && (report.Checkpoint == nil || report.Outside != test.outside) {
				t.Errorf("held against %+v, outside %v", report.Checkpoint, report.Outside)
			}
		})
	}
}

// forge makes the whole record anew, and signs it with the key that lies beside it.
func forge(t *testing.T, dir string) {
	t.Helper()
	writeLines(t, dir, rewritten(t, linesOf(t, dir), 1))
	for _, name := range []string{treeName, lockName, checkpointsName} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if made, _, err := MakeCheckpoint(dir); err != nil || !made {
		t.Fatal(made, err)
	}
}

// forgeTwice is forge with a checkpoint of the first 20 lines, too, as there was one before.
func forgeTwice(t *testing.T, dir string) {
	t.Helper()
	lines := rewritten(t, linesOf(t, dir), 1)
	for _, name := range []string{treeName, lockName, checkpointsName} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []int{20, 60} {
		writeLines(t, dir, slices.Clone(lines[:n]))
		if made, _, err := MakeCheckpoint(dir); err != nil || !made {
			t.Fatal(made, err)
		}
	}
}

// forgeTree is forge with a tree that has another hash of one line, and that of all lines that the checkpoint has: as
// if no more than the tree had been damaged.
func forgeTree(t *testing.T, dir string) {
	t.Helper()
	forge(t, dir)
	f, err := os.OpenFile(filepath.Join(dir, treeName), os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteAt(make([]byte, tlog.HashSize), tlog.StoredHashIndex(0, 2)*tlog.HashSize)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// forgeRetired makes the whole record anew, without its first 45 lines, of which it says that they were removed on
// purpose.
func forgeRetired(t *testing.T, dir string) {
	t.Helper()
	lines := linesOf(t, dir)
	retired := fmt.Sprintf(`"type":%q,"retired":45`, events.RecordRetired)
	lines[49] = bytes.Replace(lines[49], []byte(`"type":"tool.decided"`), []byte(retired), 1)
	writeLines(t, dir, lines)
	forge(t, dir)
	lines = linesOf(t, dir)[45:]
	writeLines(t, dir, lines)
	rename(t, dir, segmentName(1), segmentName(46))
}

func rename(t *testing.T, dir, from, to string) {
	t.Helper()
	if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
		t.Fatal(err)
	}
}

func makeEmpty(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestManyGaps: somebody's record with a gap behind each line is verified in bounded memory.
func TestManyGaps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var text []byte
	for i := range 5000 {
		text = fmt.Appendf(text, `{"seq":%d,"v":1,"id":"x","prev":"","type":"tool.decided"}`+"\n", 2*i+1)
	}
	if err := os.WriteFile(filepath.Join(dir, segmentName(1)), text, 0o600); err != nil {
		t.Fatal(err)
	}
	report, err := Verify(dir, VerifyOptions{})
	if err != nil || report.OK || len(report.Problems) != mostProblems || report.More != 4999-mostProblems {
		t.Errorf("%d problems, and %d, %v", len(report.Problems), report.More, err)
	}
}

func notesOf(t *testing.T, path string) (list []placedNote) {
	t.Helper()
	if err := readNotes(bytes.NewReader(read(t, path)), func(n placedNote) { list = append(list, n) }); err != nil {
		t.Fatal(err)
	}
	return list
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, append(read(t, path), text...), 0o600); err != nil {
		t.Fatal(err)
	}
}

// FuzzVerify finds every byte that was changed.
func FuzzVerify(f *testing.F) {
	f.Add(uint(0), byte('x'))
	f.Add(uint(9), byte('9'))
	f.Add(uint(500), byte('\n'))
	f.Add(uint(1<<20), byte(0))
	f.Fuzz(func(t *testing.T, at uint, to byte) {
		log, dir := segmented(t, 12)
		if _, _, err := MakeCheckpoint(dir); err != nil {
			t.Fatal(err)
		}
		keep(t, log, decided("behind it"))
		log.unsigned = 0
		log.Close()
		all := names(t, dir)
		path := filepath.Join(dir, all[at%uint(len(all))])
		text := read(t, path)
		i := at / uint(len(all)) % uint(len(text))
		if text[i] == to {
			return
		}
		text[i] = to
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if report, err := Verify(dir, VerifyOptions{}); err != nil || report.OK {
			t.Errorf("byte %d of %s changed to %q: %+v, %v", i, path, to, report, err)
		}
	})
}

// TestKey has signatures that others can check without this package.
func TestKey(t *testing.T) {
	t.Parallel()
	dir, outside := recordOfADay(t)
	public, err := PublicKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	key, err := note.NewVerifier(public)
	if err != nil {
		t.Fatal(err)
	}
	notes := notesOf(t, outside)
	if len(notes) != 2 || notes[0].line != 1 || notes[1].line != 7 {
		t.Fatalf("%+v", notes)
	}
	for _, n := range notes {
		if _, err := note.Open([]byte(n.text), note.VerifierList(key)); err != nil {
			t.Error(err)
		}
	}
	for name, want := range map[string]os.FileMode{keyName: 0o600, publicName: 0o600, treeName: 0o600, checkpointsName: 0o600} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// TestOpenRefusesDamage: what was changed before the tail keeps a record from being written on, until somebody
// accepts that, which is the first thing that the new one says.
func TestOpenRefusesDamage(t *testing.T) {
	t.Parallel()
	for _, seq := range []int{40, 41, 55, 60} { // from the last one on that a checkpoint speaks of
		dir, _ := recordOfADay(t)
		lines := linesOf(t, dir)
		lines[seq-1] = bytes.Replace(lines[seq-1], []byte(`"detail":"`), []byte(`"detail":"nothing `), 1)
		writeLines(t, dir, lines)
		log, err := Open(dir)
		if err == nil {
			t.Errorf("line %d: opened", seq)
			log.Close()
			continue
		}
		if !strings.Contains(err.Error(), "the record is damaged") || !strings.Contains(err.Error(), "--accept-damage") {
			t.Errorf("line %d: %v", seq, err)
		}
		aside, err := Accept(dir, "alice")
		if err != nil {
			t.Fatal(err)
		}
		if n := len(linesOf(t, aside)); n != 60 {
			t.Errorf("%s holds %d lines", aside, n)
		}
		entries, err := List(dir, Filter{})
		if err != nil || len(entries) != 1 || entries[0].Type != events.RecordRepaired ||
			!strings.Contains(entries[0].Detail, "alice accepted") || len(entries[0].Damage) == 0 {
			t.Errorf("%+v, %v", entries, err)
		}
		if _, err := Accept(dir, "alice"); err == nil {
			t.Error("a whole record was put aside")
		}
	}
}

// TestAcceptTornLine: a record that opening mends is not put aside.
func TestAcceptTornLine(t *testing.T) {
	t.Parallel()
	dir, _ := recordOfADay(t)
	all := names(t, dir)
	appendTo(t, filepath.Join(dir, all[len(all)-1]), "{")
	if aside, err := Accept(dir, "alice"); err == nil || !strings.Contains(err.Error(), "as a crash leaves it") {
		t.Errorf("put aside as %q, %v", aside, err)
	}
	reopen(t, dir)
	verified(t, dir)
}

// TestHostileCopy reads a copy that somebody has made so that reading it would never end, or lead elsewhere.
func TestHostileCopy(t *testing.T) {
	t.Parallel()
	for _, name := range []string{lockName, keyName, publicName, treeName, checkpointsName, segmentName(1), segmentName(99)} {
		for kind, put := range map[string]func(path string) error{
			"a pipe":             func(path string) error { return unix.Mkfifo(path, 0o600) },
			"a link to a device": func(path string) error { return os.Symlink("/dev/zero", path) },
			"a directory":        func(path string) error { return os.Mkdir(path, 0o700) },
			"a link to a secret": func(path string) error {
				return errors.Join(os.WriteFile(path+".x", []byte("secret\n"), 0o600), os.Symlink(path+".x", path))
			},
		} {
			t.Run(name+" is "+kind, func(t *testing.T) {
				t.Parallel()
				dir, _ := recordOfADay(t)
				path := filepath.Join(dir, name)
				if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Fatal(err)
				}
				if err := put(path); err != nil {
					t.Fatal(err)
				}
				report, errVerify := Verify(dir, VerifyOptions{})
				_, errProve := Prove(dir, 60)
				errList := Read(dir, func(Entry) error { return nil })
				if text := fmt.Sprint(report, errVerify, errProve, errList); strings.Contains(text, "secret\n") {
					t.Error(text)
				}
			})
		}
	}
}

// writeLinesInPlace overwrites the one segment of a record, which stays the file that it was.
func writeLinesInPlace(t *testing.T, dir string, lines [][]byte) {
	t.Helper()
	text := append(bytes.TrimSuffix(bytes.Join(lines, nil), []byte("\n")), '\n')
	if err := os.WriteFile(filepath.Join(dir, segmentName(1)), text, 0o600); err != nil {
		t.Fatal(err)
	}
}
