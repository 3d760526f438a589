package serve

import "github.com/a2a-acp/a2a-acp/pkg/tool"

// Settings are what the configuration says of the daemon. All but Listen can change while it runs.
type Settings struct {
	Listen     []string // the addresses; none for the default
	Workspace  string   // of principals that have none of their own; absolute, "" for none
	Principals []PrincipalSpec
}

// PrincipalSpec is a principal as the configuration has it.
type PrincipalSpec struct {
	Name      string
	Token     tool.Reference // where what it shows stands
	Scopes    []Scope
	Workspace string // absolute; "" for the daemon's own
	Rate      Rate   // of requests
	AtOnce    int    // requests under way; 0 for no bound
	MCP       MCP
	Source    tool.Source
}
