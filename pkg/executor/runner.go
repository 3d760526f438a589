package executor

import (
	"context"
	"io"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/httpcache"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// runner carries out the calls of one kind of tool. It decides nothing: the steps that all kinds share
// decide about what it renders and plans, show it and record it. Safe for concurrent use.
type runner interface {
	// Render fills checked arguments into the templates of an entry. It has no effect. spool says that the
	// output goes to files.
	Render(entry *Entry, call tool.Call, arguments map[string]any, spool bool) (*tool.Invocation, *tool.Failure)
	// Plan determines how an invocation will be carried out on this machine. It has no effect. filled holds
	// the values of its references; nil before these are known.
	Plan(invocation *tool.Invocation, filled map[string]string) (plan, *tool.Failure)
	// Run carries out an act and blocks until nothing of it is left; ending ctx ends it.
	Run(ctx context.Context, a *act, to streams) (outcome, error)

	// Describe adds to an act's request, for rules, what is known of acts of the kind. It has no effect.
	Describe(a *act)
	// Show returns what would be done, and where, as Markdown for a person.
	Show(a *act) string
	// Preview adds what would be done, for programs and people.
	Preview(a *act, p *Preview)
	// Tell adds to what is told of an outcome how the act was carried out.
	Tell(a *act, o outcome, metadata *tool.Metadata)
	// Refusals returns what the plan kept the act from, judging by its output and its exit code, with the
	// lines of the entry that would allow it.
	Refusals(a *act, said string, exitCode int) []tool.Hint
	// Cure says what to do about an act that failed; "" if that is not known.
	Cure(t *tool.Tool, o outcome) string
}

// plan is how an act is carried out on this machine.
type plan interface {
	Digest() string // what a permit is bound to
}

// streams are where output goes as it arrives.
type streams struct {
	stdout, stderr io.Writer // nil: the outcome holds all of it
	last           int64     // how many bytes of each the outcome holds beside them
}

// outcome is the result of a run. A tool that fails has an outcome like any other.
type outcome struct {
	ExitCode int    // 0 when it did what it is for; 128+n after signal n; -1 when nothing ran
	Signal   string // "SIGKILL"; "" when it ended by itself

	Stdout, Stderr []byte
	OutputBytes    int64 // of both, kept or not, as far as they were read
	Truncated      bool  // there was more

	HTTP       *tool.HTTPReport // of a request; nil for a script
	Meant      int              // the place in error_mapping of what the answer means beside its status; 0 for none
	JobFailed  bool             // the job that a request has begun says that it came to nothing
	RetryAfter time.Duration    // how long the server wants nobody to come back; 0 where it does not say
	// Answered is how a request was answered whose answer may be kept; nil where nothing of it may.
	Answered *httpcache.Answer

	Ended     *tool.Failure // why the runner ended it; nil when it ended by itself
	LimitsHit []string      // those that ended it, by name
	Permanent bool          // it would end the same if it were run again
	StillRuns bool          // something of it could not be ended

	Reaped, Killed int // processes, see tool.SandboxReport
	Elapsed        time.Duration
	Notes          []string // what else a reader should know, a sentence each
	Changed        []string // likewise, what it changed that others run or believe without a look
}
