package argument

import (
	"regexp/syntax"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// plainFormats hold letters, digits and a few signs that no program gives a meaning to.
var plainFormats = map[tool.Format]string{
	tool.FormatDuration: ".", tool.FormatIP: ":.", tool.FormatCIDR: ":./", tool.FormatBase64: "+/=-_",
}

// Excludes reports whether the declaration leaves no value in which one of some signs stands. The signs are
// ASCII and no letters or digits.
func (d Domain) Excludes(signs string) bool {
	switch p := d.Parameter; {
	case d.Class == Numeric:
		return !strings.ContainsAny(signs, "-.")
	case p == nil:
		return false
	case len(p.Enum) > 0:
		for _, item := range p.Enum {
			if text, ok := Text(item); !ok || strings.ContainsAny(text, signs) {
				return false
			}
		}
		return true
	case p.Type == tool.TypeBoolean:
		return true
	case p.Type != tool.TypeString && p.Type != "":
		return false
	default:
		if plain, ok := plainFormats[p.Format]; ok && !strings.ContainsAny(plain, signs) {
			return true
		}
		if p.Pattern == "" {
			return false
		}
		tree, err := syntax.Parse(p.Pattern, syntax.Perl)
		return err == nil && !admits(tree, signs)
	}
}

// admits reports whether a text that an expression fits as a whole may hold one of some signs.
func admits(r *syntax.Regexp, signs string) bool {
	switch r.Op {
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return true
	case syntax.OpLiteral:
		return strings.ContainsAny(string(r.Rune), signs)
	case syntax.OpCharClass:
		for _, sign := range signs {
			for i := 0; i+1 < len(r.Rune); i += 2 {
				if r.Rune[i] <= sign && sign <= r.Rune[i+1] {
					return true
				}
			}
		}
	}
	for _, sub := range r.Sub {
		if admits(sub, signs) {
			return true
		}
	}
	return false
}
