package config

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/a2aclient"
	"github.com/a2a-acp/a2a-acp/internal/netguard"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const ruleA2A = "a2a"

// a2aMapping is what a tool may say that has a remote agent do it in place of a script.
func a2aMapping() yamldoc.Mapping[*toolEntry] {
	return yamldoc.Mapping[*toolEntry]{
		Name: "a2a",
		Keys: []yamldoc.Key[*toolEntry]{
			yamldoc.NewKey("url", "a URL", func(e *toolEntry, v yamldoc.Value) { v.SetText(&e.tool.A2A.URL) }),
			yamldoc.NewKey("skill", "the id of a skill", func(e *toolEntry, v yamldoc.Value) { v.SetText(&e.tool.A2A.Skill) }),
			yamldoc.NewKey("token", "where the token stands, such as {secret: NAME}", (*toolEntry).readA2AToken),
			yamldoc.NewKey("auth", "bearer, basic or the name of a header", func(e *toolEntry, v yamldoc.Value) {
				v.SetText(&e.tool.A2A.Auth)
			}),
			yamldoc.NewKey("allow_addresses", "a list of addresses or networks", func(e *toolEntry, v yamldoc.Value) {
				e.tool.A2A.Allow = append(e.tool.A2A.Allow, readAddresses(v)...)
			}),
			yamldoc.NewKey("allow_origins", "a list of URLs", (*toolEntry).readA2AOrigins),
		},
		Synonyms: map[string]string{"endpoint": "url", "card": "url", "agent": "url", "address": "url", "secret": "token",
			"authentication": "auth", "origins": "allow_origins"},
	}
}

func (e *toolEntry) readA2A(v yamldoc.Value) {
	e.tool.A2A, e.a2a = &tool.A2A{}, v
	if !v.IsMapping() {
		v.Mismatch("", "write a2a: {url: https://agent.example, skill: book}")
		return
	}
	yamldoc.ReadKeys(v, a2aMapping(), e)
	v.Require("url", "a2a: {url: https://agent.example}")
}

// readA2AToken reads where the token stands. The token itself has no business in the file.
func (e *toolEntry) readA2AToken(v yamldoc.Value) {
	if v.IsEmpty() {
		return
	}
	if !v.IsMapping() {
		v.Hide()
		v.Fail(yamldoc.RuleType, "run: a2a-acp secrets set NAME and write here: {secret: NAME}",
			"want where the token stands, such as {secret: NAME}; the token itself does not belong here")
		return
	}
	if r, ok := readReference(v); ok {
		e.token = &r
	}
}

func (e *toolEntry) readA2AOrigins(v yamldoc.Value) {
	list, ok := v.Texts()
	for i := 0; ok && i < len(list); i++ {
		origin, err := a2aclient.ReadOrigin(list[i])
		if err != nil {
			v.Item(i).Fail(yamldoc.RuleValue, "", "%v", err)
			continue
		}
		e.tool.A2A.Origins = append(e.tool.A2A.Origins, origin)
	}
}

// checkA2A looks at what belongs together in an entry that a remote agent does.
func (e *toolEntry) checkA2A() {
	a := e.tool.A2A
	if a == nil {
		return
	}
	for _, key := range []string{"script", "exec", "http"} {
		if other, both := e.at.Get(key); both {
			other.Fail(ruleA2A, "take one of them out", "a tool has one of script, exec, http and a2a")
		}
	}
	if variables, given := e.inSandbox("environment_variables"); given {
		variables.Fail(ruleA2A, "the token stands under a2a", "a remote agent is given no variables")
	}
	if e.token != nil {
		e.refer(map[string]tool.Reference{tool.A2AToken: *e.token}, e.a2a, e.at)
	}
	guard := netguard.Guard{Allow: a.Allow}
	if at, given := e.a2a.Get("url"); given && a.URL != "" {
		if _, err := guard.CheckURL(a.URL); err != nil {
			at.Fail(ruleA2A, "", "%v", err)
		}
	}
	if hint, given := e.a2a.Get("auth"); given && strings.ContainsAny(a.Auth, " :\r\n\t") {
		hint.Fail(ruleA2A, "", "want bearer, basic or the name of a header")
	}
	if e.tool.IsReadOnly() {
		hints, _ := e.at.Get("annotations")
		hints.Fail(ruleA2A, "take readOnlyHint out, and write a rule that approves the tool",
			"what a remote agent changes nobody here can hold it to, so nobody can say that it changes nothing")
	}
	for i := range e.tool.Parameters {
		p := &e.tool.Parameters[i]
		if (p.Name == tool.A2AMessage || p.Name == tool.A2ATask) && p.Type != tool.TypeString {
			e.a2a.Fail(ruleA2A, "leave its type out", "the parameter %s is a text: it is what the agent is told, or its task", p.Name)
		}
	}
	yes := true
	e.tool.Annotations.OpenWorld = &yes
	e.tool.Sandbox.Network = tool.NetworkOn
}
