package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/serve"
)

// tokenVariable holds a token that the original system had its clients show.
const tokenVariable = "A2A_AUTH_TOKEN"

// addIdentities adds who may call beside the principals of the configuration: everybody with --no-auth; whoever
// shows A2A_AUTH_TOKEN; and where nobody is named at all, whoever can read the token of the state directory.
//
// None of these may approve for the person. Their tokens are where an unconfined agent of the same user finds
// them, and that agent must not answer its own questions.
func (d *daemon) addIdentities(o *serve.Options) error {
	principal := func(name string) serve.Principal {
		if d.caller.AgentsAct() {
			name = agentsName(name)
		}
		return serve.Principal{Name: name, Workspace: o.Settings.Workspace,
			Scopes: []serve.Scope{serve.ScopeTools, serve.ScopeTasks, serve.ScopeAudit}}
	}
	token, configured := d.app.o.Getenv(tokenVariable), d.used
	for _, spec := range configured.Principals {
		if spec.Token.Env == tokenVariable {
			token = "" // it is that principal's
		}
	}
	if token != "" {
		o.Known = append(o.Known, serve.Identity{Principal: principal(serve.NameDefault), Token: token})
	}
	switch {
	case d.o.NoAuth:
		everybody := principal(serve.NameAnonymous)
		o.Open = &everybody
	case token == "" && len(configured.Principals)+len(configured.Issuers) == 0:
		file, made, err := d.app.daemonToken()
		if err != nil {
			return fmt.Errorf("a token for the daemon: %w", err)
		}
		o.TokenFile = file
		o.Known = append(o.Known, serve.Identity{Principal: principal(serve.NameLocal), Token: made})
	}
	return nil
}

// mayCall reports whether a principal may call tools, and which, as the configuration says now: its tasks go on while
// it is away, and after a restart.
func (a *App) mayCall(name string) (may bool, globs []string) {
	return a.mayNow(name, serve.ScopeTools)
}

// mayFollow reports the same of being told of its tasks.
func (a *App) mayFollow(name string) bool {
	may, _ := a.mayNow(name, serve.ScopeTasks)
	return may
}

// mayNow reports whether a principal has a scope now, and which tools it may call.
func (a *App) mayNow(name string, scope serve.Scope) (may bool, globs []string) {
	name = strings.TrimPrefix(name, agentsName(""))
	settings := a.Set().Settings.Serve
	if spec, ok := settings.Principals[name]; ok {
		return slices.Contains(spec.Scopes, scope), spec.MCP.Tools
	}
	issuer, _, _ := strings.Cut(name, ":")
	if spec, ok := settings.Issuers[issuer]; ok && issuer != name {
		return slices.Contains(spec.Scopes, scope), spec.MCP.Tools
	}
	return name == "" || slices.Contains(serve.OwnNames(), name), nil // "" is whoever reads the public card
}

// agentsName is what a principal is called of a daemon that an agent has started: that agent could have chosen
// the tokens, so no rule about the principal is about whoever shows one. The configuration has no such name.
func agentsName(name string) string { return "an agent's own daemon: " + name }

// agentsOwn leaves of scopes what an agent could do anyway.
func agentsOwn(scopes []serve.Scope) []serve.Scope {
	return slices.DeleteFunc(slices.Clone(scopes), func(s serve.Scope) bool {
		return s == serve.ScopeApprove || s == serve.ScopeAdmin
	})
}

// renamed returns principals, or issuers of them, by such names.
func renamed[V any](all map[string]V, change func(*V)) map[string]V {
	out := map[string]V{}
	for name, value := range all {
		change(&value)
		out[agentsName(name)] = value
	}
	return out
}

// forAgents returns an environment for an agent, without the variables in which tokens of principals stand: with
// one it would be that principal at the daemon.
func (a *App) forAgents(environ []string) []string {
	var tokens []string
	for _, spec := range a.Set().Settings.Serve.Principals {
		if spec.Token.Env != "" {
			tokens = append(tokens, spec.Token.Env)
		}
	}
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(tokens, name)
	})
}
