package httptool

import (
	"io"
	"mime"
	"strings"
	"unicode"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	utf "golang.org/x/text/encoding/unicode"
)

// text returns an answer's body in UTF-8, where its type says that it is a text of another charset which is known here.
func (a *Answer) text(body io.Reader) io.Reader {
	kind, params, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if err != nil || !isText(kind) {
		return body
	}
	name := plainName(params["charset"])
	switch name {
	case "", "utf8", "usascii", "ascii":
		return body
	}
	a.Charset = name
	if known := charset(name); known != nil {
		return known.NewDecoder().Reader(body)
	}
	a.Unknown = true
	return body
}

// isText reports whether a media type is one of a text, for which a charset means something.
func isText(kind string) bool {
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") ||
		kind == "application/json" || kind == "application/xml" || kind == "application/javascript" || kind == "application/x-ndjson"
}

// plainName is the name of a charset without what programs write differently.
func plainName(name string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return -1
		}
		return unicode.ToLower(c)
	}, name)
}

// charset returns the encoding of a name: those of one byte for a character, and UTF-16. ISO 8859-1 is read as Windows
// 1252, which is what those who say it mean (WHATWG, Encoding, 4.2).
func charset(name string) encoding.Encoding {
	switch name {
	case "iso88591", "latin1", "cp1252":
		return charmap.Windows1252
	case "utf16":
		return utf.UTF16(utf.BigEndian, utf.UseBOM)
	case "utf16le":
		return utf.UTF16(utf.LittleEndian, utf.IgnoreBOM)
	case "utf16be":
		return utf.UTF16(utf.BigEndian, utf.IgnoreBOM)
	}
	for _, each := range charmap.All {
		if m, ok := each.(*charmap.Charmap); ok && plainName(m.String()) == name {
			return m
		}
	}
	return nil
}
