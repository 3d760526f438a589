package audit

import (
	"bytes"
	"errors"
)

// envelope is what stands in a line before the event: its place in the record. Of a record of millions of
// lines it is all that must be understood to verify it.
type envelope struct {
	seq  int64
	prev []byte // a part of the line
}

var errEnvelope = errors.New("it does not begin as the lines of a record do")

// parseEnvelope reads the beginning of a line, in the one form that follow writes.
func parseEnvelope(line []byte) (e envelope, err error) {
	rest := line
	take := func(before string, end byte) []byte {
		if err != nil {
			return nil
		}
		after, ok := bytes.CutPrefix(rest, []byte(before))
		i := bytes.IndexByte(after, end)
		if !ok || i < 0 {
			err = errEnvelope
			return nil
		}
		rest = after[i:]
		return after[:i]
	}
	seq := take(`{"seq":`, ',')
	take(`,"v":`, ',')
	take(`,"id":"`, '"')
	e.prev = take(`","prev":"`, '"')
	if err != nil {
		return envelope{}, err
	}
	if len(seq) == 0 || len(seq) > 18 || seq[0] == '0' {
		return envelope{}, errEnvelope
	}
	for _, digit := range seq {
		if digit < '0' || digit > '9' {
			return envelope{}, errEnvelope
		}
		e.seq = 10*e.seq + int64(digit-'0')
	}
	return e, nil
}
