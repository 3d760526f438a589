package executor

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestRate checks that a source is sent no more requests than its rate_limit says, whichever of its tools is called and
// whatever they are for; that one waits for its turn; and that what would wait too long is not sent, and can be tried again.
func TestRate(t *testing.T) {
	t.Parallel()
	var arrived atomic.Int32
	h, list := asking(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived.Add(1)
		if r.URL.Query().Get("page") == "1" {
			w.Header().Set("Link", `<?page=2>; rel="next"`)
		}
		w.Write([]byte("[1]"))
	}), tool.Answer{Pages: tool.Pages{Next: tool.NextLink, Items: "/", Most: 5}})
	list.HTTP.API.Rate = tool.RateLimit{Requests: 3, Per: time.Minute, Wait: time.Minute}
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var slept time.Duration
	turns := &turns{now: func() time.Time { return clock }, sleep: func(ctx context.Context, d time.Duration) error {
		slept += d
		clock = clock.Add(d)
		return context.Cause(ctx)
	}}
	h.executor.turns = turns
	h.executor.requests = requests{client: h.executor.client, turns: turns}
	entry, _ := h.tools.Lookup("work")
	other := *entry
	another := *list
	another.ID = "other"
	other.Tool = &another
	h.tools = NewTools([]*Entry{entry, &other})
	call := func(name string) tool.Result {
		call := h.call(`{}`)
		call.Tool = name
		return h.executor.Execute(t.Context(), call, person{h})
	}
	if r := call("work"); r.Error != nil || slept != 0 || arrived.Load() != 2 { // two pages
		t.Fatalf("%v, slept %s, %d requests", r.Error, slept, arrived.Load())
	}
	if r := call("other"); r.Error != nil || slept != time.Minute || arrived.Load() != 4 { // its second page waits
		t.Fatalf("%v, slept %s, %d requests", r.Error, slept, arrived.Load())
	}
	list.HTTP.API.Rate.Wait, another.HTTP.API.Rate.Wait = time.Second, time.Second // and so it counts anew
	call("work")
	r := call("work")
	if r.Error == nil || r.Error.Code != tool.FailRateLimit || !r.Error.Retryable || r.Error.Details["retry_after_seconds"] != 60.0 ||
		!strings.Contains(r.Error.Message, "page 2: nothing was sent") || arrived.Load() != 7 {
		t.Errorf("%+v, %d requests", r.Error, arrived.Load())
	}
	r = call("other")
	if r.Error == nil || r.Error.Code != tool.FailRateLimit || arrived.Load() != 7 {
		t.Errorf("%+v, %d requests", r.Error, arrived.Load())
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	list.HTTP.API.Rate.Wait = time.Hour
	h.executor.turns.wait(t.Context(), &act{tool: list})
	h.executor.turns.wait(t.Context(), &act{tool: list})
	h.executor.turns.wait(t.Context(), &act{tool: list})
	if failure := h.executor.turns.wait(gone, &act{tool: list}); failure == nil || failure.Code != tool.FailCancelled {
		t.Errorf("a caller who left got %v", failure)
	}
}
