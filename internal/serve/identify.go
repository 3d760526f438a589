package serve

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Why nobody is known to have made a request. These texts are told to whoever has made it.
var (
	errNoCredential    = errors.New("no token was shown")
	errWrongCredential = errors.New("the token is not one that counts here")
	errTwoCredentials  = errors.New("more than one token was shown")
	errOtherScheme     = errors.New("only Bearer tokens and X-API-Key are taken")
)

// Identity is a principal and what it shows.
type Identity struct {
	Principal Principal
	Token     string
}

// identities are whom the daemon knows: principals with tokens of their own, and the subjects of issuers.
type identities struct {
	known   []*known
	issuers []*issuer
	open    *Principal // who everybody is that shows no token; nil for nobody
}

// resolver returns the value that a reference names.
type resolver = func(ctx context.Context, r tool.Reference) (string, error)

// newKnown returns principals with the tokens that they show now. Where one cannot be had, it is an error with
// its place.
func newKnown(ctx context.Context, s Settings, resolve resolver, say func(string)) ([]*known, error) {
	var all []*known
	var errs []error
	for name, spec := range sorted(s.Principals) {
		k := &known{say: say, resolve: resolve, from: spec.Token, principal: Principal{
			Name: name, Scopes: spec.Scopes, Workspace: cmp.Or(spec.Workspace, s.Workspace), MCP: spec.MCP,
			rate: spec.Rate, atOnce: spec.AtOnce,
		}}
		if spec.Token.File != "" {
			k.seen = look(spec.Token.File)
		}
		token, err := resolve(ctx, spec.Token)
		if err != nil {
			errs = append(errs, &SettingError{spec.Source, fmt.Errorf("the principal %s: %w", name, err)})
			continue
		}
		k.use(token)
		all = append(all, k)
	}
	return all, errors.Join(errs...)
}

// add adds a principal that the configuration does not have.
func (ids *identities) add(identity Identity) {
	k := &known{principal: identity.Principal}
	k.use(identity.Token)
	ids.known = append(ids.known, k)
}

// close lets go of what the issuers have open.
func (ids *identities) close() {
	for _, i := range ids.issuers {
		i.keys.close()
	}
}

// check refuses two principals with the same token: nobody could tell them apart.
func (ids *identities) check() error {
	for i, k := range ids.known {
		for _, other := range ids.known[:i] {
			if k.digest == other.digest {
				return fmt.Errorf("the principals %s and %s have the same token: give each one of its own",
					other.principal.Name, k.principal.Name)
			}
		}
	}
	return nil
}

// known is a principal with a token of its own. It is safe for concurrent use.
type known struct {
	principal Principal
	from      tool.Reference
	resolve   resolver
	say       func(string)

	mu      sync.Mutex
	seen    string            // how the token's file looked when it was read; "" where it stands in none
	digest  [sha256.Size]byte // of the token, so that comparing takes the same time for all of them
	current *Principal        // with the token; nil where there is none at the moment
}

// use puts a token in force.
func (k *known) use(token string) {
	p := k.principal
	p.token = &token
	k.digest, k.current = sha256.Sum256([]byte(token)), &p
}

// now returns the principal and the digest of the token that it shows at this moment. A file is read again
// once it has changed. One that is gone or empty lets nobody in: somebody may have taken it away for that.
func (k *known) now() ([sha256.Size]byte, *Principal) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.seen == "" {
		return k.digest, k.current
	}
	if seen := look(k.from.File); seen != k.seen {
		k.seen = seen                                         // before it is read: what changes meanwhile is read again
		token, err := k.resolve(context.Background(), k.from) // of a file: at once
		if err != nil {
			k.current = nil
			k.say(fmt.Sprintf("nobody is let in as the principal %s: %v", k.principal.Name, err))
		} else {
			k.use(token)
		}
	}
	return k.digest, k.current
}

// identify returns who has made a request, and by what that is known: token, api_key or jwt; "" for nothing.
func (ids *identities) identify(r *http.Request) (p *Principal, by string, err error) {
	token, by, err := credential(r.Header)
	switch {
	case err != nil:
		return nil, by, err
	case token != "":
		if p, err = ids.byToken(r.Context(), token); err == nil && p.Claims != nil {
			by = "jwt"
		}
		return p, by, err
	case ids.open != nil:
		return ids.open, "", nil
	}
	return nil, "", errNoCredential
}

// byToken returns whose token it is.
func (ids *identities) byToken(ctx context.Context, token string) (*Principal, error) {
	digest := sha256.Sum256([]byte(token))
	var found *Principal
	for _, k := range ids.known { // all of them, whichever it is
		of, principal := k.now()
		if subtle.ConstantTimeCompare(digest[:], of[:]) == 1 && principal != nil {
			found = principal
		}
	}
	if found != nil {
		return found, nil
	}
	if len(ids.issuers) > 0 && strings.Count(token, ".") == 2 {
		return byIssuer(ctx, ids.issuers, token)
	}
	return nil, errWrongCredential
}

// still reports whether a principal may go on with what needs a scope, and whether its token is still its own and it has lost
// no scope: with one, it may have been shown more than the scope of a route says.
func (ids *identities) still(p *Principal, scope Scope) (may, same bool) {
	now, same := ids.now(p, scope)
	if now == nil {
		return false, same
	}
	return true, same && !slices.ContainsFunc(p.Scopes, func(had Scope) bool { return !now.May(had) })
}

// now returns a principal as it is known here, nil where it may not go on with what needs a scope, and whether its
// token is still its own.
func (ids *identities) now(p *Principal, scope Scope) (now *Principal, same bool) {
	if p.Token() == "" {
		return ids.open, ids.open != nil
	}
	may := func(q *Principal) *Principal {
		if scope == AnyPrincipal || q.May(scope) {
			return q
		}
		return nil
	}
	if q, err := ids.byToken(context.Background(), p.Token()); err == nil && q.Name == p.Name {
		return may(q), true
	}
	for _, k := range ids.known {
		if k.principal.Name == p.Name {
			return may(&k.principal), false
		}
	}
	for _, i := range ids.issuers {
		if i.names(p.Name) {
			q := *p
			q.Scopes, q.MCP, q.Workspace = i.scopes(p.Claims), i.spec.MCP, i.workspace
			return may(&q), false
		}
	}
	return nil, false
}

// credential returns the token that a request shows, and how; "" when it shows none.
func credential(h http.Header) (token, by string, err error) {
	bearers, keys := h.Values("Authorization"), h.Values("X-Api-Key")
	switch {
	case len(bearers)+len(keys) > 1:
		return "", "", errTwoCredentials
	case len(keys) == 1:
		if token = strings.TrimSpace(keys[0]); token == "" {
			return "", "api_key", errOtherScheme
		}
		return token, "api_key", nil
	case len(bearers) == 0:
		return "", "", nil
	}
	scheme, token, _ := strings.Cut(bearers[0], " ")
	if token = strings.TrimSpace(token); !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", "token", errOtherScheme
	}
	return token, "token", nil
}
