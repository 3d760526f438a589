package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/ratelimit"
	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// The paths of the MCP door at the daemon.
const (
	mcpPath         = "/mcp"
	mcpMetadataPath = "/.well-known/oauth-protected-resource" + mcpPath
)

// mcpDoor is the MCP door at the daemon.
func (a *App) mcpDoor() (serve.Door, error) {
	door, err := a.openDoor()
	if err != nil {
		return serve.Door{}, err
	}
	visitors := &mcpVisitors{known: map[string]*mcpVisitor{}}
	d, err := a.newMCPDoor(door, MCPOptions{})
	if err != nil {
		door.close()
		return serve.Door{}, err
	}
	d.visitors = visitors
	d.offer(d.server)
	front := d.server.HTTP(mcpserver.HTTPOptions{
		Principal: func(r *http.Request) string { return visitors.meet(serve.PrincipalOf(r.Context())) },
		Admit: func(r *http.Request) (func(), time.Duration, bool) {
			return visitors.admit(serve.PrincipalOf(r.Context()))
		},
		Carry:   a.claims.withShown,
		Guarded: true, // by the frame
		Streams: serve.Streams,
	})
	close := sync.OnceFunc(func() {
		d.withdraw(d.server)
		front.Close()
		d.server.CloseTasks()
		door.close()
	})
	context.AfterFunc(a.ending, close) // where the daemon never came to serve
	return serve.Door{
		Name: "mcp",
		Routes: []serve.Route{
			{Pattern: mcpPath, Scope: serve.ScopeTools, Metadata: mcpMetadataPath, Handler: front},
			{Pattern: "GET " + mcpPath, Scope: serve.ScopeTools, Streams: true, Metadata: mcpMetadataPath, Handler: front},
			{Pattern: "GET " + mcpMetadataPath, Scope: serve.Anybody, Handler: http.HandlerFunc(a.mcpMetadata)},
		},
		Recheck: func(now func(*serve.Principal, serve.Scope) *serve.Principal) {
			left, changed := visitors.recheck(func(p *serve.Principal) *serve.Principal { return now(p, serve.ScopeTools) })
			for _, name := range left {
				front.Expel(name)
				if err := door.Questions.CancelAll(a.ending, tool.DoorMCP, name, mcpserver.ErrRevoked.Error()); err != nil {
					a.o.Say(fmt.Sprintf("questions of %s, who is gone, may still stand open: %v", display.Line(name), err))
				}
			}
			if changed {
				d.server.Changed()
			}
		},
		FirstLine: func(base string) map[string]any { return map[string]any{"mcp": base + mcpPath} },
		Drain: func(ctx context.Context) {
			door.Executor.Drain(ctx)
			close()
		},
	}, nil
}

// mcpMetadata says how a client gets in (RFC 9728): with a token of one of the issuers, or one that a person
// has given it.
func (a *App) mcpMetadata(w http.ResponseWriter, r *http.Request) {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	told := map[string]any{
		"resource": scheme + "://" + r.Host + mcpPath, "scopes_supported": []string{string(serve.ScopeTools)},
		"bearer_methods_supported": []string{"header"}, "resource_name": mcpserver.Name,
	}
	var issuers []string
	for _, issuer := range a.Set().Settings.Serve.Issuers {
		issuers = append(issuers, issuer.Issuer)
	}
	if len(issuers) > 0 {
		told["authorization_servers"] = issuers
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(told) // who is gone reads nothing
}

// mcpVisitors are the principals that have been at the door.
type mcpVisitors struct {
	mu    sync.Mutex
	known map[string]*mcpVisitor // by their names
}

// mcpVisitor is one of them, as it was known the last time.
type mcpVisitor struct {
	principal *serve.Principal
	calls     *ratelimit.Window // nil for no bound
	under     int               // requests for calls under way
	running   map[*mcpRunning]bool
}

// mcpRunning is a call that is made, or that waits for somebody, whoever waits for it.
type mcpRunning struct {
	tool string // its id
	end  context.CancelCauseFunc
}

// mostVisitors is how many are remembered: an issuer may have any number.
const mostVisitors = 10_000

// meet remembers a principal and returns its name.
func (v *mcpVisitors) meet(p *serve.Principal) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.visitor(p)
	return p.Name
}

// visitor returns the visitor of a principal. Called with mu held.
func (v *mcpVisitors) visitor(p *serve.Principal) *mcpVisitor {
	one := v.known[p.Name]
	if one == nil {
		if len(v.known) >= mostVisitors {
			for name, other := range v.known {
				if other.under == 0 && len(other.running) == 0 {
					delete(v.known, name)
				}
			}
		}
		one = &mcpVisitor{running: map[*mcpRunning]bool{}}
		v.known[p.Name] = one
	}
	if one.principal == nil || one.principal.MCP.Rate != p.MCP.Rate {
		one.calls = ratelimit.NewWindow(p.MCP.Rate.Count, p.MCP.Rate.Per)
	}
	one.principal = p
	return one
}

// recheck has the principals be as they are now. It forgets those that may stay no longer, and returns their names; it
// ends the calls of tools that are there no more for who made them, and reports whether anybody is offered others.
func (v *mcpVisitors) recheck(now func(*serve.Principal) *serve.Principal) (left []string, changed bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, one := range v.known {
		was, is := one.principal, now(one.principal)
		if is == nil {
			delete(v.known, name)
			left = append(left, name)
			continue
		}
		v.visitor(is)
		changed = changed || !slices.Equal(was.MCP.Tools, is.MCP.Tools)
		for call := range one.running {
			if !mayUse(is, call.tool) {
				call.end(mcpserver.ErrUnknownTool)
			}
		}
	}
	return left, changed
}

// run notes that a principal's call of a tool is made, until over is called. The context ends with ErrUnknownTool when
// there is no such tool any more for the principal, also where that has come to be a moment ago.
func (v *mcpVisitors) run(ctx context.Context, principal, tool string) (during context.Context, over func()) {
	if v == nil {
		return ctx, func() {}
	}
	during, end := context.WithCancelCause(ctx)
	call := &mcpRunning{tool: tool, end: end}
	v.mu.Lock()
	defer v.mu.Unlock()
	one := v.known[principal]
	if one == nil || !mayUse(one.principal, tool) {
		end(mcpserver.ErrUnknownTool)
		return during, func() {}
	}
	one.running[call] = true
	return during, func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		delete(one.running, call)
		end(nil)
	}
}

// onceMore is when a call may be made again that there was no place for.
const onceMore = time.Second

// admit says whether a call of a principal may begin, and else when it may be made again.
func (v *mcpVisitors) admit(p *serve.Principal) (over func(), wait time.Duration, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	one := v.visitor(p)
	if most := p.MCP.AtOnce; most > 0 && one.under >= most {
		return nil, onceMore, false
	}
	if wait := one.calls.Take(now()); wait > 0 {
		return nil, wait, false
	}
	one.under++
	return sync.OnceFunc(func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		one.under--
	}), 0, true
}

// of returns the principal of a name; nil for one that was never here.
func (v *mcpVisitors) of(name string) *serve.Principal {
	if v == nil {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if one := v.known[name]; one != nil {
		return one.principal
	}
	return nil
}

// mayUse reports whether a principal is offered a tool at the MCP door.
func mayUse(p *serve.Principal, id string) bool { return isOneOf(p.MCP.Tools, id) }

// isOneOf reports whether a tool is one that globs name; nil globs name all.
func isOneOf(globs []string, id string) bool {
	return globs == nil || slices.ContainsFunc(globs, func(glob string) bool {
		ok, err := path.Match(glob, id)
		return ok && err == nil
	})
}
