package config

import (
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/webhook"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// authEntry is what stands under authentication: its type, and what that needs.
type authEntry struct {
	at     yamldoc.Value
	kind   webhook.AuthKind
	values map[string]webhook.Value
	keys   map[string]yamldoc.Value
}

// authKeys are the keys that each type has: that of its value first, then that of its name. The original has
// others for some, which mean the same.
var authKeys = map[webhook.AuthKind]struct{ value, name []string }{
	webhook.AuthBearer: {[]string{"token"}, nil},
	webhook.AuthAPIKey: {[]string{"key", "apiKey"}, []string{"header", "headerName"}},
	webhook.AuthBasic:  {[]string{"password"}, []string{"username"}},
	webhook.AuthHeader: {[]string{"value", "headerValue"}, []string{"header", "headerName"}},
}

func authMapping() yamldoc.Mapping[*authEntry] {
	m := yamldoc.Mapping[*authEntry]{
		Name: "authentication",
		Keys: []yamldoc.Key[*authEntry]{
			yamldoc.NewKey("type", "bearer, apikey, basic or header", func(a *authEntry, v yamldoc.Value) {
				a.note("type", v)
				v.OneOf([]string{"bearer", "apikey", "basic", "header", "custom"}, func(text string) {
					if a.kind = webhook.AuthKind(text); text == "custom" { // the original's name
						a.kind = webhook.AuthHeader
					}
				})
			}),
		},
		Synonyms: map[string]string{"user": "username", "name": "header", "apikeyheader": "header"},
	}
	for _, name := range []string{"token", "key", "username", "password", "header", "value", "apiKey", "headerName",
		"headerValue"} {
		m.Keys = append(m.Keys, yamldoc.NewKey(name, "a text, or {secret: NAME}", func(a *authEntry, v yamldoc.Value) {
			a.read(name, v)
		}))
	}
	return m
}

func (a *authEntry) note(name string, v yamldoc.Value) {
	if a.keys == nil {
		a.keys, a.values = map[string]yamldoc.Value{}, map[string]webhook.Value{}
	}
	a.keys[name] = v
}

func (a *authEntry) given(name string) bool {
	_, ok := a.keys[name]
	return ok
}

// read reads a value. What is no secret has to stand in the file.
func (a *authEntry) read(name string, v yamldoc.Value) {
	a.note(name, v)
	switch name {
	case "username", "header", "headerName":
		var text string
		v.Want = "a text"
		v.SetText(&text)
		a.values[name] = webhook.Value{Literal: text}
	default:
		a.values[name] = readSecretValue("what authenticates", v)
	}
}

// check makes of it what its type needs.
func (a *authEntry) check() webhook.Auth {
	if a.at.Node == nil || a.at.IsFaulty() {
		return webhook.Auth{}
	}
	if a.kind == webhook.AuthNone {
		if !a.given("type") {
			a.at.Fail(yamldoc.RuleMissing, "type: bearer", "want type, which is bearer, apikey, basic or header")
		}
		return webhook.Auth{}
	}
	known := authKeys[a.kind]
	for name, v := range a.keys {
		if name != "type" && !slices.Contains(known.value, name) && !slices.Contains(known.name, name) {
			v.Fail(yamldoc.RuleKey, "", "authentication of type %s has no %s", a.kind, name)
		}
	}
	auth := webhook.Auth{Kind: a.kind, Value: a.first(known.value), Name: a.first(known.name).Literal}
	if auth.Kind == webhook.AuthAPIKey && auth.Name == "" {
		auth.Name = "X-API-Key"
	}
	if !auth.Value.IsSet() && !a.anyFaulty() {
		a.at.Fail(yamldoc.RuleMissing, known.value[0]+": {secret: NAME}", "authentication of type %s needs %s", a.kind,
			known.value[0])
	}
	if known.name != nil && auth.Name == "" && !a.anyFaulty() {
		a.at.Fail(yamldoc.RuleMissing, "", "authentication of type %s needs %s", a.kind, known.name[0])
	}
	a.checkName(auth)
	return auth
}

// checkName refuses headers that the program sets itself, and names that are none.
func (a *authEntry) checkName(auth webhook.Auth) {
	for _, name := range []string{"header", "headerName"} {
		v, ok := a.keys[name]
		if ok && auth.Name != "" && (!headerName.MatchString(auth.Name) ||
			slices.Contains(ourHeaders, strings.ToLower(auth.Name)) || strings.EqualFold(auth.Name, "user-agent")) {
			v.Fail(yamldoc.RuleValue, "", "%s cannot be set here", yamldoc.Quote(auth.Name))
		}
	}
	if v, ok := a.keys["username"]; ok && (strings.Contains(auth.Name, ":") || !headerValue.MatchString(auth.Name)) {
		v.Fail(yamldoc.RuleValue, "", "a user's name has no colon and no line breaks")
	}
}

func (a *authEntry) first(names []string) webhook.Value {
	for _, name := range names {
		if value := a.values[name]; value.IsSet() {
			return value
		}
	}
	return webhook.Value{}
}

func (a *authEntry) anyFaulty() bool {
	for _, v := range a.keys {
		if v.IsFaulty() {
			return true
		}
	}
	return false
}
