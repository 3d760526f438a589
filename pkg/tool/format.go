package tool

import (
	"encoding/base64"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Format says what a text is: one of a few forms that a regular expression alone would describe badly.
type Format string

// The formats.
const (
	FormatPath     Format = "path"     // the name of a file: any text but the empty one
	FormatDuration Format = "duration" // 90s, 1h30m: Go's time.ParseDuration without a sign
	FormatIP       Format = "ip"       // an IPv4 or IPv6 address without a zone
	FormatCIDR     Format = "cidr"     // an address and the length of its prefix (RFC 4632, RFC 4291)
	FormatBase64   Format = "base64"   // either alphabet of RFC 4648, padded or not, in one line
	FormatHex      Format = "hex"      // bytes in hex digits, two each
	FormatURI      Format = "uri"      // an absolute URI (RFC 3986), so no blanks and nothing but ASCII
	FormatEmail    Format = "email"    // what <input type=email> takes (HTML, 4.10.5.1.5)
	FormatPatch    Format = "patch"    // see PatchFiles; the files that it names count as paths of the call
)

// Formats lists the formats in the order that messages name them.
func Formats() []Format {
	return []Format{FormatPath, FormatDuration, FormatIP, FormatCIDR, FormatBase64, FormatHex, FormatURI, FormatEmail,
		FormatPatch}
}

// formatRule describes one format: in words, and by an expression for the whole text that agents are shown.
// The expression is necessary and, but for holds, sufficient.
type formatRule struct {
	words   string
	pattern func() *regexp.Regexp  // compiled when it is used first; nil for any text but the empty one
	holds   func(text string) bool // nil when the expression says it all
}

const emailLabel = `[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?`

func whole(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(anchored(pattern)) })
}

var formatRules = map[Format]formatRule{
	FormatPath: {words: "the path of a file or directory"},
	FormatDuration: {
		words: "a duration such as 90s or 1h30m", pattern: whole(`(?:[0-9]+(?:\.[0-9]+)?(?:ns|us|ms|s|m|h))+`),
		holds: func(text string) bool { _, err := time.ParseDuration(text); return err == nil },
	},
	FormatIP: {
		words: "an IP address", pattern: whole(`[0-9A-Fa-f:.]{2,45}`),
		holds: func(text string) bool { _, err := netip.ParseAddr(text); return err == nil },
	},
	FormatCIDR: {
		words: "a network such as 10.0.0.0/8", pattern: whole(`[0-9A-Fa-f:.]{2,45}/[0-9]{1,3}`),
		holds: func(text string) bool { _, err := netip.ParsePrefix(text); return err == nil },
	},
	FormatBase64: {
		words: "base64", pattern: whole(`[A-Za-z0-9+/_-]*={0,2}`), holds: isBase64,
	},
	FormatHex: {words: "bytes in hex digits", pattern: whole(`(?:[0-9A-Fa-f]{2})*`)},
	FormatURI: {
		words:   "an absolute URI such as https://example.com/a",
		pattern: whole(`[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+`),
		holds:   func(text string) bool { u, err := url.Parse(text); return err == nil && u.Scheme != "" },
	},
	FormatEmail: {
		words: "an e-mail address", pattern: whole("[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@" + emailLabel +
			`(?:\.` + emailLabel + `)*`),
		holds: func(text string) bool { return len(text) <= 254 }, // RFC 5321, 4.5.3.1.3
	},
	FormatPatch: {
		words: "a patch: *** Begin Patch, then *** Add File: NAME with lines that begin with +, *** Update File: NAME with lines " +
			"that begin with a space, + or - (@@ LINE says where), or *** Delete File: NAME, then *** End Patch",
		holds: func(text string) bool { _, err := PatchFiles(text); return err == nil },
	},
}

// Words says what a text of the format is: "an IP address".
func (f Format) Words() string { return formatRules[f].words }

// Holds reports whether a text is of the format. The empty Format holds every text, one that is none of the
// formats none.
func (f Format) Holds(text string) bool {
	if f == "" {
		return true
	}
	rule, known := formatRules[f]
	switch {
	case !known, text == "" && f != FormatBase64 && f != FormatHex:
		return false
	case rule.pattern != nil && !rule.pattern().MatchString(text):
		return false
	}
	return rule.holds == nil || rule.holds(text)
}

// Fault says what is wrong with a text that Holds does not hold, where more is to be said than that; it
// never holds a part of the text.
func (f Format) Fault(text string) string {
	if f != FormatPatch {
		return ""
	}
	if _, err := PatchFiles(text); err != nil {
		return ": " + err.Error()
	}
	return ""
}

// isBase64 refuses bits behind the last byte, which two readers could take for different data.
func isBase64(text string) bool {
	encoding := base64.StdEncoding
	if strings.ContainsAny(text, "-_") {
		encoding = base64.URLEncoding
	}
	if !strings.HasSuffix(text, "=") && len(text)%4 != 0 {
		encoding = encoding.WithPadding(base64.NoPadding)
	}
	_, err := encoding.Strict().DecodeString(text)
	return err == nil
}

// describe adds to a schema what it can say about the format: an expression where the author gave none, and
// the words. The keyword "format" is not used: it means other durations in JSON Schema, has no name for
// half of the formats, and some models' interfaces refuse a tool for a name that they do not know.
func (f Format) describe(schema map[string]any) {
	rule, known := formatRules[f]
	if !known {
		return
	}
	if _, given := schema["pattern"]; !given && rule.pattern != nil {
		schema["pattern"] = rule.pattern().String()
	}
	if least, _ := schema["minLength"].(int); f == FormatPath && least < 1 {
		schema["minLength"] = 1
	}
	if text, ok := schema["description"].(string); ok {
		schema["description"] = text + " (" + rule.words + ")"
		return
	}
	schema["description"] = rule.words
}
