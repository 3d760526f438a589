package audit

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// newID makes a UUID of version 7 (RFC 9562, 5.7): the time in milliseconds, then 74 random bits. Sorting
// such names sorts by time.
func newID(now time.Time) string {
	var b [16]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the program when the kernel has no randomness
	var millis [8]byte
	binary.BigEndian.PutUint64(millis[:], uint64(now.UnixMilli()))
	copy(b[:6], millis[2:])
	b[6] = b[6]&0x0f | 0x70
	b[8] = b[8]&0x3f | 0x80
	s := hex.EncodeToString(b[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}
