package tool

import (
	"fmt"
	"unicode/utf8"
)

// Output is what an entry says about how much of the output of its calls is passed on.
type Output struct {
	// Keep is how many bytes of each stream are passed on: its beginning and its end. 0 is what the door
	// has for a rule: DefaultKeep for agents, everything for a person.
	Keep int64
	// Spill keeps the whole stream in a file, where it is too long to be passed on, or is not text.
	Spill bool
	// SpillMost is how many bytes a stream may have that goes to a file, in place of Limits.Output; a call
	// that puts out more is ended. 0 is DefaultSpill.
	SpillMost int64
	// JSON says that stdout is one JSON value where a call succeeds, which is told as one. Another is a failure.
	JSON bool
	// Schema is the JSON Schema that it fits, as JSON; "" for any.
	Schema string
	// Wrapped is set if the schema is not that of an object. Clients of MCP take nothing else, so that the
	// value is told as the member `result` of one.
	Wrapped bool
}

// DefaultSpill is how many bytes of a stream go to a file where the tool does not say otherwise.
const DefaultSpill = 256 << 20

// MostSpilled is SpillMost, or what it is where nothing is said.
func (o Output) MostSpilled() int64 {
	if o.SpillMost == 0 {
		return DefaultSpill
	}
	return o.SpillMost
}

// DefaultKeep is what an agent gets of a stream whose tool says nothing, in bytes: some 16,000 tokens, more
// than most clients show their model.
const DefaultKeep = 64 << 10

// Binary describes a stream that is not text. Diagnostics have it as `binary`, by the stream's name.
type Binary struct {
	Type   string `json:"type"` // as image/png
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256,omitempty"` // "" where it was too long to be held and could not be kept
}

func (b Binary) String() string {
	if b.SHA256 == "" {
		return fmt.Sprintf("[binary data, not shown: %s, %d bytes]", b.Type, b.Bytes)
	}
	return fmt.Sprintf("[binary data, not shown: %s, %d bytes, sha256 %s]", b.Type, b.Bytes, b.SHA256)
}

// The keys of Metadata.Diagnostics that doors look for.
const (
	BinaryKey = "binary" // a map[string]Binary: the streams that are no text, by name
	BlobsKey  = "blobs"  // a map[string]blob.Blob: whole streams that were kept beside the result, by name
	// BlobErrorKey is a text: why a stream could not be kept.
	BlobErrorKey = "blob_error"
	CureKey      = "cure" // a text: what to do about the failure

	OutputGovernorKey = "output_governor" // a map: which governor changed or withheld the output, and why
)

// InText returns the result for a reader of text or JSON, neither of which can hold any bytes: a stream
// that is not text is replaced by what it is.
func (r Result) InText() Result {
	binary, _ := r.Metadata.Diagnostics[BinaryKey].(map[string]Binary)
	if b, ok := binary["stdout"]; ok {
		r.Stdout = b.String()
	}
	if b, ok := binary["stderr"]; ok {
		r.Stderr = b.String()
	}
	return r
}

// Excerpt returns the beginning and the end of a text that is longer than most bytes, with what is left out
// in words between them, and tells whether it did. No character is divided.
func Excerpt(text string, most int64) (short string, cut bool) {
	if most <= 0 || int64(len(text)) <= most {
		return text, false
	}
	return ExcerptOf(text, text, int64(len(text)), most), true
}

// ExcerptOf is Excerpt for a text of total bytes of which only its beginning and its end are at hand. Where
// most is 0, or more than they are, it gives all of both.
func ExcerptOf(head, tail string, total, most int64) string {
	if most <= 0 || most > int64(len(head)+len(tail)) {
		most = int64(len(head) + len(tail))
	}
	first := int(min(most/2, int64(len(head))))
	last := len(tail) - int(min(most-most/2, int64(len(tail))))
	for before := first; first < len(head) && first > 0 && !utf8.RuneStart(head[first]) &&
		before-first < utf8.UTFMax; {
		first--
	}
	for before := last; last < len(tail) && !utf8.RuneStart(tail[last]) && last-before < utf8.UTFMax; {
		last++
	}
	head, tail = head[:first], tail[last:]
	if first == len(head) {
		head = WholeRunes(head)
	}
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", head, total-int64(len(head)+len(tail)), tail)
}

// WholeRunes returns a text that was cut off without the part of a character that is left at its end.
func WholeRunes(text string) string {
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		last := text[len(text)-back:]
		if utf8.RuneStart(last[0]) {
			if !utf8.FullRuneInString(last) {
				return text[:len(text)-back]
			}
			return text
		}
	}
	return text
}
