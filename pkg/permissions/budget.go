package permissions

import "strings"

// mostWork bounds what is looked at for one decision: the parts of the names that words could mean, and the
// files below the directories that commands read. A decision holds up its lane, so beyond the bound it is
// that somebody is asked.
const mostWork = 40000

// tooMuch is the reason for it.
const tooMuch = "there is more to look at than can be looked at for one decision"

// partWork is the work of one part of a name: it is looked for on several ways. A long name is as many
// parts as it has partBytes: all of it is held against every pattern of the files that are more than data.
const (
	partWork  = 5
	partBytes = 32
)

// work counts work, and reports whether that much is left.
func (v *evaluation) work(work int) bool {
	v.worked += work
	return v.worked <= mostWork
}

// workOn counts the work of looking at a name.
func (v *evaluation) workOn(name string) bool {
	return v.work(partWork * (1 + strings.Count(name, "/") + len(name)/partBytes))
}
