package app

import (
	"context"
	"net/http"

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

type shownKey struct{}

// withShown is the context of what a request asks for, with the token that its principal has shown: of one principal
// several may be under way, with tokens that are good for different things.
func withShown(ctx context.Context, r *http.Request) context.Context {
	return context.WithValue(ctx, shownKey{}, shownBy(serve.PrincipalOf(r.Context())))
}

// shownIn returns the token of the request that a call came with; none where it came with none.
func shownIn(ctx context.Context) tool.Credential {
	token, _ := ctx.Value(shownKey{}).(tool.Credential)
	return token
}
