package acp

import (
	"strconv"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// initialize owns initialize: what the editor offers is noted, and hidden from the agent where
// configuration says so. The protocol version passes as it came; every intercept goes by the one that the
// agent answers with.
func (b *Bridge) initialize(frame ndjson.Frame, line []byte) error {
	params, err := exactObject(frame.Params)
	if err != nil {
		return b.refuseEditor(frame, "initialize: "+err.Error())
	}
	capabilities := params.object("clientCapabilities")
	files := capabilities.object("fs")
	b.mu.Lock()
	b.editor = params.object("clientInfo").text("name")
	b.canRead, b.canWrite = isTrue(files["readTextFile"]), isTrue(files["writeTextFile"])
	b.canRun = isTrue(capabilities["terminal"])
	b.mu.Unlock()
	if b.o.HideFiles {
		line = hide(line, "params", "clientCapabilities", "fs", "readTextFile")
		line = hide(line, "params", "clientCapabilities", "fs", "writeTextFile")
	}
	if b.o.HideTerminals {
		line = hide(line, "params", "clientCapabilities", "terminal")
	}
	b.openFromEditor(frame, passed{answered: func(answer ndjson.Frame, line []byte) []byte {
		b.initialized(answer)
		return line
	}})
	return b.toAgent.relay(line)
}

// initialized learns what the agent chose.
func (b *Bridge) initialized(answer ndjson.Frame) {
	result, err := exactObject(answer.Result)
	if err != nil {
		return
	}
	version, err := strconv.Atoi(string(result["protocolVersion"]))
	if err != nil {
		return
	}
	info := result.object("agentInfo")
	if info == nil {
		info = result.object("info") // version 2
	}
	b.mu.Lock()
	b.version = version
	b.agent = info.text("name")
	b.mu.Unlock()
	if b.o.Logins != nil {
		b.o.Logins(logins(result))
	}
}

// logins are the arguments that the agent's terminal logins add to its command (ACP, terminal authentication).
func logins(result object) [][]string {
	var list [][]string
	methods, _ := result.objects("authMethods")
	for _, method := range methods {
		if method.text("type") == "terminal" {
			list = append(list, method.texts("args"))
		}
	}
	return list
}

func isTrue(raw []byte) bool { return string(raw) == "true" }

// hide sets a capability that is there to false, and leaves every other byte as it was.
func hide(line []byte, path ...string) []byte {
	raw, ok := ndjson.Get(line, path...)
	if !ok {
		return line
	}
	return ndjson.Replace(line, raw, []byte("false"))
}
