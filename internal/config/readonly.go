package config

import "github.com/a2a-acp/a2a-acp/pkg/tool"

// checkReadOnly holds a tool to its author's word that it changes nothing, for which agents get it unasked: what the entry
// grants against that is a mistake, and what it only implies is not given.
func (e *toolEntry) checkReadOnly() {
	if !e.tool.IsReadOnly() {
		return
	}
	if paths, ok := e.inSandbox("allowed_paths"); ok {
		entries, _ := paths.list(allowedPathsWant)
		for _, entry := range entries {
			if access, ok := entry.get("access"); ok && access.node.Value == "write" {
				access.fail(ruleValue, "write read, or take readOnlyHint out", "the annotations say that the tool changes nothing (readOnlyHint)")
			}
		}
	}
	if !e.tool.IsOpenWorld() {
		const cure = "add openWorldHint: true to the annotations, if whatever it sends may go out unasked; else take readOnlyHint out"
		const why = "the annotations say that the tool changes nothing (readOnlyHint), and not that it reaches anything else"
		network, said := e.inSandbox("network")
		switch on := e.tool.Sandbox.Network == tool.NetworkOn; {
		case on && said:
			network.fail(ruleValue, cure, why)
		case on:
			e.script.warn("read-only", cure, "it runs without the network: "+why)
		}
		if sockets, ok := e.inSandbox("sockets"); ok && len(e.tool.Sandbox.Sockets) > 0 {
			sockets.fail(ruleValue, cure, why)
		}
	}
	e.tool.HoldToHints()
}

// inSandbox gives the value of a key of the entry's sandbox.
func (e *toolEntry) inSandbox(key string) (value, bool) {
	sandbox, ok := e.at.get("sandbox")
	if !ok {
		return value{}, false
	}
	return sandbox.get(key)
}
