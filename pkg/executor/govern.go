package executor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Screener has the governors look at an output before anybody sees it. It blocks until they have answered
// or their time is up, and ends early with ctx. Safe for concurrent use.
type Screener interface {
	// Active reports whether any could be asked about acts in the workspace.
	Active(tool.Workspace) bool
	// Hash names those that could be asked about acts in the workspace, by what they are; "" for none.
	Hash(tool.Workspace) string
	// Screens reports whether any could be asked about the output of a tool in the workspace.
	Screens(w tool.Workspace, tool string) bool
	// Screen returns what of an output may be seen.
	Screen(context.Context, permissions.Finished) permissions.Screened
}

func (a *act) governed() bool {
	return a.in.Screener != nil && a.in.Screener.Active(a.call.Workspace)
}

// governors names the governors that an act is under.
func (c Configuration) governors(a *act) string {
	if c.Screener == nil {
		return ""
	}
	return c.Screener.Hash(a.call.Workspace)
}

// review tells governors of the act, without the values of secret parameters.
func (a *act) review(decision permissions.Decision) permissions.Review {
	r := permissions.NewReview(a.request, decision, a.publicArguments(), a.mask)
	r.CallID, r.ToolCall, r.Title = a.call.ID, a.call.Origin.ToolCall, a.mask(a.title())
	r.Digest = a.invocation.Digest().String()
	if code := a.invocation.Work.Code(); code != "" {
		sum := sha256.Sum256([]byte(code))
		r.Script = hex.EncodeToString(sum[:])
	}
	return r
}

// screen puts in place of the output what of it may be seen, before anything of it is cut, kept or told.
// The call stays what it was: completed or failed, with its exit code. Nothing that was done is unsaid. It
// gives what the result says about that.
func (e *Executor) screen(ctx context.Context, a *act, decision permissions.Decision, r *runResult,
	took time.Duration) map[string]any {
	if !r.began && r.kept == nil || !a.governed() {
		return nil
	}
	if a.in.Screener.Screens(a.call.Workspace, a.call.Tool) {
		if r.spools.long() {
			r.giveUpFiles(errUnseen) // they came while the call ran
		}
		r.outcome = unquoted(a, r.outcome)
	}
	// The caller may have given up. What the governors count, and what they say, is about what was done.
	ctx = context.WithoutCancel(ctx)
	screened := a.in.Screener.Screen(ctx, permissions.Finished{Review: a.review(decision), Result: r.bare(a, took)})
	if err := e.recordGovernance(ctx, a, screened.Governance); err != nil {
		r.unrecorded = errors.Join(r.unrecorded, err)
	}
	if screened.Silent {
		return nil
	}
	told := map[string]any{"governor": screened.Governor, "at": screened.At}
	stdout, stderr := screened.Stdout, screened.Stderr
	if screened.Withheld != "" {
		told["withheld"] = a.mask(screened.Withheld)
		stdout, stderr = "", fmt.Sprintf("[the output was withheld by governor %s (%s): %s]\n",
			screened.Governor, screened.At, a.mask(screened.Withheld))
	}
	if screened.FollowUp != "" {
		told["follow_up_prompt"] = a.mask(screened.FollowUp)
		stderr += fmt.Sprintf("[governor %s asks: %s]\n", screened.Governor, a.mask(screened.FollowUp))
	}
	r.outcome.Stdout, r.outcome.Stderr = []byte(stdout), []byte(stderr)
	return told
}

// unquoted leaves out what a server has said beside its output, since governors are shown the output alone: what it
// calls its mistake, and where it leads.
func unquoted(a *act, o outcome) outcome {
	switch {
	case a.tool.HTTP != nil:
		o.Notes = nil
	case a.tool.A2A != nil && o.Ended != nil && o.Ended.Code == tool.FailInternal:
		ended := *o.Ended
		ended.Message = "the remote agent gave no answer that can be read; what it said is not shown, since a governor looks " +
			"at what this tool puts out"
		o.Ended = &ended
	}
	return o
}

var errUnseen = errors.New("an output governor has to see it first, and it is more than can be shown to one")

// bare is what a run came to, as far as governors are told of it: the whole of what was read, and nothing
// of ours.
func (r *runResult) bare(a *act, took time.Duration) tool.Result {
	failure := r.ended()
	result := tool.Result{
		CallID: a.call.ID, ToolID: a.call.Tool, Status: statusOf(failure), ExitCode: r.outcome.ExitCode,
		Signal: r.outcome.Signal,
		Stdout: string(r.outcome.Stdout), Stderr: string(r.outcome.Stderr), OutputLength: r.outcome.OutputBytes,
		Truncated: r.outcome.Truncated, Cached: r.kept != nil, ExecutionTimeMS: millis(took), Error: failure,
	}
	if failure == nil && r.outcome.ExitCode != 0 {
		result.Status = tool.StatusFailed
	}
	return result
}

// recordGovernance puts on record what governors said. Nothing is recorded where none was asked.
func (e *Executor) recordGovernance(ctx context.Context, a *act, said tool.Governance) error {
	if len(said.Answers) == 0 {
		return nil
	}
	event := a.later(events.GovernorsAsked)
	event.Time, event.Governance = e.now(), gate.MaskGovernance(said, a.mask)
	return e.keep(ctx, a, event)
}
