package tools

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// retryDetails, breakerDetails and cachingDetails are what an entry says about failing and repeating, in
// `tools show -o json`. Times are in seconds.
type retryDetails struct {
	Attempts   int     `json:"attempts"`
	Backoff    string  `json:"backoff"`
	Multiplier float64 `json:"multiplier"`
	Delay      float64 `json:"initial_delay"`
	MaxDelay   float64 `json:"max_delay"`
}

type breakerDetails struct {
	Failures      int             `json:"failure_threshold"`
	Period        float64         `json:"monitoring_period"`
	Recovery      float64         `json:"recovery_timeout"`
	HalfOpenCalls int             `json:"half_open_max_calls"`
	LastChange    *circuitDetails `json:"last_change,omitempty"`
}

type circuitDetails struct {
	events.Circuit
	Time time.Time `json:"time"`
}

type cachingDetails struct {
	TTL     float64 `json:"ttl"`
	Results int     `json:"max_size"`
	Bytes   int64   `json:"max_bytes"`
	Key     string  `json:"key_template,omitempty"`
}

// shownPolicy returns the three of a tool, nil for those that it does not have.
func shownPolicy(env *cli.Environment, t *tool.Tool) (*retryDetails, *breakerDetails, *cachingDetails) {
	var retry *retryDetails
	if r := t.Retry; r.Attempts > 1 {
		retry = &retryDetails{r.Attempts, string(r.Backoff), r.Multiplier, r.Delay.Seconds(), r.MaxDelay.Seconds()}
	}
	var breaker *breakerDetails
	if b := t.CircuitBreaker; b.Failures > 0 {
		breaker = &breakerDetails{b.Failures, b.Period.Seconds(), b.Recovery.Seconds(), b.HalfOpenCalls,
			lastChange(env, t.ID)}
	}
	var caching *cachingDetails
	if c := t.Caching; c.Enabled {
		caching = &cachingDetails{c.TTL.Seconds(), c.Results, c.Bytes, c.Key}
	}
	return retry, breaker, caching
}

// lastChange returns the last change of a tool's circuit that is on record; nil when there is none, or the
// record cannot be read. A circuit lives in the program that makes the calls, and its changes are on
// record: that is where others see it.
func lastChange(env *cli.Environment, id string) *circuitDetails {
	dir, err := app.StateDir(env.AppOptions(nil, nil))
	if err != nil {
		return nil
	}
	var last *circuitDetails
	// What cannot be read is told by audit list; here the rest is better than nothing.
	_ = audit.Scan(filepath.Join(dir, "audit"), audit.OfType(events.CircuitChanged), func(e audit.Entry) error {
		if e.Type == events.CircuitChanged && e.Circuit != nil && e.Circuit.Tool == id {
			last = &circuitDetails{*e.Circuit, e.Time}
		}
		return nil
	})
	return last
}

// writePolicy tells what happens when calls of a tool fail or repeat.
func writePolicy(env *cli.Environment, w io.Writer, t *tool.Tool) {
	retry, breaker, caching := shownPolicy(env, t)
	if retry == nil && breaker == nil && caching == nil {
		return
	}
	fmt.Fprintln(w, "\nWhen calls fail or repeat")
	if retry != nil {
		growing := ""
		if t.Retry.Backoff == tool.BackoffExponential {
			growing = fmt.Sprintf(", then %g times as long each time, no more than %s", retry.Multiplier,
				t.Retry.MaxDelay)
		}
		fmt.Fprintf(w, "  tried up to %d times while it fails, %s apart%s\n", retry.Attempts,
			min(t.Retry.Delay, t.Retry.MaxDelay), growing)
	}
	if b := t.CircuitBreaker; breaker != nil {
		fmt.Fprintf(w, "  refused for %s after %s within %s; %d on trial then, and all must succeed\n",
			b.Recovery, display.Count(b.Failures, "failure", "failures"), b.Period, b.HalfOpenCalls)
		fmt.Fprintf(w, "  circuit: %s\n", circuitState(env.Now(), breaker.LastChange))
	}
	if c := t.Caching; caching != nil {
		fmt.Fprintf(w, "  a result is given to the same call for %s; %d of them and %d MB are kept at the most\n",
			c.TTL, c.Results, c.Bytes>>20)
		if c.Key != "" {
			fmt.Fprintf(w, "  the same call is one with the same %s\n", display.Line(c.Key))
		}
	}
}

// circuitState says in words what the record knows of a circuit.
func circuitState(now time.Time, last *circuitDetails) string {
	switch {
	case last == nil:
		return "closed; no change is on record"
	case last.State == "open" && now.Before(last.Until):
		return fmt.Sprintf("open since %s, calls are refused until %s", cli.Clock(last.Time), cli.Clock(last.Until))
	case last.State == "open":
		return fmt.Sprintf("open since %s, and the next call is a trial", cli.Clock(last.Time))
	}
	return fmt.Sprintf("%s since %s", last.State, cli.Clock(last.Time))
}
