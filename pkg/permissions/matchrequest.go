package permissions

import (
	"maps"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
)

// nothingSent is what expressions see of an act that sends no request.
var nothingSent = map[string]any{"method": "", "url": "", "path": "", "query": map[string]any{}, "body": map[string]any{}}

// compileRequest compiles what a rule wants of a request.
func (c *compiledRule) compileRequest() {
	c.request = map[string]*compiledMatcher{}
	for part, matcher := range c.Request {
		c.request[part], _ = compileMatcher(matcher)
	}
}

// matchSent compares the HTTP request that the act sends.
func (c *compiledRule) matchSent(v *evaluation) (holds, string) {
	if len(c.request) == 0 {
		return yes, ""
	}
	if v.Sent == nil {
		return no, "it sends no request, and the rule is about one"
	}
	result, because := yes, ""
	for _, part := range slices.Sorted(maps.Keys(c.request)) {
		given, there := partOf(v.Sent, part)
		got, why := c.request[part].match(v, c.Verdict, part, given, there)
		if len(v.Secret) > 0 && why != "" { // it may be made of a secret argument
			why = "the request's " + display.Line(part) + " is not what the rule wants"
		}
		why = strings.Replace(why, "the argument ", "the request's ", 1)
		if got == no {
			return no, why
		}
		if got != yes {
			result, because = got, why
		}
	}
	return result, because
}

// partOf returns a part of a request: method, query.dry, body.price.
func partOf(sent map[string]any, part string) (any, bool) {
	whole, member, deeper := strings.Cut(part, ".")
	value, there := sent[whole]
	if !deeper || !there {
		return value, there
	}
	object, _ := value.(map[string]any)
	value, there = object[member]
	return value, there
}

// checkRequest checks what a rule wants of a request.
func (c *checker) checkRequest(r *Rule) {
	for part, matcher := range r.Request {
		_, faults := compileMatcher(matcher)
		for _, fault := range faults {
			c.add(strings.TrimSuffix("request."+part+"."+fault.Field, "."), fault.Message, fault.Hint)
		}
	}
}

// SentAsTold is the HTTP request of an act as it is recorded, and told to governors. A secret argument may stand in it
// in any encoding, so then only the method is.
func (r *Request) SentAsTold() map[string]any {
	if r.Sent == nil || len(r.Secret) == 0 {
		return r.Sent
	}
	return map[string]any{"method": r.Sent["method"]}
}
