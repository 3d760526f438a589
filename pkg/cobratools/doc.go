// Package cobratools has a program that was written with Cobra offer its own commands as tools of MCP.
//
//	root.AddCommand(cobratools.Command(cobratools.Config{}))
//
// adds `mcp start`, `mcp stream`, `mcp tools`, `mcp enable`, `mcp disable` and `mcp list`. Each command that can be run
// becomes a tool, and each flag a parameter, with the very types of github.com/spf13/pflag. A call runs the program
// itself: a value stays in its own word, so none becomes another flag.
//
// Where a2a-acp is installed, it serves the tools: each call is checked, decided by the person's rules, asked about where
// it destroys something, run in a sandbox and recorded. Where it is not, the program runs with all rights of the person
// who started it, and each result says so.
//
// Config has the names of github.com/njayp/ophis, so that a program can come from there.
package cobratools
