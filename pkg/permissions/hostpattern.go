package permissions

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// hostPattern is a host that a rule names: a name, or *.name for every name below it, and a port where the
// rule gives one.
type hostPattern struct {
	name  string
	below bool
	port  string // "" means the one that the scheme has by itself
}

var hostName = lazyregexp.New(`\A[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\z`)

func parseHostPattern(text string) (hostPattern, error) {
	var p hostPattern
	rest := strings.ToLower(text)
	if before, port, ok := strings.Cut(rest, ":"); ok {
		rest, p.port = before, port
		if port == "" || len(port) > 5 || strings.Trim(port, "0123456789") != "" {
			return p, &globError{fmt.Sprintf("%q: the port is no number", text),
				"write the host alone; a scheme does not belong here"}
		}
	}
	p.name, p.below = strings.CutPrefix(rest, "*.")
	if !hostName.MatchString(p.name) || strings.Contains(p.name, "..") {
		return p, &globError{fmt.Sprintf("%q is no host", text),
			"a name (api.example.com), or *.example.com for every name below it"}
	}
	return p, nil
}

// plainURL is the only form of a URL whose host everybody reads in the same way: no user, no escapes and
// nothing but a path or a query behind the host. (WHATWG URL and RFC 3986 differ on backslashes, on @ and
// on what # ends; curl expands {}.)
var plainURL = lazyregexp.New(`(?i)\A(https?|wss?)://([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)` +
	`(?::([0-9]{1,5}))?(?:[/?][!-\[\]-~]*)?\z`)

var defaultPorts = map[string]string{"http": "80", "ws": "80", "https": "443", "wss": "443"}

// splitURL returns the host and port of a plain URL, and whether the port is the one that the scheme has by
// itself.
func splitURL(text string) (host, port string, usual, ok bool) {
	parts := plainURL.FindStringSubmatch(text)
	if parts == nil {
		return "", "", false, false
	}
	own := defaultPorts[strings.ToLower(parts[1])]
	if parts[3] == "" {
		parts[3] = own
	}
	return strings.ToLower(parts[2]), parts[3], parts[3] == own, true
}

func (p hostPattern) covers(host string) bool {
	if p.below {
		return strings.HasSuffix(host, "."+p.name)
	}
	return host == p.name
}

// anyHost tells why a URL is not surely one of the hosts.
func anyHost(patterns []hostPattern, text string) string {
	host, port, usual, ok := splitURL(text)
	if !ok {
		return "it is no URL whose host everybody reads in the same way"
	}
	for _, p := range patterns {
		if p.covers(host) && (p.port == port || p.port == "" && usual) {
			return ""
		}
	}
	if !usual {
		host += ":" + port
	}
	return "its host is " + display.Line(host)
}

// mayBeHost reports whether a text could reach one of the hosts, on any port and with any scheme. Of a URL
// that is not plain, any word in it could be the host, and a name in other letters could be any.
func mayBeHost(patterns []hostPattern, text string) holds {
	if host, _, _, ok := splitURL(text); ok {
		for _, p := range patterns {
			if p.covers(host) {
				return yes
			}
		}
		return no
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r != '-' && r != '.' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	for _, word := range words {
		for _, p := range patterns {
			if p.covers(strings.TrimRight(word, ".")) {
				return yes
			}
		}
	}
	if strings.Contains(text, "://") || strings.ContainsAny(text, `%\@`) ||
		utf8.RuneCountInString(text) != len(text) {
		return maybe
	}
	return no
}
