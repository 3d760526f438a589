package sandbox

// Level says how far a machine can confine a call.
type Level string

// The levels, the weakest first.
const (
	// LevelNone confines nothing. A host of this level refuses to run anything.
	LevelNone Level = "none"
	// LevelRlimits enforces resource limits and the ownership of the process tree. It does not confine files or network.
	LevelRlimits Level = "rlimits"
)
