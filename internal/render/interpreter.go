package render

import (
	"fmt"
	"strings"
)

// shellOptions are the one-letter options of bash that set(1) takes too and that do not change how a script
// is read.
const shellOptions = "aefuvxC"

// setOptions returns the command that does what the options of the shebang would do, since the shebang's
// line is replaced, and the options that it cannot do.
func setOptions(script string) (command string, ignored []string) {
	s, _ := readShebang(script)
	for _, option := range s.options {
		letters, isOption := strings.CutPrefix(option, "-")
		if !isOption || letters == "" || strings.Trim(letters, shellOptions) != "" {
			ignored = append(ignored, option)
			continue
		}
		command += "; set -" + letters
	}
	return command, ignored
}

// The descriptors that a script's process gets besides the standard ones. Both end before the first command
// of the author runs, so that no program inherits them.
const (
	ValuesDescriptor = 3 // the values, each followed by a NUL
	ScriptDescriptor = 4 // the script
)

// complete puts the prologue in front of a script: it takes the values from their descriptor into an array
// that cannot change, closes both descriptors, and ends the script when a value is missing. It stands on
// the first line, in place of the shebang, so that the lines in bash's messages are the author's.
func complete(script string, values int) string {
	set, _ := setOptions(script)
	prologue := fmt.Sprintf("exec %d<&- %d<&-", ValuesDescriptor, ScriptDescriptor)
	if values > 0 {
		// mapfile -d is new in bash 4.4; with an older one the count is wrong and nothing runs.
		prologue = fmt.Sprintf("mapfile -d '' -t %[1]s <&%[2]d; %[3]s; readonly %[1]s; "+
			"[[ ${#%[1]s[@]} == %[4]d ]] || "+
			"{ echo 'a2a-acp: the values of the call are missing (bash 4.4 or later is needed)' >&2; exit 125; }",
			valuesName, ValuesDescriptor, prologue, values)
	}
	if strings.HasPrefix(script, "#!") {
		_, rest, _ := strings.Cut(script, "\n")
		return prologue + set + "\n" + rest
	}
	return prologue + "; " + script
}
