package secret

import (
	"encoding/base32"
	"encoding/base64"
	"slices"
	"strings"
	"testing"
)

// TestForms holds how programs write the characters that they do not show.
func TestForms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, got, want string }{
		{"cat -v", caret("a\t\n\x01\x7f\x80\x89\x8a\xff"), "a\t\n^A^?M-^@M-^IM-^JM-^?"},
		{"od -a", named("a\x00\n\x1f \x7f\xe1"), "anulnlusspdela"},
		{"od -c", spelled("a\x06\a\b\t\n\v\f\r\x0e ~\x7f\xff"), `a006\a\b\t\n\v\f\r016~177377`},
		{"quoted-printable", quoted("a=\tb\n\x01~\x7fé ", quotedPrintable), "a=3D\tb=0A=01~=7F=C3=A9 "},
		{"a subject", quoted("a!$ ?_", encodedWord), "a!=24_=3F=5F"},
		{"JSON", inJSON("a\"<\n\x01é"), `a\"<\n\u0001é`},
		{"character sets", strings.Join(charsets("aÿĀ🔑"), "|"), strings.Join([]string{
			"a\x00\xff\x00\x00\x01\x3d\xd8\x11\xdd", "\x00a\x00\xff\x01\x00\xd8\x3d\xdd\x11",
			"a\x00\x00\x00\xff\x00\x00\x00\x00\x01\x00\x00\x11\xf5\x01\x00", "\x00\x00\x00a\x00\x00\x00\xff\x00\x00\x01\x00\x00\x01\xf5\x11",
			"aÿĀ\xed\xa0\xbd\xed\xb4\x91", "a\xffĀ🔑", "a\xffĀ\xed\xa0\xbd\xed\xb4\x91", "aÃ¿Ä\u0080ð\u009f\u0094\u0091",
		}, "|")},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, test.got, test.want)
		}
	}
	for _, value := range []string{"only ASCII", "no text \xff"} {
		if got := charsets(value); got != nil {
			t.Errorf("of %q there is %q", value, got)
		}
	}
}

// TestInBase checks that all the characters are looked for that depend on the value alone, and no more.
func TestInBase(t *testing.T) {
	t.Parallel()
	const value = "hunter22-hunter"
	for bits, encoding := range map[int]interface{ EncodeToString([]byte) string }{
		6: base64.RawStdEncoding, 5: base32.StdEncoding.WithPadding(base32.NoPadding),
	} {
		got := inBase(bits, encoding, value)
		if want := encoding.EncodeToString([]byte(value)); got[0] != want {
			t.Errorf("alone: %q, want %q", got[0], want)
		}
		for offset := range bits {
			of := func(around string) string {
				return encoding.EncodeToString([]byte(strings.Repeat(around, offset) + value + strings.Repeat(around, bits)))
			}
			a, b := of("\x00"), of("\xff")
			want, run := "", ""
			for i := range a {
				if run += a[i : i+1]; a[i] != b[i] {
					run = ""
				}
				if len(run) > len(want) {
					want = run
				}
			}
			if !slices.Contains(got[1:], want) {
				t.Errorf("with %d bytes before it, %q is not in %q", offset, want, got)
			}
		}
	}
}
