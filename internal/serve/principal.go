package serve

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"
)

// Principal is who calls, as the daemon has found out. It never changes.
type Principal struct {
	// Name is how rules, the record and questions know it. One from the configuration has no colon in its name;
	// one of an issuer of tokens has the issuer's name, a colon, and what the issuer calls it.
	Name      string
	Scopes    []Scope
	Workspace string // the directory that it works in, absolute; "" for the daemon's own
	// Claims are what the issuer of its token says of it; nil for a principal of the configuration.
	Claims map[string]any
	// Issuer is what the configuration calls that issuer, and OnlyIssuer is set where it has no other.
	Issuer     string
	OnlyIssuer bool
	// Issued is when its token was; zero where that does not say.
	Issued time.Time
	// MCP is what the configuration says of it at the MCP door.
	MCP MCP
	// Expires is when its token ends; zero for one that does not.
	Expires time.Time

	rate   Rate    // of its requests
	atOnce int     // how many may be under way; 0 for no bound
	token  *string // a pointer, since what is printed with its fields must not show it
}

// MCP is what a principal may do at the MCP door, beside its scopes.
type MCP struct {
	Tools     []string // globs over tool ids; nil for all
	Workspace string   // absolute; "" for the principal's own
	Rate      Rate     // of calls of tools
	AtOnce    int      // calls of tools under way; 0 for no bound
}

// Rate is how often something may happen. The zero Rate is no bound.
type Rate struct {
	Count int
	Per   time.Duration
}

// May reports whether the principal has a scope.
func (p *Principal) May(s Scope) bool { return slices.Contains(p.Scopes, s) }

// Token returns what the principal has shown, for a door that shows it elsewhere on the principal's behalf;
// "" where it has shown nothing.
func (p *Principal) Token() string {
	if p.token == nil {
		return ""
	}
	return *p.token
}

// Format implements fmt.Formatter: whatever the verb, a principal is its name.
func (p Principal) Format(f fmt.State, _ rune) { fmt.Fprint(f, p.Name) }

// LogValue implements slog.LogValuer.
func (p Principal) LogValue() slog.Value { return slog.StringValue(p.Name) }

type principalKey struct{}

// PrincipalOf returns who makes the request with this context; nil for a route that anybody may reach.
func PrincipalOf(ctx context.Context) *Principal {
	p, _ := ctx.Value(principalKey{}).(*Principal)
	return p
}

// The principals that nobody has configured.
const (
	NameDefault   = "default"   // whoever shows A2A_AUTH_TOKEN
	NameLocal     = "local"     // whoever shows the token of the state directory
	NameAnonymous = "anonymous" // everybody, where nobody has to show a token
)

// OwnNames lists their names, which no other principal has.
func OwnNames() []string { return []string{NameDefault, NameLocal, NameAnonymous} }
