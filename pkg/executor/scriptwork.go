package executor

import (
	"maps"
	"slices"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// scriptWork is the Work of a call of a script.
//
// The values do not stand in the script. They travel beside it and the script refers to them, so that the script is
// the same for every call of the same shape and no value ever meets the shell's parser.
type scriptWork struct {
	definition  string   // the template as its author wrote it
	interpreter []string // absolute path and arguments
	script      string   // what the interpreter is given, prologue included
	values      []string // in the order that the script refers to them
	parameters  string   // instead of values, for a script that bash does not run: one JSON object
	environment map[string]string
	sandbox     tool.Sandbox // its Limits.Output is what a file may hold where the output goes to files

	// shown is the script as a person reads it: the author's text with its sections filled in and its tags
	// left standing.
	shown string
	// dynamic holds the commands that values of this call chose, for a tool that lets them.
	dynamic []tool.DynamicCommand
}

// workOf returns the work of a script's invocation.
func workOf(invocation *tool.Invocation) *scriptWork {
	if work, ok := invocation.Work.(*argvWork); ok {
		return &work.scriptWork
	}
	work, _ := invocation.Work.(*scriptWork) // the runner of scripts is given no other
	return work
}

// Definition implements tool.Work.
func (w *scriptWork) Definition() string { return w.definition }

// Code implements tool.Work.
func (w *scriptWork) Code() string { return w.script }

// Sum implements tool.Work: the interpreter, the script, the values or parameters, the directory and the
// environment. What the sandbox is stands in the digest of its plan.
func (w *scriptWork) Sum(put func(parts ...string), id, dir string) {
	put("a2a-acp invocation v3", id, w.script, dir)
	w.sumProcess(put)
}

// sumProcess puts what the process is given into a digest.
func (w *scriptWork) sumProcess(put func(parts ...string)) {
	put(w.interpreter...)
	put(w.values...)
	put(w.parameters)
	for _, name := range slices.Sorted(maps.Keys(w.environment)) {
		put(name, w.environment[name])
	}
}
