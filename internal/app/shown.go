package app

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// shownBy returns the token that a principal has shown, for tools that have it exchanged for another. It is that of
// an issuer, which somebody else may be shown; a token of the configuration is for this daemon alone.
func shownBy(p *serve.Principal) tool.Credential {
	if p == nil || p.Claims == nil {
		return tool.Credential{}
	}
	return tool.NewCredential(p.Token())
}

// shownClaims are what issuers say of principals, as they have shown it last.
type shownClaims struct {
	mu    sync.Mutex
	known map[string]*tool.ShownClaims // by their names
}

// of returns what a principal's token says of it; none of a principal that an agent's own daemon knows, since the agent
// could have chosen the issuer, and none of one that shows no issuer's token.
func (s *shownClaims) of(p *serve.Principal) tool.Claims {
	if p == nil || p.Claims == nil || strings.HasPrefix(p.Name, agentsName("")) {
		return tool.Claims{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := s.known[p.Name]
	if shown == nil {
		if s.known == nil || len(s.known) >= mostVisitors {
			s.known = map[string]*tool.ShownClaims{} // calls under way keep those that they have
		}
		shown = &tool.ShownClaims{}
		s.known[p.Name] = shown
	}
	return tool.NewClaims(tool.VerifiedClaims{Issuer: p.Issuer, Only: p.OnlyIssuer, Issued: p.Issued, All: p.Claims}, shown)
}

// traceBy returns the trace that a request belongs to by its headers; the zero Trace for none.
func traceBy(r *http.Request) tool.Trace {
	parents := r.Header.Values("Traceparent")
	if len(parents) != 1 {
		return tool.Trace{}
	}
	return tool.ParseTrace(parents[0], strings.Join(r.Header.Values("Tracestate"), ","))
}

type (
	shownKey  struct{}
	claimsKey struct{}
	traceKey  struct{}
)

// withShown is the context of what a request asks for, with its trace, and with the token that its principal has
// shown and what that says: of one principal several may be under way, with tokens that are good for different things.
func (s *shownClaims) withShown(ctx context.Context, r *http.Request) context.Context {
	principal := serve.PrincipalOf(r.Context())
	ctx = context.WithValue(ctx, traceKey{}, traceBy(r))
	ctx = context.WithValue(ctx, claimsKey{}, s.of(principal))
	return context.WithValue(ctx, shownKey{}, shownBy(principal))
}

// claimsIn returns what the token of the request says of its principal; none where it came with none of an issuer.
func claimsIn(ctx context.Context) tool.Claims {
	claims, _ := ctx.Value(claimsKey{}).(tool.Claims)
	return claims
}

// traceIn returns the trace that the request of a call belongs to by its headers; the zero Trace for none.
func traceIn(ctx context.Context) tool.Trace {
	trace, _ := ctx.Value(traceKey{}).(tool.Trace)
	return trace
}

// shownIn returns the token of the request that a call came with; none where it came with none.
func shownIn(ctx context.Context) tool.Credential {
	token, _ := ctx.Value(shownKey{}).(tool.Credential)
	return token
}
