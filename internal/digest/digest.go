// Package digest names things by their parts: what people allow, what an answer is about.
package digest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Of returns the SHA-256 of parts, each behind its length, so that no two ways of splitting the same bytes
// have one name.
func Of(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write([]byte(part))
	}
	return string(h.Sum(nil))
}

// Hex is Of in hexadecimal.
func Hex(parts ...string) string { return hex.EncodeToString([]byte(Of(parts...))) }
