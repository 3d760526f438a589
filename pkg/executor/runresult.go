package executor

import "github.com/a2a-acp/a2a-acp/pkg/tool"

// runResult is what became of an act that was decided: the run of a process, the last of several, or a
// result that was kept.
type runResult struct {
	outcome outcome
	failure *tool.Failure // why there is no outcome
	began   bool          // a process ran, so there may have been an effect

	attempts int    // how often it was run, when it may be more than once
	notAgain string // why it was not tried again although its author wanted it
	kept     *kept  // the result that was given out in place of a run; nil when something ran

	spools   *spoolPair // its output, as far as it goes to files; nil where it is held in memory
	notWhole error      // why its output was given up that was in files

	unrecorded error // what should be on record beside decision and end, and is not
}

// notRun is an act that came to nothing before a process began.
func notRun(failure *tool.Failure) runResult {
	return runResult{outcome: outcome{ExitCode: -1}, failure: failure}
}

// tell says in the result how it came about, where that is more than one run.
func (r *runResult) tell(result *tool.Result) {
	diagnostics := result.Metadata.Diagnostics
	if r.attempts > 1 {
		diagnostics["attempts"] = r.attempts
	}
	if r.notAgain != "" {
		diagnostics["not_tried_again"] = r.notAgain
	}
	if r.notWhole != nil {
		diagnostics[tool.BlobErrorKey] = "the whole output could not be kept: " + r.notWhole.Error()
	}
	if r.unrecorded != nil {
		diagnostics["record"] = r.unrecorded.Error()
	}
	result.Cached = r.kept != nil
	if report := result.Metadata.HTTP; report != nil {
		report.Attempts, report.FromCache = max(1, r.attempts), result.Cached
		if result.Cached && !r.began {
			report.Attempts = 0
		}
	}
}

// ended gives our reason for the end of the act; nil when it ended by itself.
func (r *runResult) ended() *tool.Failure {
	if r.failure != nil {
		return r.failure
	}
	return r.outcome.Ended
}
