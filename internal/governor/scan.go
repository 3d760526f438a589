package governor

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

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

// redact takes secrets out of a text and counts them.
func redact(text string) (clean string, count int) {
	secrets := secretsIn(text)
	if len(secrets) == 0 {
		return text, 0
	}
	var b strings.Builder
	at := 0
	for _, s := range secrets {
		b.WriteString(text[at:s.begin])
		b.WriteString("[redacted: " + s.name + "]")
		at = s.end
	}
	b.WriteString(text[at:])
	return b.String(), len(secrets)
}
