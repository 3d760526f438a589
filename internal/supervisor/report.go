package supervisor

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"
)

// report is what the supervisor tells the bridge: a line each, a word and its argument.
type report struct {
	kind     reportKind
	text     string // reportFailed: why
	exit     Exit   // reportEnded
	survivor string // reportSurvivor: who is left, and why
}

type reportKind string

const (
	reportStarted  reportKind = "started"  // the agent runs
	reportFailed   reportKind = "failed"   // it could not be started; the last report
	reportExited   reportKind = "exited"   // its first process exited
	reportKilled   reportKind = "killed"   // a signal ended its first process
	reportSurvivor reportKind = "survivor" // a descendant that cannot be ended; the last report
)

// write sends a report. When nobody reads it the bridge is dead, and the tree is ended all the same.
func (r report) write(w io.Writer) {
	argument := ""
	switch r.kind {
	case reportFailed:
		argument = strconv.Quote(r.text)
	case reportExited:
		argument = strconv.Itoa(r.exit.code)
	case reportKilled:
		argument = strconv.Itoa(int(r.exit.signal))
	case reportSurvivor:
		argument = strconv.Quote(r.survivor)
	}
	_, _ = fmt.Fprintf(w, "%s %s\n", r.kind, argument)
}

// reportOf makes the report of an exit.
func reportOf(exit Exit) report {
	if exit.signal != 0 {
		return report{kind: reportKilled, exit: exit}
	}
	return report{kind: reportExited, exit: exit}
}

// readReports calls each for every report until the supervisor closes its end. What it cannot read, a
// supervisor of another version may have written, and it is left out.
func readReports(r io.Reader, each func(report)) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if got, ok := parseReport(lines.Text()); ok {
			each(got)
		}
	}
}

func parseReport(line string) (report, bool) {
	kind, argument, _ := strings.Cut(line, " ")
	r := report{kind: reportKind(kind)}
	var err error
	var number int
	switch r.kind {
	case reportStarted:
	case reportFailed:
		r.text, err = strconv.Unquote(argument)
	case reportExited:
		r.exit.code, err = strconv.Atoi(argument)
	case reportKilled:
		number, err = strconv.Atoi(argument)
		r.exit.signal = syscall.Signal(number)
	case reportSurvivor:
		r.survivor, err = strconv.Unquote(argument)
	default:
		return report{}, false
	}
	return r, err == nil
}
