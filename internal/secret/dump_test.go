package secret

import (
	"fmt"
	"strings"
	"testing"
)

// TestDump holds what is taken out of lines of numbers, and what is not, to the byte.
func TestDump(t *testing.T) {
	t.Parallel()
	const value = "letmein-now!"
	const decimals = "108 101 116 109 101 105 110 45 110 111 119 33"
	words := func(format string, size int, text string) string {
		var list []string
		for ; text != ""; text = text[min(size, len(text)):] {
			number := uint64(0)
			for i := range min(size, len(text)) {
				number |= uint64(text[i]) << (8 * i)
			}
			list = append(list, fmt.Sprintf(format, number))
		}
		return strings.Join(list, " ")
	}
	numbers := func(format string, size int) string { return words(format, size, value) }
	for _, test := range []struct{ name, in, want string }{
		{"a list", "[" + decimals + "]", "[" + Mark + "]"},
		{"with signs between", "{108,101;116:109-101(105)110[45]110'111\"119\t33}", "{" + Mark + "}"},
		{"over lines", strings.ReplaceAll(decimals, " ", "\n"), Mark},
		{"after an equals sign", "x = " + decimals, "x = " + Mark},
		{"in a name", "v" + decimals, "v" + decimals},
		{"behind the last letter", "z" + decimals, "z" + decimals},
		{"behind the first letter that is no digit", "g" + decimals, "g" + decimals},
		{"behind an underscore", "_" + decimals, "_" + decimals},
		{"before a letter", decimals + "s", decimals + "s"},
		{"with a word between", strings.Replace(decimals, "116", "116 or", 1), strings.Replace(decimals, "116", "116 or", 1)},
		{"with a number between that is too large", strings.Replace(decimals, "116", "116 256", 1), strings.Replace(decimals, "116", "116 256", 1)},
		{"with a number between that has too many digits", strings.Replace(decimals, "116", "116 0116", 1), strings.Replace(decimals, "116", "116 0116", 1)},
		{"with NUL between", strings.Replace(decimals, "116", "116 0 0", 1), Mark},
		{"small hexadecimal", numbers("%#x", 1), "0x" + Mark},
		{"large hexadecimal", numbers("0X%X", 1), "0X" + Mark},
		{"hexadecimal in two bytes", numbers("0x%04x", 2), "0x" + Mark},
		{"hexadecimal in four", numbers("0x%08x", 4), "0x" + Mark},
		{"hexadecimal in eight", words("0x%016x", 8, value+"1234"), "0x" + Mark},
		{"octal", numbers("%03o", 1), Mark},
		{"octal in two bytes", numbers("%06o", 2) + "\n", numbers("%06o", 2) + "\n"}, // the first could be an offset
		{"octal in two bytes, behind blanks", " " + numbers("%06o", 2), " " + Mark},
		{"octal in four", " " + numbers("%011o", 4), " " + Mark},
		{"octal in eight", " " + words("%022o", 8, value+"1234"), " " + Mark},
		{"bits with their sign", numbers("%#b", 1), Mark},
		{"bits with a large one", numbers("0B%b", 1), Mark},
		{"decimal in two bytes", numbers("%d", 2), Mark},
		{"decimal in four", numbers("%d", 4), Mark},
		{"decimal in eight", words("%d", 8, value+"1234"), Mark},
		{"decimal in eight, a part of the last", words("%d", 8, value), Mark},
		{"offsets of od", "0000000 108 101 116 109 101\n0000005 105 110 45 110 111\n0000012 119 33\n0000014\n", "0000000 " + Mark + "\n0000014\n"},
		{"offsets of hexdump -C", "00000000  108 101 116 109 101 105\n00000006  110 45 110 111 119 33\n", "00000000  " + Mark + "\n"},
		{"offsets of a debugger", "0x4010:\t108 101 116 109 101 105\n0x4016:\t110 45 110 111 119 33\n", "0x4010:\t" + Mark + "\n"},
		{"offsets of od -A x", "108 101 116 109 101 105\n000006 110 45 110 111 119 33\n", Mark + "\n"},
		{"a column of characters goes with the numbers", "00000000  " + decimals + "  |letmein-now!|\n", "00000000  " + Mark + Mark + "\n"},
		{"of a long one, no more than can belong to it", "00000000  " + decimals + "  |" + strings.Repeat("x", 400) + "\n", "00000000  " + Mark + Mark + strings.Repeat("x", 147) + "\n"},
		{"a column without an offset stays", decimals + "  |letter|\n", Mark + "  |letter|\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := New(value, value+"1234")
			if got := r.String(test.in); got != test.want {
				t.Errorf("%q became %q, want %q", test.in, got, test.want)
			}
			if got := divided(t, r, false, strings.Split(test.in, "")...); got != test.want {
				t.Errorf("in single bytes %q became %q, want %q", test.in, got, test.want)
			}
		})
	}
}

// TestColumns checks that characters beside the numbers of a dump are not taken for numbers, whatever they
// are.
func TestColumns(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		"-ab 12,cd'ef;01-98 76 54,3210 ab", "dead beef 0123 4567 89ab cdef 01", "(12)[34]{56}:78:90:ab,cd;ef-01-23", "12ab  34cd  5678  90ef  a1b2", ",,,,,,,,,,,,,,,,12",
	} {
		var dump strings.Builder
		for at := 0; at < len(value); at += 16 {
			row := value[at:min(at+16, len(value))]
			fmt.Fprintf(&dump, "%08x: ", at)
			numbers := ""
			for i := 0; i < len(row); i += 2 {
				numbers += fmt.Sprintf("%x ", row[i:min(i+2, len(row))])
			}
			fmt.Fprintf(&dump, "%-40s %s\n", numbers, row)
		}
		if got, want := New(value).String(dump.String()), "00000000: "+Mark+Mark+"\n"; got != want {
			t.Errorf("%s became %q, want %q", dump.String(), got, want)
		}
	}
}
