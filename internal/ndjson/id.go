package ndjson

import (
	"bytes"
	"strconv"
	"strings"
)

// Key is a request id to compare and to use in maps: two spellings of the same id have the same Key, and
// only they.
type Key string

// ID returns the Key of an id as it stands in a frame. Numbers are compared by their exact decimal value,
// however it is written, without a detour through floats; strings by their text. null is an id of its own,
// and the Key of no id at all is "". What is none of these, or a string that cannot be read in one way
// only, is the same only as its own bytes.
func ID(raw []byte) Key {
	switch {
	case len(raw) == 0:
		return ""
	case string(raw) == "null":
		return "null"
	case raw[0] == '"':
		if text, err := String(raw); err == nil {
			return Key("text " + text)
		}
	case isNumber(raw):
		if n, ok := decimal(raw); ok {
			return Key("number " + n)
		}
	}
	return Key("bytes " + string(raw))
}

func isNumber(raw []byte) bool {
	s := scanner{b: raw}
	return s.number(0) == len(raw)
}

// decimal writes a number as sign, digits without zeros at either end, and the power of ten they are
// multiplied with. It refuses exponents beyond 32 bits.
func decimal(raw []byte) (canonical string, ok bool) {
	mantissa, power := raw, 0
	if e := bytes.IndexAny(raw, "eE"); e >= 0 {
		n, err := strconv.ParseInt(string(raw[e+1:]), 10, 32)
		if err != nil {
			return "", false
		}
		mantissa, power = raw[:e], int(n)
	}
	sign := ""
	if mantissa[0] == '-' {
		sign, mantissa = "-", mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(string(mantissa), ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	power -= len(fraction)
	significant := strings.TrimRight(digits, "0")
	if significant == "" {
		return "0", true // minus zero, too: every reader takes it for the same id
	}
	return sign + significant + "e" + strconv.Itoa(power+len(digits)-len(significant)), true
}

// lossyID reports whether a reader with 64-bit floats would give another number back.
func lossyID(raw []byte) bool {
	const exact = 15 // as many decimal digits survive in any case
	if len(raw) <= exact && digits(raw, 0) == len(raw) || !isNumber(raw) {
		return false
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return true // beyond the range
	}
	return ID(strconv.AppendFloat(nil, f, 'e', -1, 64)) != ID(raw)
}
