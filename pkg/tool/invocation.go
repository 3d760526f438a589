package tool

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
)

// Invocation is a call with its values filled in: exactly what would be done. Rendering it has no effect on
// anything.
type Invocation struct {
	Tool string
	Dir  string // absolute
	Work Work   // what would be done there

	// References are the values that are filled in last, by what they are for. Fingerprints are keyed hashes of those
	// values, once they are known: the values themselves are never part of an Invocation.
	References   map[string]Reference
	Fingerprints map[string]string
	// Key keys the digest of a call whose values are not on record, as secret ones are not: the digest, which is,
	// would else tell them to whoever tries them out. It is nil where there are none.
	Key []byte

	// Spool says that the output goes to files while it comes.
	Spool bool
	// Trace is that of the run. It is no part of what is decided, and so of no digest.
	Trace Trace
}

// Work is what of an Invocation is only known to the kind of its tool: a script with its values, or a request. It
// does not change once it is rendered.
type Work interface {
	// Definition returns what the author wrote of it: the same for all calls of a tool that stays as it is.
	Definition() string
	// Code returns the program that would run, without its values; "" where there is none.
	Code() string
	// Sum puts all of it into a digest, with the tool and the directory that it is for. Each list is put with its
	// length, and so is each part of it.
	Sum(put func(parts ...string), tool, dir string)
}

// DynamicCommand is a command that an argument chose. Exactly one field is set.
type DynamicCommand struct {
	Text string   // shell text
	Argv []string // an argument vector that no shell splits
}

// Digest names an Invocation: two that differ in anything that runs have different digests. The zero Digest
// names none.
type Digest [sha256.Size]byte

// IsZero reports whether d names nothing.
func (d Digest) IsZero() bool { return d == Digest{} }

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Digest covers the work, the directory and the fingerprints of what is filled in last, each with its length, so
// that no two ways of splitting the same bytes agree.
func (inv *Invocation) Digest() Digest {
	h := sha256.New()
	if inv.Key != nil {
		h = hmac.New(sha256.New, inv.Key)
	}
	// Small pieces are hashed together: each that a hash is given costs more than its bytes.
	const together = 2048
	pending := make([]byte, 0, together)
	put := func(parts ...string) {
		pending = binary.BigEndian.AppendUint64(pending, uint64(len(parts)))
		for _, part := range parts {
			pending = binary.BigEndian.AppendUint64(pending, uint64(len(part)))
			for len(pending)+len(part) > together-16 {
				n := min(len(part), max(0, together-16-len(pending)))
				h.Write(append(pending, part[:n]...))
				pending, part = pending[:0], part[n:]
			}
			pending = append(pending, part...)
		}
	}
	inv.Work.Sum(put, inv.Tool, inv.Dir)
	put("references")
	for _, name := range slices.Sorted(maps.Keys(inv.References)) {
		r := inv.References[name]
		put(name, r.Secret, r.Env, r.File, inv.Fingerprints[name])
		put(r.Command...)
	}
	h.Write(pending)
	return Digest(h.Sum(nil))
}
