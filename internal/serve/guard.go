package serve

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// guard decides by which name the daemon may be called, and by whose pages. A page of a stranger could
// otherwise have a browser on this machine call the daemon: under a name of his own that he lets resolve to
// our address (DNS rebinding), or across origins. It never changes.
type guard struct {
	hosts   []string // in lower case, without ports
	origins []string
	public  string // the origin that the world sees; "" for the request's own
	// certified reports whether our certificate is one for a host: who has us called by another name cannot
	// have a browser believe that.
	certified func(host string) bool
}

func newGuard(s Settings, certified func(host string) bool) *guard {
	g := &guard{origins: s.Origins, certified: certified}
	for _, host := range s.Hosts {
		g.hosts = append(g.hosts, strings.ToLower(host))
	}
	if at, err := url.Parse(s.URL); err == nil && s.URL != "" {
		g.hosts = append(g.hosts, strings.ToLower(at.Hostname()))
		g.public = at.Scheme + "://" + at.Host
	}
	return g
}

// urlCredentials are parameters that hold a token. One in a URL stands in logs and histories, and is never taken.
var urlCredentials = []string{"access_token", "api_key", "apikey", "auth_token", "authorization", "bearer", "token", "x-api-key"}

// check returns why a request is not answered, with the status; 0 when it is. page reports whether a page of
// another origin makes it, with our leave.
func (g *guard) check(r *http.Request) (status int, why string, page bool) {
	if !g.isOurs(r) {
		return http.StatusForbidden, "the daemon is not known by that name: add it to serve: {hosts: […]} in a2a-acp.yaml", false
	}
	for name := range r.URL.Query() {
		if slices.Contains(urlCredentials, strings.ToLower(name)) {
			return http.StatusBadRequest, "a token does not belong in a URL: send it as Authorization: Bearer, or X-API-Key", false
		}
	}
	origins := r.Header.Values("Origin")
	switch {
	case len(origins) == 0:
		// A browser tells where a request without an origin comes from, too. To follow a link is no call.
		if site := r.Header.Get("Sec-Fetch-Site"); (site == "cross-site" || site == "same-site") &&
			(r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Mode") != "navigate") {
			return http.StatusForbidden, "pages of other origins may not call the daemon", false
		}
		return 0, "", false
	case len(origins) > 1:
		return http.StatusForbidden, "the request has more than one origin", false
	case slices.Contains(g.origins, origins[0]):
		return 0, "", true
	case g.isSame(r, origins[0]):
		return 0, "", false
	}
	return http.StatusForbidden,
		"pages of that origin may not call the daemon: add it to serve: {origins: […]} in a2a-acp.yaml", false
}

// isOurs reports whether the host that a request names is one of ours.
func (g *guard) isOurs(r *http.Request) bool {
	local := r.Context().Value(http.LocalAddrContextKey)
	if _, socket := local.(*net.UnixAddr); socket {
		return true // no browser gets there
	}
	host := strings.ToLower(hostOf(r.Host))
	switch {
	case host == "":
		return false
	case isLoopback(host), slices.Contains(g.hosts, host):
		return true
	}
	if at, ok := local.(*net.TCPAddr); ok {
		if named, err := netip.ParseAddr(host); err == nil {
			here, _ := netip.AddrFromSlice(at.IP)
			return named.Unmap() == here.Unmap()
		}
	}
	return r.TLS != nil && g.certified(host)
}

// isSame reports whether an origin is that of the daemon itself, as this request calls it.
func (g *guard) isSame(r *http.Request, origin string) bool {
	if g.public != "" && origin == g.public {
		return true
	}
	from, err := url.Parse(origin)
	if err != nil || from.Host == "" || from.Path != "" || from.User != nil {
		return false
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return from.Scheme == scheme && (strings.EqualFold(from.Host, r.Host) ||
		isLoopback(from.Hostname()) && isLoopback(hostOf(r.Host)) && from.Port() == portOf(r.Host))
}

// hostOf returns the host of a Host header, without the port and brackets.
func hostOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

func portOf(host string) string {
	_, port, _ := net.SplitHostPort(host)
	return port
}

// isLoopback reports whether a name, or a number, means this machine to whoever says it. No DNS is asked for
// it.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	at, err := netip.ParseAddr(host)
	return err == nil && at.Unmap().IsLoopback() && at.Zone() == ""
}
