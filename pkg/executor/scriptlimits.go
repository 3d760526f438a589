package executor

import (
	"fmt"
	"slices"

	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// endedByUs returns the reason why the sandbox ended a process, or nil when it ended by itself. spooled says that
// its output goes to files.
func endedByUs(t *tool.Tool, o sandbox.Outcome, spooled bool) *tool.Failure {
	switch {
	case o.TimedOut:
		failure := tool.Failf(tool.FailTimeout,
			"the call was ended after %s, a limit that %s; before you raise it, check that the call does not wait for something "+
				"that never comes", t.Sandbox.Limits.Timeout, timeoutOf(t))
		failure.Retryable = true
		return failure
	case o.Cancelled:
		return gaveUp()
	case slices.Contains(o.LimitsHit, "output") && spooled:
		return tool.Failf(tool.FailOutput,
			"the call was ended after %d bytes of output on one stream; "+
				"what came before is kept, and spill_mb under output in the tool's entry (%s) sets that limit",
			t.Output.MostSpilled(), t.Source)
	case slices.Contains(o.LimitsHit, "output"):
		return tool.Failf(tool.FailOutput,
			"the call was ended after %d bytes of output on one stream; "+
				"what came before is kept, and max_output_mb in the tool's entry (%s) sets that limit", t.Sandbox.Limits.Output, t.Source)
	case len(o.LimitsHit) > 0:
		return tool.Failf(tool.FailResource, "the call was ended by its limit on %s%s", o.LimitsHit[0],
			settingOf(t, o.LimitsHit[0]))
	}
	return nil
}

// timeoutOf says what sets the time that a tool's calls have.
func timeoutOf(t *tool.Tool) string {
	if row := t.Middleware; row.Timeout > 0 && row.Timeout == t.Sandbox.Limits.Timeout {
		return fmt.Sprintf("`timeout` sets in a row of middleware (%s)", row.Source)
	}
	return fmt.Sprintf("`timeout` (seconds) under sandbox sets in the tool's entry (%s)", t.Source)
}

// settingOf names the key of the tool's entry that sets a limit, and what it is now; "" for one that has none.
func settingOf(t *tool.Tool, limit string) string {
	l := t.Sandbox.Limits
	const mega = 1 << 20
	key, now := "", int64(0)
	switch limit {
	case "memory":
		key, now = "max_memory_mb", l.Memory/mega
	case "cpu":
		key, now = "max_cpu_time_seconds", int64(l.CPU.Seconds())
	case "file_size":
		key, now = "max_file_size_mb", l.FileSize/mega
	case "open_files":
		key, now = "max_open_files", int64(l.OpenFiles)
	case "processes":
		key, now = "max_processes", int64(l.Processes)
	case "temp_size":
		key, now = "max_temp_mb", l.TempSize/mega
	case "address_space":
		key, now = "max_address_space_mb", l.Addresses/mega
	default:
		return ""
	}
	return fmt.Sprintf("; %s under sandbox in the tool's entry (%s) sets it, and is %d", key, t.Source, now)
}
