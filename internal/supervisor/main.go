package supervisor

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"

	"golang.org/x/sys/unix"
)

// Main is what this binary does for Verb: args is what follows it. It returns the exit code of the process,
// which says only whether the supervisor could do its work; how the agent ended is reported to the bridge.
func Main(args []string, stderr io.Writer) int {
	// The kernel sends a parent-death signal when the thread that started the child ends, not the process
	// (prctl(2)).
	runtime.LockOSThread()

	// A handler rather than SIG_IGN, which the agent would inherit: whoever wants to end us has the control
	// pipe. SIGPIPE is among them, since the bridge that reads our stderr may be dead.
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored)

	d, err := parseOrder(args)
	if err != nil || !isPipe(controlFD) || !isPipe(reportFD) {
		fmt.Fprintf(stderr, "a2a-acp: %s is for the bridge's own use; start an agent with a2a-acp bridge\n", Verb)
		return 2
	}
	closeOnExec()
	return supervise(d, os.NewFile(controlFD, "control pipe"), os.NewFile(reportFD, "report pipe"), stderr)
}

func isPipe(fd int) bool {
	var stat unix.Stat_t
	return unix.Fstat(fd, &stat) == nil && stat.Mode&unix.S_IFMT == unix.S_IFIFO
}
