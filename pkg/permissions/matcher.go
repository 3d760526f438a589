package permissions

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
)

// compiledMatcher is a Matcher that is ready to be asked.
type compiledMatcher struct {
	Matcher
	hosts []hostPattern
	// exact is the expression for what approves. loose is the one for what stops: there a newline is a
	// character like others.
	exact, loose *regexp.Regexp
}

// mostRegex bounds an expression, in bytes; RE2 does the rest.
const mostRegex = 1024

func compileMatcher(m Matcher) (*compiledMatcher, []FieldError) {
	c := &compiledMatcher{Matcher: m}
	found := checker{}
	if m.Absent == nil && len(m.In) == 0 && len(m.Host) == 0 && m.Max == "" && m.Min == "" &&
		m.Within == "" && m.Regex == "" {
		found.add("", "nothing is wanted of the argument", "in, host, absent, max, min, within or regex")
	}
	if m.Absent != nil && *m.Absent && (len(m.In) > 0 || len(m.Host) > 0 || m.Max != "" || m.Min != "" ||
		m.Within != "" || m.Regex != "") {
		found.add("absent", "what is absent has no value that could fit", "take absent out, or the rest")
	}
	for i, value := range m.In {
		if !sameScalar(value, value) {
			found.add(fmt.Sprintf("in[%d]", i), fmt.Sprintf("%T cannot be compared", value),
				"give a text, a number, true or false")
		}
	}
	for i, text := range m.Host {
		pattern, err := parseHostPattern(text)
		found.pattern(fmt.Sprintf("host[%d]", i), err)
		c.hosts = append(c.hosts, pattern)
	}
	for _, bound := range []struct{ field, text string }{{"max", m.Max}, {"min", m.Min}} {
		if _, ok := canonicalNumber(bound.text); bound.text != "" && !ok {
			found.add(bound.field, fmt.Sprintf("%q is no number", bound.text), "")
		}
	}
	if m.Within != "" {
		if err := checkPathGlob(strings.TrimSuffix(m.Within, "/"),
			strings.TrimPrefix(strings.TrimPrefix(m.Within, "~/"), "./")); err != nil && m.Within != "/" &&
			m.Within != "~" {
			found.pattern("within", err)
		} else if strings.ContainsAny(m.Within, `*?[\`) {
			found.add("within", fmt.Sprintf("%q holds a pattern, and within names one directory", m.Within),
				"name the directory; for patterns there is include_paths")
		}
	}
	if m.Regex != "" {
		c.compileRegex(&found)
	}
	return c, found.found
}

func (c *compiledMatcher) compileRegex(found *checker) {
	if len(c.Regex) > mostRegex {
		found.add("regex", fmt.Sprintf("the expression is longer than %d bytes", mostRegex), "")
		return
	}
	// Alone first: a)|(b would slip out of the anchors.
	_, err := regexp.Compile(c.Regex)
	if err == nil {
		c.exact, err = regexp.Compile(`\A(?:` + c.Regex + `)\z`)
	}
	if err == nil {
		c.loose, err = regexp.Compile(`(?s)\A(?:` + c.Regex + `)\z`)
	}
	if err != nil {
		c.exact, c.loose = nil, nil
		found.add("regex", fmt.Sprintf("%q is no regular expression (RE2): %v", c.Regex,
			strings.TrimPrefix(err.Error(), "error parsing regexp: ")), "")
	}
}

// matchParameters looks at the arguments in the order of their names.
func (c *compiledRule) matchParameters(v *evaluation) (holds, string) {
	if len(c.parameters) > 0 && v.Prompt && v.Arguments == nil && c.Verdict != Approve {
		return maybe, "the agent does not tell the arguments, and the rule is about them"
	}
	result, because := yes, ""
	for _, name := range c.parameters {
		given, ok := v.Arguments[name]
		got, why := yes, ""
		tell := func(value any) string {
			if v.Secret[name] {
				return "secret"
			}
			return briefly(value)
		}
		switch matcher := c.matchers[name]; {
		case v.Withheld[name]:
			got, why = untold, fmt.Sprintf("the value of the argument %s is not on record",
				display.Line(name))
		case matcher != nil:
			got, why = matcher.match(v, c.Verdict, name, given, ok)
			if v.Secret[name] && why != "" {
				why = fmt.Sprintf("the argument %s is secret, and not what the rule wants",
					display.Line(name))
			}
		case !ok:
			got, why = no, fmt.Sprintf("there is no argument %s", display.Line(name))
		case !sameScalar(c.Parameters[name], given):
			got, why = no, fmt.Sprintf("the argument %s is %s, not %s", display.Line(name), tell(given),
				briefly(c.Parameters[name]))
		}
		if got == no {
			return no, why
		}
		if got != yes {
			result, because = got, why
		}
	}
	return result, because
}

// match asks the matcher about one argument.
func (c *compiledMatcher) match(v *evaluation, verdict Verdict, name string, given any, there bool) (holds,
	string) {
	there = there && given != nil
	if c.Absent != nil && *c.Absent {
		if there {
			return no, fmt.Sprintf("the argument %s is %s, and the rule wants none", display.Line(name),
				briefly(given))
		}
		return yes, ""
	}
	if !there {
		return no, fmt.Sprintf("there is no argument %s", display.Line(name))
	}
	list, isList := given.([]any)
	if !isList {
		list = []any{given}
	}
	if len(list) == 0 {
		return no, fmt.Sprintf("the argument %s is empty", display.Line(name))
	}
	if verdict == Approve {
		for _, value := range list {
			if why := c.fits(v, value); why != "" {
				return no, fmt.Sprintf("the argument %s is %s: %s", display.Line(name), briefly(value), why)
			}
		}
		return yes, ""
	}
	result := no
	for _, value := range list {
		if got := c.mayFit(v, value); got == yes {
			return yes, ""
		} else if got == maybe {
			result = maybe
		}
	}
	if result == maybe {
		return maybe, fmt.Sprintf("the argument %s is %s, and it cannot be told what that means",
			display.Line(name), briefly(given))
	}
	return no, fmt.Sprintf("the argument %s is %s", display.Line(name), briefly(given))
}

// fits tells why a value is not surely what the matcher wants; "" when it is.
func (c *compiledMatcher) fits(v *evaluation, value any) string {
	if len(c.In) > 0 && !slices.ContainsFunc(c.In, func(want any) bool { return sameScalar(want, value) }) {
		return "not one of " + brieflyAll(c.In)
	}
	if why := c.outOfBounds(value); why != "" {
		return why
	}
	text, isText := value.(string)
	if (len(c.Host) > 0 || c.Within != "" || c.Regex != "") && !isText {
		return "it is no text"
	}
	if len(c.hosts) > 0 {
		if why := anyHost(c.hosts, text); why != "" {
			return why
		}
	}
	if c.exact != nil && !c.exact.MatchString(text) {
		return fmt.Sprintf("it does not match %s", display.Line(c.Regex))
	}
	if c.Within != "" {
		return c.isWithin(v, text)
	}
	return ""
}

// mayFit reports whether a value could be what the matcher is about.
func (c *compiledMatcher) mayFit(v *evaluation, value any) holds {
	text, isText := value.(string)
	if len(c.In) > 0 && !slices.ContainsFunc(c.In, func(want any) bool {
		word, ok := want.(string)
		// full-access is Full_Access, too
		return sameScalar(want, value) || ok && isText && strings.EqualFold(foldMode(text), foldMode(word))
	}) {
		return no
	}
	result := yes
	if c.Max != "" || c.Min != "" {
		if _, ok := numberOf(value); !ok {
			result = maybe
		} else if c.outOfBounds(value) != "" {
			return no
		}
	}
	if (len(c.Host) > 0 || c.Within != "" || c.Regex != "") && !isText {
		return maybe
	}
	if len(c.hosts) > 0 {
		if got := mayBeHost(c.hosts, text); got != yes {
			if got == no {
				return no
			}
			result = maybe
		}
	}
	if c.loose != nil && !c.loose.MatchString(text) {
		return no
	}
	if c.Within != "" && !c.mayBeWithin(v, text) {
		return no
	}
	return result
}

// numberOf returns a number, or a text that is one: a command line knows no other numbers.
func numberOf(value any) (string, bool) {
	text, ok := numberText(value)
	if !ok {
		text, ok = value.(string)
	}
	if !ok {
		return "", false
	}
	_, ok = canonicalNumber(text)
	return text, ok
}

func (c *compiledMatcher) outOfBounds(value any) string {
	if c.Max == "" && c.Min == "" {
		return ""
	}
	number, ok := numberOf(value)
	if !ok {
		return "it is no number"
	}
	if c.Max != "" && compareNumbers(number, c.Max) > 0 {
		return "more than " + c.Max
	}
	if c.Min != "" && compareNumbers(number, c.Min) < 0 {
		return "less than " + c.Min
	}
	return ""
}

// compareNumbers compares two JSON numbers, whatever their exponents: nothing is computed that grows with
// them. Both must be canonicalNumber's.
func compareNumbers(a, b string) int {
	a, _ = canonicalNumber(a)
	b, _ = canonicalNumber(b)
	signA, digitsA, powerA := numberParts(a)
	signB, digitsB, powerB := numberParts(b)
	if signA != signB {
		return signA - signB
	}
	order := 0
	if first, second := powerA+len(digitsA), powerB+len(digitsB); first != second { // where the point stands
		order = map[bool]int{true: 1, false: -1}[first > second]
	} else {
		order = strings.Compare(digitsA, digitsB)
	}
	return order * signA
}

// numberParts takes a canonical number apart.
func numberParts(text string) (sign int, digits string, power int) {
	if text == "0" {
		return 0, "", 0
	}
	sign = 1
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, text = -1, rest
	}
	digits, exponent, _ := strings.Cut(text, "e")
	power, _ = strconv.Atoi(exponent)
	return sign, digits, power
}

// withinDirs are the directories that within means, links resolved.
func (c *compiledMatcher) withinDirs(v *evaluation) []string {
	var named, dirs []string
	switch text := strings.TrimSuffix(c.Within, "/"); {
	case c.Within == "/":
		return []string{"/"}
	case filepath.IsAbs(text):
		named = []string{text}
	case text == "~" || strings.HasPrefix(text, "~/"):
		if v.home == "" {
			return nil
		}
		named = []string{v.home + text[1:]}
	default:
		for _, dir := range v.Workspace.Dirs() {
			named = append(named, filepath.Join(dir, text))
		}
	}
	for _, name := range named {
		if real, err := v.facts.resolve("/", name); err == nil {
			dirs = append(dirs, real)
		}
	}
	return dirs
}

// isWithin tells why a file does not surely lie there, or needs a rule that names it.
func (c *compiledMatcher) isWithin(v *evaluation, name string) string {
	if doubts := Doubtful(name); len(doubts) > 0 {
		return doubts[0]
	}
	p := v.facts.resource(v.Dir, v.home, Path{Name: name, Write: !v.ReadOnly})
	if p.err != nil {
		return "it cannot be told which file that is: " + display.Line(p.err.Error())
	}
	if !slices.ContainsFunc(c.withinDirs(v), func(dir string) bool { return isBelow(p.real, dir) }) {
		return fmt.Sprintf("%s is not within %s", shown(v.Workspace, p.real), display.Line(c.Within))
	}
	if why := v.guarded(p); why != "" {
		return why + ", and no include_paths name it exactly"
	}
	return ""
}

func (c *compiledMatcher) mayBeWithin(v *evaluation, name string) bool {
	p := v.facts.resource(v.Dir, v.home, Path{Name: name})
	for _, dir := range c.withinDirs(v) {
		if slices.ContainsFunc(p.maybe, func(name string) bool {
			return isBelow(sensitive.Fold(name), sensitive.Fold(dir))
		}) {
			return true
		}
	}
	return false
}

// isBelow reports whether an absolute name is the directory, or lies below it.
func isBelow(name, dir string) bool {
	return name == dir || dir == "/" || strings.HasPrefix(name, dir+"/")
}

// brieflyAll writes values for a message.
func brieflyAll(values []any) string {
	var texts []string
	for _, value := range values {
		texts = append(texts, briefly(value))
	}
	return listed(texts)
}
