package secret

import (
	"strings"
	"testing"
)

// TestScreen holds what is taken out of what a terminal shows, where nothing else reads it.
func TestScreen(t *testing.T) {
	t.Parallel()
	const value = "letmein-now!"
	none := seek(nil, ShortestValue)
	r := &Redactor{exact: seek([]string{value}, ShortestValue), plain: none, dense: none, chars: none, numbers: none}
	far := strings.Repeat("z", mostBetween)
	each := func(before, after string) string {
		var b strings.Builder
		for i := range len(value) {
			b.WriteString(before + value[i:i+1] + after)
		}
		return b.String()
	}
	for in, want := range map[string]string{
		"a\x1b[1mlet\x1b[0mmein-now!b":                  "a\x1b[1m" + Mark + "b",
		"alet\x1b[?25lmein\x1b[ q-now!b":                "a" + Mark + "b",
		"alet\x1b[1\x1b[0mmein-now!b":                   "a" + Mark + "b",
		"alet\x1b7mein\x1bc-n\x1b(Bow!b":                "a" + Mark + "b",
		"alet\x1b Fmein\x1b//B-now!b":                   "a" + Mark + "b",
		"alet\x1b]0;t\amein-now!b":                      "a" + Mark + "b",
		"alet\x1b]0;t\x1b\\mein-now!b":                  "a" + Mark + "b",
		"alet\x1b]0;t\x1b[0mmein-now!b":                 "a" + Mark + "b",
		"alet\x1bPq\x1b\\mein\x1b^p\x1b\\-now!b":        "a" + Mark + "b",
		"alet\x1bXs\x1b\\mein\x1b_a\x1b\\-now!b":        "a" + Mark + "b",
		"alet\x1b]" + far + "\amein-now!b":              "alet\x1b]" + far + "\amein-now!b",
		"a\x1b]" + far + "zlet\x1b[mmein-now!b":         "a\x1b]" + far + "z" + Mark + "b",
		"let\x1b[mmein-\x1b[mnow! letmein-now! let\x1b": Mark + " " + Mark + " let\x1b",
		"a" + each("", "\b") + "b":                      "a" + each("", "\b") + "b", // every one is written over
		"a" + each("_\b", "") + "b":                     "a" + Mark + "b",
		"a" + each("", "\b_") + "b":                     "a" + Mark + "b",
		"a" + each("x\b", "") + "b":                     "a" + Mark + "b",
		"ll\betmein-now!\b":                             Mark + "\b",
		"let\b\x1b[Kmein-now!":                          Mark,
		"lex\b\b\btmein-now!":                           Mark,
		"\bletmein-now!":                                "\b" + Mark,
	} {
		if got := r.String(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
		if got := divided(t, r, false, strings.Split(in, "")...); got != want {
			t.Errorf("in single bytes %q became %q, want %q", in, got, want)
		}
	}
	if got := r.Cut("a le\x1b[1mtmei"); got != "a "+Mark {
		t.Errorf("cut: got %q", got)
	}
}
