package a2a

import (
	"net/http"
	"strings"
)

// What the SDKs' clients that people have cannot read, although the protocol says it so, they are told as
// they can.

// goClient reports whether a request may be one of the protocol's module for Go. Up to 2.5 it takes no card
// whose requirements have their scopes as the protocol writes them (its issue 430), and reads no error of the
// protocol's media type. It says who it is by nothing but the name of Go's own client.
func goClient(r *http.Request) bool { return strings.HasPrefix(r.UserAgent(), "Go-http-client/") }

// readsStreams reports whether what is wrong with a stream's request has to be told within a stream, in
// JSON-RPC: to clients of 0.3, as its SDKs take nothing else, and to the module for Go, which looks for
// events alone and else tells its caller that there were none.
func readsStreams(r *http.Request, version string) bool {
	accept := r.Header.Get("Accept")
	return (version == version03 || goClient(r)) &&
		strings.Contains(accept, "text/event-stream") && !strings.Contains(accept, "application/json")
}
