package tool

import "strings"

// Reference says where the value of a variable stands, so that an entry need not hold it. Exactly one field
// is set.
type Reference struct {
	Secret  string   // a name in the program's own store: `a2a-acp secrets set NAME`
	Env     string   // a variable of the environment that the program was started with
	File    string   // an absolute path
	Command []string // what this program prints; the first word is an absolute path, or is found in PATH
}

// String returns the reference as an entry has it. It names the value and never holds it.
func (r Reference) String() string {
	kind, what := "command", "["+strings.Join(r.Command, ", ")+"]"
	switch {
	case r.Secret != "":
		kind, what = "secret", r.Secret
	case r.Env != "":
		kind, what = "env", r.Env
	case r.File != "":
		kind, what = "file", r.File
	}
	return "{" + kind + ": " + what + "}"
}
