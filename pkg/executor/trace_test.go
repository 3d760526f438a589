package executor

import (
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestTrace has a call of a trace be on record under it, with a span of its own, which is the parent of whatever the
// tool calls. It is no part of what is decided about, nor of what a kept result is for.
func TestTrace(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	work := script(`printf '%s|%s' "$TRACEPARENT" "$TRACESTATE"`)
	work.Caching = tool.Caching{Enabled: true, TTL: time.Hour, Results: 10, Bytes: 1 << 20}
	h.has(work)
	call := h.call(`{}`)
	call.Origin.Trace = tool.ParseTrace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a=1")
	result := h.executor.Execute(t.Context(), call, person{h})
	first := h.events[0]
	if first.TraceID != "0af7651916cd43dd8448eb211c80319c" || first.ParentSpan != "b7ad6b7169203331" || len(first.SpanID) != 16 || !first.Sampled {
		t.Fatalf("on record: %+v", first)
	}
	if want := "00-" + first.TraceID + "-" + first.SpanID + "-01|a=1"; result.Stdout != want {
		t.Errorf("the tool sees %s, want %s", result.Stdout, want)
	}
	for _, e := range h.events {
		if e.Trace() != first.Trace() {
			t.Errorf("%s is of %+v", e.Type, e.Trace())
		}
	}
	digest := first.Act.Digest
	h.events = nil
	call.Origin.Trace = tool.Trace{}
	again := h.executor.Execute(t.Context(), call, person{h})
	if again.Stdout != result.Stdout || !again.Cached || h.events[0].Act.Digest != digest || h.events[0].TraceID != "" {
		t.Errorf("without a trace: %q, cached %v, %+v", again.Stdout, again.Cached, h.events[0])
	}

	own := script(`printf '%s|%s' "$TRACEPARENT" "${TRACESTATE-unset}"`)
	own.Sandbox.Environment = map[string]string{"TRACEPARENT": "the author's"}
	h.has(own)
	call.Origin.Trace = tool.ParseTrace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", "bad=\n")
	if result := h.executor.Execute(t.Context(), call, person{h}); result.Stdout != "the author's|unset" {
		t.Errorf("got %s", result.Stdout)
	}
	if header := h.events[len(h.events)-1].Trace().Header(); !strings.HasSuffix(header, "-00") {
		t.Errorf("it was not to be sampled: %s", header)
	}
}
