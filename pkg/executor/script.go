package executor

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// scripts is the runner of tools that are scripts, of bash or another interpreter. Each runs in a sandbox
// of its own.
type scripts struct {
	host Host
	bash string // absolute
}

// Render implements runner.
func (s scripts) Render(entry *Entry, call tool.Call, arguments map[string]any, spool bool) (*tool.Invocation,
	*tool.Failure) {
	rendered, err := entry.Template.Render(arguments)
	if err != nil {
		return nil, templateFailure(entry.Tool, asFailure(err, tool.FailTemplate))
	}
	work := s.place(entry.Tool, call, spool)
	work.definition, work.script, work.shown = entry.Tool.Script, rendered.Script, rendered.Shown
	work.values, work.parameters, work.dynamic = rendered.Values, rendered.Parameters, rendered.Dynamic
	if work.interpreter = rendered.Program; work.interpreter == nil {
		work.interpreter = []string{s.bash, "--noprofile", "--norc", scriptPath}
	}
	if len(rendered.Environment) > 0 {
		work.environment = maps.Clone(rendered.Environment)
		maps.Copy(work.environment, work.sandbox.Environment) // whose names cannot be ours
	}
	return &tool.Invocation{
		Tool:       entry.Tool.ID,
		Dir:        startDirectory(work.sandbox, realDirectory(call.Dir)),
		Work:       &work,
		References: work.sandbox.References,
		Spool:      spool,
	}, nil
}

// place is the work of a call as far as the sandbox of its entry says it.
func (s scripts) place(t *tool.Tool, call tool.Call, spool bool) scriptWork {
	settings := t.Sandbox
	settings.AllowedPaths = allowedPaths(settings, realDirectory(call.Dir))
	if spool {
		settings.Limits.Output = t.Output.MostSpilled()
	}
	return scriptWork{environment: settings.Environment, sandbox: settings}
}

// Plan implements runner.
func (s scripts) Plan(invocation *tool.Invocation, filled map[string]string) (plan, *tool.Failure) {
	p := profile(invocation)
	if len(filled) > 0 {
		p.Environment = maps.Clone(p.Environment)
		if p.Environment == nil {
			p.Environment = map[string]string{}
		}
		maps.Copy(p.Environment, filled)
	}
	settled, err := s.host.Plan(p)
	if err != nil {
		return nil, asFailure(err, tool.FailSandbox)
	}
	return settled, nil
}

// Run implements runner.
func (s scripts) Run(ctx context.Context, a *act, to streams) (outcome, error) {
	settled, ok := a.plan.(sandbox.Plan)
	if !ok {
		return outcome{ExitCode: -1},
			tool.Failf(tool.FailInternal, "a script was given a plan of another kind: %T", a.plan)
	}
	return s.start(ctx, a, settled, processOf(workOf(a.invocation)), to)
}

// start runs a process, and tells what became of it in the words that all runners share.
func (s scripts) start(ctx context.Context, a *act, settled sandbox.Plan, process sandbox.Process, to streams) (outcome, error) {
	process.Stdout, process.Stderr, process.Last, process.Trace = to.stdout, to.stderr, to.last, a.invocation.Trace
	ended, err := s.host.Run(ctx, settled, process)
	out := outcomeOf(ended)
	out.Ended = endedByUs(a.tool, ended, a.invocation.Spool)
	if start := (*sandbox.StartError)(nil); errors.As(err, &start) && start.Path == a.invocation.Dir {
		err = tool.Failf(tool.FailSandbox, "%v (%s)", start, a.tool.Source) // which names the directory
	}
	return out, err
}

// Exit codes of a shell that found no program to run (POSIX.1-2017, Shell Command Language, 2.8.2). Time
// does not cure that.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// outcomeOf tells of a process in the words that all runners share.
func outcomeOf(o sandbox.Outcome) outcome {
	out := outcome{
		ExitCode: o.ExitCode, Signal: o.Signal,
		Stdout: o.Stdout, Stderr: o.Stderr, OutputBytes: o.OutputBytes, Truncated: o.Truncated,
		LimitsHit: o.LimitsHit,
		Permanent: o.ExitCode == exitNotExecutable || o.ExitCode == exitNotFound,
		StillRuns: o.Lost > 0,
		Reaped:    o.Reaped, Killed: o.Killed, Elapsed: o.Elapsed, Notes: o.Hints, Changed: o.Changed,
	}
	if o.Lost > 0 {
		out.Notes = append(out.Notes,
			fmt.Sprintf("processes: %d of the call could not be ended and may still run", o.Lost))
	}
	if o.Leftover != "" {
		out.Notes = append(out.Notes, "files: what the call left behind could not be removed: "+o.Leftover)
	}
	return out
}
