package config

import (
	"fmt"
	"math"
	"strconv"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// mappedError is an entry of error_mapping that is being read.
type mappedError struct {
	entry *toolEntry
	exit  int
	error tool.MappedError
}

// mappedErrorNoun is what the long form of an entry may say.
func mappedErrorNoun() noun[*mappedError] {
	return noun[*mappedError]{
		name:   "an error mapping",
		called: map[string]string{"retry": "retryable", "details": "detail", "data": "detail", "text": "message", "errorcode": "code"},
		keys: []key[*mappedError]{
			{"code", "a JSON-RPC error code", (*mappedError).readCode},
			{"message", "a text", func(m *mappedError, v value) { v.setText(&m.error.Message) }},
			{"detail", "a plain text", (*mappedError).readDetail},
			{"retryable", "true or false", func(m *mappedError, v value) { v.setBool(&m.error.Retryable) }},
		},
	}
}

// readErrorMapping reads what exit codes mean. 1 and "1" are the same exit code.
func (e *toolEntry) readErrorMapping(v value) {
	if isList(v) {
		v.mismatch("", "each exit code is a key:\nerror_mapping:\n  1: {code: -32002, message: Not found}")
		return
	}
	entries, _ := v.rawEntries()
	for _, entry := range entries {
		exit, err := strconv.Atoi(entry.name)
		if err != nil || exit < 1 || exit > 255 || strconv.Itoa(exit) != entry.name {
			hint := ""
			if entry.name == "0" {
				hint = "0 is success, which is no error"
			}
			entry.key.fail(ruleValue, hint, "want an exit code from 1 to 255, found %s", describe(entry.key.node))
			continue
		}
		m := &mappedError{entry: e, exit: exit}
		if isMapping(entry.value) {
			readKeys(entry.value, mappedErrorNoun(), m)
			entry.value.mustHave("code", "a JSON-RPC code, such as -32603")
		} else {
			entry.value.want = "an error code, or {code, message, detail, retryable}"
			if text := entry.value.node; text.Kind == yaml.ScalarNode && text.Tag == "!!str" && !jsonNumber.MatchString(text.Value) {
				entry.value.mismatch("", fmt.Sprintf("write {code: -32603, message: %s}", quote(text.Value)))
				continue
			}
			m.readCode(entry.value)
		}
		if m.error.Message == "" {
			m.error.Message = canonical(m.error.Code)
		}
		if e.tool.ErrorMapping == nil {
			e.tool.ErrorMapping = map[int]tool.MappedError{}
		}
		e.tool.ErrorMapping[exit] = m.error
	}
}

func (m *mappedError) readCode(v value) {
	if code, ok := v.whole(math.MinInt32, math.MaxInt32); ok {
		m.error.Code = int(code)
	}
}

// readDetail wants a text under the default error profile, acp-basic, which shows details to clients that print an object as
// "[object Object]".
func (m *mappedError) readDetail(v value) {
	structured := isMapping(v) || isList(v)
	var detail any
	var ok bool
	switch {
	case structured && m.entry.file.file.ErrorProfile != tool.ProfileExtended:
		v.fail(ruleType, "write it as one text, or set A2A_ERROR_PROFILE=extended-json, which clients that print an object as [object Object] do not take",
			"want a plain text under the error profile acp-basic, found %s", describe(v.node))
		return
	case structured:
		detail, ok = v.open()
	default:
		detail, ok = v.text()
	}
	if ok {
		m.error.Detail, m.entry.details[m.exit] = detail, v
	}
}

// canonical is the text that clients know an error code by (JSON-RPC 2.0 section 5.1; ACP, Error).
func canonical(code int) string {
	switch code {
	case -32700:
		return "Parse error"
	case -32600:
		return "Invalid request"
	case -32601:
		return "Method not found"
	case -32602:
		return "Invalid params"
	case -32603:
		return "Internal error"
	case -32800:
		return "Request cancelled"
	case -32000:
		return "Authentication required"
	case -32002:
		return "Resource not found"
	}
	return "Tool failed"
}
