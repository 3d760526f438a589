package tool

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Access says who may call a tool, by the claims of who calls. To everybody else there is no such tool. The nil Access
// lets everybody.
type Access struct {
	Rules  []AccessRule // one of which has to let in who calls; none lets nobody in
	Source Source       // where the file says who may call its tools
}

// AccessRule lets in whose claims fit all matchers.
type AccessRule struct {
	Name     string // "" where it has none
	Issuer   string // whose tokens count, as the settings call it; "" for the only one that there is
	Matchers []ClaimMatcher
	Source   Source
}

// ClaimMatcher looks at one claim.
type ClaimMatcher struct {
	Path     []string // the names that lead to the claim, from the outside
	Operator ClaimOperator
	// Value is a text, or true or false; nil for ClaimExists, ClaimIn, ClaimNotIn and ClaimMatches.
	Value   any
	Values  []string       // of ClaimIn and ClaimNotIn
	Pattern *regexp.Regexp // of ClaimMatches: what the whole text fits
	Text    string         // the pattern as it was written
}

// ClaimOperator is how a claim is looked at.
type ClaimOperator string

// The operators. A claim that is not there, or of another kind than an operator is for, fits none of them, neither
// those that say not.
const (
	ClaimEquals      ClaimOperator = "equals"       // a text, or true or false
	ClaimNotEquals   ClaimOperator = "not_equals"   // likewise
	ClaimContains    ClaimOperator = "contains"     // an item of a list of texts, or one of the words of a text
	ClaimNotContains ClaimOperator = "not_contains" // likewise
	ClaimMatches     ClaimOperator = "matches"      // a text
	ClaimIn          ClaimOperator = "in"           // a text
	ClaimNotIn       ClaimOperator = "not_in"       // a text
	ClaimExists      ClaimOperator = "exists"       // anything that is not empty
)

// ClaimOperators lists the operators.
func ClaimOperators() []ClaimOperator {
	return []ClaimOperator{ClaimEquals, ClaimNotEquals, ClaimContains, ClaimNotContains, ClaimMatches, ClaimIn, ClaimNotIn,
		ClaimExists}
}

// Lets reports whether a caller with these claims may call the tool, and knows of it.
func (a *Access) Lets(c Claims) bool {
	return a == nil || c.are != nil && slices.ContainsFunc(a.Rules, func(r AccessRule) bool { return r.lets(c.are) })
}

// Nobody reports whether no claims let anybody in.
func (a *Access) Nobody() bool { return a != nil && len(a.Rules) == 0 }

// Missing says why a tool is not there for callers of whom nothing was verified; "" for one that is.
func (a *Access) Missing() string {
	switch {
	case a == nil:
		return ""
	case a.Nobody():
		return fmt.Sprintf("access lets nobody call it (%s)", a.Source)
	}
	return fmt.Sprintf("it is for callers whose tokens say so (access, %s), which only the daemon verifies", a.Source)
}

// lets reports whether the rule lets in a caller. One that says no issuer is not meant for several: what one of them
// lets its users say of themselves the other may use to tell who is in charge.
func (r AccessRule) lets(c *claims) bool {
	if r.Issuer != c.issuer && (r.Issuer != "" || !c.only) || len(r.Matchers) == 0 {
		return false
	}
	return !slices.ContainsFunc(r.Matchers, func(m ClaimMatcher) bool { return !m.fits(c.all) })
}

// Who says whom the rule lets in, for people.
func (r AccessRule) Who() string {
	var all []string
	for _, m := range r.Matchers {
		all = append(all, m.String())
	}
	text := strings.Join(all, " and ")
	if r.Issuer != "" {
		text = r.Issuer + ": " + text
	}
	return text
}

func (m ClaimMatcher) String() string {
	text := m.Where() + " " + strings.ReplaceAll(string(m.Operator), "_", " ")
	switch {
	case m.Values != nil:
		return text + " " + strings.Join(m.Values, ", ")
	case m.Pattern != nil:
		return text + " " + m.Text
	case m.Value != nil:
		return fmt.Sprintf("%s %v", text, m.Value)
	}
	return text
}

// Where names the claim: with dots, or as a JSON pointer where a name has one.
func (m ClaimMatcher) Where() string {
	if !slices.ContainsFunc(m.Path, func(name string) bool { return strings.ContainsAny(name, "./~") }) {
		return strings.Join(m.Path, ".")
	}
	var b strings.Builder
	for _, name := range m.Path {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	return b.String()
}

// fits reports whether the claim is as it has to be. Only members of objects are gone into; a name with dots is one
// name.
func (m ClaimMatcher) fits(all map[string]any) bool {
	var claim any = all
	for _, name := range m.Path {
		object, ok := claim.(map[string]any)
		if !ok {
			return false
		}
		if claim, ok = object[name]; !ok {
			return false
		}
	}
	text, isText := claim.(string)
	switch m.Operator {
	case ClaimEquals, ClaimNotEquals:
		same, ok := equal(claim, m.Value)
		return ok && same == (m.Operator == ClaimEquals)
	case ClaimContains, ClaimNotContains:
		items, ok := itemsOf(claim)
		wanted, is := m.Value.(string)
		return ok && is && slices.Contains(items, wanted) == (m.Operator == ClaimContains)
	case ClaimMatches:
		return isText && m.Pattern != nil && m.Pattern.MatchString(text)
	case ClaimIn, ClaimNotIn:
		return isText && len(m.Values) > 0 && slices.Contains(m.Values, text) == (m.Operator == ClaimIn)
	case ClaimExists:
		return isThere(claim)
	}
	return false
}

// equal compares texts with texts, and truths with truths. Nothing else can be compared.
func equal(claim, value any) (same, ok bool) {
	switch value := value.(type) {
	case string:
		text, ok := claim.(string)
		return text == value, ok
	case bool:
		is, ok := claim.(bool)
		return is == value, ok
	}
	return false, false
}

// itemsOf returns the items of a list of texts, or the words of a text: a list of scopes is written so (RFC 6749, 3.3).
// A list that has anything else in it is none.
func itemsOf(claim any) (items []string, ok bool) {
	switch value := claim.(type) {
	case string:
		return strings.Split(value, " "), true
	case []any:
		for _, item := range value {
			text, ok := item.(string)
			if !ok {
				return nil, false
			}
			items = append(items, text)
		}
		return items, true
	}
	return nil, false
}

// isThere reports whether a claim says anything.
func isThere(claim any) bool {
	switch value := claim.(type) {
	case nil:
		return false
	case string:
		return value != ""
	case []any:
		return len(value) > 0
	case map[string]any:
		return len(value) > 0
	case bool, float64, json.Number:
		return true
	}
	return false
}
