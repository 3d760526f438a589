package tool

import (
	"net/netip"
	"time"
)

// HTTP is what a tool does that sends a request in place of running a script.
type HTTP struct {
	API    API
	Method string
	Line   string // the line of the request with its tags, for people
	// Safe says that the author takes the request for one that changes nothing, whatever its method.
	Safe bool
	// Repeatable says that sending the request twice is the same as once: by its method, or by a header that
	// names the call.
	Repeatable bool
}

// API is a service that requests are sent to: an entry of `sources`.
type API struct {
	Name      string // "" where the URL is a value as a whole
	Origin    string // scheme and host, as https://api.example.com; "" likewise
	Auth      Auth
	Addresses []netip.Prefix // those that are reached although they are not public
	Redirects int            // how many are followed, to the same origin
	Timeout   time.Duration  // of a request that says nothing about it; 0 for the rule
}

// Who names the API in messages.
func (a API) Who() string {
	if a.Name == "" {
		return "the server"
	}
	return "the source " + a.Name
}

// AuthKind is a way in which a request shows whose it is.
type AuthKind string

// The kinds of authentication.
const (
	AuthNone   AuthKind = ""
	AuthBearer AuthKind = "bearer"
	AuthBasic  AuthKind = "basic"
	AuthAPIKey AuthKind = "api_key"
)

// Reference is the name under which the references of a tool's sandbox have the value that a kind needs.
func (k AuthKind) Reference() string { return "auth." + string(k) }

// Place is where a key stands in a request.
type Place string

// The places of a key.
const (
	InHeader Place = "header"
	InQuery  Place = "query"
	InCookie Place = "cookie"
)

// Auth says how requests show whose they are. The value itself is a reference of the tool's sandbox.
type Auth struct {
	Kind AuthKind
	User string // of AuthBasic
	In   Place  // of AuthAPIKey; so is Name
	Name string
}

// HTTPReport says what of a request's way a reader wants to know.
type HTTPReport struct {
	Method    string `json:"method"`
	URL       string `json:"url"` // without what the credential added to it
	Status    int    `json:"status"`
	Attempts  int    `json:"attempts"`
	FromCache bool   `json:"from_cache"`
}
