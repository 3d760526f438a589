package httptool

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// authenticate adds the credentials of the source, where the request goes to that very origin.
func authenticate(r *http.Request, x Exchange) error {
	credentials := x.API.Credentials()
	if len(credentials) == 0 {
		return nil
	}
	own, err := r.URL.Parse(x.API.Origin)
	if err != nil || originOf(own) != originOf(r.URL) {
		return tool.Failf(tool.FailInternal, "nothing was sent: the credential of %s is for its own origin", x.API.Who())
	}
	for _, c := range credentials {
		if err := addCredential(r, x, c); err != nil {
			return err
		}
	}
	return nil
}

// addCredential adds one of them.
func addCredential(r *http.Request, x Exchange, c tool.NamedAuth) error {
	value, given := x.Credentials[c.Reference]
	if !given {
		return tool.Failf(tool.FailInternal, "nothing was sent: the credential of %s is missing", x.API.Who())
	}
	if strings.Trim(value, " \t\r\n") != value || strings.ContainsFunc(value, func(c rune) bool { return c < ' ' || c > '~' }) {
		return tool.Failf(tool.FailNotFound,
			"nothing was sent: the credential of %s holds a character that no header can, or a blank around it", x.API.Who())
	}
	switch c.Kind {
	case tool.AuthBearer, tool.AuthClientCredentials, tool.AuthTokenExchange:
		r.Header.Set("Authorization", "Bearer "+value)
	case tool.AuthBasic:
		r.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(c.User+":"+value)))
	case tool.AuthAPIKey:
		return addKey(r, c.Auth, value)
	case tool.AuthNone:
	}
	return nil
}

// addKey adds a key to where the source wants it.
func addKey(r *http.Request, auth tool.Auth, value string) error {
	switch auth.In {
	case tool.InHeader:
		r.Header.Set(auth.Name, value)
	case tool.InCookie:
		if strings.ContainsAny(value, "\",;\\ ") {
			return tool.Failf(tool.FailNotFound, "nothing was sent: the key holds a character that no cookie can")
		}
		cookie := auth.Name + "=" + value
		if others := r.Header.Get("Cookie"); others != "" {
			cookie = others + "; " + cookie
		}
		r.Header.Set("Cookie", cookie)
	case tool.InQuery:
		u := *r.URL
		added := url.QueryEscape(auth.Name) + "=" + url.QueryEscape(value)
		if u.RawQuery != "" {
			added = u.RawQuery + "&" + added
		}
		u.RawQuery = added
		r.URL = &u
	}
	return nil
}
