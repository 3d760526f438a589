package tools

import (
	"fmt"
	"io"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// shownHTTP is the request of a tool in place of a script, in `tools show -o json`.
type shownHTTP struct {
	Request   string   `json:"request"` // its line, with the tags
	Source    string   `json:"source,omitempty"`
	Auth      string   `json:"auth,omitempty"`
	Addresses []string `json:"allow_addresses,omitempty"`
	Redirects int      `json:"redirects"`
	TokenURL  string   `json:"token_url,omitempty"`
}

func httpDetails(t *tool.Tool) *shownHTTP {
	if t.HTTP == nil {
		return nil
	}
	api := t.HTTP.API
	var kinds []string
	for _, c := range api.Credentials() {
		kinds = append(kinds, string(c.Kind))
	}
	shown := &shownHTTP{Request: t.HTTP.Line, Source: api.Name, Auth: strings.Join(kinds, " + "), Redirects: api.Redirects,
		TokenURL: api.Auth.Token.URL}
	for _, address := range api.Addresses {
		shown.Addresses = append(shown.Addresses, address.String())
	}
	return shown
}

// writeReach tells where a request may go, and with what.
func writeReach(w io.Writer, t *tool.Tool) {
	fmt.Fprintf(w, "  take %s of time, an answer of %d MB\n", t.Sandbox.Limits.Timeout, t.Sandbox.Limits.Output>>20)
	shown := httpDetails(t)
	if t.HTTP.API.Origin == "" {
		fmt.Fprintln(w, "  reach public addresses")
		return
	}
	fmt.Fprintf(w, "  reach %s", display.Line(t.HTTP.API.Origin))
	if len(shown.Addresses) > 0 {
		fmt.Fprintf(w, ", also at %s", strings.Join(shown.Addresses, ", "))
	}
	fmt.Fprintln(w)
	if shown.TokenURL != "" {
		fmt.Fprintf(w, "  be given a token by %s%s\n", display.Line(shown.TokenURL),
			map[bool]string{true: ", for whoever calls"}[t.HTTP.API.Auth.Token.Caller])
	}
	if shown.Redirects > 0 {
		fmt.Fprintf(w, "  follow %s there\n", display.Count(shown.Redirects, "redirect", "redirects"))
	}
}
