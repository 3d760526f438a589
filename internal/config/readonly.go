package config

import (
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

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
				access.Fail(yamldoc.RuleValue, "write read, or take readOnlyHint out",
					"the annotations say that the tool changes nothing (readOnlyHint)")
			}
		}
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
	if e.http != nil {
		return
	}
	if closed := e.tool.Annotations.OpenWorld; closed != nil && !*closed && !e.tool.IsReadOnly() {
		const cure = "take openWorldHint: false out, or this"
		const why = "the annotations say that the tool reaches nothing else (openWorldHint: false)"
		if network, ok := e.inSandbox("network"); ok && e.tool.Sandbox.Network == tool.NetworkOn {
			network.Fail(yamldoc.RuleValue, cure, why)
		}
		if sockets, ok := e.inSandbox("sockets"); ok && len(e.tool.Sandbox.Sockets) > 0 {
			sockets.Fail(yamldoc.RuleValue, cure, why)
		}
		if e.tool.Sandbox.Network == tool.NetworkOn {
			e.tool.Sandbox.Network = tool.NetworkOff // that of a script which calls a client, where nothing is said
		}
	}
}
