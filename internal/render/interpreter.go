package render

import (
	"fmt"
	"path"
	"strings"
)

// Interpreter tells from the shebang what a script is written in. name is "bash" when there is none. shell says that it
// runs under bash: with #!/bin/bash, with #!/bin/sh and without a shebang. Tags are only allowed in those.
func Interpreter(script string) (name string, shell bool) {
	name, _, ok := shebang(script)
	if !ok {
		return "bash", true
	}
	return name, name == "bash" || name == "sh"
}

// shebang splits the first line: the interpreter's name, and its options.
func shebang(script string) (name string, options []string, ok bool) {
	line, found := strings.CutPrefix(script, "#!")
	if !found {
		return "", nil, false
	}
	line, _, _ = strings.Cut(line, "\n")
	fields := strings.Fields(line)
	if len(fields) > 0 && path.Base(fields[0]) == "env" {
		fields = fields[1:]
		for len(fields) > 0 && (strings.HasPrefix(fields[0], "-") || strings.Contains(fields[0], "=")) {
			fields = fields[1:]
		}
	}
	if len(fields) == 0 {
		return "", nil, true
	}
	return path.Base(fields[0]), fields[1:], true
}

// shellOptions are the one-letter options of bash that set(1) takes too and that do not change how a script is read.
const shellOptions = "aefuvxC"

// setOptions gives the command that does what the options of the shebang would do, since the shebang's line is replaced,
// and the options that it cannot do.
func setOptions(script string) (command string, ignored []string) {
	_, options, _ := shebang(script)
	for _, option := range options {
		letters, isOption := strings.CutPrefix(option, "-")
		if !isOption || letters == "" || strings.Trim(letters, shellOptions) != "" {
			ignored = append(ignored, option)
			continue
		}
		command += "; set -" + letters
	}
	return command, ignored
}

// The descriptors that a script's process gets besides the standard ones. Both end before the first command of the
// author runs, so that no program inherits them.
const (
	ValuesDescriptor = 3 // the values, each followed by a NUL
	ScriptDescriptor = 4 // the script
)

// complete puts the prologue in front of a script: it takes the values from their descriptor into an array that cannot
// change, closes both descriptors, and ends the script when a value is missing. It stands on the first line, in place of
// the shebang, so that the lines in bash's messages are the author's.
func complete(script string, values int) string {
	set, _ := setOptions(script)
	prologue := fmt.Sprintf("exec %d<&- %d<&-", ValuesDescriptor, ScriptDescriptor)
	if values > 0 {
		// mapfile -d is new in bash 4.4; with an older one the count is wrong and nothing runs.
		prologue = fmt.Sprintf("mapfile -d '' -t %[1]s <&%[2]d; %[3]s; readonly %[1]s; [[ ${#%[1]s[@]} == %[4]d ]] || { echo 'a2a-acp: the values of the call are missing (bash 4.4 or later is needed)' >&2; exit 125; }",
			valuesName, ValuesDescriptor, prologue, values)
	}
	if strings.HasPrefix(script, "#!") {
		_, rest, _ := strings.Cut(script, "\n")
		return prologue + set + "\n" + rest
	}
	return prologue + "; " + script
}
