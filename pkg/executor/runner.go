package executor

import (
	"context"
	"io"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// runner carries out the calls of one kind of tool. It decides nothing: what it renders and plans is
// decided about, shown and recorded by the steps that all kinds share. Safe for concurrent use.
type runner interface {
	// Render fills checked arguments into the templates of an entry. It has no effect. spool says that the
	// output goes to files.
	Render(entry *Entry, call tool.Call, arguments map[string]any, spool bool) (*tool.Invocation, *tool.Failure)
	// Plan settles how an invocation will be carried out on this machine. It has no effect. filled are
	// variables beside those of the invocation, with their values; nil before these are known.
	Plan(invocation *tool.Invocation, filled map[string]string) (plan, *tool.Failure)
	// Show returns what would run as a person reads it, in Markdown.
	Show(*tool.Invocation) string
	// Run carries a plan out and blocks until nothing of it is left; ending ctx ends it.
	Run(ctx context.Context, p plan, invocation *tool.Invocation, to streams) (outcome, error)
	// Refusals returns what the act was kept from by the plan that it ran under, going by what it said,
	// with the lines of the entry that would allow it.
	Refusals(a *act, said string) []tool.Hint
	// Cure says what to do about an act that failed, where that is known; "" where it is not.
	Cure(t *tool.Tool, o outcome) string
}

// plan is how an act is carried out on this machine.
type plan interface {
	Digest() string             // what a permit is bound to
	Report() tool.SandboxReport // what is enforced
}

// streams say where output goes while it comes.
type streams struct {
	stdout, stderr io.Writer // nil: the outcome holds all of it
	last           int64     // how many bytes of each the outcome holds beside them
}

// outcome is what became of a run. A tool that fails has an outcome like any other.
type outcome struct {
	ExitCode int    // 128+n after signal n; -1 when nothing ran
	Signal   string // "SIGKILL"; "" when it ended by itself

	Stdout, Stderr []byte
	OutputBytes    int64 // of both, kept or not, as far as they were read
	Truncated      bool  // there was more

	LimitsHit []string // those that ended it, by name
	TimedOut  bool
	Cancelled bool // ctx ended first
	Permanent bool // it would end the same if it were run again
	StillRuns bool // something of it could not be ended

	Reaped, Killed int // processes, see tool.SandboxReport
	Elapsed        time.Duration
	Notes          []string // what else a reader should know, a sentence each
	Changed        []string // likewise, what it changed that others run or believe without a look
}
