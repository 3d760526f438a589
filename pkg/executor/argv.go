package executor

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/argv"
	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// argvs is the runner of tools that are programs: a program is started with words, and no shell reads them. It
// runs as a script does, in a sandbox of its own.
type argvs struct {
	scripts
	programs *programs
}

// argvWork is the Work of a call of a program.
type argvWork struct {
	scriptWork
	program program
	says    string // that it is another program than its entry names; "" where it is not
}

// Definition implements tool.Work.
func (w *argvWork) Definition() string { return w.definition }

// Code implements tool.Work. A program has no text.
func (w *argvWork) Code() string { return "" }

// Sum implements tool.Work: the program, as it is now, and its words.
func (w *argvWork) Sum(put func(parts ...string), id, dir string) {
	put("a2a-acp argv v1", id, dir, w.program.path, w.program.sum)
	w.sumProcess(put)
}

// Render implements runner: no text is put together, each value has its own word.
func (s argvs) Render(entry *Entry, call tool.Call, arguments map[string]any, spool bool) (*tool.Invocation,
	*tool.Failure) {
	t := entry.Tool
	words, failure := argv.Words(t, arguments)
	if failure != nil {
		return nil, failure
	}
	if sign := command.WordFile(filepath.Base(t.Exec.Command)); sign != "" &&
		slices.ContainsFunc(words[len(t.Exec.Argv):], func(word string) bool { return strings.HasPrefix(word, sign) }) {
		return nil, tool.Failf(tool.FailValidation,
			"a value begins with %s, and %s would read its words in that file; write ./ in front of a name", sign, t.Exec.Command)
	}
	found, failure := s.programs.find(t)
	if failure != nil {
		return nil, failure
	}
	says := found.differs(t)
	if says != "" && t.Exec.Pin {
		return nil, tool.Failf(tool.FailDenied, "tool %q is not run: %s, and its entry pins it (%s); "+
			"`a2a-acp import cli --update` imports the new one", t.ID, says, t.Source)
	}
	work := &argvWork{scriptWork: s.place(t, call, spool), program: found, says: says}
	work.definition = definitionOf(t)
	work.interpreter = append([]string{found.path}, words...)
	work.shown = permissions.QuoteArgv(append([]string{t.Exec.Command}, words...))
	work.dynamic = []tool.DynamicCommand{{Argv: append([]string{t.Exec.Command}, words...)}}
	if !found.system() {
		work.sandbox.AllowedPaths = append(work.sandbox.AllowedPaths, tool.AllowedPath{Path: found.path, ReadOnly: true})
	}
	return &tool.Invocation{
		Tool: t.ID, Dir: startDirectory(work.sandbox, realDirectory(call.Dir)), Work: work,
		References: work.sandbox.References, Spool: spool,
	}, nil
}

// definitionOf is what the author of an entry wrote of its program, and of how its values are written.
func definitionOf(t *tool.Tool) string {
	text, _ := json.Marshal([]any{t.Exec, t.Parameters}) // there is nothing in them that JSON has no words for
	return string(text)
}

// Run implements runner. What runs is the program that was decided about.
func (s argvs) Run(ctx context.Context, a *act, to streams) (outcome, error) {
	settled, ok := a.plan.(sandbox.Plan)
	work, isArgv := a.invocation.Work.(*argvWork)
	if !ok || !isArgv {
		return outcome{ExitCode: -1}, tool.Failf(tool.FailInternal, "a program was given a plan of another kind: %T", a.plan)
	}
	if now, failure := s.programs.find(a.tool); failure != nil || now != work.program {
		return outcome{ExitCode: -1}, tool.Failf(tool.FailDenied,
			"%s was not run: %s is another program by now than the one that was decided about", a.tool.ID, work.program.path)
	}
	out, err := s.start(ctx, a, settled, sandbox.Process{Argv: work.interpreter}, to)
	if work.says != "" {
		out.Notes = append(out.Notes, "program: "+work.says+"; its flags may be others by now: `a2a-acp import cli --update` looks")
	}
	return out, err
}

// Show implements runner: the command as a shell would have to be given it.
func (s argvs) Show(a *act) string {
	var text strings.Builder
	text.WriteString(display.Fence("", display.Full(a.mask(workOf(a.invocation).shown))))
	if work, ok := a.invocation.Work.(*argvWork); ok && work.says != "" {
		fmt.Fprintf(&text, "\n%s\n", display.FullLine(work.says))
	}
	if given := a.sourcesOfValues(); given != "" {
		fmt.Fprintf(&text, "\ngiven, and not shown\n%s", display.Fence("", display.Full(given)))
	}
	fmt.Fprintf(&text, "\nin %s", display.FullSpan(a.invocation.Dir))
	return text.String()
}

// Preview implements runner.
func (s argvs) Preview(a *act, p *Preview) {
	work := workOf(a.invocation)
	p.Shown = a.mask(work.shown)
	p.ScriptPreview = &ScriptPreview{Sandbox: reportOf(a.plan)}
	for _, word := range work.interpreter {
		p.Argv = append(p.Argv, a.mask(word))
	}
}

// Cure implements runner.
func (s argvs) Cure(t *tool.Tool, o outcome) string {
	said := string(o.Stderr[max(0, len(o.Stderr)-lastWords):])
	if path := firstGroup(noAccess(), said); path != "" {
		return s.scripts.Cure(t, o)
	}
	if strings.Contains(said, "unknown flag") || strings.Contains(said, "unknown shorthand flag") {
		return fmt.Sprintf("%s does not know a flag of its entry (%s): it may be another version than was imported; "+
			"`a2a-acp import cli --update` tells what has changed", filepath.Base(t.Exec.Command), t.Source)
	}
	return ""
}

// system reports whether every call sees the program where it is found.
func (p program) system() bool {
	return slices.Contains(filepath.SplitList(sandbox.SearchPath), filepath.Dir(p.path))
}
