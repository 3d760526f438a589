package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// refuse answers with a problem (RFC 9457). detail may be read by whoever has asked.
func refuse(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{ // the client has gone, or it has the answer
		"title": http.StatusText(status), "status": status, "detail": detail,
	})
}

// challenge sets what a client is told that shows no token, or one that is not enough (RFC 6750, RFC 9728).
func (rt *Route) challenge(w http.ResponseWriter, base, code, detail string) {
	parts := []string{`Bearer realm="a2a-acp"`}
	if code != "" {
		parts = append(parts, fmt.Sprintf("error=%q", code), fmt.Sprintf("error_description=%q", detail))
	}
	if rt.Scope != AnyPrincipal {
		parts = append(parts, fmt.Sprintf("scope=%q", rt.Scope))
	}
	if rt.Metadata != "" {
		parts = append(parts, fmt.Sprintf("resource_metadata=%q", base+rt.Metadata))
	}
	w.Header().Set("WWW-Authenticate", strings.Join(parts, ", "))
}
