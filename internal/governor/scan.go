package governor

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// found is a secret in a text.
type found struct {
	begin, end int
	name       string
}

// The forms in which a secret may stand encoded: a run of base64 that is long enough to hold one, and a run
// of text with percent signs (RFC 3986, 2.1).
var (
	base64Run  = lazyregexp.New(`[A-Za-z0-9+/_-]{24,}={0,2}`)
	percentRun = lazyregexp.New(`[A-Za-z0-9._~+/=:@!$'()*,;-]*(?:%[0-9A-Fa-f]{2}[A-Za-z0-9._~+/=:@!$'()*,;-]*)+`)
)

// secretsIn finds what has the shape of a secret, as it is, in base64 and percent-encoded, in order and
// without overlaps.
func secretsIn(text string) []found {
	all := plainSecrets(text)
	for _, run := range base64Run.FindAllStringIndex(text, -1) {
		if name := encodedSecret(text[run[0]:run[1]]); name != "" {
			all = append(all, found{run[0], run[1], name + ", in base64"})
		}
	}
	for _, run := range percentRun.FindAllStringIndex(text, -1) {
		encoded := text[run[0]:run[1]]
		// They differ on +.
		for _, unescape := range []func(string) (string, error){url.PathUnescape, url.QueryUnescape} {
			decoded, err := unescape(encoded)
			if err != nil {
				continue
			}
			if inside := plainSecrets(decoded); len(inside) > 0 {
				all = append(all, found{run[0], run[1], inside[0].name + ", percent-encoded"})
				break
			}
		}
	}
	return merged(all)
}

// merged returns what was found in order and without overlaps.
func merged(all []found) []found {
	slices.SortFunc(all, func(a, b found) int { return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(b.end, a.end)) })
	kept := all[:0]
	for _, f := range all {
		switch last := len(kept) - 1; {
		case last < 0 || f.begin >= kept[last].end:
			kept = append(kept, f)
		case f.end > kept[last].end: // they overlap, and together they are what must not be seen
			kept[last].end = f.end
		}
	}
	return kept
}

func plainSecrets(text string) []found {
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		lower = asciiLower(text)
	}
	var all []found
	for i := range patterns {
		for _, span := range patterns[i].find(text, lower) {
			all = append(all, found{span[0], span[1], patterns[i].name})
		}
	}
	return all
}

// asciiLower changes letters of ASCII only, so that places stay what they are.
func asciiLower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// encodedSecret tells what a run of base64 holds; "" for no secret. A run may begin in the middle of an
// encoding, so it is read from each of the four places where a group can begin.
func encodedSecret(run string) string {
	body := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(run, "="))
	for shift := 0; shift < 4 && shift < len(body); shift++ {
		part := body[shift:]
		part = part[:len(part)-len(part)%4+len(part)%4*boolToInt(len(part)%4 > 1)]
		decoded, err := base64.RawStdEncoding.DecodeString(part)
		if err != nil {
			continue
		}
		if inside := plainSecrets(string(decoded)); len(inside) > 0 {
			return inside[0].name
		}
	}
	return ""
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// without returns a text without what was found in it.
func without(text string, places []found) string {
	if len(places) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, place := range places {
		b.WriteString(text[at:place.begin])
		if place.name == "" {
			b.WriteString("[redacted]")
		} else {
			b.WriteString("[redacted: " + place.name + "]")
		}
		at = place.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// finder returns what finds all that expressions match. One that cannot be compiled matches everything.
func finder(expressions []string) func(text string) []found {
	compiled := sync.OnceValue(func() []*regexp.Regexp {
		var all []*regexp.Regexp
		for _, text := range expressions {
			expression, err := regexp.Compile(text)
			if err != nil { // the loader has refused it
				expression = regexp.MustCompile(`(?s).+`)
			}
			all = append(all, expression)
		}
		return all
	})
	return func(text string) []found {
		var all []found
		for _, expression := range compiled() {
			for _, match := range expression.FindAllStringSubmatchIndex(text, -1) {
				if len(match) >= 4 && match[2] >= 0 {
					match = match[2:4]
				}
				if match[0] < match[1] {
					all = append(all, found{begin: match[0], end: match[1]})
				}
			}
		}
		return merged(all)
	}
}
