package httptool

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TokenRequest says which token is wanted, and what it is asked for with.
type TokenRequest struct {
	API     tool.API // its Auth says where from
	Secret  string   // of the client
	Subject string   // of an exchange: who the token is to be about, by a token of his
}

// Token is a token for a source.
type Token struct {
	Value string
	// Took is how long the token endpoint took; 0 for a token that was kept, or that another call has fetched.
	Took time.Duration
}

// The words of RFC 8693.
const (
	grantExchange   = "urn:ietf:params:oauth:grant-type:token-exchange"
	typeAccessToken = "urn:ietf:params:oauth:token-type:access_token"
	typeJWT         = "urn:ietf:params:oauth:token-type:jwt"
)

// The bounds of a token.
const (
	tokenTime    = 10 * time.Second // from the first byte of the request to the last of the answer
	longestToken = 16 << 10
)

// fetched is a token as its endpoint gave it.
type fetched struct {
	value string
	lasts time.Duration // 0 where the endpoint does not say
}

// fetch asks the token endpoint.
func (c *Client) fetch(ctx context.Context, w TokenRequest) (fetched, *tool.Failure) {
	from := w.API.Auth.Token
	trust, failure := endpointTrust(w.API)
	if failure != nil {
		return fetched{}, failure
	}
	params := url.Values{}
	if w.API.Auth.Kind == tool.AuthTokenExchange {
		params.Set("grant_type", grantExchange)
		params.Set("subject_token", w.Subject)
		params.Set("subject_token_type", typeAccessToken)
		params.Set("requested_token_type", typeAccessToken)
	}
	for name, value := range map[string]string{"audience": from.Audience, "resource": from.Resource} {
		if value != "" {
			params.Set(name, value)
		}
	}
	style := oauth2.AuthStyleInHeader // which encodes both parts of the client as a form does (RFC 6749, 2.3.1)
	if from.ClientAuth == tool.ClientAuthPost {
		style = oauth2.AuthStyleInParams
	}
	config := clientcredentials.Config{ClientID: from.ClientID, ClientSecret: w.Secret, TokenURL: from.URL, Scopes: from.Scopes,
		EndpointParams: params, AuthStyle: style}
	ctx, cancel := context.WithTimeout(ctx, tokenTime)
	defer cancel()
	client := &http.Client{Transport: c.transport(from.URL, w.API, trust),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	token, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, client))
	if err != nil {
		return fetched{}, notFetched(ctx, w, err)
	}
	return checkToken(w, token)
}

// failf is a failure about the token of a source. Nothing that an endpoint says stands in one: it may repeat what it
// was sent.
func (w TokenRequest) failf(format string, args ...any) *tool.Failure {
	code := tool.FailTokenExchange
	if w.API.Auth.Kind == tool.AuthClientCredentials {
		code = tool.FailClientCredentials
	}
	failure := tool.Failf(code, format, args...)
	failure.Message = "nothing was sent: the token endpoint of " + w.API.Who() + " " + failure.Message
	return failure
}

// tokenErrors are the errors that a token endpoint can name (RFC 6749, 5.2; RFC 8693, 2.2.2; RFC 8707, 2).
func tokenErrors() []string {
	return []string{"invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
		"invalid_scope", "invalid_target", "access_denied", "temporarily_unavailable", "server_error"}
}

// notFetched says why there is no token.
func notFetched(ctx context.Context, w TokenRequest, err error) *tool.Failure {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		var transport *url.Error
		switch {
		case ctx.Err() != nil:
			failure := w.failf("gave no token within %s", tokenTime)
			failure.Retryable = true
			return failure
		case errors.As(err, &transport):
			cause := connectionFailure(err, w.API)
			failure := w.failf("was not reached, or gave no answer: %s", cause.Message)
			failure.Retryable = cause.Retryable
			return failure
		}
		return w.failf("gave an answer that holds no token")
	}
	if refused.ErrorCode == "invalid_scope" {
		return w.tooLittle("grants none of the scopes that are asked for, or not all of them (invalid_scope)")
	}
	word := ""
	if slices.Contains(tokenErrors(), refused.ErrorCode) {
		word = " " + refused.ErrorCode
	}
	failure := w.failf("gave no token: status %d%s", refused.Response.StatusCode, word)
	failure.Retryable = MayPass(refused.Response.StatusCode) || refused.Response.StatusCode >= http.StatusInternalServerError
	failure.Details["status"] = refused.Response.StatusCode
	if word != "" {
		failure.Details["error"] = refused.ErrorCode
	}
	return failure
}

// tooLittle is a failure of a token that is good for less than was asked for.
func (w TokenRequest) tooLittle(format string, args ...any) *tool.Failure {
	failure := w.failf(format, args...)
	failure.Code = tool.FailScope
	failure.Details["scopes"] = w.API.Auth.Token.Scopes
	return failure
}

// checkToken wants a token that can be sent, of the kind that was asked for, and good for all that was asked for.
func checkToken(w TokenRequest, token *oauth2.Token) (fetched, *tool.Failure) {
	text := func(name string) string {
		value, _ := token.Extra(name).(string)
		return value
	}
	issued := text("issued_token_type")
	switch {
	case !strings.EqualFold(token.TokenType, "Bearer"):
		return fetched{}, w.failf("gave a token that is no Bearer token (token_type)")
	case issued != "" && issued != typeAccessToken && issued != typeJWT:
		return fetched{}, w.failf("gave a token that is no access token (issued_token_type)")
	case len(token.AccessToken) > longestToken:
		return fetched{}, w.failf("gave a token of more than %d bytes", longestToken)
	}
	if scope := token.Extra("scope"); scope != nil && scope != "" {
		granted := strings.Fields(text("scope"))
		for _, wanted := range w.API.Auth.Token.Scopes {
			if !slices.Contains(granted, wanted) {
				return fetched{}, w.tooLittle("gave a token without the scope %s", wanted)
			}
		}
	}
	got := fetched{value: token.AccessToken}
	if !token.Expiry.IsZero() {
		got.lasts = max(0, time.Until(token.Expiry))
	}
	return got, nil
}
