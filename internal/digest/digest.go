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
	size := 0
	for _, part := range parts {
		size += 8 + len(part)
	}
	text := make([]byte, 0, size) // hashed at once: each piece that a hash is given costs more than its bytes
	for _, part := range parts {
		text = append(binary.BigEndian.AppendUint64(text, uint64(len(part))), part...)
	}
	sum := sha256.Sum256(text)
	return string(sum[:])
}

// Hex is Of in hexadecimal.
func Hex(parts ...string) string { return hex.EncodeToString([]byte(Of(parts...))) }
