package config

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestExecutionPolicy reads retry, circuit_breaker and caching in each way that they can be written, the
// original system's included.
func TestExecutionPolicy(t *testing.T) {
	t.Parallel()
	cached := func(change func(*tool.Caching)) tool.Caching {
		c := tool.DefaultCaching()
		change(&c)
		return c
	}
	for _, test := range []struct {
		name, entry string
		want        tool.Tool // only the three policies
	}{
		{"nothing is said", "name: x", tool.Tool{}},
		{"retry and no more", "retry:", tool.Tool{Retry: tool.DefaultRetry()}},
		{"the seed's retry", "retry: {attempts: 3, backoff: exponential, backoff_multiplier: 2, max_delay: 30}",
			tool.Tool{Retry: tool.Retry{Attempts: 3, Backoff: tool.BackoffExponential, Delay: time.Second,
				Multiplier: 2, MaxDelay: 30 * time.Second}}},
		{"the short name, and texts",
			"retry: {backoff: constant, multiplier: 3, initial_delay: 0.25, max_delay: 1m30s}",
			tool.Tool{Retry: tool.Retry{Attempts: 3, Backoff: tool.BackoffConstant,
				Delay: 250 * time.Millisecond, Multiplier: 3, MaxDelay: 90 * time.Second}}},
		{"retry of what may be run twice",
			"retry: {attempts: 2}\n  annotations: {destructiveHint: true, idempotentHint: true}",
			tool.Tool{Retry: tool.Retry{Attempts: 2, Backoff: tool.BackoffExponential, Delay: time.Second,
				Multiplier: 2, MaxDelay: 30 * time.Second}}},
		{"the seed's breaker",
			"circuit_breaker: {failure_threshold: 5, recovery_timeout: 60, monitoring_period: 30}",
			tool.Tool{CircuitBreaker: tool.DefaultCircuitBreaker()}},
		{"breaker and no more", "circuit_breaker:", tool.Tool{CircuitBreaker: tool.DefaultCircuitBreaker()}},
		{"the seed's caching", `caching: {enabled: true, ttl: 300, max_size: 1000, key_template: "x"}`,
			tool.Tool{Caching: cached(func(c *tool.Caching) { c.Results, c.Key = 1000, "x" })}},
		{"caching that is off", `caching: {enabled: false, ttl: 5, key_template: "same"}`, tool.Tool{}},
		{"the original's caching",
			"sandbox: {caching_enabled: true, cache_ttl_seconds: 3600, cache_max_size_mb: 100}",
			tool.Tool{Caching: cached(func(c *tool.Caching) { c.TTL, c.Bytes = time.Hour, 100<<20 })}},
		{"the original's caching, behind", "sandbox: {cache_max_size_mb: 1, caching_enabled: true}",
			tool.Tool{Caching: cached(func(c *tool.Caching) { c.Bytes = 1 << 20 })}},
		{"the original's caching, off", "sandbox: {caching_enabled: false, cache_ttl_seconds: 3600}",
			tool.Tool{}},
		{"the original's caching, which it does not say", "sandbox: {cache_ttl_seconds: 3600}", tool.Tool{}},
		{"the original's caching of nothing", "sandbox: {caching_enabled: true, cache_ttl_seconds: 0}",
			tool.Tool{}},
		{"both, and they agree",
			"caching: {enabled: true, ttl: 7}\n  sandbox: {caching_enabled: true, cache_ttl_seconds: 9}",
			tool.Tool{Caching: cached(func(c *tool.Caching) { c.TTL = 7 * time.Second })}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tools, err := ReadTools(File{Name: "x.yaml",
				Data: []byte("a:\n  script: echo\n  " + test.entry + "\n")})
			if err != nil {
				t.Fatal(err)
			}
			got := tools[0].Tool
			if diff := cmp.Diff(test.want, tool.Tool{Retry: got.Retry, CircuitBreaker: got.CircuitBreaker,
				Caching: got.Caching}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(tools[0].Warnings) > 0 || got.Unavailable != "" {
				t.Errorf("want silence, got %v, unavailable: %q", tools[0].Warnings, got.Unavailable)
			}
			if key := tools[0].CacheKey != nil; key != (test.want.Caching.Key != "") && got.Caching.Enabled {
				t.Errorf("compiled a key: %t", key)
			}
		})
	}
}

// TestSourceRate reads how often a source is asked.
func TestSourceRate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]tool.RateLimit{
		"{requests: 60, per: 1m}":           {Requests: 60, Per: time.Minute, Wait: tool.DefaultRateWait},
		"{requests: 1, per: 0.5, wait: 2m}": {Requests: 1, Per: 500 * time.Millisecond, Wait: 2 * time.Minute},
		"{count: 3, period: 10}":            {},
	} {
		tools, err := ReadTools(File{Name: "x.yaml", Data: []byte("version: 2\nsources: {s: {base_url: 'https://a.example', rate_limit: " +
			text + "}}\ntools: {t: {description: a, http: {source: s, get: /x}}}\n")})
		if want == (tool.RateLimit{}) {
			if err == nil {
				t.Errorf("%s is read", text)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := tools[0].Tool.HTTP.API.Rate; got != want {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
	}
}
