package a2a

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The bounds of a request's JSON.
const (
	mostDepth  = 64
	mostFields = 10_000    // of one object
	mostValues = 1_000_000 // in all: each takes more memory than it takes bytes
)

// fields are the names in the messages of requests, as ProtoJSON writes them: all other members are unknown, and
// ignored.
var fields = func() map[string]bool {
	known := map[string]bool{}
	for _, name := range strings.Fields(`tenant message configuration metadata acceptedOutputModes
		taskPushNotificationConfig historyLength returnImmediately messageId contextId taskId role parts extensions
		referenceTaskIds text raw url data filename mediaType id status pageSize pageToken statusTimestampAfter
		includeArtifacts token authentication scheme credentials`) {
		known[name] = true
	}
	return known
}()

// opaque are the fields that hold any JSON.
var opaque = map[string]bool{"data": true, "metadata": true}

// integers and enums are what ProtoJSON writes in more than one way.
var (
	integers = map[string]bool{"historyLength": true, "pageSize": true}
	enums    = map[string][]string{
		"role": {"ROLE_UNSPECIFIED", "ROLE_USER", "ROLE_AGENT"},
		"status": {"TASK_STATE_UNSPECIFIED", "TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED",
			"TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_REJECTED",
			"TASK_STATE_AUTH_REQUIRED"},
	}
)

// canonical rewrites the JSON of a request to the one way in which encoding/json reads it as ProtoJSON means it:
// names in camelCase, no member that nobody knows, none twice, numbers and enumerations in one spelling, nothing
// that is null. It refuses what readers of JSON disagree on: a member twice, text that is no UTF-8, and numbers
// that a double does not hold, in which ProtoJSON keeps them.
func canonical(in []byte) ([]byte, *Error) {
	c := &canonicalizer{in: in, schema: true}
	c.out.Grow(len(in))
	return c.all()
}

// checked checks JSON in the same way, and leaves it as it is.
func checked(in []byte) *Error {
	c := &canonicalizer{in: in}
	_, err := c.all()
	return err
}

// checkedNames is checked for what encoding/json reads into a struct: outside of what may be any JSON, no two names
// of an object differ in case alone, since each would be taken for the other.
func checkedNames(in []byte) *Error {
	c := &canonicalizer{in: in, folds: true}
	_, err := c.all()
	return err
}

type canonicalizer struct {
	in     []byte
	at     int
	out    bytes.Buffer
	schema bool // what is read are messages of the protocol
	folds  bool // two names that differ in case alone are one
	values int  // that were read
}

// syntaxError is about JSON that is none, or that is bent.
type syntaxError struct {
	kind errorKind
	text string
}

func (c *canonicalizer) all() (out []byte, err *Error) {
	err = c.guarded(func() {
		c.space()
		c.value(0, !c.schema, "")
		c.space()
		if c.at < len(c.in) {
			c.fail(errParse, "there is more after its end")
		}
	})
	return c.out.Bytes(), err
}

// guarded returns what fail said in f.
func (c *canonicalizer) guarded(f func()) (err *Error) {
	defer func() {
		if r := recover(); r != nil {
			failed, ok := r.(syntaxError)
			if !ok {
				panic(r)
			}
			err = failf(failed.kind, "byte %d of the JSON: %s", c.at, failed.text)
		}
	}()
	f()
	return nil
}

// skip reads one value of any JSON, which is looked at as closely later, where it is used.
func (c *canonicalizer) skip() {
	dec := json.NewDecoder(bytes.NewReader(c.in[c.at:]))
	var value json.RawMessage
	if err := dec.Decode(&value); err != nil {
		c.fail(errParse, "%v", err)
	}
	c.at += int(dec.InputOffset())
}

func (c *canonicalizer) fail(kind errorKind, format string, args ...any) {
	panic(syntaxError{kind, fmt.Sprintf(format, args...)})
}

func (c *canonicalizer) space() {
	for c.at < len(c.in) && (c.in[c.at] == ' ' || c.in[c.at] == '\t' || c.in[c.at] == '\n' || c.in[c.at] == '\r') {
		c.at++
	}
}

func (c *canonicalizer) peek() byte {
	if c.at == len(c.in) {
		c.fail(errParse, "it ends too early")
	}
	return c.in[c.at]
}

func (c *canonicalizer) expect(b byte) {
	if c.peek() != b {
		c.fail(errParse, "want %q, found %q", b, c.in[c.at])
	}
	c.at++
}

// value copies one value. free says that it may be any JSON; field is the one that it stands in.
func (c *canonicalizer) value(depth int, free bool, field string) {
	if depth > mostDepth {
		c.fail(errParams, "it is nested deeper than %d", mostDepth)
	}
	if c.values++; c.values > mostValues {
		c.fail(errParams, "it holds more than %d values", mostValues)
	}
	begin := c.at
	switch b := c.peek(); {
	case b == '{':
		c.object(depth, free)
		return
	case b == '[':
		c.array(depth, free, field)
		return
	case b == '"':
		text := c.text()
		if !free && integers[field] && json.Valid([]byte(text)) {
			c.out.WriteString(text)
			return
		}
	case b == '-' || b >= '0' && b <= '9':
		c.number(free)
		if names := enums[field]; !free && names != nil {
			if i, err := strconv.Atoi(string(c.in[begin:c.at])); err == nil && i >= 0 && i < len(names) {
				fmt.Fprintf(&c.out, "%q", names[i])
				return
			}
		}
	default:
		c.word()
	}
	c.out.Write(c.in[begin:c.at])
}

func (c *canonicalizer) word() {
	for _, word := range []string{"null", "true", "false"} {
		if bytes.HasPrefix(c.in[c.at:], []byte(word)) {
			c.at += len(word)
			return
		}
	}
	c.fail(errParse, "%q begins no value", c.in[c.at])
}

func (c *canonicalizer) object(depth int, free bool) {
	c.expect('{')
	c.out.WriteByte('{')
	c.space()
	seen := map[string]bool{}
	for first := true; c.peek() != '}'; first = false {
		if !first {
			c.expect(',')
			c.space()
		}
		begin := c.at
		name := c.text()
		written := c.in[begin:c.at]
		if !free {
			name = camel(name)
		}
		key := name
		if c.folds {
			key = strings.ToLower(strings.ToUpper(name)) // "\u017f" is an s, and "\u212a" a k
		}
		if seen[key] {
			c.fail(errParams, "%q stands there twice", name)
		}
		if seen[key] = true; len(seen) > mostFields {
			c.fail(errParams, "an object has more than %d members", mostFields)
		}
		c.space()
		c.expect(':')
		c.space()
		before := c.out.Len()
		if c.out.Bytes()[before-1] != '{' {
			c.out.WriteByte(',')
		}
		if free {
			c.out.Write(written)
		} else {
			fmt.Fprintf(&c.out, "%q", name)
		}
		c.out.WriteByte(':')
		null := c.peek() == 'n'
		folds := c.folds
		c.folds = folds && !opaque[name]
		c.value(depth+1, free || opaque[name] || !fields[name], name)
		c.folds = folds
		if !free && (null || !fields[name]) {
			c.out.Truncate(before)
		}
		c.space()
	}
	c.at++
	c.out.WriteByte('}')
}

func (c *canonicalizer) array(depth int, free bool, field string) {
	c.expect('[')
	c.out.WriteByte('[')
	c.space()
	for first := true; c.peek() != ']'; first = false {
		if !first {
			c.expect(',')
			c.space()
			c.out.WriteByte(',')
		}
		if c.peek() == ']' {
			c.fail(errParse, "a value is missing")
		}
		c.value(depth+1, free, field)
		c.space()
	}
	c.at++
	c.out.WriteByte(']')
}

// camel returns a name of a .proto file as JSON writes it.
func camel(name string) string {
	if !strings.Contains(name, "_") {
		return name
	}
	var b strings.Builder
	up := false
	for _, r := range name {
		switch {
		case r == '_':
			up = true
		case up && r >= 'a' && r <= 'z':
			b.WriteRune(r - 'a' + 'A')
			up = false
		default:
			b.WriteRune(r)
			up = false
		}
	}
	if !fields[b.String()] {
		return name
	}
	return b.String()
}

// text reads a string.
func (c *canonicalizer) text() string {
	if c.peek() != '"' {
		c.fail(errParse, "want a text, found %q", c.in[c.at])
	}
	begin := c.at
	c.at++
	plain := true
	for {
		switch b := c.peek(); {
		case b == '"':
			c.at++
			if plain {
				return string(c.in[begin+1 : c.at-1])
			}
			var text string
			if err := json.Unmarshal(c.in[begin:c.at], &text); err != nil {
				c.fail(errParse, "%v", err)
			}
			return text
		case b == '\\':
			plain = false
			c.escape()
		case b < 0x20:
			c.fail(errParse, "a text holds the control character %#x", b)
		case b < utf8.RuneSelf:
			c.at++
		default:
			r, size := utf8.DecodeRune(c.in[c.at:])
			if r == utf8.RuneError && size == 1 {
				c.fail(errParse, "a text is no UTF-8")
			}
			c.at += size
		}
	}
}

func (c *canonicalizer) escape() {
	c.at++
	switch c.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		c.at++
	case 'u':
		c.at--
		r := c.unit()
		if utf16.IsSurrogate(r) {
			if c.peek() != '\\' || utf16.DecodeRune(r, c.unit()) == utf8.RuneError {
				c.fail(errParse, "a text holds half of a character")
			}
		}
	default:
		c.fail(errParse, "\\%c means nothing", c.in[c.at])
	}
}

// unit reads \uXXXX.
func (c *canonicalizer) unit() rune {
	if len(c.in)-c.at < 6 || c.in[c.at+1] != 'u' {
		c.fail(errParse, "a text holds half of a character")
	}
	n, err := strconv.ParseUint(string(c.in[c.at+2:c.at+6]), 16, 16)
	if err != nil {
		c.fail(errParse, "\\u wants four hexadecimal digits")
	}
	c.at += 6
	return rune(n)
}

// number reads a number. Within free JSON, one that a double does not hold is refused: it would arrive as
// another one.
func (c *canonicalizer) number(free bool) {
	begin := c.at
	for c.at < len(c.in) && strings.IndexByte("+-0123456789.eE", c.in[c.at]) >= 0 {
		c.at++
	}
	token := c.in[begin:c.at]
	if !json.Valid(token) {
		c.fail(errParse, "%.40q is no number", token)
	}
	if !free {
		return
	}
	f, err := strconv.ParseFloat(string(token), 64)
	if err != nil || math.IsInf(f, 0) {
		c.fail(errParams, "%.40s is too large a number", token)
	}
	if bytes.ContainsAny(token, ".eE") || bytes.Equal(token, []byte("-0")) {
		return
	}
	if len(token) > 15 && strconv.FormatFloat(f, 'f', -1, 64) != string(token) {
		c.fail(errParams, "%.40s is more than a number holds in A2A (a double); send it as a text", token)
	}
}
