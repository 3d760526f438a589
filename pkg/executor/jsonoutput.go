package executor

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// putJSON puts stdout into the result as the JSON that its tool is said to print. What is no such JSON, or too
// long to be told whole, makes a failure of the call, which says that the tool has run.
func putJSON(a *act, r *runResult, result *tool.Result) {
	fail := func(format string, args ...any) {
		result.Status = tool.StatusFailed
		result.Error = tool.Failf(tool.FailNoJSON, format, args...)
	}
	text := bytes.TrimSpace(r.outcome.Stdout)
	switch {
	case result.Truncated:
		fail("the tool has run, and stdout is more than is passed on, so that it is no JSON; output: keep_kb says how much is (%s)",
			a.tool.Source)
		return
	case !utf8.Valid(text):
		fail("the tool has run, and stdout is no JSON, but bytes that are no text (%s)", a.tool.Source)
		return
	}
	isObject, err := a.entry.Output.Check(text)
	if err != nil {
		fail("the tool has run, and stdout does not fit output: schema: %s (%s)", a.mask(err.Error()), a.tool.Source)
		return
	}
	if a.tool.Output.Wrapped || !isObject {
		text = append(append([]byte(`{"result":`), text...), '}')
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil { // it was read before
		fail("the tool has run, and stdout is no JSON (%s)", a.tool.Source)
		return
	}
	result.Structured = compact.Bytes()
}
