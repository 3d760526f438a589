package sandbox

import "slices"

// Level says how far a machine can confine a call.
type Level string

// The levels, the weakest first. Each has all that the ones before it have.
const (
	// LevelNone confines nothing. A host of this level refuses to run anything.
	LevelNone Level = "none"
	// LevelRlimits enforces resource limits, switches the network off, and owns the process tree by a mark
	// on each process. It does not confine files.
	LevelRlimits Level = "rlimits"
	// LevelLandlock confines files too, but for their modes, owners and times, which a call can change
	// wherever its user can.
	LevelLandlock Level = "landlock"
	// LevelNoProc adds namespaces: nothing outlives the call, everything but what was granted is read-only,
	// and /tmp, /run and the home directories are the call's own. Of the machine's processes the call still
	// sees the list, since a container that hides parts of its /proc lets nobody mount another.
	LevelNoProc Level = "no-proc"
	// LevelFull adds a /proc of the call's own.
	LevelFull Level = "full"
	// LevelFullCgroup adds a control group (cgroup v2) for each call, which bounds the memory of the call
	// as a whole.
	LevelFullCgroup Level = "full+cgroup"
)

// Levels lists them all, the weakest first.
func Levels() []Level {
	return []Level{LevelNone, LevelRlimits, LevelLandlock, LevelNoProc, LevelFull, LevelFullCgroup}
}

// AtLeast reports whether a level is as strong as another. An unknown level is weaker than all.
func (l Level) AtLeast(other Level) bool {
	all := Levels()
	return slices.Index(all, l) >= slices.Index(all, other)
}

// hasNamespaces reports whether a call of this level has namespaces of its own: then it is the kernel that
// ends the tree.
func (l Level) hasNamespaces() bool { return l.AtLeast(LevelNoProc) }

// hasLandlock reports whether a call of this level can open only what was granted.
func (l Level) hasLandlock() bool { return l.AtLeast(LevelLandlock) }
