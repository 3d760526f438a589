package sandbox

import "time"

// defaultGrace is how long a call that is told to end (SIGTERM) may take to do so.
const defaultGrace = time.Second

// Options says how a Host works. The zero Options will do.
type Options struct {
	// TempDir is where the calls' temporary directories are made. Optional, default $TMPDIR, else /tmp.
	TempDir string
	// Grace is the time between SIGTERM and SIGKILL for a call that has run out of time or was cancelled. A
	// call that floods its output or starts too many processes gets none. Optional, default one second.
	Grace time.Duration
	// Level is the highest that is used, for those who want to see what a lesser machine does. Optional.
	Level Level
	// AllowWeak lets calls run where their files cannot be confined (LevelRlimits).
	AllowWeak bool
	// Hidden are files and directories that no call ever sees, whatever it was granted: the program's own
	// configuration, state and sockets. Absolute. What does not exist is left out.
	Hidden []string
	// Withheld are those of Hidden of which a call may know that they are there: a directory cannot be entered, where
	// another one is empty.
	Withheld []string
	// Kept are files and directories that no call changes, though it sees them where it is granted what they lie in: the
	// program's own files elsewhere than where Hidden says. Absolute. What does not exist when the Host is opened is only
	// looked for when a call has ended. One that is granted by its own name may be changed.
	Kept []string
	// Protected are paths that a call cannot change below any directory that it may write to, unless it was
	// granted them by name: what others run or believe without a further look. Relative to those
	// directories. Where one of them lies in another, that one stays where it is, and what else is in it
	// may be changed.
	Protected []string
	// Judge says what else is such a thing, at every depth, and what is looked for when a call has ended.
	// Optional, default those of Protected.
	Judge Judge
	// Notes is a directory of this program's own, made if need be, in which it is noted where calls run
	// that may change such things, so that they are looked for when this program was killed meanwhile: at
	// the next call in the same directory. Optional.
	Notes string
}

// Level tells how far this machine can confine a call.
func (h *Host) Level() Level { return h.capability.level }

// Why says in words why the level is no higher; "" when there is no higher one.
func (h *Host) Why() string { return h.capability.why }

// Plan settles what this machine will enforce of a profile. It looks at nothing but the profile, what Open
// found and, for root, whose the profile's directory is; so the same profile makes the same plan. It
// returns a *tool.Failure (sandbox_unavailable) where this machine cannot do what the profile asks for.
func (h *Host) Plan(profile Profile) (Plan, error) {
	return plan(h.capability, profile, h.userFor(profile.Dir))
}

// Properties tells which properties this machine enforces for a call that starts in dir, by what, and which
// it does not, and why.
func (h *Host) Properties(dir string) (enforced, lacking map[Property]string) {
	return properties(h.capability, h.userFor(dir))
}
