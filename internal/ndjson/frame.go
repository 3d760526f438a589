package ndjson

import "bytes"

// Kind is what a line is.
type Kind uint8

// The kinds of lines.
const (
	// No frame: log text, a number or a string, half an object, two objects, or nested beyond MaxDepth.
	Noise  Kind = iota
	Blank       // white space, or nothing
	Object      // one JSON object
	Array       // one JSON array
)

func (k Kind) String() string {
	switch k {
	case Blank:
		return "blank"
	case Object:
		return "object"
	case Array:
		return "array"
	}
	return "noise"
}

// Frame is what a line says of itself. Its slices are parts of the line: they change when the line does,
// and must not be written to.
type Frame struct {
	Kind Kind

	// The values of an Object's envelope as they are written, each under its exact key (escapes in the key
	// resolved), the first of several; nil when there is none. `"id":null` is not nil.
	ID, Method, Params, Result, Error []byte

	// Ambiguous says that two readers could read the envelope of an Object differently:
	//   - one of its keys (jsonrpc among them) stands there twice, with an escape, or in another case;
	//   - any key there holds doubtful characters (bytes that are not UTF-8, half a surrogate pair, NUL, a control character
	//     that is not escaped), or is __proto__;
	//   - the method is no string, or holds doubtful characters;
	//   - the id is no string, number or null, or holds doubtful characters;
	//   - there is a line break between two tokens, and be it a lone carriage return, at which some readers (Python's text
	//     mode, Node's readline) begin another line.
	Ambiguous bool

	// LossyID says that the id is a number that a reader with 64-bit floats gives back as another one,
	// which may be that of another request: 9007199254740993 comes back from JavaScript as
	// 9007199254740992.
	LossyID bool

	// InvalidUTF8 and RawControl say that strings of an Object or Array hold bytes that are not UTF-8, and
	// control characters that are not escaped. JSON allows neither, many readers take both.
	InvalidUTF8, RawControl bool

	line []byte // without the white space around it
}

// Scan says what kind of frame a line is, and where its parts are. It copies nothing and, for an ordinary
// frame, allocates nothing. A terminator at the end of the line is white space.
func Scan(line []byte) Frame {
	f, lineBreak := scan(line)
	f.Ambiguous = f.Ambiguous || lineBreak
	return f
}

// ScanText is [Scan] for a text that nobody takes lines from, as the body of a request of HTTP: a line break
// between two tokens of it is white space as any other.
func ScanText(text []byte) Frame {
	f, _ := scan(text)
	return f
}

// scan also says whether a line break stands between two tokens of an Object.
func scan(line []byte) (frame Frame, lineBreak bool) {
	line = trimSpace(line)
	if len(line) == 0 {
		return Frame{Kind: Blank}, false
	}
	f := Frame{Kind: Object, line: line}
	s := scanner{b: line}
	end := -1
	switch line[0] {
	case '{':
		e := envelope{frame: &f}
		end = s.members(0, 0, e.member)
	case '[':
		f.Kind = Array
		end = s.value(0, 0)
	}
	if end != len(line) {
		return Frame{Kind: Noise}, false
	}
	f.InvalidUTF8, f.RawControl = s.invalidUTF8, s.rawControl
	return f, f.Kind == Object && s.lineBreak
}

func trimSpace(line []byte) []byte {
	for len(line) > 0 && isSpace(line[len(line)-1]) {
		line = line[:len(line)-1]
	}
	for len(line) > 0 && isSpace(line[0]) {
		line = line[1:]
	}
	return line
}

// HasMethod reports whether there is a method, be it a string or not. Without one, an Object is a response.
func (f *Frame) HasMethod() bool { return f.Method != nil }

// MethodName decodes the method; it is "" when there is none or it cannot be read in one way only.
func (f *Frame) MethodName() string {
	name, err := String(f.Method)
	if err != nil {
		return ""
	}
	return name
}

// CouldBe reports whether any reader could take the line for a frame whose method match accepts.
//
// For an Object that is not Ambiguous there is one method, or none, and it asks match about that. In an
// Array, and in an Object that is Ambiguous, it asks about the values of all keys at any depth that some
// reader could take for "method", and answers yes without asking when such a value holds doubtful
// characters: it could be any method to somebody, and nobody has an honest use for it.
func (f *Frame) CouldBe(match func(method string) bool) bool {
	if f.Kind == Object && !f.Ambiguous {
		return f.HasMethod() && match(f.MethodName())
	}
	for step := range walk(f.line) {
		if step.kind == atKey && couldBeMethod(step.key) && couldBeText(step.value, match) {
			return true
		}
	}
	return false
}

func couldBeMethod(key []byte) bool {
	text, same := decode(key)
	return !same || EqualFold(text, memberNames[methodMember])
}

// couldBeText asks about the string at the beginning of value. A list of one string is that string to a
// reader that looks the method up in a JavaScript object.
func couldBeText(value []byte, match func(string) bool) bool {
	value = bytes.TrimLeft(value, "[ \t\r\n")
	if len(value) == 0 || value[0] != '"' {
		return false
	}
	s := scanner{b: value}
	text, same := decode(value[1 : s.text(1)-1])
	return !same || match(text)
}
