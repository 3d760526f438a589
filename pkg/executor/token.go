package executor

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/httptool"
	"github.com/a2a-acp/a2a-acp/internal/secret"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// fetchedToken is the token that an act shows.
type fetchedToken struct {
	value string
	took  time.Duration // how long its endpoint took, for all that were fetched
}

// wantsToken reports whether the source that the act's request goes to wants a token that is fetched.
func (a *act) wantsToken() bool { return a.tool.HTTP != nil && a.tool.HTTP.API.Auth.Kind.Fetched() }

// exchangesCaller reports whether the token is one for whoever calls.
func (a *act) exchangesCaller() bool { return a.wantsToken() && a.tool.HTTP.API.Auth.Token.Caller }

// missingCaller tells why there is nobody that the token could be for.
func (a *act) missingCaller() *tool.Failure {
	if !a.exchangesCaller() || a.call.Origin.Token != (tool.Credential{}) {
		return nil
	}
	return tool.Failf(tool.FailTokenExchange, "%s was not run: %s wants a token of whoever calls (subject: caller), and this call "+
		"came without one: it has to come to the daemon, with a token of one of its issuers (serve.issuers in a2a-acp.yaml)",
		a.tool.ID, a.tool.HTTP.API.Who())
}

// tokenRequest is what the act's token is asked for with.
func (a *act) tokenRequest() httptool.TokenRequest {
	settled, _ := a.plan.(requestPlan) // the runner of requests makes no other
	w := httptool.TokenRequest{API: a.tool.HTTP.API, Secret: settled.filled[tool.ClientSecret],
		Subject: settled.filled[tool.Subject]}
	if a.exchangesCaller() {
		w.Subject = a.call.Origin.Token.Reveal()
	}
	return w
}

// credentials are what the act's request is sent with. What a token was fetched with is not among them: it goes to
// the token endpoint alone.
func (a *act) credentials(settled requestPlan) map[string]string {
	if !a.wantsToken() {
		return settled.filled
	}
	given := maps.Clone(settled.filled)
	delete(given, tool.ClientSecret)
	delete(given, tool.Subject)
	given[a.tool.HTTP.API.Auth.Kind.Reference()] = a.token.value
	return given
}

// fetchedInWords says for people where the act's token comes from, and its name among what is given; "" for none.
func (a *act) fetchedInWords() (name, words string) {
	if !a.wantsToken() {
		return "", ""
	}
	auth := a.tool.HTTP.API.Auth
	words = "a token that " + auth.Token.URL + " gives the client " + auth.Token.ClientID
	if auth.Token.Caller {
		words += " for whoever calls"
	}
	for _, part := range []struct{ what, is string }{{"audience", auth.Token.Audience}, {"resource", auth.Token.Resource},
		{"scopes", strings.Join(auth.Token.Scopes, " ")}} {
		if part.is != "" {
			words += ", " + part.what + " " + part.is
		}
	}
	return auth.Kind.Reference(), words
}

// withToken runs the act with the token that its source wants; once more, with a new one, where the source does not
// take the first. A request that was answered so was not carried out.
func (e *Executor) withToken(ctx context.Context, a *act, run func() runResult) runResult {
	if !a.wantsToken() {
		return run()
	}
	if failure := e.fetchToken(ctx, a); failure != nil {
		return notRun(failure)
	}
	a.renewToken = func(ctx context.Context) *tool.Failure {
		e.client.DropToken(a.tokenRequest(), a.token.value)
		return e.fetchToken(ctx, a)
	}
	first := run()
	if !first.began || first.outcome.ExitCode != http.StatusUnauthorized || first.outcome.begunJob() {
		return first
	}
	refused := a.token.value
	e.client.DropToken(a.tokenRequest(), refused)
	if failure := e.fetchToken(ctx, a); failure != nil {
		first.notAgain = failure.Message
		return first
	}
	if a.token.value == refused {
		first.notAgain = "the token endpoint gives the same token again"
		return first
	}
	return e.again(ctx, a, first, run)
}

// fetchToken has the act show the token that its source wants, and what it puts out cleaned of it.
func (e *Executor) fetchToken(ctx context.Context, a *act) *tool.Failure {
	w := a.tokenRequest()
	token, err := e.client.Token(ctx, w)
	a.token.took += token.Took
	if err != nil {
		return asFailure(err, tool.FailInternal)
	}
	a.token.value = token.Value
	if !slices.Contains(a.filledIn, token.Value) {
		a.filledIn = append(slices.Clip(a.filledIn), token.Value) // an earlier one may be repeated, too
	}
	values := slices.Clip(a.filledIn)
	if w.Subject != "" {
		values = append(values, w.Subject)
	}
	a.redactor = secret.New(values...)
	if e.vault != nil {
		e.vault.Gave(token.Value)
	}
	return nil
}
