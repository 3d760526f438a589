package config

import (
	"iter"

	"github.com/a2a-acp/a2a-acp/internal/grant"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const changesNothing = "the annotations say that the tool changes nothing (readOnlyHint)"

// checkReadOnly holds a tool to its author's word that it changes nothing, for which agents get it unasked:
// what the entry grants against that is a mistake, and what it only implies is not given.
func (e *toolEntry) checkReadOnly() {
	if !e.tool.IsReadOnly() || e.http != nil { // a request has hints of its own
		return
	}
	if paths, ok := e.inSandbox("allowed_paths"); ok {
		entries, _ := paths.List(allowedPathsWant)
		for _, entry := range entries {
			if access, ok := entry.Get("access"); ok && access.Node.Value == "write" {
				access.Fail(yamldoc.RuleValue, "write read, or take readOnlyHint out", changesNothing)
			}
		}
	}
	for _, entry := range e.writable { // what the entry does not say, nobody may take it to have said
		cure := "access: read"
		if !entry.IsMapping() {
			cure = "{path: " + yamldoc.Quote(entry.Node.Value) + ", access: read}"
		}
		entry.Warn("read-only", "if it only reads there, write "+cure+"; else take readOnlyHint out",
			"it can only be read: "+changesNothing)
	}
	if !e.tool.IsOpenWorld() {
		const cure = "add openWorldHint: true to the annotations, if whatever it sends may go out unasked; else take readOnlyHint out"
		const why = "the annotations say that the tool changes nothing (readOnlyHint), and not that it reaches anything else"
		network, said := e.inSandbox("network")
		switch on := e.tool.Sandbox.Network == tool.NetworkOn; {
		case on && said:
			network.Fail(yamldoc.RuleValue, cure, why)
		case on:
			at := e.script
			if e.tool.Exec != nil {
				at = e.exec
			}
			at.Warn("read-only", cure, "it runs without the network: "+why)
		}
		if sockets, ok := e.inSandbox("sockets"); ok && len(e.tool.Sandbox.Sockets) > 0 {
			sockets.Fail(yamldoc.RuleValue, cure, why)
		}
		if e.tool.Annotations.OpenWorld == nil { // else it is a mistake: see checkClosedWorld
			for entry := range e.grantsThat(givesSocket) {
				entry.Warn("read-only", cure, "%s gives it no socket: %s", entry.Node.Value, why)
			}
		}
	}
	e.tool.HoldToHints()
}

// inSandbox returns the value of a key of the entry's sandbox.
func (e *toolEntry) inSandbox(key string) (yamldoc.Value, bool) {
	sandbox, ok := e.at.Get("sandbox")
	if !ok {
		return yamldoc.Value{}, false
	}
	return sandbox.Get(key)
}

// checkClosedWorld holds a tool to its author's word that it reaches nothing but what it works on.
func (e *toolEntry) checkClosedWorld() {
	closed := e.tool.Annotations.OpenWorld
	if e.http != nil || closed == nil || *closed {
		return
	}
	const cure = "take openWorldHint: false out, or this"
	const why = "the annotations say that the tool reaches nothing else (openWorldHint: false)"
	network, said := e.inSandbox("network")
	if !e.tool.IsReadOnly() { // that is looked at above
		if said && e.tool.Sandbox.Network == tool.NetworkOn {
			network.Fail(yamldoc.RuleValue, cure, why)
		}
		if sockets, ok := e.inSandbox("sockets"); ok && len(e.tool.Sandbox.Sockets) > 0 {
			sockets.Fail(yamldoc.RuleValue, cure, why)
		}
	}
	for entry := range e.grantsThat(givesSocket) {
		entry.Fail(yamldoc.RuleValue, cure, "%s gives a socket, and %s", entry.Node.Value, why)
	}
	if !said {
		for entry := range e.grantsThat(grant.Grant.NeedsNetwork) {
			entry.Fail(yamldoc.RuleValue, cure+"; or write `network: off` beside it",
				"%s is for the network, and %s", entry.Node.Value, why)
		}
	}
	e.tool.HoldToHints() // a script that calls a client gets no network by that
}

func givesSocket(g grant.Grant) bool { return len(g.Sockets) > 0 }

// grantsThat yields the names under the entry's grants of which something is so.
func (e *toolEntry) grantsThat(is func(grant.Grant) bool) iter.Seq[yamldoc.Value] {
	return func(yield func(yamldoc.Value) bool) {
		grants, ok := e.inSandbox("grants")
		if !ok {
			return
		}
		entries, _ := grants.List("the name of a grant")
		for _, entry := range entries {
			if g, err := grant.Named(entry.Node.Value); err == nil && is(g) && !yield(entry) {
				return
			}
		}
	}
}
