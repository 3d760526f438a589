package executor

import (
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestSourceBreaker checks the circuit of a source: what opens it, whichever of its tools is called; that nothing is
// sent while it is open; that all trials must succeed; and what stands on record of it.
func TestSourceBreaker(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		recovery time.Duration
		answers  []int // of the requests that arrive, 0 for none
		calls    int
		want     []string // the changes
		refused  int      // calls that came to nothing
	}{
		"opens":            {time.Hour, []int{503, 500, 0}, 5, []string{"closed open"}, 2},
		"not by 4xx":       {time.Hour, []int{404, 429, 401, 400, 422, 503, 503, 404}, 8, nil, 0},
		"not by redirects": {time.Hour, []int{302, 302, 302, 302}, 4, nil, 0},
		"three trials":     {time.Nanosecond, []int{503, 503, 503, 200, 200, 200, 200}, 7, []string{"closed open", "open half-open", "half-open closed"}, 0},
		"the last fails":   {time.Nanosecond, []int{503, 503, 503, 200, 200, 500}, 6, []string{"closed open", "open half-open", "half-open open"}, 0},
		"a 404 is no trial": {time.Nanosecond, []int{503, 503, 503, 200, 404, 200, 404, 200}, 8,
			[]string{"closed open", "open half-open", "half-open closed"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var arrived atomic.Int32
			h, list := asking(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				status := 200
				if n := int(arrived.Add(1)); n <= len(test.answers) {
					status = test.answers[n-1]
				}
				if status == 0 {
					conn, _, err := http.NewResponseController(w).Hijack()
					if err == nil {
						conn.Close()
					}
					return
				}
				w.WriteHeader(status)
			}), tool.Answer{})
			list.HTTP.API.Breaker = tool.CircuitBreaker{Failures: 3, Period: time.Hour, Recovery: test.recovery, HalfOpenCalls: 3}
			entry, _ := h.tools.Lookup("work")
			other := *entry
			another := *list
			another.ID = "other"
			other.Tool = &another
			h.tools = NewTools([]*Entry{entry, &other})
			refused := 0
			for n := range test.calls {
				call := h.call(`{}`)
				call.Tool = []string{"work", "other"}[n%2]
				result := h.executor.Execute(t.Context(), call, person{h})
				if result.Error != nil && result.Error.Code == tool.FailCircuitOpen {
					refused++
					if wait, _ := result.Error.Details["retry_after_seconds"].(float64); wait <= 0 || !result.Error.Retryable {
						t.Errorf("%+v", result.Error)
					}
				}
			}
			var changes []string
			for _, e := range h.events {
				if e.Type == events.CircuitChanged {
					changes = append(changes, fmt.Sprintf("%s %s", e.Circuit.Before, e.Circuit.State))
					if e.Circuit.Source != "shop" || e.Circuit.Tool != "" {
						t.Errorf("it is on record as that of %+v", e.Circuit)
					}
				}
			}
			if !slices.Equal(changes, test.want) || refused != test.refused || int(arrived.Load()) != test.calls-test.refused {
				t.Errorf("changes %q, %d refused, %d arrived; want %q, %d", changes, refused, arrived.Load(), test.want, test.refused)
			}
		})
	}
}

// TestCircuitReset checks that a circuit which a person has reset since it opened lets calls through, in a program that
// was running all the time, and that this is on record.
func TestCircuitReset(t *testing.T) {
	t.Parallel()
	var status, arrived atomic.Int32
	status.Store(503)
	h, list := asking(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		arrived.Add(1)
		w.WriteHeader(int(status.Load()))
	}), tool.Answer{})
	list.HTTP.API.Breaker = tool.CircuitBreaker{Failures: 1, Period: time.Hour, Recovery: time.Hour, HalfOpenCalls: 1}
	resets := map[string]time.Time{"shop": time.Now().Add(-time.Hour), "work": time.Now().Add(time.Hour)}
	h.executor.circuits.reset = func(name string) time.Time { return resets[name] }
	refused := func() bool {
		result := h.execute(t.Context(), `{}`)
		return result.Error != nil && result.Error.Code == tool.FailCircuitOpen
	}
	if opens, is, still := refused(), refused(), refused(); opens || !is || !still {
		t.Fatalf("a reset before it opened has closed it: %v", h.steps)
	}
	resets["shop"] = time.Now()
	if refused() || !refused() || arrived.Load() != 2 {
		t.Fatalf("%d requests arrived: %v", arrived.Load(), h.steps)
	}
	resets["shop"] = time.Now()
	status.Store(200)
	first, second := refused(), refused()
	if first || second || arrived.Load() != 4 {
		t.Fatalf("%d requests arrived: %v", arrived.Load(), h.steps)
	}
	var manual []string
	for _, e := range h.events {
		if e.Circuit != nil {
			manual = append(manual, fmt.Sprint(e.Circuit.Source, " ", e.Circuit.State, " ", e.Circuit.Manual))
		}
	}
	want := []string{"shop open false", "shop closed true", "shop open false", "shop closed true"}
	if !slices.Equal(manual, want) {
		t.Errorf("on record: %q, want %q", manual, want)
	}
}
