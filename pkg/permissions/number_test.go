package permissions

import (
	"encoding/json"
	"testing"
)

func TestCanonicalNumber(t *testing.T) {
	t.Parallel()
	same := [][]string{
		{"0", "-0", "0.0", "0e9", "-0.000e-3"},
		{"1", "1.0", "1e0", "10e-1", "0.1E1", "1E+0"},
		{"-15", "-15.00", "-1.5e1", "-150E-1"},
		{"9007199254740993"}, {"9007199254740992"},
		{"1e999999999"}, {"1e-999999999"}, {"123456789012345678901234567890"}, {"0.1"}, {"0.10000000000000001"},
	}
	seen := map[string]string{}
	for _, group := range same {
		first, ok := canonicalNumber(group[0])
		if other, taken := seen[first]; !ok || taken {
			t.Errorf("%s: %q, %t, the same as %s", group[0], first, ok, other)
		}
		seen[first] = group[0]
		for _, text := range group {
			if got, ok := canonicalNumber(text); !ok || got != first {
				t.Errorf("%s is %q, %t; want %q", text, got, ok, first)
			}
		}
	}
	for _, text := range []string{"", " 1", "1 ", "01", "+1", ".5", "1.", "NaN", "Infinity", "0x1", "1e", "true", "\"1\"", "1e99999999999"} {
		if got, ok := canonicalNumber(text); ok {
			t.Errorf("%q is %q, want no number", text, got)
		}
	}
}

func TestSameScalar(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		a, b any
		want bool
	}{
		{"numbers of two kinds", json.Number("10"), 10.0, true},
		{"int", 10, json.Number("1e1"), true},
		{"a number is no text", json.Number("1"), "1", false},
		{"texts", "a", "a", true},
		{"texts count letter case", "GET", "get", false},
		{"truth", true, true, true},
		{"truth is no text", true, "true", false},
		{"truth is no number", true, json.Number("1"), false},
		{"lists equal nothing", []any{1}, []any{1}, false},
		{"nothing equals nothing", nil, nil, false},
		{"a number that is none equals itself", json.Number("x"), json.Number("x"), true},
		{"and nothing else", json.Number("x"), json.Number("y"), false},
	}
	for _, test := range tests {
		if got := sameScalar(test.a, test.b); got != test.want {
			t.Errorf("%s: %t, want %t", test.name, got, test.want)
		}
	}
}
