package app

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/internal/confine"
	"github.com/a2a-acp/a2a-acp/internal/digest"
	"github.com/a2a-acp/a2a-acp/internal/supervisor"
)

// nameStart names what is started as the agent: the program that its words lead to, where it starts, and all of
// the sandbox that holds it. The words alone could be another program's, in another directory or with another
// PATH. environ is the agent's environment, without what we add to it for one start.
func (b *bridge) nameStart(command, environ []string, c confine.Confinement) string {
	parts := []string{"agent v1", b.dir, "PATH=" + variableOf(environ, "PATH")}
	program, err := supervisor.Resolve(command, environ, b.dir)
	if b.boundary != nil {
		program = b.boundary.Program()
	} else if err != nil {
		program = command[0]
	}
	for i, word := range append([]string{program}, command[1:]...) {
		// A program and its script are those that they were. What else is named may be written to: a log.
		parts = append(parts, command[i], nameFile(b.dir, word, i < 2))
	}
	if b.boundary != nil {
		parts = append(parts, "confined", b.boundary.Digest())
		for _, name := range slices.Compact(slices.Sorted(slices.Values(c.Variables()))) {
			parts = append(parts, name, variableOf(environ, name))
		}
	}
	return digest.Hex(parts...)
}

// nameFile names the file that a word leads to, so that another one in its place has another name; "" for none.
// unchanged has it named as it is now: what is written into it gives it another name, too.
func nameFile(dir, word string, unchanged bool) string {
	if !filepath.IsAbs(word) {
		word = filepath.Join(dir, word)
	}
	real, err := filepath.EvalSymlinks(word)
	if err != nil {
		return ""
	}
	var is unix.Stat_t
	if unix.Stat(real, &is) != nil || is.Mode&unix.S_IFMT != unix.S_IFREG {
		return ""
	}
	name := fmt.Sprintf("%q %d %d", real, is.Dev, is.Ino)
	if unchanged { // nobody but root can set the time of a file's last change (ctime)
		name += fmt.Sprintf(" %d %v", is.Size, is.Ctim)
	}
	return name
}

// variableOf returns the value of a variable in an environment; "" where it is not set.
func variableOf(environ []string, name string) string {
	for _, set := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(set, name+"="); ok {
			return value
		}
	}
	return ""
}
