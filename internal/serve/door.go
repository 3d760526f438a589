package serve

import (
	"context"
	"net/http"
)

// Door is a way into the program that has its place on the daemon's listeners. See the package's comment.
type Door struct {
	Name   string // required: one word, for messages
	Routes []Route
	// FirstLine returns the members that the door adds to the first line on standard output. base is the URL
	// of the daemon, without a slash at its end. Optional.
	FirstLine func(base string) map[string]any
	// Ready says why the door can take nothing at the moment; nil when it can. Optional. It must not block.
	Ready func() error
	// Recheck is called once other settings are in force, with what returns a principal as they have it; nil for one
	// that may be at the door no longer. What is under way for one that may not, beyond its requests (those have been
	// ended), or that it may not any more, the door ends. Optional. It must not block.
	Recheck func(now func(p *Principal, scope Scope) *Principal)
	// Drain returns when nothing is under way at the door any more. No request begins then. When ctx ends, it
	// ends what is left. Optional.
	Drain func(ctx context.Context)
}

// Route is a part of a door.
type Route struct {
	Pattern string // required: as of http.ServeMux, without a host
	// Scope is what a principal must have to reach the handler. Required; Anybody is for what is public, and
	// AnyPrincipal for what needs a principal and no scope.
	Scope   Scope
	Handler http.Handler // required
	// MaxBody bounds a request's body, in bytes; 0 for the daemon's own bound, which is the most.
	MaxBody int64
	// Streams says that the answers tell news for as long as the client stays. See the package's comment.
	Streams bool
	// Metadata is the path of the route's OAuth protected resource metadata (RFC 9728), which a client that is
	// not let in is told of; "" for none.
	Metadata string
}

// Scope is something that a principal may do.
type Scope string

// The scopes. The last two are for routes only.
const (
	ScopeTools   Scope = "tools"
	ScopeTasks   Scope = "tasks"
	ScopeApprove Scope = "approve"
	ScopeAudit   Scope = "audit"
	ScopeAdmin   Scope = "admin"

	Anybody      Scope = "anybody"       // nobody needs to be known
	AnyPrincipal Scope = "any principal" // somebody has to be, whatever their scopes
)

// Scopes lists the scopes that a principal may have.
func Scopes() []Scope { return []Scope{ScopeTools, ScopeTasks, ScopeApprove, ScopeAudit, ScopeAdmin} }
