package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// The shortest texts that are looked for. What is shorter stands in any output by chance.
const (
	// ShortestValue is the length, in bytes, below which a value is not looked for at all.
	ShortestValue = 4
	shortestLine  = 8 // a line of a value that has several
	shortestCore  = 7 // characters of an encoding that stands inside of a longer one
)

// pattern is one way to write a value.
type pattern struct {
	text string
	// wraps lets a line break stand between any two characters: base64(1) and xxd(1) break their lines.
	wraps bool
}

// patternsOf lists the ways in which programs write a value: as it is, line by line, in base64 wherever it begins in the
// encoded bytes (as in `Authorization: Basic`), in hexadecimal, and as it stands in a URL, in JSON, in HTML and in the text
// of a shell.
func patternsOf(value string) []pattern {
	if len(value) < ShortestValue {
		return nil
	}
	all := textsOf(value)
	for _, line := range strings.Split(value, "\n") {
		line = strings.TrimSpace(line)
		if len(line) >= shortestLine && line != value && !strings.HasPrefix(line, "-----") {
			all = append(all, textsOf(line)...)
		}
	}
	return unique(all)
}

func textsOf(value string) []pattern {
	all := []pattern{{text: value}}
	add := func(texts ...string) {
		for _, text := range texts {
			all = append(all, pattern{text: text})
		}
	}
	add(url.QueryEscape(value), url.PathEscape(value), percent(value, "", upperHex), percent(value, "", lowerHex),
		percent(value, "/", upperHex), percent(value, "/", lowerHex))
	add(html.EscapeString(value), inJSON(value, true), inJSON(value, false), ascii(value))
	add(escaped(value, "$`\"\\!"), escaped(value, " \t!\"#$&'()*,;<=>?[\\]^`{|}~"), strings.ReplaceAll(value, "'", `'\''`), escaped(value, `'\`))
	for _, encoded := range base64Of(value) {
		all = append(all, pattern{text: encoded, wraps: true})
	}
	low := hex.EncodeToString([]byte(value))
	return append(all, pattern{low, true}, pattern{strings.ToUpper(low), true})
}

// base64Of gives what a value looks like in base64, for each of the three places it can begin at in a group of three bytes:
// the characters that depend on no other byte than its own.
func base64Of(value string) []string {
	var all []string
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		all = append(all, encoding.EncodeToString([]byte(value))) // alone, up to its last character
		for offset := range 3 {
			encoded := encoding.EncodeToString([]byte(strings.Repeat("\x00", offset) + value))
			first := (offset*8 + 5) / 6           // the character that also holds bits of what stands before
			last := (offset + len(value)) * 8 / 6 // the one that also holds bits of what stands behind
			if core := encoded[first:last]; len(core) >= shortestCore {
				all = append(all, core)
			}
		}
	}
	return all
}

const (
	upperHex = "0123456789ABCDEF"
	lowerHex = "0123456789abcdef"
)

// percent encodes all but the unreserved characters (RFC 3986, 2.3) and those of also.
func percent(value, also, digits string) string {
	const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	var b strings.Builder
	for i := range len(value) {
		if c := value[i]; strings.IndexByte(unreserved+also, c) >= 0 {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}

// inJSON gives the inside of a JSON string.
func inJSON(value string, escapeHTML bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(escapeHTML)
	if enc.Encode(value) != nil {
		return value // a string always can be encoded
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(b.String(), "\n"), `"`), `"`)
}

// ascii is inJSON as Python's json and others write it: nothing beyond ASCII.
func ascii(value string) string {
	var b strings.Builder
	for _, r := range inJSON(value, false) {
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			b.WriteString(unit(0xd800 + r>>10))
			b.WriteString(unit(0xdc00 + r&0x3ff))
		default:
			b.WriteString(unit(r))
		}
	}
	return b.String()
}

func unit(r rune) string {
	return `\u` + string([]byte{lowerHex[r>>12&15], lowerHex[r>>8&15], lowerHex[r>>4&15], lowerHex[r&15]})
}

// escaped puts a backslash before each of some characters, as shells print words.
func escaped(value, special string) string {
	var b strings.Builder
	for i := range len(value) {
		if strings.IndexByte(special, value[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(value[i])
	}
	return b.String()
}

// unique keeps one of each text, the one that may wrap if there is one, the longest first.
func unique(all []pattern) []pattern {
	wraps := map[string]bool{}
	for _, p := range all {
		if len(p.text) >= ShortestValue {
			wraps[p.text] = wraps[p.text] || p.wraps
		}
	}
	kept := make([]pattern, 0, len(wraps))
	for text, w := range wraps {
		kept = append(kept, pattern{text, w})
	}
	slices.SortFunc(kept, func(a, b pattern) int {
		if d := len(b.text) - len(a.text); d != 0 {
			return d
		}
		return strings.Compare(a.text, b.text)
	})
	return kept
}
