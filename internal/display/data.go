package display

import (
	"bytes"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns JSON with what a terminal obeys, or does not show, as escapes (\u009b): for whoever reads it as
// JSON it is the same. An encoder leaves most of these characters as they are.
func JSON(data []byte) []byte {
	return inData(data, func(out *bytes.Buffer, r rune) {
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(out, `\u%04x`, unit)
		}
	})
}

// YAML is JSON for YAML that has such characters in double quotes only.
func YAML(data []byte) []byte {
	return inData(data, func(out *bytes.Buffer, r rune) { fmt.Fprintf(out, `\U%08x`, r) })
}

// inData has escape write what is hidden, which only texts have, but for ends of lines.
func inData(data []byte, escape func(*bytes.Buffer, rune)) []byte {
	var out bytes.Buffer
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r != '\n' && (Hidden(r) || r == utf8.RuneError && size == 1) {
			escape(&out, r)
		} else {
			out.Write(data[:size])
		}
		data = data[size:]
	}
	return out.Bytes()
}
