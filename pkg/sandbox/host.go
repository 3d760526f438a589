package sandbox

import "time"

// defaultGrace is how long a call that is told to end (SIGTERM) may take to do so.
const defaultGrace = time.Second

// Options says how a Host works. The zero Options will do.
type Options struct {
	// TempDir is where the calls' temporary directories are made. Optional, default $TMPDIR, else /tmp.
	TempDir string
	// Grace is the time between SIGTERM and SIGKILL for a call that has run out of time or was cancelled. A call that
	// floods its output or starts too many processes gets none. Optional, default one second.
	Grace time.Duration
}

// Level tells how far this machine can confine a call.
func (h *Host) Level() Level { return h.capability.level }

// Why says in words why the level is no higher; "" when there is no higher one.
func (h *Host) Why() string { return h.capability.why }

// Plan settles what this machine will enforce of a profile. It looks at nothing but the profile and what Open found, so the
// same profile always makes the same plan. It returns a *tool.Failure (sandbox_unavailable) where this machine cannot do
// what the profile asks for.
func (h *Host) Plan(profile Profile) (Plan, error) { return plan(h.capability, profile) }
