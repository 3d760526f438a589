package argument

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

var jsonNumber = lazyregexp.New(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// maxExponent bounds the length of a number that is written out: beyond it a few characters would become
// gigabytes.
const maxExponent = 400

// Number writes a JSON number in decimal, without exponent, leading zeros or a fraction of zeros:
// 1e21 is a one with 21 zeros, 30.0 is 30 and -0 is 0. No digit is lost.
func Number(n json.Number) (string, error) {
	s := string(n)
	if !jsonNumber.MatchString(s) {
		return "", errors.New("not a JSON number")
	}
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	exponent := 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.Atoi(s[i+1:])
		if err != nil || e > maxExponent || e < -maxExponent {
			return "", errors.New("the number's exponent is out of range")
		}
		exponent, s = e, s[:i]
	}
	whole, fraction, _ := strings.Cut(s, ".")
	switch {
	case exponent > 0:
		fraction += strings.Repeat("0", max(0, exponent-len(fraction)))
		whole, fraction = whole+fraction[:exponent], fraction[exponent:]
	case exponent < 0:
		whole = strings.Repeat("0", max(0, -exponent-len(whole)+1)) + whole
		cut := len(whole) + exponent
		whole, fraction = whole[:cut], whole[cut:]+fraction
	}
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		whole += "." + fraction
	}
	if whole == "0" {
		return whole, nil
	}
	return sign + whole, nil
}
