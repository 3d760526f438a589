package config

import (
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// The bounds of caching.
const (
	longestTTL  = 7 * 24 * time.Hour
	mostResults = 100_000
)

// cachingNoun is what an entry may say about keeping results.
func cachingNoun() noun[*toolEntry] {
	return noun[*toolEntry]{
		name: "caching",
		called: map[string]string{
			"ttlseconds": "ttl", "expires": "ttl", "maxage": "ttl", "duration": "ttl", "key": "key_template", "size": "max_size",
			"maxentries": "max_size", "enable": "enabled",
		},
		keys: []key[*toolEntry]{
			{"enabled", "true or false", func(e *toolEntry, v value) { v.setBool(&e.tool.Caching.Enabled) }},
			{"ttl", "seconds, or a duration such as 5m", (*toolEntry).readTTL},
			{"max_size", "a whole number of results", func(e *toolEntry, v value) {
				if n, ok := v.whole(1, mostResults); ok {
					e.tool.Caching.Results = int(n)
				}
			}},
			{"key_template", "a text, such as \"{{url}}\"", func(e *toolEntry, v value) {
				if text, ok := v.text(); ok {
					e.tool.Caching.Key, e.cacheKey = text, v
				}
			}},
		},
		elsewhere: []misplaced{{
			[]string{"caching_enabled", "cache_ttl_seconds", "cache_max_size_mb"}, "%s belongs under sandbox; here it is enabled, ttl and max_size",
		}},
	}
}

func (e *toolEntry) readTTL(v value) { v.setDuration(&e.tool.Caching.TTL, longestTTL) }

// readCaching wants to be told in so many words whether results are kept: that they are is never taken for granted.
func (e *toolEntry) readCaching(v value) {
	e.caching = v
	e.tool.Caching = tool.DefaultCaching()
	e.tool.Caching.Enabled = false
	readKeys(v, cachingNoun(), e)
	v.mustHave("enabled", "results are kept only where the entry says `enabled: true`")
}

// sandboxCaching is the original system's way to say it, with keys of sandbox. It is on only where the entry says so.
type sandboxCaching struct {
	enabled value // without a node when not given
	on      bool
	nothing bool          // a bound of 0: nothing would ever be given out
	ttl     time.Duration // 0 when not given
	bytes   int64         // likewise
}

func (e *toolEntry) readCachingEnabled(v value) {
	e.sandboxCaching.enabled = v
	v.setBool(&e.sandboxCaching.on)
}

func (e *toolEntry) readCacheTTL(v value) {
	if n, ok := v.whole(0, int64(longestTTL/time.Second)); ok {
		e.sandboxCaching.ttl = time.Duration(n) * time.Second
		e.sandboxCaching.nothing = e.sandboxCaching.nothing || n == 0
	}
}

func (e *toolEntry) readCacheSize(v value) {
	if n, ok := v.whole(0, 1<<10); ok {
		e.sandboxCaching.bytes = n << 20
		e.sandboxCaching.nothing = e.sandboxCaching.nothing || n == 0
	}
}

// checkCaching settles where caching is said, and refuses to keep the results of a tool that is called for what it does.
func (e *toolEntry) checkCaching() {
	at := e.caching
	if s := e.sandboxCaching; s.enabled.node != nil {
		switch {
		case at.node == nil && s.on && !s.nothing:
			at, e.tool.Caching = s.enabled, tool.DefaultCaching()
			if s.ttl > 0 {
				e.tool.Caching.TTL = s.ttl
			}
			if s.bytes > 0 {
				e.tool.Caching.Bytes = s.bytes
			}
		case at.node != nil && s.on != e.tool.Caching.Enabled:
			s.enabled.fail(ruleTwice, "keep caching, and take this out", "caching is also given in line %d", at.node.Line)
		}
	}
	if !e.tool.Caching.Enabled {
		e.tool.Caching = tool.Caching{}
		return
	}
	if readOnly := e.tool.Annotations.ReadOnly; e.tool.IsDestructive() || readOnly != nil && !*readOnly {
		at.fail(ruleValue, "take caching out", "annotations say that it changes something, and a kept result would leave that undone")
	}
	for _, p := range e.tool.Parameters {
		if p.Secret && (p.Required || p.Default != nil) {
			at.warn("no-effect", "take caching out", "every call gives the secret parameter %s, and the results of such calls are not kept", p.Name)
			break
		}
	}
}
