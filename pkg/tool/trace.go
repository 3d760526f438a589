package tool

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// Trace says which trace an act belongs to (W3C Trace Context). The zero Trace is none.
type Trace struct {
	ID      string // 32 digits, hexadecimal
	Parent  string // 16 digits: the span that it comes from
	Span    string // 16 digits: the act's own; "" until Child has made it
	Sampled bool
	State   string // what the tracing systems of others pass along; valid, or ""
}

// ParseTrace reads the two headers of W3C Trace Context, level 1, to the letter, since whoever writes them is
// not to be trusted. It returns the zero Trace where traceparent is none; a tracestate that is none is left
// out. A later version of traceparent is read as the recommendation says: as far as version 00 goes.
func ParseTrace(traceparent, tracestate string) Trace {
	const whole = len("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	if len(traceparent) < whole || len(traceparent) > mostTraceState {
		return Trace{}
	}
	head, rest := traceparent[:whole], traceparent[whole:]
	fields := strings.Split(head, "-")
	if len(fields) != 4 || !isHex(fields[0], 2) || !isHex(fields[1], 32) || !isHex(fields[2], 16) || !isHex(fields[3], 2) {
		return Trace{}
	}
	version := fields[0]
	switch {
	case version == "ff", version == "00" && rest != "", rest != "" && rest[0] != '-',
		strings.Trim(fields[1], "0") == "", strings.Trim(fields[2], "0") == "":
		return Trace{}
	}
	flags, _ := hex.DecodeString(fields[3]) //nolint:errcheck // it is hexadecimal
	t := Trace{ID: fields[1], Parent: fields[2], Sampled: flags[0]&1 == 1}
	if isTraceState(tracestate) {
		t.State = tracestate
	}
	return t
}

// Child returns the trace as it is for an act of its own, which has a new span below the one that it comes from.
func (t Trace) Child() Trace {
	if t.ID == "" {
		return t
	}
	if t.Span != "" {
		t.Parent = t.Span
	}
	var span [8]byte
	for span == [8]byte{} { // all zeros are no span
		rand.Read(span[:]) // never fails
	}
	t.Span = hex.EncodeToString(span[:])
	return t
}

// Header returns traceparent for whoever is called next; "" for none. Before Child it is as it came.
func (t Trace) Header() string {
	if t.ID == "" {
		return ""
	}
	flags := "-00"
	if t.Sampled {
		flags = "-01"
	}
	return "00-" + t.ID + "-" + cmp.Or(t.Span, t.Parent) + flags
}

// isHex reports whether a text is so many hexadecimal digits, in small letters.
func isHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}

// The bounds of tracestate (W3C Trace Context 3.3).
const (
	mostTraceState   = 512
	mostTraceMembers = 32
)

// isTraceState reports whether a text is a tracestate: keys with values, no key twice.
func isTraceState(s string) bool {
	if s == "" || len(s) > mostTraceState {
		return false
	}
	seen := map[string]bool{}
	members := strings.Split(s, ",")
	if len(members) > mostTraceMembers {
		return false
	}
	for _, member := range members {
		member = strings.Trim(member, " \t")
		if member == "" {
			continue // the grammar has empty members
		}
		key, value, ok := strings.Cut(member, "=")
		if !ok || seen[key] || !isTraceKey(key) || !isTraceValue(value) {
			return false
		}
		seen[key] = true
	}
	return len(seen) > 0
}

func isTraceKey(key string) bool {
	tenant, system, multi := strings.Cut(key, "@")
	if !multi {
		return len(key) <= 256 && beginsWith(key, false) && isKeyText(key)
	}
	return len(tenant) <= 241 && beginsWith(tenant, true) && isKeyText(tenant) &&
		len(system) <= 14 && beginsWith(system, false) && isKeyText(system)
}

// beginsWith reports whether a text begins with a small letter, or a digit where that may be.
func beginsWith(s string, digit bool) bool {
	return s != "" && (s[0] >= 'a' && s[0] <= 'z' || digit && s[0] >= '0' && s[0] <= '9')
}

func isKeyText(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_-*/") == ""
}

func isTraceValue(s string) bool {
	if s == "" || len(s) > 256 || s[len(s)-1] == ' ' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == ',' || c == '=' {
			return false
		}
	}
	return true
}
