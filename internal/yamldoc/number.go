package yamldoc

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// jsonNumber is the grammar of RFC 8259 section 6. YAML's other spellings (0x1f, 017, 1_000, .5, .inf) mean
// different things to different readers.
var jsonNumber = lazyregexp.New(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// maxNumber is the number of characters of the longest number, so that no exponent becomes a mountain of
// digits.
const maxNumber = 64

// maxExponent is that of the largest number that programs usually have.
const maxExponent = 308

// isNumber reports whether a scalar is a number, however it is spelled.
func isNumber(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && (node.Tag == "!!int" || node.Tag == "!!float")
}

// IsNumber reports whether a number stands here, however it is spelled.
func (v Value) IsNumber() bool { return isNumber(v.Node) }

// IsJSONNumber reports whether a text is a number that every reader takes the same way.
func IsJSONNumber(text string) bool {
	return jsonNumber.MatchString(text) && len(text) <= maxNumber && exponent(text) <= maxExponent
}

// Number reads a number as it is written.
func (v Value) Number() (json.Number, bool) {
	if !isNumber(v.Node) {
		v.Mismatch("a number", v.numberHint())
		return "", false
	}
	if !IsJSONNumber(v.Node.Value) {
		v.Fail(RuleValue, v.spelledOut(),
			"%s is not written as a number that every reader takes the same way", Quote(v.Node.Value))
		return "", false
	}
	return json.Number(v.Node.Value), true
}

// exponent returns the size of the exponent of a number in JSON's grammar.
func exponent(number string) int {
	i := strings.IndexAny(number, "eE")
	if i < 0 {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimLeft(number[i+1:], "+-"))
	if err != nil {
		return maxNodes
	}
	return n
}

// CompareNumbers tells which of two numbers in JSON's grammar is larger, exactly.
func CompareNumbers(a, b json.Number) int {
	x, xok := new(big.Rat).SetString(string(a))
	y, yok := new(big.Rat).SetString(string(b))
	if !xok || !yok {
		return 0
	}
	return x.Cmp(y)
}

// Int reads a whole number within bounds, both included.
func (v Value) Int(low, high int64) (int64, bool) {
	if !isNumber(v.Node) {
		v.Mismatch("a whole number", v.numberHint())
		return 0, false
	}
	number, ok := v.Number()
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil || n < low || n > high {
		v.Fail(RuleValue, WholeHint(number), "want a whole number from %d to %d, found %s", low, high, number)
		return 0, false
	}
	return n, true
}

// withUnit is a number that somebody has written a unit after.
var withUnit = lazyregexp.New(`^([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)$`)

// numberHint is how to write a number that stands here as a text.
func (v Value) numberHint() string {
	if v.Node.Kind != yaml.ScalarNode {
		return ""
	}
	text := strings.TrimSpace(v.Node.Value)
	if jsonNumber.MatchString(text) {
		return "take the quotes out: " + text
	}
	parts := withUnit.FindStringSubmatch(text)
	if parts == nil {
		return ""
	}
	n, err := strconv.ParseFloat(parts[1], 64)
	factor := unitFactor(v.Name, strings.ToLower(parts[2]))
	if product := n * factor; err == nil && factor > 0 && product == float64(int64(product)) &&
		product < 1<<53 {
		return fmt.Sprintf("write the number alone: %d", int64(product))
	}
	return "write the number alone"
}

// unitFactor returns how many of the unit in a key's name there are in another unit; 0 when that is not
// known.
func unitFactor(key, unit string) float64 {
	units := map[string]float64{}
	switch {
	case strings.HasSuffix(key, "_mb"):
		units = map[string]float64{"m": 1, "mb": 1, "mib": 1, "g": 1 << 10, "gb": 1 << 10, "gib": 1 << 10,
			"t": 1 << 20, "tb": 1 << 20}
	case strings.HasSuffix(key, "_kb"):
		units = map[string]float64{"k": 1, "kb": 1, "kib": 1, "m": 1 << 10, "mb": 1 << 10, "mib": 1 << 10}
	case strings.HasSuffix(key, "_seconds"):
		units = map[string]float64{"s": 1, "sec": 1, "secs": 1, "seconds": 1, "m": 60, "min": 60,
			"minutes": 60, "h": 3600, "hours": 3600}
	case strings.HasSuffix(key, "_ms"):
		units = map[string]float64{"ms": 1, "s": 1000, "sec": 1000, "seconds": 1000}
	}
	return units[unit]
}

// octal is a number that begins with 0, which YAML 1.1 and 1.2 take for different ones.
var octal = lazyregexp.New(`^[-+]?0[0-9]+$`)

// spelledOut is how to write a number that YAML allows other spellings of, and the quotes for what is no
// number at all.
func (v Value) spelledOut() string {
	asText := fmt.Sprintf("; for a text, put quotes around it: %q", v.Node.Value)
	if strings.HasPrefix(v.Want, "a whole number") || strings.HasPrefix(v.Want, "a number") ||
		strings.HasPrefix(v.Want, "seconds") {
		asText = ""
	}
	text := strings.ToLower(strings.ReplaceAll(v.Node.Value, "_", ""))
	switch {
	case strings.Contains(text, "inf"), strings.Contains(text, "nan"):
		return "take the key out where there is no bound" + asText
	case octal.MatchString(text):
		cure := "write " + decimal(text, 10)
		if n := decimal(text, 8); n != "" {
			cure += ", or " + n + " if it is octal"
		}
		return cure + asText
	}
	if plain := decimal(text, 0); plain != "" {
		return "write " + plain + asText
	}
	return "write it with decimal digits, as JSON does" + asText
}

// decimal writes a whole number, or one with a fraction, as JSON does; "" when it is none.
func decimal(text string, base int) string {
	text = strings.TrimPrefix(text, "+")
	if n, err := strconv.ParseInt(text, base, 64); err == nil {
		return strconv.FormatInt(n, 10)
	}
	f, err := strconv.ParseFloat(text, 64)
	if base != 0 && base != 10 {
		return ""
	}
	if plain := strconv.FormatFloat(f, 'f', -1, 64); err == nil && len(plain) <= maxNumber {
		return plain
	}
	return ""
}

// WholeHint writes a number that has a fraction of zero, or an exponent, with its digits alone.
func WholeHint(number json.Number) string {
	if !strings.ContainsAny(string(number), ".eE") {
		return ""
	}
	plain := decimal(string(number), 10)
	if plain == "" || strings.Contains(plain, ".") {
		return ""
	}
	return "write " + plain
}
