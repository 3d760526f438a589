package config

import (
	"fmt"
	"math"
	"strconv"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// mappedError is an entry of error_mapping that is being read.
type mappedError struct {
	entry *toolEntry
	exit  int
	error tool.MappedError
}

// mappedErrorMapping is what the long form of an entry may say.
func mappedErrorMapping() yamldoc.Mapping[*mappedError] {
	return yamldoc.Mapping[*mappedError]{
		Name: "an error mapping",
		Synonyms: map[string]string{"retry": "retryable", "details": "detail", "data": "detail",
			"text": "message", "errorcode": "code"},
		Keys: []yamldoc.Key[*mappedError]{
			yamldoc.NewKey("code", "a JSON-RPC error code", (*mappedError).readCode),
			yamldoc.NewKey("message", "a text", func(m *mappedError, v yamldoc.Value) {
				v.SetText(&m.error.Message)
			}),
			yamldoc.NewKey("detail", "a plain text", (*mappedError).readDetail),
			yamldoc.NewKey("retryable", "true or false", func(m *mappedError, v yamldoc.Value) {
				v.SetBool(&m.error.Retryable)
			}),
		},
	}
}

// readErrorMapping reads what exit codes mean. 1 and "1" are the same exit code.
func (e *toolEntry) readErrorMapping(v yamldoc.Value) {
	if v.IsList() {
		v.Mismatch("", "each exit code is a key:\nerror_mapping:\n  1: {code: -32002, message: Not found}")
		return
	}
	entries, _ := v.AllEntries()
	for _, entry := range entries {
		if e.at.Has("http") || e.at.Has("execution_profile") {
			e.readStatusMapping(v, entry)
			continue
		}
		exit, err := strconv.Atoi(entry.Name)
		if err != nil || exit < 1 || exit > 255 || strconv.Itoa(exit) != entry.Name {
			hint := ""
			if entry.Name == "0" {
				hint = "0 is success, which is no error"
			}
			entry.Key.Fail(yamldoc.RuleValue, hint, "want an exit code from 1 to 255, found %s",
				yamldoc.Describe(entry.Key.Node))
			continue
		}
		if m, ok := e.readMapped(entry, exit); ok {
			e.mapError(exit, m)
		}
	}
}

func (e *toolEntry) mapError(exit int, m *mappedError) {
	if e.tool.ErrorMapping == nil {
		e.tool.ErrorMapping = map[int]tool.MappedError{}
	}
	e.tool.ErrorMapping[exit] = m.error
}

// readMapped reads what one exit code means.
func (e *toolEntry) readMapped(entry yamldoc.Entry, exit int) (*mappedError, bool) {
	m := &mappedError{entry: e, exit: exit}
	if entry.Value.IsMapping() {
		yamldoc.ReadKeys(entry.Value, mappedErrorMapping(), m)
		entry.Value.Require("code", "a JSON-RPC code, such as -32603")
	} else {
		entry.Value.Want = "an error code, or {code, message, detail, retryable}"
		if text := entry.Value.Node; text.Kind == yaml.ScalarNode && text.Tag == "!!str" &&
			!yamldoc.IsJSONNumber(text.Value) {
			entry.Value.Mismatch("", fmt.Sprintf("write {code: -32603, message: %s}",
				yamldoc.Quote(text.Value)))
			return nil, false
		}
		m.readCode(entry.Value)
	}
	if m.error.Message == "" {
		m.error.Message = canonical(m.error.Code)
	}
	return m, true
}

// statusClass is how error_mapping names a class of statuses.
var statusClass = lazyregexp.New(`^[345]xx$`)

// readStatusMapping reads what a status of an answer means, or a class of them, such as 5xx: one that is named by
// itself is what it says there.
func (e *toolEntry) readStatusMapping(all yamldoc.Value, entry yamldoc.Entry) {
	status, err := strconv.Atoi(entry.Name)
	switch {
	case statusClass.MatchString(entry.Name):
		class := int(entry.Name[0]-'0') * 100
		first := class
		for all.Has(strconv.Itoa(first)) {
			first++
		}
		m, ok := e.readMapped(entry, first)
		detail, hasDetail := e.details[first]
		for s := class; ok && s < class+100; s++ {
			if !all.Has(strconv.Itoa(s)) {
				e.mapError(s, m)
				if hasDetail {
					e.details[s] = detail
				}
			}
		}
	case entry.Name == "when":
		e.readWhen(entry.Value)
	case err != nil || status < 300 || status > 599 || strconv.Itoa(status) != entry.Name:
		entry.Key.Fail(yamldoc.RuleValue, "", "want a status from 300 to 599, 4xx, 5xx, or when; found %s",
			yamldoc.Describe(entry.Key.Node))
	default:
		if m, ok := e.readMapped(entry, status); ok {
			e.mapError(status, m)
		}
	}
}

func (m *mappedError) readCode(v yamldoc.Value) {
	if code, ok := v.Int(math.MinInt32, math.MaxInt32); ok {
		m.error.Code = int(code)
	}
}

// readDetail wants a text under the default error profile, acp-basic, which shows details to clients that
// print an object as "[object Object]".
func (m *mappedError) readDetail(v yamldoc.Value) {
	structured := v.IsMapping() || v.IsList()
	var detail any
	var ok bool
	switch {
	case structured && m.entry.file.file.ErrorProfile != tool.ProfileExtended:
		v.Fail(yamldoc.RuleType,
			"write it as one text, or set A2A_ERROR_PROFILE=extended-json, "+
				"which clients that print an object as [object Object] do not take",
			"want a plain text under the error profile acp-basic, found %s", yamldoc.Describe(v.Node))
		return
	case structured:
		detail, ok = v.JSON()
	default:
		detail, ok = v.Text()
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
