package secret

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
)

// The alphabets of base85: Ascii85 (Adobe's, btoa's), that of RFC 1924, which Python's b85encode has, and
// that of ZeroMQ (basenc --z85).
var alphabets85 = []string{
	characters('!', 'u'),
	characters('0', '9') + characters('A', 'Z') + characters('a', 'z') + "!#$%&()*+-;<=>?@^_`{|}~",
	characters('0', '9') + characters('a', 'z') + characters('A', 'Z') + ".-:+=^!/*?&<>()[]{}@%$#",
}

func characters(from, to byte) string {
	var b strings.Builder
	for c := from; c <= to; c++ {
		b.WriteByte(c)
	}
	return b.String()
}

// inBase85 returns a value in each base85: alone, and wherever it begins among encoded bytes, the characters
// that depend on no other byte than its own.
func inBase85(value string) []string {
	var all []string
	for _, alphabet := range alphabets85 {
		all = append(all, encode85(alphabet, value))
		for offset := range 4 {
			if offset+4 > len(value) {
				break
			}
			rest := value[offset:]
			if core := encode85(alphabet, rest[:len(rest)/4*4]); len(core) >= shortestCore {
				all = append(all, core)
			}
		}
	}
	return all
}

// encode85 writes five characters for each four bytes, and one more than there are for the last.
func encode85(alphabet, value string) string {
	var b strings.Builder
	for ; value != ""; value = value[min(4, len(value)):] {
		var bytes [4]byte
		n := copy(bytes[:], value)
		number := binary.BigEndian.Uint32(bytes[:])
		var digits [5]byte
		for i := 4; i >= 0; i-- {
			digits[i] = alphabet[number%85]
			number /= 85
		}
		b.Write(digits[:n+1])
	}
	return b.String()
}

// inUTF7 returns a value in UTF-7 (RFC 2152), without and with the characters as they are that it leaves to the
// program whether it encodes them.
func inUTF7(value string) []string {
	const direct = " \t\r\n'(),-./:?"
	return []string{utf7(value, direct), utf7(value, direct+"!\"#$%&*;<=>@[]^_`{|}")}
}

func utf7(value, direct string) string {
	var b strings.Builder
	var encoded []byte // bytes in UTF-16 that have not been written yet
	end := func(next rune) {
		if len(encoded) == 0 {
			return
		}
		code := base64.RawStdEncoding.EncodeToString(encoded)
		b.WriteString("+" + code)
		if next == '-' || next < 0x80 && strings.ContainsRune(base64Characters, next) {
			b.WriteByte('-')
		}
		encoded = encoded[:0]
	}
	for _, r := range value {
		switch {
		case r < 0x80 && strings.ContainsRune(base64Characters[:62], r), strings.ContainsRune(direct, r):
			end(r)
			b.WriteRune(r)
		case r == '+' && len(encoded) == 0:
			b.WriteString("+-")
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				encoded = binary.BigEndian.AppendUint16(encoded, unit)
			}
		}
	}
	end(0)
	return b.String()
}

const base64Characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// inDigits returns a value in binary digits, with the first of each byte first, and with the last.
func inDigits(value string) []string {
	var first, last []byte
	for i := range len(value) {
		c := value[i]
		first = fmt.Appendf(first, "%08b", c)
		for bit := range 8 {
			last = append(last, '0'+c>>bit&1)
		}
	}
	return []string{string(first), string(last)}
}
