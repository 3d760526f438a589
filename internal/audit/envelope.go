package audit

import (
	"bytes"
	"errors"
	"strconv"
)

// envelope is what stands in a line before the event: its place in the record. Of a record of millions of
// lines it is all that must be understood to verify it.
type envelope struct {
	seq  int64
	prev []byte // a part of the line
}

var errEnvelope = errors.New("it does not begin as the lines of a record do")

// appendEnvelope appends the beginning of a line, up to where the event's own members begin. An id and a hash need
// no quoting.
func appendEnvelope(line []byte, seq int64, id, prev string) []byte {
	line = strconv.AppendInt(append(line, `{"seq":`...), seq, 10)
	line = strconv.AppendInt(append(line, `,"v":`...), version, 10)
	line = append(append(line, `,"id":"`...), id...)
	line = append(append(line, `","prev":"`...), prev...)
	return append(line, `",`...)
}

// parseEnvelope reads the beginning of a line, in the one form that appendEnvelope writes.
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
