package serve

import (
	"fmt"
	"math"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/internal/acmecert"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Settings are what the configuration says of the daemon (serve: in a2a-acp.yaml). All but Listen, and whether
// there is TLS, can change while it runs.
type Settings struct {
	Listen []string // the addresses (see Address); none for DefaultAddress
	// URL is how the world calls the daemon, where that is not by its first address: it stands behind a proxy.
	// Without a slash at its end; "" for the first address.
	URL     string
	Hosts   []string // names under which it may be called, beside those that it can tell itself
	Origins []string // pages of browsers that may call it: https://host[:port]
	TLS     TLS
	// Plaintext lets other addresses than loopback do without TLS.
	Plaintext bool
	Workspace string // of principals that have none of their own; absolute, "" for none

	Principals map[string]PrincipalSpec
	Issuers    map[string]IssuerSpec

	// Push are addresses that the push notifications of A2A clients reach although they are not public.
	Push []netip.Prefix
	// Tasks say how long the tasks of A2A clients are kept, and how much of them.
	Tasks TaskRetention

	Limits Limits
	Grace  time.Duration // what requests under way have at the end
}

// TLS says where the daemon's certificate comes from: two files, both absolute, or an authority. The zero TLS is
// none.
type TLS struct {
	Cert, Key string
	ACME      *acmecert.Spec // nil for the files
	Source    tool.Source
}

// IsSet reports whether TLS is spoken.
func (t TLS) IsSet() bool { return t.Cert != "" || t.ACME != nil }

// PrincipalSpec is a principal as the configuration has it.
type PrincipalSpec struct {
	Token     tool.Reference // where what it shows stands: a secret, a variable or a file
	Scopes    []Scope
	Workspace string // absolute; "" for the daemon's own
	Rate      Rate   // of requests
	AtOnce    int    // requests under way, streams not counted; 0 for no bound
	MCP       MCP
	Source    tool.Source
}

// IssuerSpec is whose tokens count (JWT, RFC 7519; OpenID Connect), and for what. Each of its subjects is a
// principal.
type IssuerSpec struct {
	Issuer     string   // as it stands in the tokens: a URL
	Audience   []string // one of these must stand in a token
	Algorithms []string // of signatures; all of them with a public key
	// Keys is the URL of the issuer's keys (JWKS); "" to ask the issuer for it (OpenID Connect Discovery).
	Keys  string
	Allow []netip.Prefix // addresses of the issuer that are not public
	CA    string         // a file with the certificates that the issuer's has to come from; "" for the system's
	// NameClaim is the claim that names the principal, and ScopesClaim the one with its scopes; "" gives each
	// token all of Scopes, which is the most that a token gives.
	NameClaim, ScopesClaim string
	Scopes                 []Scope
	Require                map[string][]string // claims that must have one of these values

	Workspace string
	Rate      Rate
	AtOnce    int
	MCP       MCP
	Source    tool.Source
}

// Limits bound what clients can take of the daemon.
type Limits struct {
	Body   int64 // bytes of a request
	Header int   // bytes of a request's headers
	// Connections bounds those with a request under way, and PrincipalConnections those of one principal.
	// Others wait for a request, or have sent none: there are at most Waiting of them.
	Connections, PrincipalConnections, Waiting int
	Idle                                       time.Duration // after which a connection without a request is closed
	// Patience is how long a client may keep the daemon waiting while it sends or takes bytes.
	Patience time.Duration
}

// DefaultLimits are the limits where nobody says anything. Ten thousand clients that are told news have room.
func DefaultLimits() Limits {
	return Limits{
		Body: 32 << 20, Header: 64 << 10, Connections: 16384, PrincipalConnections: 12288, Waiting: 1024,
		Idle: 2 * time.Minute, Patience: 30 * time.Second,
	}
}

// DefaultGrace is what requests under way have at the end.
const DefaultGrace = 30 * time.Second

// GCPercent is how much garbage there may be beside what is in use before the daemon collects it, in percent of
// that (see debug.SetGCPercent), where GOGC does not say it. Some 7 MB are in use: Go's own 100 has them gone
// through again and again while many clients ask. It takes up to 15 MB more memory then, and hardly any while idle.
const GCPercent = 300

// DefaultScopes are those of a principal that the configuration gives none.
func DefaultScopes() []Scope { return []Scope{ScopeTools, ScopeTasks} }

// spare is how many descriptors are left for what is not a connection: tools, the record, the store.
const spare = 512

// within bounds connections by the descriptors that the process may have. It never leaves none.
func (l Limits) within(descriptors int) Limits {
	most := max(descriptors-spare, 64)
	l.Waiting = min(l.Waiting, most/4)
	l.Connections = min(l.Connections, most-l.Waiting)
	l.PrincipalConnections = min(l.PrincipalConnections, l.Connections)
	return l
}

// descriptors is how many the process may have open. Go has raised the soft limit to the hard one.
func descriptors() int {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil || limit.Cur > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(limit.Cur)
}

// SettingError is what is wrong with the settings, with the place where that stands in a file, if it does.
type SettingError struct {
	Source tool.Source
	Err    error
}

// Error implements error.
func (e *SettingError) Error() string {
	if e.Source.File == "" {
		return e.Err.Error()
	}
	return fmt.Sprintf("%s:%d:%d: %v", e.Source.File, e.Source.Line, e.Source.Column, e.Err)
}

// Unwrap returns what is wrong.
func (e *SettingError) Unwrap() error { return e.Err }

// TaskRetention says how long tasks are kept after they have ended, how long one may wait for an answer, and how many bytes
// those of one principal may take. 0 is for good, and any.
type TaskRetention struct {
	Completed, Failed, Waiting time.Duration
	Most                       int64
}

// DefaultTaskRetention is that of a daemon that says no other.
func DefaultTaskRetention() TaskRetention {
	const day = 24 * time.Hour
	return TaskRetention{Completed: 30 * day, Failed: 30 * day, Waiting: 7 * day, Most: 1 << 30}
}
