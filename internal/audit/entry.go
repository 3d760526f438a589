package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

const (
	// version is the format of a line.
	version = 1
	// longestLine bounds a line, its newline included, so that whoever reads the record can bound his memory.
	longestLine = 1 << 20
	// envelopeSize is more than what stands in a line before the event itself.
	envelopeSize = 256
)

// Entry is one line of the record.
type Entry struct {
	Seq  int64  `json:"seq"` // from 1, without gaps
	V    int    `json:"v"`
	ID   string `json:"id"`
	Prev string `json:"prev"` // SHA-256 of the line before; "" in the first

	events.Event
	Cut *Cut `json:"cut,omitempty"`

	Broken string `json:"broken,omitempty"` // why the line may not be what was recorded; it stands in no line

	File   string          `json:"-"` // base name of the file that the line stands in
	Line   int             `json:"-"` // from 1
	Offset int64           `json:"-"` // of the line's first byte
	Raw    json.RawMessage `json:"-"` // the line's own bytes, without the newline
}

// Recorded returns the entry as its event and its place, without what is about the line.
func (e Entry) Recorded() events.Recorded {
	return events.Recorded{Seq: e.Seq, ID: e.ID, Event: e.Event}
}

// Cut says that the line does not hold the whole event.
type Cut struct {
	Why    string `json:"why"`
	Bytes  int    `json:"bytes,omitempty"`  // length of the whole event as JSON
	SHA256 string `json:"sha256,omitempty"` // of the same
}

// record is an event on its way into the file. The part of its line that does not depend on its place is
// made beforehand, by its own goroutine.
type record struct {
	id      string
	body    []byte // a JSON object
	durable bool

	// Guarded by Log.committing.
	done bool
	err  error
}

// newRecord encodes an event. A time that is not set, or that JSON cannot write, is replaced by now.
//
// hide takes out of texts what must not stand on record.
func newRecord(event events.Event, now time.Time, id string, hide func(string) string) (*record, error) {
	if year := event.Time.Year(); event.Time.IsZero() || year < 0 || year > 9999 {
		event.Time = now
	}
	event.Time = event.Time.UTC()
	body, err := encodeEvent(event, hide)
	return &record{id: id, body: body, durable: event.Durable()}, err
}

// encodeEvent returns the event as JSON. One that is too long for a line, or holds what JSON cannot say, is
// reduced to what matters most, with a note: an event is never lost for its size.
func encodeEvent(event events.Event, hide func(string) string) ([]byte, error) {
	whole, err := encodeWhole(&event)
	whole = hideIn(whole, hide)
	var cut Cut
	switch {
	case err != nil:
		cut = Cut{Why: "cannot be written as JSON: " + shorten(err.Error())}
	case len(whole) > longestLine-envelopeSize:
		sum := sha256.Sum256(whole)
		cut = Cut{Why: "longer than a line may be", Bytes: len(whole), SHA256: hex.EncodeToString(sum[:])}
	default:
		return whole, nil
	}
	kept := truncate(event)
	for _, event := range []events.Event{kept,
		// What was hidden may have made it longer than it may be: then it says who and when, and no more.
		{Type: kept.Type, Time: kept.Time, Session: kept.Session, CallID: kept.CallID, Retired: kept.Retired}} {
		body, err := encode(struct {
			events.Event
			Cut Cut `json:"cut"`
		}{event, cut})
		if body = hideIn(body, hide); err != nil || len(body) <= longestLine-envelopeSize {
			return body, err
		}
	}
	return nil, errors.New("the event is longer than a line may be")
}

// encode gives v as JSON on one line. Bytes that are not UTF-8 become U+FFFD; < and > stay as they are, for
// people read these lines.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// end is how the record ends: what the next line has to follow.
type end struct {
	size int64  // bytes, all of them complete lines
	seq  int64  // of the last line; 0 when there is none
	hash string // of the last line; "" when there is none
}

// follow appends the line of r to lines and moves the end behind it.
func (e *end) follow(lines []byte, r *record) []byte {
	start := len(lines)
	lines = appendEnvelope(lines, e.seq+1, r.id, e.hash)
	lines = append(lines, r.body[1:]...)
	sum := sha256.Sum256(lines[start:])
	lines = append(lines, '\n')
	*e = end{size: e.size + int64(len(lines)-start), seq: e.seq + 1, hash: hex.EncodeToString(sum[:])}
	return lines
}
