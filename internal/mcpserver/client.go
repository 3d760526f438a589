package mcpserver

import (
	"context"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// The revisions of MCP that are spoken here, the newest first. Up to Revision20251125 a session begins with
// initialize; since then each request says by itself what it needs to be understood.
const (
	Revision20260728 = "2026-07-28"
	Revision20251125 = "2025-11-25"
	Revision20250618 = "2025-06-18"
	Revision20250326 = "2025-03-26"
	Revision20241105 = "2024-11-05"
)

var (
	revisions         = append([]string{Revision20260728}, statefulRevisions...)
	statefulRevisions = []string{Revision20251125, Revision20250618, Revision20250326, Revision20241105}
)

// negotiated returns the revision that a session which begins with initialize speaks: the client's own, or
// our newest that has sessions.
func negotiated(asked string) string {
	if slices.Contains(statefulRevisions, asked) {
		return asked
	}
	return Revision20251125
}

// The members of _meta by which a request says what it needs, since 2026-07-28.
const (
	metaRevision     = "io.modelcontextprotocol/protocolVersion"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaLevel        = "io.modelcontextprotocol/logLevel"
	metaServer       = "io.modelcontextprotocol/serverInfo"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
)

// tasksExtension is the name of the extension that makes a long call a task.
const tasksExtension = "io.modelcontextprotocol/tasks"

// Client is who sends a request, as far as it says so itself, and as far as the front has found out. It is
// immutable.
type Client struct {
	Name, Version string // as it calls itself; "" when it does not say
	Revision      string // of MCP
	Capabilities  Capabilities
	// Principal is who it is as the front has found out; "" where nobody is told from others.
	Principal string
	roots     func(context.Context) []string
	// Session tells the client's session from others: of the time before 2026-07-28 its own, else "".
	Session string
}

// KnowsLinks reports whether the client's revision has links to resources in results (since 2025-06-18).
func (c *Client) KnowsLinks() bool { return c.Revision >= Revision20250618 }

// Roots returns the directories that the client's person works in, as it calls them, where it has a session
// and can be asked. It may ask, and wait a moment.
func (c *Client) Roots(ctx context.Context) []string {
	if c.roots == nil {
		return nil
	}
	return c.roots(ctx)
}

// Stateless reports whether each of the client's requests stands for itself.
func (c *Client) Stateless() bool { return c.Revision >= Revision20260728 }

// Capabilities are what a client has declared that it can do.
type Capabilities struct {
	Elicitation bool // ask its person with a form
	Sampling    bool
	Roots       bool
	Tasks       bool // it takes a task for the result of a call
}

// longestClaim is how many bytes of a client's name and version are kept.
const longestClaim = 128

// readClient reads what a client says of itself.
func readClient(revision string, info, capabilities []byte) *Client {
	c := &Client{Name: claim(textParam(info, "name")), Version: claim(textParam(info, "version")), Revision: revision}
	has := func(path ...string) bool {
		value := param(capabilities, path...)
		return len(value) > 0 && value[0] == '{'
	}
	c.Capabilities = Capabilities{Sampling: has("sampling"), Roots: has("roots"), Tasks: has("extensions", tasksExtension)}
	// One that says nothing of forms and of URLs means forms (2026-07-28, elicitation).
	c.Capabilities.Elicitation = has("elicitation") && (has("elicitation", "form") || !has("elicitation", "url"))
	return c
}

func claim(text string) string {
	if len(text) > longestClaim {
		return ""
	}
	return text
}

// readStateless reads who sends a request that stands for itself.
func readStateless(params []byte) (*Client, *ProtocolError) {
	about := param(params, "_meta")
	revision := textParam(about, metaRevision)
	capabilities := param(about, metaCapabilities)
	switch {
	case revision == "":
		return nil, failf(codeParams, "_meta has no %q", metaRevision)
	case revision != Revision20260728:
		return nil, failf(codeRevision, "revision %q is not spoken here", claim(revision)).
			with(map[string]any{"supported": revisions, "requested": claim(revision)})
	case len(capabilities) == 0 || capabilities[0] != '{':
		return nil, failf(codeParams, "_meta has no %q", metaCapabilities)
	}
	return readClient(revision, param(about, metaClient), capabilities), nil
}

// saysRevision reports whether a request says which revision it is of, and so stands for itself.
func saysRevision(params []byte) bool {
	_, ok := ndjson.Get(param(params, "_meta"), metaRevision)
	return ok
}
