package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// readEnd finds the end of a file of size bytes: its last complete line, which must be one of ours. What
// stands behind it is torn. It reads no more than that line and what is torn, however long the record is.
func readEnd(f io.ReaderAt, size int64) (end, error) {
	last, err := lastNewline(f, size)
	if err != nil {
		return end{}, err
	}
	if last < 0 {
		return end{}, nil
	}
	before, err := lastNewline(f, last)
	if err != nil {
		return end{}, err
	}
	start := before + 1
	if last-start >= longestLine {
		return end{}, fmt.Errorf("the last line is %d bytes long", last-start)
	}
	line := make([]byte, last-start)
	if _, err := f.ReadAt(line, start); err != nil {
		return end{}, err
	}
	var entry struct {
		Seq  int64   `json:"seq"`
		V    int     `json:"v"`
		Prev *string `json:"prev"`
	}
	if err := json.Unmarshal(line, &entry); err != nil {
		return end{}, fmt.Errorf("the last line (at byte %d) is no record: %w", start, err)
	}
	if entry.Seq < 1 || entry.V < 1 || entry.Prev == nil {
		return end{}, fmt.Errorf("the last line (at byte %d) is no record: it has no number, version or hash",
			start)
	}
	sum := sha256.Sum256(line)
	return end{size: last + 1, seq: entry.Seq, hash: hex.EncodeToString(sum[:])}, nil
}

// lastNewline returns the offset of the last newline before the offset end; -1 when there is none.
func lastNewline(f io.ReaderAt, end int64) (int64, error) {
	block := make([]byte, 64<<10)
	for end > 0 {
		n := min(int64(len(block)), end)
		if _, err := f.ReadAt(block[:n], end-n); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if i := bytes.LastIndexByte(block[:n], '\n'); i >= 0 {
			return end - n + int64(i), nil
		}
		end -= n
	}
	return -1, nil
}
