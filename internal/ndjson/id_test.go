package ndjson_test

import (
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// Every row is one id in its spellings; ids of different rows are different.
func TestID(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name      string
		spellings []string
	}{
		{"none", []string{""}},
		{"null", []string{"null"}},
		{"text null", []string{`"null"`}},
		{"0", []string{"0", "-0", "0.0", "0e5", "-0.00E-3"}},
		{"1", []string{"1", "1.0", "1e0", "10e-1", "0.1e1", "1.000", "1E+00"}},
		{"-1", []string{"-1", "-1.0", "-10e-1"}},
		{"10", []string{"10", "1e1", "1.0e+1", "100e-1"}},
		{"100", []string{"100", "1e2"}},
		{"1.5", []string{"1.5", "1.50", "15e-1", "0.15e1"}},
		{"0.1", []string{"0.1", "1e-1"}},
		{"text 1", []string{`"1"`, `"\u0031"`}},
		{"texts like keys", []string{`"1e0"`}},
		{"texts like keys, too", []string{`"number 1e0"`}},
		{"2^53", []string{"9007199254740992", "9007199254740992.0"}},
		{"2^53+1", []string{"9007199254740993", "9.007199254740993e15"}},
		{"2^63-1", []string{"9223372036854775807"}},
		{"2^63", []string{"9223372036854775808"}},
		{"-2^63", []string{"-9223372036854775808"}},
		{"beyond integers", []string{"123456789012345678901234567890", "12345678901234567890123456789e1"}},
		{"beyond floats", []string{"1e400", "10e399"}},
		{"beyond our exponents", []string{"1e99999999999"}},
		{"the same elsewhere", []string{"10e99999999998"}},
		{"a", []string{`"a"`, `"\u0061"`}},
		{"A", []string{`"A"`}},
		{"emoji", []string{`"😀"`, `"\ud83d\ude00"`, `"\uD83D\uDE00"`}},
		{"half a pair", []string{`"\ud83d"`}},
		{"replacement", []string{`"\ufffd"`, "\"\ufffd\""}},
		{"not utf-8", []string{"\"\xff\""}},
		{"empty text", []string{`""`}},
		{"true", []string{"true"}},
		{"object", []string{"{}"}},
		{"no number", []string{"1x"}},
	}
	owner := map[ndjson.Key]string{}
	for _, row := range rows {
		key := ndjson.ID([]byte(row.spellings[0]))
		if other, taken := owner[key]; taken {
			t.Errorf("%s has the key %q of %s", row.name, key, other)
		}
		owner[key] = row.name
		for _, spelling := range row.spellings {
			if got := ndjson.ID([]byte(spelling)); got != key {
				t.Errorf("%s: %s has the key %q, %s has %q", row.name, spelling, got, row.spellings[0], key)
			}
		}
	}
}
