package tool

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
	"sort"
)

// Invocation is a call with its values filled in: exactly what would run. Rendering it has no effect on
// anything.
//
// The values do not stand in Script. They travel beside it and the script refers to them, so that Script is
// the same for every call of the same shape and no value ever meets the shell's parser.
type Invocation struct {
	Tool        string
	Interpreter []string // absolute path and arguments
	Script      string   // what the interpreter is given, prologue included
	Values      []string // in the order that the script refers to them
	Parameters  string   // instead of Values, for a script that bash does not run: one JSON object
	Dir         string   // absolute
	Environment map[string]string
	Sandbox     Sandbox

	// References are the variables whose values are filled in last. Fingerprints are keyed hashes of those
	// values, once they are known: the values themselves are never part of an Invocation.
	References   map[string]Reference
	Fingerprints map[string]string
	// Key keys the digest of a call whose values are not on record, as secret ones are not: the digest, which is,
	// would else tell them to whoever tries them out. It is nil where there are none.
	Key []byte

	// Shown is the script as a person reads it: the author's text with its sections filled in and its tags
	// left standing.
	Shown string
	// Dynamic holds the commands that values of this call chose, for a tool that lets them.
	Dynamic []DynamicCommand
	// Spool says that the output goes to files while it comes. Sandbox.Limits.Output is then what a file
	// may hold.
	Spool bool
	// Trace is that of the run. It is no part of what is decided, and so of no digest.
	Trace Trace
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

// Digest covers the interpreter, the script, the values or parameters, the directory, the environment and
// the fingerprints of what is filled in last, each with its length, so that no two ways of splitting the
// same bytes agree.
func (inv *Invocation) Digest() Digest {
	h := sha256.New()
	if inv.Key != nil {
		h = hmac.New(sha256.New, inv.Key)
	}
	put := func(parts ...string) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(parts)))
		h.Write(n[:])
		for _, part := range parts {
			binary.BigEndian.PutUint64(n[:], uint64(len(part)))
			h.Write(n[:])
			h.Write([]byte(part))
		}
	}
	put("a2a-acp invocation v3", inv.Tool, inv.Script, inv.Dir)
	put(inv.Interpreter...)
	put(inv.Values...)
	put(inv.Parameters)
	names := make([]string, 0, len(inv.Environment))
	for name := range inv.Environment {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		put(name, inv.Environment[name])
	}
	put("references")
	for _, name := range slices.Sorted(maps.Keys(inv.References)) {
		r := inv.References[name]
		put(name, r.Secret, r.Env, r.File, inv.Fingerprints[name])
		put(r.Command...)
	}
	return Digest(h.Sum(nil))
}
