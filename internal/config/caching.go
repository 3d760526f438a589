package config

import (
	"time"

	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// The bounds of caching.
const (
	longestTTL  = 7 * 24 * time.Hour
	mostResults = 100_000
)

// cachingMapping is what an entry may say about keeping results.
func cachingMapping() yamldoc.Mapping[*toolEntry] {
	return yamldoc.Mapping[*toolEntry]{
		Name: "caching",
		Synonyms: map[string]string{
			"ttlseconds": "ttl", "expires": "ttl", "maxage": "ttl", "duration": "ttl", "key": "key_template",
			"size": "max_size", "maxentries": "max_size", "enable": "enabled",
		},
		Keys: []yamldoc.Key[*toolEntry]{
			yamldoc.NewKey("enabled", "true or false", func(e *toolEntry, v yamldoc.Value) {
				v.SetBool(&e.tool.Caching.Enabled)
			}),
			yamldoc.NewKey("ttl", "seconds, or a duration such as 5m", (*toolEntry).readTTL),
			yamldoc.NewKey("max_size", "a whole number of results", func(e *toolEntry, v yamldoc.Value) {
				if n, ok := v.Int(1, mostResults); ok {
					e.tool.Caching.Results = int(n)
				}
			}),
			yamldoc.NewKey("key_template", "a text, such as \"{{url}}\"",
				func(e *toolEntry, v yamldoc.Value) {
					if text, ok := v.Text(); ok {
						e.tool.Caching.Key, e.cacheKey = text, v
					}
				}),
			yamldoc.NewKey("http", "true or false", func(e *toolEntry, v yamldoc.Value) { v.SetBool(&e.tool.Caching.HTTP) }),
		},
		Elsewhere: []yamldoc.Misplaced{{
			Names: []string{"caching_enabled", "cache_ttl_seconds", "cache_max_size_mb"},
			Hint:  "%s belongs under sandbox; here it is enabled, ttl and max_size",
		}},
	}
}

func (e *toolEntry) readTTL(v yamldoc.Value) { v.SetDuration(&e.tool.Caching.TTL, longestTTL) }

// readCaching wants to be told in so many words whether results are kept: that they are is never taken for
// granted.
func (e *toolEntry) readCaching(v yamldoc.Value) {
	e.caching = v
	e.tool.Caching = tool.DefaultCaching()
	e.tool.Caching.Enabled = false
	yamldoc.ReadKeys(v, cachingMapping(), e)
	if e.tool.Caching.HTTP {
		e.checkCachingAlone(v)
		return
	}
	v.Require("enabled", "results are kept only where the entry says `enabled: true`")
}

// checkCachingAlone refuses what else is said beside http: true. The server says how long, and what is the same request
// nobody else does.
func (e *toolEntry) checkCachingAlone(v yamldoc.Value) {
	for _, name := range []string{"enabled", "ttl", "max_size", "key_template"} {
		if other, both := v.Get(name); both && (name != "enabled" || e.tool.Caching.Enabled) {
			other.Fail(yamldoc.RuleValue, "keep one of them",
				"with http: true the server says what is kept, and for how long, so %s has no meaning", name)
		}
	}
	e.tool.Caching = tool.Caching{HTTP: true}
}

// checkHTTPCaching refuses to keep the answers of what sends another request than a plain GET or HEAD.
func (e *toolEntry) checkHTTPCaching() {
	at, _ := e.caching.Get("http")
	h := e.http
	if h == nil {
		at.Fail(yamldoc.RuleValue, "write enabled: true and ttl",
			"http: true is for a tool that sends a request (http), and this runs a program")
		return
	}
	fail := func(cure, why string) {
		at.Fail(ruleHTTP, cure, "answers are not kept of a request %s", why)
	}
	for _, not := range []struct{ key, why string }{
		{"paginate", "that has further pages"}, {"poll", "that begins a job"}, {"poll_config", "that begins a job"},
	} {
		if h.at.Has(not.key) {
			fail("take one of caching and "+not.key+" out", not.why)
		}
	}
	if h.spec.Method != "" && h.spec.Method != "GET" && h.spec.Method != "HEAD" {
		fail("take it out", "with the method "+h.spec.Method+": of GET and HEAD they are")
	}
	if e.tool.HTTP.Answer.Stream != "" {
		fail("take one of caching and stream out", "whose answer is a stream")
	}
	if e.tool.HTTP.API.Redirects > 0 {
		fail("take redirects out of the source, or caching out", "that may be led elsewhere")
	}
	if e.tool.Output.Spill {
		fail("take spill out of output", "whose answer goes to a file")
	}
	for _, header := range h.spec.Headers {
		if request.IsConditional(header.Name) {
			fail("take that header out: what is kept is asked about by itself", "with the header "+header.Name)
		}
	}
}

// sandboxCaching is the original system's way to say it, with keys of sandbox. It is on only where the entry
// says so.
type sandboxCaching struct {
	enabled yamldoc.Value // without a node when not given
	on      bool
	nothing bool          // a bound of 0: nothing would ever be given out
	ttl     time.Duration // 0 when not given
	bytes   int64         // likewise
}

func (e *toolEntry) readCachingEnabled(v yamldoc.Value) {
	e.sandboxCaching.enabled = v
	v.SetBool(&e.sandboxCaching.on)
}

func (e *toolEntry) readCacheTTL(v yamldoc.Value) {
	if n, ok := v.Int(0, int64(longestTTL/time.Second)); ok {
		e.sandboxCaching.ttl = time.Duration(n) * time.Second
		e.sandboxCaching.nothing = e.sandboxCaching.nothing || n == 0
	}
}

func (e *toolEntry) readCacheSize(v yamldoc.Value) {
	if n, ok := v.Int(0, 1<<10); ok {
		e.sandboxCaching.bytes = n << 20
		e.sandboxCaching.nothing = e.sandboxCaching.nothing || n == 0
	}
}

// checkCaching settles where caching is said, and refuses to keep the results of a tool that is called for
// what it does.
func (e *toolEntry) checkCaching() {
	at := e.caching
	if s := e.sandboxCaching; s.enabled.Node != nil {
		switch {
		case at.Node == nil && s.on && !s.nothing:
			at, e.tool.Caching = s.enabled, tool.DefaultCaching()
			if s.ttl > 0 {
				e.tool.Caching.TTL = s.ttl
			}
			if s.bytes > 0 {
				e.tool.Caching.Bytes = s.bytes
			}
		case at.Node != nil && s.on != e.tool.Caching.Enabled:
			s.enabled.Fail(ruleTwice, "keep caching, and take this out", "caching is also given in line %d",
				at.Node.Line)
		}
	}
	if e.tool.Caching.HTTP {
		e.checkHTTPCaching()
	} else if !e.tool.Caching.Enabled {
		e.tool.Caching = tool.Caching{}
		return
	}
	if readOnly := e.tool.Annotations.ReadOnly; e.tool.IsDestructive() || readOnly != nil && !*readOnly {
		at.Fail(yamldoc.RuleValue, "take caching out",
			"annotations say that it changes something, and a kept result would leave that undone")
	}
	if again := e.tool.Annotations.Idempotent; again != nil && !*again && !e.tool.IsReadOnly() {
		at.Fail(yamldoc.RuleValue, "keep the one that is true",
			"annotations say that it is not idempotent, and a kept result would stand for another run")
	}
	for _, p := range e.tool.Parameters {
		if p.Secret && (p.Required || p.Default != nil) {
			at.Warn("no-effect", "take caching out",
				"every call gives the secret parameter %s, and the results of such calls are not kept",
				p.Name)
			break
		}
	}
}
