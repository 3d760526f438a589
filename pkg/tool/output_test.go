package tool

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestExcerpt(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("a", 1000), strings.Repeat("ä", 500), strings.Repeat("🙂", 250), "a" + strings.Repeat("€", 333)} {
		for most := int64(1); most < 100; most++ {
			short, cut := Excerpt(text, most)
			if !cut || !utf8.ValidString(short) {
				t.Fatalf("%d bytes of %.8s…: %t, %q", most, text, cut, short)
			}
			head, rest, _ := strings.Cut(short, "\n[… ")
			number, tail, found := strings.Cut(rest, " bytes left out …]\n")
			if !found || !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) || int64(len(head)+len(tail)) > most {
				t.Fatalf("%d bytes: %q", most, short)
			}
			if most > 16 && int64(len(head)+len(tail)) < most-6 {
				t.Fatalf("%d bytes, and only %d are kept", most, len(head)+len(tail))
			}
			_ = number
		}
	}
	for _, most := range []int64{0, 5, 6} {
		if short, cut := Excerpt("häus", most); cut || short != "häus" {
			t.Errorf("%d: %q, %t", most, short, cut)
		}
	}
	if short, cut := Excerpt("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", 4); !cut || len(short) > 40 {
		t.Errorf("no text at all: %q, %t", short, cut)
	}
}

func TestWholeRunes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, want string }{
		{"", ""}, {"a", "a"}, {"ä", "ä"}, {"a\xc3", "a"}, {"a\xf0\x9f\x99", "a"}, {"a\xf0\x9f\x99\x82", "a🙂"}, {"a\xff", "a\xff"}, {"\x80\x80\x80\x80", "\x80\x80\x80\x80"},
	} {
		if got := WholeRunes(test.in); got != test.want {
			t.Errorf("%q became %q, want %q", test.in, got, test.want)
		}
	}
}

func TestInText(t *testing.T) {
	t.Parallel()
	r := Result{Stdout: "\x00\x01", Stderr: "note", Metadata: Metadata{Diagnostics: map[string]any{
		BinaryKey: map[string]Binary{"stdout": {Type: "image/png", Bytes: 2, SHA256: "ab"}},
	}}}
	if got := r.InText(); got.Stdout != "[binary data, not shown: image/png, 2 bytes, sha256 ab]" || got.Stderr != "note" || r.Stdout != "\x00\x01" {
		t.Errorf("got %q, %q", got.Stdout, got.Stderr)
	}
}
