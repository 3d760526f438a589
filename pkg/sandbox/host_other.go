//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"context"
	"runtime"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Host is this machine as a place to run tools: on this system none.
type Host struct {
	capability capability
}

// Open finds out what this machine enforces. On this system that is nothing, and every Plan is refused.
func Open(Options) (*Host, error) {
	return &Host{capability: capability{
		level: LevelNone,
		why: "process trees cannot be owned on " + runtime.GOOS + "/" + runtime.GOARCH +
			"; a Linux machine (amd64 or arm64), also in a virtual machine, runs tools",
	}}, nil
}

// Run refuses: there is no Plan to run.
func (h *Host) Run(context.Context, Plan, Process) (Outcome, error) {
	return Outcome{ExitCode: -1}, tool.Failf(tool.FailSandbox, "tools cannot be run on this machine: %s",
		h.capability.why)
}

// Close does nothing.
func (h *Host) Close() error { return nil }

// userFor returns the user that a call runs as.
func (h *Host) userFor(string) int { return 0 }

// Reach is nothing: there is no Plan to ask about.
func (h *Host) Reach(Plan) Reach { return Reach{} }
