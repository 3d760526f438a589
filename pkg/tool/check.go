package tool

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/internal/spelling"
)

// mostMisfits is how many mistakes one failure names.
const mostMisfits = 5

// CheckArguments checks a call's arguments against the tool's parameters and gives them as values that can
// be relied on: the defaults filled in (but for flags, whose program has its own), every value of its parameter's
// type, whole numbers written as such (1.0 becomes 1), numbers as json.Number. What it accepts is what InputSchema
// says, and nothing that two readers could read differently: no key twice, no text that is not Unicode.
//
// The Failure is nil or a FailValidation that names the first five mistakes, each with the place of its
// value. It never holds the value of a secret parameter. The map is the caller's own.
func (t *Tool) CheckArguments(raw json.RawMessage) (map[string]any, *Failure) {
	m := &t.Middleware
	if m.MostBytes > 0 && len(raw) > m.MostBytes {
		return nil, invalid([]misfit{{"arguments", fmt.Sprintf("they have %d bytes, and a call may have %d", len(raw), m.MostBytes)}})
	}
	arguments, wrong := decodeArguments(raw)
	if wrong != nil {
		return nil, invalid([]misfit{*wrong})
	}
	var all, extra []misfit
	at := func(name string) string { return name }
	if t.Exec != nil {
		arguments, at, extra = t.flatten(arguments)
	}
	if m.MostArguments > 0 && len(arguments) > m.MostArguments {
		all = append(all, misfit{"arguments", fmt.Sprintf("there are %d, and a call may have %d", len(arguments), m.MostArguments)})
	}
	names := make([]string, 0, len(t.Parameters))
	for i := range t.Parameters {
		p := &t.Parameters[i]
		names = append(names, p.Name)
		value, given := arguments[p.Name]
		switch {
		case given:
			c := checker{secret: p.Secret}
			if list, ok := value.([]any); ok && m.MostArguments > 0 && len(list) > m.MostArguments {
				c.note(at(p.Name), "want at most %d items, found %d", m.MostArguments, len(list))
			}
			arguments[p.Name] = c.check(p, at(p.Name), value)
			all = append(all, c.wrong...)
		case p.Required:
			all = append(all, misfit{at(p.Name), "required, and not given"})
		case p.Default != nil && t.Exec == nil: // a program has its own
			arguments[p.Name] = clone(p.Default)
		}
	}
	if t.Exec == nil {
		extra = unknown("", "parameter", arguments, names)
	}
	all = append(all, extra...)
	if len(all) > 0 {
		return nil, invalid(all)
	}
	return arguments, nil
}

// invalid makes a Failure of what is wrong.
func invalid(all []misfit) *Failure {
	shown := all[:min(len(all), mostMisfits)]
	texts, details := make([]string, 0, len(shown)), make([]any, 0, len(shown))
	for _, m := range shown {
		texts = append(texts, m.String())
		details = append(details, map[string]any{"path": m.path, "message": m.message})
	}
	message := strings.Join(texts, "; ")
	if more := len(all) - len(shown); more > 0 {
		message += fmt.Sprintf("; and %d more", more)
	}
	failure := Failf(FailValidation, "%s", message)
	failure.Details["errors"] = details
	return failure
}

// unknown lists the arguments, or the members of an object, that nothing declares; path is where they stand, and what
// is the word for one.
func unknown(path, what string, arguments map[string]any, names []string) []misfit {
	var extra []string
	for name := range arguments {
		if !slices.Contains(names, name) {
			extra = append(extra, name)
		}
	}
	sort.Strings(extra)
	var all []misfit
	for _, name := range extra {
		message := "there is no such " + what + "; there is none at all"
		if near := spelling.Nearest(name, names); near != "" {
			message = "there is no such " + what + "; did you mean " + near + "?"
		} else if len(names) == 1 {
			message = "there is no such " + what + "; there is only " + names[0]
		} else if len(names) > 1 {
			message = "there is no such " + what + "; there are " + strings.Join(names, ", ")
		}
		all = append(all, misfit{memberPath(path, name), message})
	}
	return all
}

// checker checks the value of one parameter.
type checker struct {
	secret bool // the value must not be shown
	wrong  []misfit
}

// check returns the value as it counts, and notes what is wrong with it.
func (c *checker) check(p *Parameter, path string, value any) any {
	switch v := value.(type) {
	case string:
		if p.Type == TypeString {
			c.checkLength(path, utf8.RuneCountInString(v), p.MinLength, p.MaxLength, "character")
			c.checkPattern(p, path, v)
			if !p.Format.Holds(v) {
				c.note(path, "want %s, found %s%s", p.Format.Words(), c.show(v), p.Format.Fault(v))
			}
			c.checkEnum(p, path, v)
			return v
		}
	case bool:
		if p.Type == TypeBoolean {
			c.checkEnum(p, path, v)
			return v
		}
	case json.Number:
		if p.Type == TypeNumber || p.Type == TypeInteger {
			return c.checkNumber(p, path, v)
		}
	case map[string]any:
		if p.Type == TypeObject {
			c.checkProperties(p, path, v)
			c.checkEnum(p, path, v)
			return v
		}
	case []any:
		if p.Type == TypeArray {
			c.checkLength(path, len(v), p.MinItems, p.MaxItems, "item")
			if p.Items != nil {
				for i, item := range v {
					v[i] = c.check(p.Items, itemPath(path, i), item)
				}
			}
			c.checkEnum(p, path, v)
			return v
		}
	case nil:
		if p.Nullable {
			c.checkEnum(p, path, nil)
			return nil
		}
		c.note(path, "want %s, found null; leave the parameter out to not give it", withArticle(p.Type))
		return nil
	}
	c.note(path, "want %s, found %s", withArticle(p.Type), c.show(value))
	return value
}

// checkProperties checks the members of an object as CheckArguments checks arguments.
func (c *checker) checkProperties(p *Parameter, path string, object map[string]any) {
	if p.Properties == nil {
		return
	}
	for i := range p.Properties {
		property := &p.Properties[i]
		at := memberPath(path, property.Name)
		value, given := object[property.Name]
		switch {
		case given:
			object[property.Name] = c.check(property, at, value)
		case property.Required:
			c.note(at, "required, and not given")
		case property.Default != nil:
			object[property.Name] = clone(property.Default)
		}
	}
	names := make([]string, 0, len(p.Properties))
	for i := range p.Properties {
		names = append(names, p.Properties[i].Name)
	}
	for _, m := range unknown(path, "property", object, names) {
		c.note(m.path, "%s", m.message)
	}
}

// checkLength checks how many characters or items there are.
func (c *checker) checkLength(path string, n int, least, most *int, what string) {
	plural := func(n int) string {
		if n == 1 {
			return "1 " + what
		}
		return fmt.Sprintf("%d %ss", n, what)
	}
	if least != nil && n < *least {
		c.note(path, "want at least %s, found %d", plural(*least), n)
	}
	if most != nil && n > *most {
		c.note(path, "want at most %s, found %d", plural(*most), n)
	}
}

func (c *checker) checkNumber(p *Parameter, path string, n json.Number) any {
	given, ok := rational(n)
	if !ok { // the decoder has refused it
		c.note(path, "the number is beyond all bounds")
		return n
	}
	if p.Type == TypeInteger {
		if !given.IsInt() {
			c.note(path, "want a whole number, found %s", c.show(n))
			return n
		}
		n = json.Number(given.Num().String())
	}
	if low, ok := rational(json.Number(p.Minimum)); ok && given.Cmp(low) < 0 {
		c.note(path, "want at least %s, found %s", p.Minimum, c.show(n))
	}
	if high, ok := rational(json.Number(p.Maximum)); ok && given.Cmp(high) > 0 {
		c.note(path, "want at most %s, found %s", p.Maximum, c.show(n))
	}
	c.checkEnum(p, path, n)
	return n
}

func (c *checker) checkPattern(p *Parameter, path, text string) {
	if p.Pattern == "" {
		return
	}
	pattern, err := regexp.Compile(anchored(p.Pattern))
	if err != nil { // the loader has refused it
		c.note(path, "the tool's pattern cannot be read: %v", err)
	} else if !pattern.MatchString(text) {
		c.note(path, "want a text that matches %s as a whole, found %s", p.Pattern, c.show(text))
	}
}

func (c *checker) checkEnum(p *Parameter, path string, value any) {
	if len(p.Enum) == 0 {
		return
	}
	for _, allowed := range p.Enum {
		if sameValue(allowed, value) {
			return
		}
	}
	if c.secret {
		c.note(path, "the value is none of those that are allowed")
		return
	}
	var all []string
	for _, allowed := range p.Enum {
		all = append(all, showValue(allowed))
	}
	c.note(path, "want one of %s; found %s", strings.Join(all, ", "), c.show(value))
}

func (c *checker) note(path, format string, args ...any) {
	c.wrong = append(c.wrong, misfit{path, fmt.Sprintf(format, args...)})
}

// show returns a value as a message may hold it.
func (c *checker) show(value any) string {
	if c.secret {
		return "another value, which is secret"
	}
	return showValue(value)
}

// showValue returns a value as JSON, shortened, with no character that a reader could not see.
func showValue(value any) string {
	const longest = 60
	text, ok := value.(string)
	if !ok {
		encoded, err := json.Marshal(value)
		if err != nil {
			return err.Error()
		}
		text = string(encoded)
	}
	short := strings.ToValidUTF8(text[:min(len(text), longest)], "")
	if len(short) < len(text) {
		short += "…"
	}
	if ok {
		return strconv.Quote(short)
	}
	return short
}

// sameValue compares JSON values: numbers by value, texts exactly, lists item by item, objects key by key.
func sameValue(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		if !ok {
			return false
		}
		x, okX := rational(a)
		y, okY := rational(b)
		return okX && okY && x.Cmp(y) == 0
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameValue)
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key, value := range a {
			if other, ok := b[key]; !ok || !sameValue(value, other) {
				return false
			}
		}
		return true
	case string, bool, nil:
		return a == b
	}
	return false
}

// clone copies a JSON value, so that no caller can change the tool's own.
func clone(value any) any { return MapLeaves(value, func(leaf any) any { return leaf }) }

func withArticle(t Type) string {
	switch t {
	case TypeInteger:
		return "a whole number"
	case TypeString:
		return "a text"
	case TypeObject:
		return "an object"
	case TypeArray:
		return "a list"
	case TypeBoolean:
		return "true or false"
	}
	return "a " + string(t)
}
