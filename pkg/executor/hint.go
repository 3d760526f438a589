package executor

import "github.com/a2a-acp/a2a-acp/pkg/tool"

// explainRefusals adds to the result of a call that failed what the sandbox kept it from, and the lines of
// the tool's entry that would allow it. Nothing is allowed by it.
func (e *Executor) explainRefusals(a *act, result *tool.Result) {
	if result.Status != tool.StatusFailed || result.ExitCode <= 0 {
		return
	}
	said := result.Stderr
	if said == "" {
		said = result.Stdout // of tools that tell of errors there
	}
	report := &result.Metadata.Sandbox
	report.Hints = append(report.Hints, a.runner.Refusals(a, said, result.ExitCode)...)
}
