package secret

import (
	"strings"
	"testing"
)

// TestText holds what is read of a text: of its escapes what they stand for, and of what is none all.
func TestText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`a\x41b`: "aAb", `a\x4gb`: `a\x4gb`, `a\x{41}b`: "aAb", `\x{e9}`: "é", `\x{}b`: `\x{}b`, `\x{4g}b`: `\x{4g}b`, `\x{41`: `\x{41`,
		`a\u0041b`: "aAb", `a\u004gb`: `a\u004gb`, `\u{1F511}b`: "🔑b", `\u{1F511`: `\u{1F511`, `\U0001F511b`: "🔑b",
		`\x4{1}`: `\x4{1}`, `\u004{1}`: `\u004{1}`,
		`\ud83d\udd11`: "\xed\xa0\xbd\xed\xb4\x91", `\ud7ff`: "\ud7ff", `\ud800`: "\xed\xa0\x80", `\udfff`: "\xed\xbf\xbf", `\ue000`: "\ue000", `\udbe5`: "\xed\xaf\xa5",
		`a\101b`: "aAb", `a\1011b`: "aA1b", `a\50b`: "a(b", `a\508`: "a(8", `a\7`: "a\a", `a\50`: "a(", `a\500`: "a@", `a\50\51`: "a()", `\108`: "\b8",
		`a\nb\tc`: "a b c", `a\qb`: "aqb", `a\`: `a\`, `a\\x41`: "aA", `\a\b\v\f\r`: "\a\b ",
		"a\\\x1b[1mnb": "a b",
		`%41b`:         "Ab", `%4gb`: `%4gb`, `%u0041b`: "Ab", `%u004gb`: `%u004gb`, `%%41`: "%A", `%25%34%31`: "A", `%2541`: "A", `%4`: "%4", `100%`: "100%",
		`a&amp;b`: "a&b", `a&#65;b`: "aAb", `a&#x41;b`: "aAb", `a&#X41;b`: "aAb", `a&amp b`: "a&amp b", `a&zzz;b`: "a&zzz;b", `a&zwj;b`: "a\u200db",
		`a&ZeroWidthSpace;b`: "a\u200bb", `a&;b`: "a&;b", `a&#;b`: "a&#;b", `a&#zz;b`: "a&#zz;b", `a&amp;#65;b`: "aAb", `a&frac12;b`: "a½b", `a&a#65;`: "a&a#65;",
		`$'a'b`: "ab", `$a`: "$a", `a$`: "a$",
		"a\x1b[31mb": "ab", "a\x1b[mb": "ab", "a\x1b[1;2?@b": "ab", "a\x1b[ ~b": "ab", "a\x1b[1\x7fb": "a\x1b[1\x7fb", "a\x1b[1\x1fb": "a\x1b[1\x1fb",
		"a\x1b(Bb": "ab", "a\x1b(0b": "ab", "a\x1b(~b": "ab", "a\x1b(/b": "a", "a\x1b(\x7fb": "a\x1b(\x7fb", "a\x1bcb": "a\x1bcb", "a\x1b1mb": "a\x1b1mb", "a\x1b((Bb": "ab",
		"a\x1b[(Bb": "ab", "a\x1b[@b": "ab",
		"it's `a` \"b\"": "its a b", "a \t\r\n+b": "a b", "a\x00b\x00": "ab",
		`\` + strings.Repeat("\x00", 300) + `n`: `\n`,
	} {
		if got, _ := newText().of(in, 0, true); got != want {
			t.Errorf("of %q is read %q, want %q", in, got, want)
		}
	}
	if _, got := newText().of("Aa-B:c, d=_/+0\"", 0, true); got != "aabcd//0" {
		t.Errorf("got %q without layout", got)
	}
	if got, _ := newText().of(strings.Repeat(`\`, 20)+"x41", 0, true); got != "A" {
		t.Errorf("of nested escapes is read %q", got)
	}
	if got, _ := newText().of(`a\5`, 0, false); got != "a" {
		t.Errorf("of a text that goes on is read %q", got)
	}
	if got, _ := newText().of(`%41b`, 1, true); got != "b" {
		t.Errorf("behind the first byte is read %q", got)
	}
}

// TestLongOnes checks which forms are looked for of values of several lines and of long ones.
func TestLongOnes(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("0123456789abcdef", n/16) }
	for _, test := range []struct {
		value, in string
		found     bool
	}{
		{"first-line\nsecond\nthird-line", "a third-line b", true},
		{"first-line\nsecond\nthird-line", "a second b", false},
		{"first-line\nsecond-8\nthird-line", "a second-8 b", true},
		{"first-line\n-----second\nthird-line", "a -----second b", false},
		{long(longestTwice), bitsOf(long(longestTwice)), true},
		{long(longestTwice) + "g", bitsOf(long(longestTwice) + "g"), false},
		{"abc", "abc", false},
		{"abcd", "abcd", true},
	} {
		if got := New(test.value).String(test.in); strings.Contains(got, Mark) != test.found {
			t.Errorf("%.40q in %.40q: got %.60q, want it found: %t", test.value, test.in, got, test.found)
		}
	}
}

func bitsOf(text string) string {
	var b strings.Builder
	for i := range len(text) {
		for bit := 7; bit >= 0; bit-- {
			b.WriteByte('0' + text[i]>>bit&1)
		}
	}
	return b.String()
}
