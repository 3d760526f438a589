package request

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// hostPattern is one of hosts: a name, *.name, or either with a port. With http:// in front of it requests to it may
// go without TLS, as those to this machine may.
type hostPattern struct {
	name  string // in small letters; of *.name the .name
	wild  bool
	port  string // "" for that of the scheme
	plain bool   // without TLS, too
}

// parseWhole reads a target that is a URL as a whole, which is a value.
func (c *compiler) parseWhole(t *Template, spec Spec) {
	pieces, wrong := parseText(spec.Path)
	if wrong != nil {
		c.problem("path", wrong)
		return
	}
	e := onlyTag(pieces)
	if e == nil {
		c.fail("path", "", "the scheme, the host, the port and the user of a URL have no tags, and neither has its beginning",
			"name a source, whose base_url says where requests go, and write the path: get: /shops/{{shop}}; or the whole URL "+
				"as one tag, with hosts:")
		return
	}
	c.bind("path", e)
	if !e.always {
		c.fail("path", e.source, "a call may leave the URL out", "say required: true")
	}
	if e.param != nil && e.param.Type != tool.TypeString {
		c.fail("path", e.source, "a URL is a text", "type: string")
	}
	t.whole = e
	if len(spec.Hosts) == 0 {
		c.fail("hosts", e.source, "a URL that the agent chooses needs the hosts that it may choose",
			"hosts: [api.example.com, \"*.example.org\"]")
	}
	for _, text := range spec.Hosts {
		h, err := parseHost(text)
		if err != nil {
			c.fail("hosts", "", fmt.Sprintf("%q: %v", shorten(text), err), "")
			continue
		}
		t.hosts = append(t.hosts, h)
	}
	if len(spec.Query) > 0 {
		c.fail("query", "", "the URL is a value as a whole, its query included", "take query out, or name a source")
	}
}

func parseHost(text string) (hostPattern, error) {
	h := hostPattern{name: strings.ToLower(text)}
	h.name, h.plain = strings.CutPrefix(h.name, "http://")
	if at := strings.LastIndexByte(h.name, ':'); at >= 0 && !strings.HasSuffix(h.name, "]") {
		h.name, h.port = h.name[:at], h.name[at+1:]
		if n, err := strconv.ParseUint(h.port, 10, 16); err != nil || n == 0 || h.port[0] == '0' {
			return h, fmt.Errorf("want a port from 1 to 65535 behind the colon")
		}
	}
	if rest, wild := strings.CutPrefix(h.name, "*."); wild {
		h.name, h.wild = "."+rest, true
	}
	plain := strings.Trim(h.name, "[]")
	if address, err := netip.ParseAddr(plain); err == nil && !h.wild {
		h.plain = h.plain || address.IsLoopback()
		return h, nil
	}
	h.plain = h.plain || h.name == "localhost"
	for _, label := range strings.Split(strings.TrimPrefix(h.name, "."), ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return h, fmt.Errorf("want a name, *.name, or either with a port behind a colon; in front of it may stand http://")
		}
	}
	return h, nil
}

// matches reports whether a URL's host is meant, whatever its scheme.
func (h hostPattern) matches(u *url.URL) bool {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if implied := map[string]string{"https": "443", "http": "80"}[u.Scheme]; port == implied {
		port = ""
	}
	if port != h.port && (h.port != "443" || port != "" || u.Scheme != "https") {
		return false
	}
	if h.wild {
		return strings.HasSuffix(host, h.name) && len(host) > len(h.name)
	}
	return host == h.name
}

// longestURL bounds the URL of a request.
const longestURL = 16 << 10

// fillWhole returns a URL that is a value, read as its strictest reader would.
func (t *Template) fillWhole(v *values) (*url.URL, *tool.Failure) {
	value, given := v.of(t.whole)
	text, ok := value.(string)
	if !given || !ok {
		return nil, refusal("the URL", "%s has no value", t.whole.source)
	}
	u, why := strictURL(text)
	if why != "" {
		return nil, refusal("the URL", "%s: %s", t.whole.source, why)
	}
	named := false
	for _, h := range t.hosts {
		meant := h.matches(u)
		if meant && (u.Scheme == "https" || h.plain) {
			return u, nil
		}
		named = named || meant
	}
	if named {
		return nil, refusal("the URL", "%s: want https://, since hosts does not say http:// in front of its host",
			t.whole.source)
	}
	return nil, refusal("the URL", "%s: its host is not one of hosts: %s", t.whole.source, strings.Join(t.spec.Hosts, ", "))
}

// strictURL reads a URL so that no two readers could disagree about where it leads.
func strictURL(text string) (*url.URL, string) {
	if len(text) > longestURL {
		return nil, "it is too long"
	}
	for i := 0; i < len(text); i++ {
		if c := text[i]; c <= ' ' || c > '~' || strings.IndexByte("\\\"<>^`{|}", c) >= 0 {
			return nil, "it holds a character that no URL has; such characters are percent-encoded"
		}
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, "it is no URL"
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, "want https://"
	case u.User != nil || strings.Contains(u.Host, "@"):
		return nil, "a user has no place in it"
	case u.Opaque != "" || u.Hostname() == "" || strings.HasSuffix(u.Host, ":"):
		return nil, "want https:// and a host"
	case strings.Contains(text, "#"):
		return nil, "what stands behind # is never sent"
	case !strings.HasPrefix(strings.ToLower(text), u.Scheme+"://"+strings.ToLower(u.Host)):
		return nil, "it is read in two ways"
	case u.Path == "":
		u.Path = "/"
	}
	for _, s := range strings.Split(strings.TrimPrefix(u.Path, "/"), "/") {
		if s == "" {
			continue
		}
		if why := checkSegment(s, tool.SlashRefused); why != "" {
			return nil, "a segment of its path leads elsewhere, or is read in two ways: " + why
		}
	}
	return u, ""
}
