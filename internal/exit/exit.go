// Package exit names the exit codes of the program. `a2a-acp --help` prints this table; bridge and sandbox
// exec return the code of what they run once it has run, 128+n after signal n.
package exit

// The codes.
const (
	OK         = 0
	ToolFailed = 1   // the tool ran and failed; its own code is in the result
	Usage      = 2   // usage, configuration or parameters
	Denied     = 3   // denied by policy
	Approval   = 4   // needs approval and nobody can give it
	Host       = 5   // this host cannot do it
	Timeout    = 124 // as timeout(1)
	Interrupt  = 130 // as a shell after SIGINT
)
