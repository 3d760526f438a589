package governor

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// programs names the files that script governors are, by their content, so that a grant which one of them
// had a say in does not outlive it. A file is read again when the kernel says that it may have changed. The
// zero programs is ready.
type programs struct {
	fresh func(age time.Duration) bool // of tests: whether a change of that age is too young

	mu    sync.Mutex
	known map[string]program
}

// program is a file as it was when it was read.
type program struct {
	was unix.Stat_t
	sum string
}

// settled is how old the last change of a file must be for its content to be remembered: two changes within
// one tick of the clock bear the same time (git calls such files racy).
const settled = 2 * time.Second

// mostPrograms bounds what is remembered.
const mostPrograms = 256

// hash names a file by its content. What cannot be read is named by the error, so that it changes when it
// can.
func (p *programs) hash(path string) string {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0) // a FIFO must not hold us
	if err != nil {
		return fmt.Sprintf("none: %v", withoutPath(err))
	}
	defer f.Close()
	var is unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &is); err != nil {
		return fmt.Sprintf("none: %v", err)
	}
	if is.Mode&unix.S_IFMT != unix.S_IFREG {
		return "none: no regular file" // one that never ends would be read for ever, with the lock held
	}
	p.mu.Lock()
	defer p.mu.Unlock() // held while it is read: two who ask at once read it once
	if known, ok := p.known[path]; ok && same(known.was, is) {
		return known.sum
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return fmt.Sprintf("none: %v", withoutPath(err))
	}
	sum := hex.EncodeToString(h.Sum(nil))
	if p.known == nil || len(p.known) >= mostPrograms {
		p.known = map[string]program{}
	}
	delete(p.known, path)
	if !p.young(time.Since(time.Unix(is.Ctim.Unix()))) {
		p.known[path] = program{is, sum}
	}
	return sum
}

func (p *programs) young(age time.Duration) bool {
	if p.fresh != nil {
		return p.fresh(age)
	}
	return age <= settled
}

// same reports whether a file is the one it was, unchanged since. Nobody but root can set the time of a
// file's last change (ctime).
func same(a, b unix.Stat_t) bool {
	return a.Dev == b.Dev && a.Ino == b.Ino && a.Size == b.Size && a.Mtim == b.Mtim && a.Ctim == b.Ctim
}

// programsOf names the files of a file's script governors by what is in them now.
func (g *Governors) programsOf(c *compiled) []string {
	var list []string
	for _, m := range slices.Concat(c.permission, c.output) {
		if m.spec.Kind != KindScript {
			continue
		}
		_, files, err := (&script{spec: m.spec.Script}).words()
		if err != nil {
			list = append(list, fmt.Sprintf("none: %v", err))
		}
		for _, file := range files {
			list = append(list, file+" "+g.programs.hash(file))
		}
	}
	return list
}
