package app

import (
	"context"

	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// openingHost is the sandbox of calls, while it is opened and then. To find out what this machine enforces
// takes longer than the rest of a bridge's start, which goes on meanwhile; who needs the sandbox waits.
type openingHost struct {
	opened chan struct{} // closed when host and err are known
	host   *sandbox.Host
	err    error
}

// openHost begins to open the sandbox. What it begins has ended when close returns.
func openHost(o sandbox.Options) *openingHost {
	h := &openingHost{opened: make(chan struct{})}
	go func() { // ends by itself: each try of Open has a deadline
		defer close(h.opened)
		h.host, h.err = sandbox.Open(o)
	}()
	return h
}

// wait returns the sandbox once it is open, or why it cannot be opened.
func (h *openingHost) wait() (*sandbox.Host, error) {
	<-h.opened
	return h.host, h.err
}

func (h *openingHost) close() error {
	if host, _ := h.wait(); host != nil {
		return host.Close()
	}
	return nil // who needed it was told why it is not open
}

// Plan implements executor.Host.
func (h *openingHost) Plan(p sandbox.Profile) (sandbox.Plan, error) {
	host, err := h.wait()
	if err != nil {
		return sandbox.Plan{}, tool.Failf(tool.FailSandbox, "the sandbox cannot be opened: %v", err)
	}
	return host.Plan(p)
}

// Run implements executor.Host.
func (h *openingHost) Run(ctx context.Context, plan sandbox.Plan, process sandbox.Process) (sandbox.Outcome, error) {
	host, err := h.wait()
	if err != nil {
		return sandbox.Outcome{ExitCode: -1}, tool.Failf(tool.FailSandbox, "the sandbox cannot be opened: %v", err)
	}
	return host.Run(ctx, plan, process)
}

// Reach implements executor.Host.
func (h *openingHost) Reach(plan sandbox.Plan) sandbox.Reach {
	host, err := h.wait()
	if err != nil {
		return sandbox.Reach{}
	}
	return host.Reach(plan)
}
