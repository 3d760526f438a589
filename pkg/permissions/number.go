package permissions

import (
	"encoding/json"
	"strconv"
	"strings"
)

// canonicalNumber writes a JSON number in one way only, so that 1, 1.0 and 10e-1 are the same text. No
// digit is lost and nothing is computed that grows with the exponent. It is false for what is no JSON
// number, or whose exponent nobody can mean (more than nine digits); such a value equals only itself.
func canonicalNumber(text string) (string, bool) {
	if !json.Valid([]byte(text)) || strings.Trim(text, "-+.0123456789eE") != "" {
		return "", false
	}
	sign, digits := "", text
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, digits = "-", rest
	}
	exponent := 0
	if at := strings.IndexAny(digits, "eE"); at >= 0 {
		power := strings.TrimPrefix(digits[at+1:], "+")
		if len(power) > 10 {
			return "", false
		}
		n, err := strconv.Atoi(power)
		if err != nil {
			return "", false
		}
		exponent, digits = n, digits[:at]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	exponent -= len(fraction)
	digits = strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0", true // -0 is 0
	}
	short := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(short)
	return sign + short + "e" + strconv.Itoa(exponent), true
}

// numberText returns a value that is a number as JSON writes it.
func numberText(value any) (string, bool) {
	switch n := value.(type) {
	case json.Number:
		return n.String(), true
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, float32, float64:
		encoded, err := json.Marshal(n)
		return string(encoded), err == nil // NaN and the infinities are no JSON
	}
	return "", false
}

// sameScalar reports whether two values are equal: numbers by value, texts and truth values exactly. A list
// or an object equals nothing.
func sameScalar(a, b any) bool {
	if x, ok := numberText(a); ok {
		y, ok := numberText(b)
		if !ok {
			return false
		}
		canonicalX, okX := canonicalNumber(x)
		canonicalY, okY := canonicalNumber(y)
		if okX && okY {
			return canonicalX == canonicalY
		}
		return okX == okY && x == y
	}
	switch x := a.(type) {
	case string:
		y, ok := b.(string)
		return ok && x == y
	case bool:
		y, ok := b.(bool)
		return ok && x == y
	}
	return false
}
