package acp

import (
	"fmt"
	"strconv"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// initialize owns initialize: what the editor offers is noted, and hidden from the agent where
// configuration says so. The protocol version passes as it came; every intercept goes by the one that the
// agent answers with.
func (b *Bridge) initialize(frame ndjson.Frame, line []byte) error {
	params, err := exactObject(frame.Params)
	if err != nil {
		return b.refuseEditor(frame, "initialize: "+err.Error())
	}
	b.mu.Lock()
	b.editor = params.object("clientInfo").text("name")
	b.mu.Unlock()
	if b.o.HideFiles {
		line = hide(line, "params", "clientCapabilities", "fs", "readTextFile")
		line = hide(line, "params", "clientCapabilities", "fs", "writeTextFile")
	}
	if b.o.HideTerminals {
		line = hide(line, "params", "clientCapabilities", "terminal")
	}
	asked, _ := strconv.ParseFloat(string(params["protocolVersion"]), 64) // the editor's number may be any
	b.openFromEditor(frame, passed{answered: func(answer ndjson.Frame, line []byte) []byte {
		if problem := b.initialized(int(asked), answer); problem != "" {
			b.o.Say(problem)
			b.note(events.Event{Type: events.FrameRefused, Detail: problem})
			return append(errorResponse(answer.ID,
				wireError{Code: codeInternal, Message: "a2a-acp: " + problem}), '\n')
		}
		return b.withLogins(answer, line)
	}})
	return b.toAgent.relay(line)
}

// initialized learns what the agent chose. It returns why the editor is not told so; "" where it is. Not
// every editor looks at what it is answered: Zed goes on in version 1 where an agent answers with 2, and
// would read other members of a question than are decided about here.
func (b *Bridge) initialized(asked int, answer ndjson.Frame) (problem string) {
	if failed(answer) {
		return ""
	}
	result, err := exactObject(answer.Result)
	if err != nil {
		return fmt.Sprintf("the agent's answer to initialize cannot be read: %v", err)
	}
	version, ok := protocolVersion(result)
	switch {
	case !ok:
		return "the agent does not say in an integer which version of the protocol it speaks"
	case version > 1 && version > asked:
		return fmt.Sprintf("the agent speaks version %d of the protocol, and the editor asked for %d", version,
			asked)
	}
	info := result.object("agentInfo")
	if info == nil {
		info = result.object("info") // version 2
	}
	b.mu.Lock()
	b.version = version
	b.agent, b.agentVersion = info.text("name"), info.text("version")
	b.mu.Unlock()
	if b.o.Logins != nil {
		b.o.Logins(logins(result))
	}
	return ""
}

// protocolVersion returns the version of the protocol that a side names. It is an integer: another number,
// or a text, is a version to some readers and none to others.
func protocolVersion(o object) (version int, ok bool) {
	version, err := strconv.Atoi(string(o["protocolVersion"]))
	return version, err == nil
}

// logins are the arguments that the agent's terminal logins add to its command (ACP, terminal
// authentication).
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

// hide sets a capability that is there to false, and leaves every other byte as it was.
func hide(line []byte, path ...string) []byte {
	raw, ok := ndjson.Get(line, path...)
	if !ok {
		return line
	}
	return ndjson.Replace(line, raw, []byte("false"))
}
