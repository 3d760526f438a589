package sensitive

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold returns a name, or a path, as file systems compare it for which neither letter case counts, nor in
// which of its forms Unicode writes a letter, nor characters that nobody sees. It is taken apart (NFD) and
// in small letters, by way of capitals, since a long s is no small letter and its capital is S; ß and the
// ligatures are the letters that they stand for. (ext4's casefold is utf8's nfdicf; HFS+ and APFS do alike.
// That git has to know of it was CVE-2014-9390.)
func Fold(name string) string {
	if plain(name) {
		return strings.ToLower(name)
	}
	name = strings.ToLower(strings.ToUpper(ligatures.Replace(norm.NFD.String(name))))
	return norm.NFD.String(strings.Map(visible, name))
}

// plain reports whether there are only characters of ASCII.
func plain(name string) bool {
	for i := range len(name) {
		if name[i] >= 0x80 {
			return false
		}
	}
	return true
}

var ligatures = strings.NewReplacer("ß", "ss", "ẞ", "ss", "ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ",
	"ffl", "ﬅ", "st", "ﬆ", "st")

// visible drops what such file systems ignore (Default_Ignorable_Code_Point of DerivedCoreProperties.txt).
func visible(r rune) rune {
	if r >= 0x80 && unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector) {
		return -1
	}
	return r
}
