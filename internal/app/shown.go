package app

import (
	"context"
	"net/http"
	"strings"

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

// traceBy returns the trace that a request belongs to by its headers; the zero Trace for none.
func traceBy(r *http.Request) tool.Trace {
	parents := r.Header.Values("Traceparent")
	if len(parents) != 1 {
		return tool.Trace{}
	}
	return tool.ParseTrace(parents[0], strings.Join(r.Header.Values("Tracestate"), ","))
}

type (
	shownKey struct{}
	traceKey struct{}
)

// withShown is the context of what a request asks for, with its trace, and with the token that its principal has
// shown: of one principal several may be under way, with tokens that are good for different things.
func withShown(ctx context.Context, r *http.Request) context.Context {
	ctx = context.WithValue(ctx, traceKey{}, traceBy(r))
	return context.WithValue(ctx, shownKey{}, shownBy(serve.PrincipalOf(r.Context())))
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
