package ndjson

import (
	"bytes"
	"fmt"
)

// TooLongError reports a line that was longer than the Reader's limit and has been thrown away. It was
// never held as a whole, so only its envelope is known.
type TooLongError struct {
	Size  int64 // bytes of the line without its newline
	Limit int   // bytes

	// ID is the first id of the envelope as it is written, wherever in the line it stood; nil when the line
	// is no object or has no id, or one above a kilobyte.
	ID []byte
	// Request says that the envelope has a method: with an ID, its sender waits for an answer. An ID
	// without a method is that of a response, and it is the other side that waits.
	Request bool
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("a line of %d bytes is above the limit of %d and was thrown away: raise the limit, "+
		"or send less at once", e.Size, e.Limit)
}

// discard reads on to the end of the line that begins at r.from, and keeps nothing but what its envelope
// says.
func (r *Reader) discard() *TooLongError {
	var seen longLine
	size := int64(0)
	for {
		part := r.buf[r.from:r.to]
		n := bytes.IndexByte(part, '\n')
		if n >= 0 {
			part = part[:n]
			r.from++ // the newline
		}
		seen.read(part)
		size += int64(len(part))
		r.from += len(part)
		if n >= 0 || r.err != nil {
			break
		}
		r.release()
		r.fill()
	}
	return &TooLongError{Size: size, Limit: r.limit, ID: seen.id, Request: seen.method}
}
