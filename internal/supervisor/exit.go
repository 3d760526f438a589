package supervisor

import (
	"fmt"
	"syscall"
)

// Exit is how an agent's first process ended. The zero Exit is an exit with code 0.
type Exit struct {
	code   int
	signal syscall.Signal // 0 when the agent exited by itself
	lost   string         // how the supervisor ended, when it could not tell how the agent did
	left   string         // who has not ended since this user may not end it; "" for nobody
}

// Code returns the agent's exit code, or 128+n after signal n, as a shell does. An agent whose supervisor
// was killed was killed with it (SIGKILL, 137).
func (e Exit) Code() int {
	if e.signal != 0 {
		return 128 + int(e.signal)
	}
	return e.code
}

// Signalled reports whether the agent was ended by a signal rather than by itself.
func (e Exit) Signalled() bool { return e.signal != 0 }

// String completes a sentence about the agent: "exited with code 3", "was killed by signal 9 (killed)".
func (e Exit) String() string {
	switch {
	case e.left != "":
		return "is left running, and may not be ended by this user: " + e.left
	case e.lost != "":
		return fmt.Sprintf("was ended because its supervisor %s", e.lost)
	case e.signal != 0:
		return fmt.Sprintf("was killed by signal %d (%s)", int(e.signal), e.signal)
	}
	return fmt.Sprintf("exited with code %d", e.code)
}

// exitOf reads what wait4(2) says of a process that has ended.
func exitOf(status syscall.WaitStatus) Exit {
	if status.Signaled() {
		return Exit{signal: status.Signal()}
	}
	return Exit{code: status.ExitStatus()}
}

// lostExit is the Exit of an agent whose supervisor ended before it could report.
func lostExit(supervisor Exit) Exit {
	return Exit{signal: syscall.SIGKILL, lost: supervisor.String()}
}
