package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestSpansOfACall has a real call told to a collector, with what the configuration has of its tool; and with a
// secret that it was given in none of what leaves.
func TestSpansOfACall(t *testing.T) {
	t.Parallel()
	const canary = "sk-canary-93bd"
	h := newHome(t)
	h.write("tools.yaml", "version: 2\ntools:\n  greet:\n    name: Say hello\n    parameters: [{name: key, type: string, secret: true}]\n    script: echo {{key}}; exit 4\n")
	h.write("auto_approval_policies.yaml",
		"version: 2\nauto_approval_policies:\n  - {id: greeting, applies_to: [greet], decision: {type: approve, reason: "+canary+"}}\n")
	got := make(chan *tracepb.Span, 100)
	sent := make(chan string, 100)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		sent <- string(data)
		var traces tracepb.TracesData
		if r.URL.Path != "/v1/traces" {
			return
		}
		if err := proto.Unmarshal(data, &traces); err != nil {
			t.Error(err)
		}
		for _, span := range traces.ResourceSpans[0].ScopeSpans[0].Spans {
			got <- span
		}
	}))
	defer collector.Close()
	o := h.options()
	plain := o.Getenv
	o.Getenv = func(name string) string {
		if name == "OTEL_EXPORTER_OTLP_ENDPOINT" {
			return collector.URL
		}
		return plain(name)
	}
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	h.runs(a)
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	call := h.call("greet")
	call.Arguments = []byte(`{"key": "` + canary + `"}`)
	call.Origin.Trace = tool.ParseTrace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "")
	result := a.Executor.Execute(t.Context(), call, nil)
	if err := a.Stop(t.Context()); err != nil { // has the rest sent
		t.Error(err)
	}
	span := <-got
	for key, want := range map[string]string{"tool.id": "greet", "tool.name": "Say hello", "tool.status": "failed",
		"a2a_acp.call.id": result.CallID, "a2a_acp.decision.rule": "greeting", "error.type": "tool_failed"} {
		value := ""
		for _, a := range span.Attributes {
			if a.Key == key {
				value = a.Value.GetStringValue()
			}
		}
		if value != want {
			t.Errorf("%s is %q, want %q", key, value, want)
		}
	}
	if string(span.TraceId[:2]) != "\x0a\xf7" {
		t.Errorf("it belongs to the trace %x", span.TraceId)
	}
	close(sent)
	requests := 0
	for request := range sent {
		requests++
		if strings.Contains(request, canary) {
			t.Errorf("the secret has left: %q", request)
		}
	}
	if requests < 2 { // spans, and numbers at the end
		t.Errorf("%d requests", requests)
	}
}

// TestCollectorHangs has a collector that takes connections and answers nobody, and a daemon that would wait an hour for
// it: a call, the daemon's end and that of the process do not.
func TestCollectorHangs(t *testing.T) {
	t.Parallel()
	over, asked := make(chan struct{}), make(chan struct{}, 100)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) //nolint:errcheck // it has gone
		asked <- struct{}{}
		<-over
	}))
	defer collector.Close()
	defer close(over)
	h := newHome(t)
	h.write("tools.yaml", "version: 2\ntools:\n  v: {script: echo hello}\n")
	h.write("auto_approval_policies.yaml", "version: 2\nauto_approval_policies:\n"+
		"  - {id: yes, applies_to: [v], decision: {type: approve}}\n")
	o := h.options()
	plain := o.Getenv
	o.Getenv = func(name string) string {
		switch name {
		case "OTEL_EXPORTER_OTLP_ENDPOINT":
			return collector.URL
		case "OTEL_EXPORTER_OTLP_TIMEOUT":
			return "3600000"
		case "OTEL_BSP_SCHEDULE_DELAY", "OTEL_METRIC_EXPORT_INTERVAL":
			return "1"
		}
		return plain(name)
	}
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	h.runs(a)
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := h.daemon(a, func(o *DaemonOptions) { o.doors = append(o.doors, callDoor(a)) })
	for range 2 { // the numbers, and the spans
		if status, body := d.call("/call", d.token()); status != http.StatusOK || body != "completed hello\n" {
			t.Errorf("%d, %s", status, body)
		}
		<-asked
	}
	d.end(syscall.SIGTERM)
	if err := a.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}
