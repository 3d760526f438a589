package tool

import (
	"net/netip"
	"strconv"
	"strings"
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
	Answer     Answer
}

// Answer says which part of an answer is the tool's result. The zero Answer is all of it, as it is.
type Answer struct {
	Pick  string // a JSON pointer, or names with dots between them
	Shape string // an expression of CEL over status, headers and body
	// Stream says that the answer is a stream, of whose events each is a part of the result; "" for none.
	Stream StreamKind
	Pages  Pages
	Job    Job
}

// StreamKind is what an answer is a stream of.
type StreamKind string

// The kinds.
const (
	StreamEvents StreamKind = "sse"    // server-sent events
	StreamLines  StreamKind = "ndjson" // a JSON value in each line
)

// Job says how a job that a request begins is asked about until it has ended. The zero Job is none.
type Job struct {
	Look string // what asks, with its tags, for people; "" for no job
	From string // where in the answer the URL stands that is asked; "" for a template, or the header Location

	Status    string   // where in what is answered then its status stands; "" where a status of HTTP other than 202 ends it
	Completed []string // the words of it that it has ended with
	Failed    []string // likewise, where it came to nothing
	Result    string   // where the result stands; "" for all

	Interval    time.Duration // before the first time that is asked, and longer by Factor before each other
	MaxInterval time.Duration
	Factor      float64
	Most        int           // how often is asked
	Deadline    time.Duration // from its beginning

	Cancel string // what is sent where the caller gives up, with its tags; "" for nothing
}

// LookLocation is the Look of a job whose URL the header Location says.
const LookLocation = "GET Location"

// Located reports whether the header Location says where the job is asked about.
func (j Job) Located() bool { return j.Look == LookLocation }

// IsJob reports whether there is a job to ask about.
func (j Job) IsJob() bool { return j.Look != "" }

// Pages says how an answer goes on in further pages. The zero Pages has none.
type Pages struct {
	Next      NextPage
	At        string // where in the body the next page's URL, or its cursor, stands
	Parameter string // of NextCursor: the field of the query that takes it
	Items     string // where in each page the list stands; "/" where the page is one
	Most      int    // how many pages are asked for, the first among them
}

// NextPage is how a page tells of the next one.
type NextPage string

// The ways.
const (
	NextLink    NextPage = "link"    // a header (RFC 8288)
	NextPointer NextPage = "pointer" // a URL in the body
	NextCursor  NextPage = "cursor"  // a value in the body, for a field of the query
)

// API is a service that requests are sent to: an entry of `sources`.
type API struct {
	Name      string // "" where the URL is a value as a whole
	Origin    string // scheme and host, as https://api.example.com; "" likewise
	Auth      Auth
	Also      []Auth         // what requests show beside Auth; none of these is fetched
	Addresses []netip.Prefix // those that are reached although they are not public
	Redirects int            // how many are followed, to the same origin
	Timeout   time.Duration  // of a request that says nothing about it; 0 for the rule
	Breaker   CircuitBreaker // of all tools that send requests there; the zero one for none
	Rate      RateLimit      // of all requests that are sent there: first ones, retries, further pages and looks
	CA        string         // a file of certificates that the server's is checked against; "" for those of the system
}

// Who names the API in messages.
func (a API) Who() string {
	if a.Name == "" {
		return "the server"
	}
	return "the source " + a.Name
}

// NamedAuth is one of those that a request shows, and the name of its value among the references of a tool's sandbox.
type NamedAuth struct {
	Auth
	Reference string
}

// Credentials lists what requests to the API show: none, one or several at once.
func (a API) Credentials() []NamedAuth {
	if a.Auth.Kind == AuthNone {
		return nil
	}
	all := []NamedAuth{{a.Auth, a.Auth.Kind.Reference()}}
	for i, auth := range a.Also {
		all = append(all, NamedAuth{auth, FurtherReference(i, auth.Kind)})
	}
	return all
}

// FurtherReference is the name under which the references of a tool's sandbox have the value of an entry of API.Also.
func FurtherReference(i int, kind AuthKind) string {
	return "auth." + strconv.Itoa(i+2) + "." + string(kind)
}

// AuthKind is a way in which a request shows whose it is.
type AuthKind string

// The kinds of authentication.
const (
	AuthNone   AuthKind = ""
	AuthBearer AuthKind = "bearer"
	AuthBasic  AuthKind = "basic"
	AuthAPIKey AuthKind = "api_key"

	AuthClientCredentials AuthKind = "client_credentials" // RFC 6749, 4.4
	AuthTokenExchange     AuthKind = "token_exchange"     // RFC 8693
)

// Reference is the name under which the references of a tool's sandbox have the value that a kind needs. A kind with
// a token has the token itself by that name, once there is one.
func (k AuthKind) Reference() string { return "auth." + string(k) }

// Fetched reports whether the credential is a token that is fetched for a call, and kept for a while.
func (k AuthKind) Fetched() bool { return k == AuthClientCredentials || k == AuthTokenExchange }

// The names under which the references of a tool's sandbox have what a token is fetched with, and what a connection
// shows.
const (
	ClientSecret      = "auth.client_secret"
	Subject           = "auth.subject"
	ClientCertificate = "tls.certificate"
	ClientKey         = "tls.key"
)

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

	Token TokenSource // of the kinds whose credential is fetched
}

// Spot names where in a request a credential stands: two in the same spot cannot be sent.
func (a Auth) Spot() string {
	if a.Kind != AuthAPIKey {
		return "header authorization"
	}
	name := a.Name
	if a.In == InHeader {
		name = strings.ToLower(name)
	}
	return string(a.In) + " " + name
}

// TokenSource says where a token comes from, and for what it is asked.
type TokenSource struct {
	URL        string // the token endpoint
	ClientID   string
	ClientAuth ClientAuth
	// Caller says that the subject of an exchange is whoever calls, by the token that he has shown. Otherwise it is
	// a reference of the tool's sandbox.
	Caller   bool
	Audience string // "" for none; so is Resource
	Resource string
	Scopes   []string
}

// ClientAuth is how a client shows its secret to a token endpoint (RFC 6749, 2.3.1).
type ClientAuth string

// The ways.
const (
	ClientAuthBasic ClientAuth = "basic"
	ClientAuthPost  ClientAuth = "post"
)

// HTTPReport says what of a request's way a reader wants to know.
type HTTPReport struct {
	Method    string `json:"method"`
	URL       string `json:"url"` // without what the credential added to it
	Status    int    `json:"status"`
	Attempts  int    `json:"attempts"`
	FromCache bool   `json:"from_cache"`
	// Job is what the request has begun; nil for an answer that was all.
	Job *JobReport `json:"job,omitempty"`
}

// JobReport is a job that a request has begun.
type JobReport struct {
	URL   string `json:"url"`   // that is asked
	Looks int    `json:"looks"` // how often it was
}
