package config

import (
	"time"

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
	v.Require("enabled", "results are kept only where the entry says `enabled: true`")
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
	if !e.tool.Caching.Enabled {
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
