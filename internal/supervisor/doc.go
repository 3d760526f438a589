// Package supervisor runs an agent so that nothing of it outlives its bridge.
//
// An agent is more than one process: launchers start a second one and forward no signals to it, tools are
// started in sessions of their own, and some of them ignore SIGTERM. A process group does not hold them
// together, and a parent-death signal reaches one of them. So the agent is started by a supervisor, a
// second process of this binary:
//
//	bridge ──────────────▶ supervisor ─────────▶ agent ──▶ whatever it starts
//	   │  control pipe: held open      │ child subreaper (prctl(2)): what loses its parent becomes its child,
//	   │  report pipe: how it ended    │ so that everything stays below it, and it can tell when nobody is left
//	   └──── the agent's standard streams, which the supervisor passes on and keeps no end of
//
// The supervisor stands in a session of its own, where a signal to the editor's or the bridge's process
// group does not reach it, and it takes no signal for a reason to end. It ends the tree when the control
// pipe reaches its end, because the bridge asked for that or because it is dead, and when the agent's own
// process has ended. The ladder is the same:
//
//	standard input is closed → StdinGrace → SIGTERM to all descendants → TermGrace → SIGKILL, until none is left
//
// (the first step is left out when the agent's own process has ended). Should the supervisor itself be
// killed, the kernel kills the agent's first process (PR_SET_PDEATHSIG), and the bridge kills the rest,
// which it knows by its mark.
//
// On systems other than Linux there are no subreapers and no marks. There the ladder holds the agent's
// process group only, and what has left the group stays.
//
// An agent in a person's own terminal is none of this: it has our place there (Foreground).
package supervisor

// Verb is the hidden first argument that makes this binary a supervisor. It is for Start alone: the
// supervisor needs the descriptors that Start hands to it.
const Verb = "supervise-agent"

// Descriptors that the supervisor gets besides the agent's standard streams.
const (
	controlFD = 3 // read: its end tells that the bridge wants the agent gone, or is gone itself
	reportFD  = 4 // write: see report
)
