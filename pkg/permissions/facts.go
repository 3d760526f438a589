package permissions

import (
	"errors"
	"io/fs"
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

// facts is what one decision knows of the files. Each is looked at once, so that all rules decide about the
// same: whoever changes a link between two of them changes neither. What is decided follows from what was
// seen (TestDecidedByWhatWasSeen). Facts are gathered before rules are matched, and handed to these (see
// gather.go); nothing else in this package looks at files (TestOnlyGatheringLooks). They are not safe for
// concurrent use.
type facts struct {
	files files
	// gathering is set while facts are gathered. At any other time nothing new is to be looked at:
	// ungathered, which only tests set, is told of it.
	gathering  bool
	ungathered func(what string)

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
		files: f, lstats: map[string]fact[fs.FileInfo]{}, stats: map[string]fact[fs.FileInfo]{},
		links: map[string]fact[string]{},
		dirs:  map[string]fact[[]fs.DirEntry]{}, texts: map[string]fact[[]byte]{},
	}
}

// knownFiles are files of which another decision knows some.
type knownFiles struct{ by *facts }

func (k knownFiles) Lstat(name string) (fs.FileInfo, error)     { return k.by.lstat(name) }
func (k knownFiles) Stat(name string) (fs.FileInfo, error)      { return k.by.stat(name) }
func (k knownFiles) Readlink(name string) (string, error)       { return k.by.readlink(name) }
func (k knownFiles) ReadDir(name string) ([]fs.DirEntry, error) { return k.by.readDir(name) }
func (k knownFiles) ReadFile(name string) ([]byte, error)       { return k.by.readFile(name) }

// lookOnce returns the answer of before, or asks.
func lookOnce[T any](d *facts, known map[string]fact[T], name string, ask func(string) (T, error)) (T,
	error) {
	a, ok := known[name]
	if !ok {
		d.note(name)
		a.value, a.err = ask(name)
		known[name] = a
	}
	return a.value, a.err
}

// isDir reports whether a path is that of a directory.
func (d *facts) isDir(path string) bool {
	info, err := d.lstat(path)
	return err == nil && info.IsDir()
}

func (d *facts) lstat(name string) (fs.FileInfo, error) {
	return lookOnce(d, d.lstats, name, d.files.Lstat)
}
func (d *facts) stat(name string) (fs.FileInfo, error) {
	return lookOnce(d, d.stats, name, d.files.Stat)
}
func (d *facts) readlink(name string) (string, error) {
	return lookOnce(d, d.links, name, d.files.Readlink)
}

func (d *facts) readDir(name string) ([]fs.DirEntry, error) {
	return lookOnce(d, d.dirs, name, d.files.ReadDir)
}

func (d *facts) readFile(name string) ([]byte, error) {
	return lookOnce(d, d.texts, name, d.files.ReadFile)
}

// note says that something is looked at which nobody has looked at before.
func (d *facts) note(what string) {
	if !d.gathering && d.ungathered != nil {
		d.ungathered(what)
	}
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
