package executor

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Describe implements runner: the files and variables that the call names, and the commands that it chose.
func (scripts) Describe(a *act) {
	a.request.Paths = pathsOf(a.tool, a.arguments, a.invocation.Dir)
	a.request.Env = slices.Sorted(maps.Keys(workOf(a.invocation).environment))
	a.harmless = changesNothing(a.tool)
	a.scanDynamic()
}

// changesNothing reports whether a tool can change nothing, here or elsewhere: its sandbox sees to that.
func changesNothing(t *tool.Tool) bool {
	return t.IsReadOnly() && !t.IsOpenWorld() && t.Sandbox.Network == tool.NetworkOff && len(t.Sandbox.Sockets) == 0
}

// Show implements runner: the script as its author wrote it, and the values beside it.
func (s scripts) Show(a *act) string {
	var text strings.Builder
	text.WriteString(display.Fence("bash", display.Full(workOf(a.invocation).shown)))
	if values := a.values(); values != "" {
		fmt.Fprintf(&text, "\nwith\n%s", display.Fence("", values))
	}
	if given := a.sourcesOfValues(); given != "" {
		fmt.Fprintf(&text, "\ngiven, and not shown\n%s", display.Fence("", display.Full(given)))
	}
	fmt.Fprintf(&text, "\nin %s", display.FullSpan(a.invocation.Dir))
	return text.String()
}

// Preview implements runner.
func (s scripts) Preview(a *act, p *Preview) {
	work := workOf(a.invocation)
	p.Shown = work.shown
	p.ScriptPreview = &ScriptPreview{Script: work.script, Sandbox: reportOf(a.plan)}
	if len(a.tool.SecretParameters()) == 0 {
		p.Values, p.Parameters = work.values, json.RawMessage(work.parameters)
	}
}

// Tell implements runner: what the sandbox enforced, and what that led to.
func (s scripts) Tell(a *act, o outcome, metadata *tool.Metadata) {
	report := reportOf(a.plan)
	report.LimitsHit = append([]string{}, o.LimitsHit...)
	report.Reaped, report.Killed = o.Reaped, o.Killed
	report.Hints = append(report.Hints, tool.Hints(o.Notes...)...)
	for _, says := range o.Changed {
		report.Hints = append(report.Hints, tool.Hint{Says: says, Changed: true})
	}
	metadata.Sandbox = report
}

// reportOf says what a plan of the sandbox enforces.
func reportOf(p plan) tool.SandboxReport {
	settled, ok := p.(sandbox.Plan)
	if !ok {
		return tool.SandboxReport{}
	}
	return settled.Report()
}
