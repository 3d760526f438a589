package config

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// jsonNumber is the grammar of RFC 8259 section 6. YAML's other spellings (0x1f, 017, 1_000, .5, .inf) mean different
// things to different readers.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// maxNumber is the number of characters of the longest number, so that no exponent becomes a mountain of digits.
const maxNumber = 64

// isNumber tells whether a scalar is a number, however it is spelled.
func isNumber(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && (node.Tag == "!!int" || node.Tag == "!!float")
}

// number reads a number as it is written.
func (v value) number() (json.Number, bool) {
	if !isNumber(v.node) {
		hint := ""
		if v.node.Kind == yaml.ScalarNode && jsonNumber.MatchString(v.node.Value) {
			hint = "take the quotes out"
		}
		v.mismatch("a number", hint)
		return "", false
	}
	if !jsonNumber.MatchString(v.node.Value) || len(v.node.Value) > maxNumber || exponent(v.node.Value) > 308 {
		v.fail(ruleValue, "write it with decimal digits, as JSON does",
			"%s is not written as a number that every reader takes the same way", quote(v.node.Value))
		return "", false
	}
	return json.Number(v.node.Value), true
}

// exponent gives the size of the exponent of a number in JSON's grammar.
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

// compare tells which of two numbers in JSON's grammar is larger, exactly.
func compare(a, b json.Number) int {
	x, xok := new(big.Rat).SetString(string(a))
	y, yok := new(big.Rat).SetString(string(b))
	if !xok || !yok {
		return 0
	}
	return x.Cmp(y)
}

// whole reads a whole number within bounds, both included.
func (v value) whole(low, high int64) (int64, bool) {
	if !isNumber(v.node) {
		v.mismatch("a whole number", "")
		return 0, false
	}
	number, ok := v.number()
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil || n < low || n > high {
		v.fail(ruleValue, "", "want a whole number from %d to %d, found %s", low, high, number)
		return 0, false
	}
	return n, true
}
