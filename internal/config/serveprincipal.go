package config

import (
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// principalName is what the name of a principal, or of an issuer, looks like. A colon stands between an issuer's
// name and what it calls a principal.
var principalName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}$`)

// readPrincipals reads who may call the daemon. One that an earlier layer has is replaced as a whole.
func readPrincipals(s *serve.Settings, v yamldoc.Value) {
	entries, _ := v.Entries()
	for _, entry := range entries {
		if !isPrincipalName(entry) {
			continue
		}
		p := serve.PrincipalSpec{Scopes: serve.DefaultScopes(), Source: placeOf(entry.Key)}
		yamldoc.ReadKeys(entry.Value, principalMapping(), &p)
		entry.Value.Require("token", "where its token stands: {env: VARIABLE}, {secret: NAME} or {file: /PATH}")
		s.Principals = addTo(s.Principals, entry.Name, p)
	}
}

// isPrincipalName refuses names that are not ones, and those of principals that the program makes itself.
func isPrincipalName(entry yamldoc.Entry) bool {
	switch {
	case !principalName.MatchString(entry.Name):
		entry.Key.Fail(yamldoc.RuleValue, "", "a name has 1 to 64 letters, digits and _ . @ -; found %s", yamldoc.Quote(entry.Name))
		return false
	case slices.Contains(serve.OwnNames(), entry.Name):
		entry.Key.Fail(yamldoc.RuleValue, "choose another name", "the program itself calls a principal %s", entry.Name)
		return false
	}
	return true
}

// caller is what principals, and issuers for theirs, have in common.
type caller struct {
	workspace *string
	rate      *serve.Rate
	atOnce    *int
	mcp       *serve.MCP
	scopes    *[]serve.Scope
}

// callerKeys are the keys for that.
func callerKeys[T any](of func(T) caller) []yamldoc.Key[T] {
	return []yamldoc.Key[T]{
		yamldoc.NewKey("scopes", "a list of tools, tasks, approve, audit and admin", func(t T, v yamldoc.Value) {
			*of(t).scopes = readScopes(v)
		}),
		yamldoc.NewKey("workspace", "an absolute path", func(t T, v yamldoc.Value) { setAbsolute(v, of(t).workspace) }),
		yamldoc.NewKey("rate", "a mapping: {count: 60, per: 1m}", func(t T, v yamldoc.Value) { readServeRate(v, of(t).rate) }),
		yamldoc.NewKey("at_once", "a whole number", func(t T, v yamldoc.Value) { setAtOnce(v, of(t).atOnce) }),
		yamldoc.NewKey("mcp", "a mapping: {tools, workspace, rate, at_once}", func(t T, v yamldoc.Value) {
			yamldoc.ReadKeys(v, principalMCPMapping(), of(t).mcp)
		}),
	}
}

func principalMapping() yamldoc.Mapping[*serve.PrincipalSpec] {
	keys := callerKeys(func(p *serve.PrincipalSpec) caller {
		return caller{&p.Workspace, &p.Rate, &p.AtOnce, &p.MCP, &p.Scopes}
	})
	return yamldoc.Mapping[*serve.PrincipalSpec]{
		Name: "a principal",
		Keys: append(keys, yamldoc.NewKey("token", "a mapping: {env: VARIABLE}, {secret: NAME} or {file: /PATH}", readToken)),
		Synonyms: map[string]string{"scope": "scopes", "key": "token", "api_key": "token", "limit": "rate",
			"concurrency": "at_once", "directory": "workspace"},
		Elsewhere: []yamldoc.Misplaced{
			{Names: []string{"secret", "env", "file"}, Hint: "%s belongs under token"},
			{Names: []string{"tools"}, Hint: "%s belongs under mcp, or in a rule with principals: […]"},
		},
	}
}

// readToken reads where a token stands. The token itself has no business in the file.
func readToken(p *serve.PrincipalSpec, v yamldoc.Value) {
	if !v.IsMapping() {
		v.Hide()
		v.Fail(yamldoc.RuleType, "run: a2a-acp secrets set NAME and write here: {secret: NAME}",
			"want where the token stands: {env: VARIABLE}, {secret: NAME} or {file: /PATH}; the token itself does not belong here")
		return
	}
	var r tool.Reference
	m := referenceMapping()
	m.Name = "a token"
	m.Keys = slices.DeleteFunc(m.Keys, func(k yamldoc.Key[*tool.Reference]) bool { return k.Name == "command" || k.Name == "env" })
	m.Keys = append(m.Keys, yamldoc.NewKey("env", "the name of a variable", func(r *tool.Reference, v yamldoc.Value) {
		name, ok := v.Text()
		if ok && !variableName.MatchString(name) {
			v.Fail(yamldoc.RuleValue, "", "a variable's name has letters, digits and _, and no digit first; found %s", yamldoc.Quote(name))
			return
		}
		r.Env = name
	}))
	if yamldoc.ReadKeys(v, m, &r) && len(v.Node.Content) != 2 {
		v.Fail(yamldoc.RuleValue, "keep the one that is meant", "want exactly one of secret, env, file")
	}
	p.Token = r
}

func readScopes(v yamldoc.Value) []serve.Scope {
	texts, ok := v.Texts()
	if !ok {
		return nil
	}
	var known []string
	for _, scope := range serve.Scopes() {
		known = append(known, string(scope))
	}
	scopes := []serve.Scope{}
	for i := range texts {
		v.Item(i).OneOf(known, func(text string) {
			if !slices.Contains(scopes, serve.Scope(text)) {
				scopes = append(scopes, serve.Scope(text))
			}
		})
	}
	return scopes
}

func readServeRate(v yamldoc.Value, into *serve.Rate) {
	yamldoc.ReadKeys(v, yamldoc.Mapping[*serve.Rate]{
		Name: "a rate",
		Keys: []yamldoc.Key[*serve.Rate]{
			yamldoc.NewKey("count", "a whole number", func(r *serve.Rate, v yamldoc.Value) {
				if n, ok := v.Int(1, mostRate); ok {
					r.Count = int(n)
				}
			}),
			yamldoc.NewKey("per", "seconds, or a duration such as 1m", func(r *serve.Rate, v yamldoc.Value) {
				v.SetDuration(&r.Per, longestPer)
			}),
		},
	}, into)
	if v.IsMapping() {
		v.Require("count", "how often: {count: 60, per: 1m}")
		v.Require("per", "within which time: {count: 60, per: 1m}")
	}
}

func setAtOnce(v yamldoc.Value, field *int) {
	if n, ok := v.Int(1, mostAtOnce); ok {
		*field = int(n)
	}
}

// principalMCPMapping is what may be said of a principal at the MCP door.
func principalMCPMapping() yamldoc.Mapping[*serve.MCP] {
	return yamldoc.Mapping[*serve.MCP]{
		Name: "mcp",
		Keys: []yamldoc.Key[*serve.MCP]{
			yamldoc.NewKey("tools", "a list of tool ids, which may have * in them", func(m *serve.MCP, v yamldoc.Value) {
				texts, _ := v.Texts()
				wrong := permissions.CheckTools(texts)
				m.Tools = []string{}
				for i, text := range texts {
					if err := wrong[i]; err != nil {
						v.Item(i).Fail(yamldoc.RuleValue, "", "%v", err)
						continue
					}
					m.Tools = append(m.Tools, text)
				}
			}),
			yamldoc.NewKey("workspace", "an absolute path", func(m *serve.MCP, v yamldoc.Value) { setAbsolute(v, &m.Workspace) }),
			yamldoc.NewKey("rate", "a mapping: {count: 60, per: 1m}", func(m *serve.MCP, v yamldoc.Value) { readServeRate(v, &m.Rate) }),
			yamldoc.NewKey("at_once", "a whole number", func(m *serve.MCP, v yamldoc.Value) { setAtOnce(v, &m.AtOnce) }),
		},
	}
}
