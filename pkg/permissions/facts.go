package permissions

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// files is a file system, given by absolute names. Errors are those of package os.
type files interface {
	Lstat(name string) (fs.FileInfo, error)
	Stat(name string) (fs.FileInfo, error)
	Readlink(name string) (string, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	ReadFile(name string) ([]byte, error)
}

// machine is that of this machine.
type machine struct{}

func (machine) Lstat(name string) (fs.FileInfo, error)     { return os.Lstat(name) }
func (machine) Stat(name string) (fs.FileInfo, error)      { return os.Stat(name) }
func (machine) Readlink(name string) (string, error)       { return os.Readlink(name) }
func (machine) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (machine) ReadFile(name string) ([]byte, error)       { return os.ReadFile(name) }

// home returns the directory that a shell takes ~ for; "" where that is not known.
func home() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return dir
}

// facts is what one decision knows of the files. Each is looked at once, so that all rules decide about the same: whoever changes a
// link between two of them changes neither. Nothing else in this package looks at files (TestOnlyFactsLook), and what is decided
// follows from what was seen (TestDecidedByWhatWasSeen). Facts are not safe for concurrent use.
type facts struct {
	files  files
	lstats map[string]fact[fs.FileInfo]
	stats  map[string]fact[fs.FileInfo]
	links  map[string]fact[string]
	dirs   map[string]fact[[]fs.DirEntry]
	texts  map[string]fact[[]byte]
}

type fact[T any] struct {
	value T
	err   error
}

func newFacts(f files) *facts {
	return &facts{
		files: f, lstats: map[string]fact[fs.FileInfo]{}, stats: map[string]fact[fs.FileInfo]{}, links: map[string]fact[string]{},
		dirs: map[string]fact[[]fs.DirEntry]{}, texts: map[string]fact[[]byte]{},
	}
}

// lookOnce returns the answer of before, or asks.
func lookOnce[T any](known map[string]fact[T], name string, ask func(string) (T, error)) (T, error) {
	a, ok := known[name]
	if !ok {
		a.value, a.err = ask(name)
		known[name] = a
	}
	return a.value, a.err
}

func (d *facts) lstat(name string) (fs.FileInfo, error) {
	return lookOnce(d.lstats, name, d.files.Lstat)
}
func (d *facts) stat(name string) (fs.FileInfo, error) { return lookOnce(d.stats, name, d.files.Stat) }
func (d *facts) readlink(name string) (string, error) {
	return lookOnce(d.links, name, d.files.Readlink)
}

func (d *facts) readDir(name string) ([]fs.DirEntry, error) {
	return lookOnce(d.dirs, name, d.files.ReadDir)
}

func (d *facts) readFile(name string) ([]byte, error) {
	return lookOnce(d.texts, name, d.files.ReadFile)
}

// exists reports whether there is a file, or a link, of that name.
func (d *facts) exists(name string) bool {
	_, err := d.lstat(name)
	return err == nil
}

// walkDir is filepath.WalkDir.
func (d *facts) walkDir(root string, visit fs.WalkDirFunc) error {
	info, err := d.lstat(root)
	if err != nil {
		err = visit(root, nil, err)
	} else {
		err = d.walkEntry(root, fs.FileInfoToDirEntry(info), visit)
	}
	if errors.Is(err, fs.SkipDir) || errors.Is(err, fs.SkipAll) {
		return nil
	}
	return err
}

func (d *facts) walkEntry(name string, entry fs.DirEntry, visit fs.WalkDirFunc) error {
	if err := visit(name, entry, nil); err != nil || !entry.IsDir() {
		if errors.Is(err, fs.SkipDir) && entry.IsDir() {
			return nil
		}
		return err
	}
	entries, err := d.readDir(name)
	if err != nil {
		if err := visit(name, entry, err); err != nil {
			if errors.Is(err, fs.SkipDir) {
				return nil
			}
			return err
		}
	}
	for _, below := range entries {
		if err := d.walkEntry(filepath.Join(name, below.Name()), below, visit); err != nil {
			if errors.Is(err, fs.SkipDir) {
				break
			}
			return err
		}
	}
	return nil
}
