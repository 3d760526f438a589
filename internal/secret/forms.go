package secret

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The shortest texts that are looked for. What is shorter stands in any output by chance.
const (
	// ShortestValue is the length, in bytes, below which a value is not looked for at all.
	ShortestValue = 4
	shortestLine  = 8 // a line of a value that has several
	// What is left of a value when what stands beside it is read as one with its beginning or its end.
	shortestPart = 8
	shortestCode = 6 // characters of an encoding: ShortestValue bytes in base64
	shortestCore = 7 // likewise, inside of a longer one
	// shortestLoose is what is left of a value, at least, that is looked for in any layout and in letters
	// of any size.
	shortestLoose = 12
	// longestTwice is the length, in bytes, up to which a value is looked for in forms that are many times
	// as long.
	longestTwice = 4 << 10
)

// forms are the texts to look for, by the reading of the stream that shows them.
type forms struct {
	exact, plain, dense, chars, numbers []string

	text *text // to read values with
}

func formsOf(values []string) *forms {
	f := &forms{text: newText()}
	for _, value := range values {
		if len(value) < ShortestValue {
			continue
		}
		short := len(value) <= longestTwice
		f.add(value, short)
		seen := map[string]bool{value: true}
		// A key with \n for its line ends, as JSON and .env files have it, is printed with real ones.
		for line := range strings.Lines(value + "\n" + lineEnds.Replace(value)) {
			line = strings.TrimSpace(line)
			if len(line) >= shortestLine && !seen[line] && !strings.HasPrefix(line, "-----") {
				seen[line] = true
				f.add(line, short)
			}
		}
	}
	return f
}

// lineEnds makes line ends of their escapes, also of those within a text in another.
var lineEnds = strings.NewReplacer(`\\r`, "", `\r`, "", `\\n`, "\n", `\n`, "\n")

// add adds a value, or a line of one; twice says that forms are made of it that are many times as long.
func (f *forms) add(value string, twice bool) {
	f.exact = append(f.exact, value, caret(value))
	f.addPlain(value)
	for _, bytes := range charsets(value) {
		f.addPlain(bytes)
		f.addLoose(bytes)
		f.numbers = append(f.numbers, strings.ReplaceAll(bytes, "\x00", ""))
	}
	// Where every character is escaped, a backslash of the value escapes none of them.
	f.addPlain(escaped(value))
	codes := encodings(value)
	if text := inJSON(value); text != value {
		codes = append(codes, encodings(text)...)
	}
	if twice {
		codes = append(codes, encodedTwice(value)...)
	}
	f.exact = append(f.exact, inUTF7(value)...)
	if twice {
		for _, code := range inBase85(value) {
			f.exact = append(f.exact, code)
			if _, dense := f.text.of(code, 0, true); len(dense) >= shortestLoose {
				f.dense = append(f.dense, dense)
			}
		}
	}
	for _, code := range codes {
		if dense := denseCode(code); len(dense) >= shortestCode {
			f.dense = append(f.dense, dense)
		}
	}
	f.addLoose(value)
	f.addLoose(escaped(value))
	f.addLoose(quoted(value, quotedPrintable))
	f.addLoose(quoted(value, encodedWord))
	// bytea of PostgreSQL: \x in front of all digits is read as an escape with the first two of them.
	if _, dense := f.text.of(`\x`+hex.EncodeToString([]byte(value)), 0, true); len(dense) >= shortestCode {
		f.dense = append(f.dense, dense)
	}
	f.chars = append(f.chars, spelled(value), named(value))
}

// addLoose adds what is read of a text in any layout.
func (f *forms) addLoose(text string) {
	if _, dense := f.text.of(text, 0, true); len(dense) >= shortestLoose {
		f.dense = append(f.dense, dense)
	}
}

// before are beginnings of escapes. What a value begins with may be read as one with what stands before it:
// deadbeef in 100%deadbeef.
var before = strings.Fields(`\ \x \xa \u \ua \uaa \uaaa \1 \11 % %a %u %ua %uaa %uaaa & &# &#1`)

// addPlain adds what is read of a value that stands alone, and what is read of it beside any text that its
// beginning or its end could be read as one with.
func (f *forms) addPlain(value string) {
	whole, _ := f.text.of(value, 0, true)
	f.plain = append(f.plain, whole)
	start := value[:min(len(value), longestEscape)]
	alone, _ := f.text.of(start, 0, false)
	for _, beginning := range append([]string{""}, before...) {
		if all, _ := f.text.of(beginning+start, 0, false); beginning != "" && strings.HasSuffix(all, alone) {
			continue // it changes nothing
		}
		for _, ends := range []bool{true, false} {
			part, _ := f.text.of(beginning+value, int64(len(beginning)), ends)
			if len(part) >= shortestPart && part != whole {
				f.plain = append(f.plain, part)
			}
		}
	}
}

// charsets returns a value that is not in ASCII as it is read where characters are not written in UTF-8: in
// UTF-16 and UTF-32, from escapes of UTF-16 (see character), from escapes that are of two digits up to
// U+00FF, and in ISO 8859-1.
func charsets(value string) []string {
	if !utf8.ValidString(value) || utf8.RuneCountInString(value) == len(value) {
		return nil
	}
	var little, big, little4, big4, halves, short, shortHalves, bytes []byte
	for i := range len(value) {
		bytes = utf8.AppendRune(bytes, rune(value[i]))
	}
	for _, r := range value {
		little4 = binary.LittleEndian.AppendUint32(little4, uint32(r))
		big4 = binary.BigEndian.AppendUint32(big4, uint32(r))
		var inHalves []byte
		for _, unit := range utf16.Encode([]rune{r}) {
			little = append(little, byte(unit), byte(unit>>8))
			big = append(big, byte(unit>>8), byte(unit))
			inHalves = append(inHalves, character(uint64(unit))...)
		}
		halves = append(halves, inHalves...)
		if r <= 0xff {
			short, shortHalves = append(short, byte(r)), append(shortHalves, byte(r))
		} else {
			short, shortHalves = utf8.AppendRune(short, r), append(shortHalves, inHalves...)
		}
	}
	return []string{string(little), string(big), string(little4), string(big4), string(halves), string(short),
		string(shortHalves), string(bytes)}
}

// encodings returns a value in base64, base32 and hexadecimal.
func encodings(value string) []string {
	return slices.Concat([]string{hex.EncodeToString([]byte(value))}, inBase(6, base64.RawStdEncoding, value),
		inBase(5, base32.StdEncoding.WithPadding(base32.NoPadding), value),
		inBase(5, base32.HexEncoding.WithPadding(base32.NoPadding), value))
}

// inBase returns a value in an encoding whose characters stand for some bits each: alone, up to its last
// character, and wherever it begins among encoded bytes, the characters that depend on no other byte than
// its own.
func inBase(bits int, encoding interface{ EncodeToString([]byte) string }, value string) []string {
	all := []string{encoding.EncodeToString([]byte(value))}
	for offset := range bits {
		encoded := encoding.EncodeToString([]byte(strings.Repeat("\x00", offset) + value))
		first := (offset*8 + bits - 1) / bits
		last := (offset + len(value)) * 8 / bits
		if core := encoded[first:last]; len(core) >= shortestCore {
			all = append(all, core)
		}
	}
	return all
}

// toURLs makes base64 for URLs of base64.
var toURLs = strings.NewReplacer("+", "-", "/", "_")

// encodedTwice returns a value in base64 of base64, in base64 of UTF-16, which is how PowerShell takes
// commands, and in binary digits.
func encodedTwice(value string) []string {
	var little, big []byte
	for _, unit := range utf16.Encode([]rune(value)) {
		little, big = binary.LittleEndian.AppendUint16(little, unit), binary.BigEndian.AppendUint16(big, unit)
	}
	all := slices.Concat(inBase(6, base64.RawStdEncoding, string(little)), inBase(6, base64.RawStdEncoding, string(big)),
		inDigits(value))
	for _, code := range inBase(6, base64.RawStdEncoding, value) {
		all = append(all, inBase(6, base64.RawStdEncoding, code)...)
		if inURLs := toURLs.Replace(code); inURLs != code {
			all = append(all, inBase(6, base64.RawStdEncoding, inURLs)...)
		}
	}
	return all
}

// inJSON is a value as it stands in a text of JSON.
func inJSON(value string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return value
	}
	return strings.Trim(b.String(), "\"\n")
}

// escaped is a value with an escape for each of its bytes.
func escaped(value string) string {
	var b strings.Builder
	for i := range len(value) {
		fmt.Fprintf(&b, "%%%02x", value[i])
	}
	return b.String()
}

// What mail leaves as it is: in texts (RFC 2045, 6.7), and in subjects and names (RFC 2047, 5).
var (
	quotedPrintable = strings.ReplaceAll(characters(' ', '~'), "=", "") + "\t"
	encodedWord     = characters('0', '9') + characters('A', 'Z') + characters('a', 'z') + "!*+-/"
)

// quoted is a value as mail has it, on one line. In a subject an underline stands for a blank.
func quoted(value, plain string) string {
	var b strings.Builder
	for i := range len(value) {
		switch c := value[i]; {
		case strings.IndexByte(plain, c) >= 0:
			b.WriteByte(c)
		case c == ' ':
			b.WriteByte('_')
		default:
			fmt.Fprintf(&b, "=%02X", c)
		}
	}
	return b.String()
}

// caret is what cat -v writes for a value.
func caret(value string) string {
	var b strings.Builder
	for i := range len(value) {
		c := value[i]
		if c >= 0x80 {
			b.WriteString("M-")
			c -= 0x80
		}
		switch {
		case (c == '\t' || c == '\n') && value[i] < 0x80:
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			b.Write([]byte{'^', c ^ 0x40})
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// named is what od -a writes for a value, without the blanks.
func named(value string) string {
	names := strings.Fields("nul soh stx etx eot enq ack bel bs ht nl vt ff cr so si " +
		"dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us sp")
	var b strings.Builder
	for i := range len(value) {
		switch c := value[i] & 0x7f; {
		case int(c) < len(names):
			b.WriteString(names[c])
		case c == 0x7f:
			b.WriteString("del")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// spelled is what od -c and hexdump -c write for a value, without the blanks.
func spelled(value string) string {
	const letters = "abtnvfr" // from 7 on
	var b strings.Builder
	for i := range len(value) {
		switch c := value[i]; {
		case c >= 7 && c <= 13:
			b.Write([]byte{'\\', letters[c-7]})
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, "%03o", c)
		case c != ' ':
			b.WriteByte(c)
		}
	}
	return b.String()
}
