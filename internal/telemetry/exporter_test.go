package telemetry

import (
	"compress/gzip"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metricspb "go.opentelemetry.io/proto/slim/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// canary stands for what must never leave.
const canary = "sk-canary-7f3a"

// collector is a server that takes OTLP, and keeps what it got.
type collector struct {
	*httptest.Server
	spans   chan *tracepb.Span
	numbers chan *metricspb.MetricsData

	mu     sync.Mutex
	raw    []byte
	header http.Header
	asked  chan struct{} // gets one for each request, while there is room
	answer []int         // statuses of the next answers; then 200
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{spans: make(chan *tracepb.Span, 1000), numbers: make(chan *metricspb.MetricsData, 1000),
		asked: make(chan struct{}, 1)}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		var err error
		if body, err = gzip.NewReader(r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	data, err := io.ReadAll(body)
	if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/x-protobuf" {
		http.Error(w, "no OTLP", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	c.raw, c.header = append(c.raw, data...), r.Header.Clone()
	status := http.StatusOK
	if len(c.answer) > 0 {
		status, c.answer = c.answer[0], c.answer[1:]
	}
	c.mu.Unlock()
	select {
	case c.asked <- struct{}{}:
	default:
	}
	if status != http.StatusOK {
		w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
		w.WriteHeader(status)
		return
	}
	switch r.URL.Path {
	case "/v1/traces":
		var traces tracepb.TracesData
		if err := proto.Unmarshal(data, &traces); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		for _, resource := range traces.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				for _, span := range scope.Spans {
					c.spans <- span
				}
			}
		}
	case "/v1/metrics":
		var metrics metricspb.MetricsData
		if err := proto.Unmarshal(data, &metrics); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		c.numbers <- &metrics
	default:
		http.NotFound(w, r)
	}
}

func (c *collector) sent() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.raw)
}

// home is a state directory with a record, and who exports from it.
type home struct {
	*testing.T
	dir string
	log *audit.Log

	mu   sync.Mutex
	said []string
}

func newHome(t *testing.T) *home {
	t.Helper()
	h := &home{T: t, dir: t.TempDir()}
	log, err := audit.Options{Say: func(string) {}}.Open(filepath.Join(h.dir, "audit"))
	if err != nil {
		t.Fatal(err)
	}
	h.log = log
	t.Cleanup(func() { log.Close() })
	return h
}

func (h *home) record(e events.Event) {
	h.Helper()
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	if err := h.log.Record(context.Background(), e); err != nil {
		h.Fatal(err)
	}
}

func (h *home) say(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said = append(h.said, line)
}

func (h *home) lines() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.said, "\n")
}

// export begins to send to an address. With hurry nothing is waited for between two tries.
func (h *home) export(url string, hurry bool, more map[string]string) *Exporter {
	h.Helper()
	env := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_BSP_SCHEDULE_DELAY": "1",
		"OTEL_METRICS_EXPORTER": "none"}
	for name, value := range more {
		env[name] = value
	}
	d, problems := Read(Source{Getenv: func(name string) string { return env[name] }})
	if d == nil || len(problems) > 0 {
		h.Fatalf("nothing is sent: %v", problems)
	}
	o := Options{Destination: d, Record: filepath.Join(h.dir, "audit"), State: filepath.Join(h.dir, "telemetry"), Known: isGrep,
		Tool: func(id string) (Tool, bool) { return Tool{"Search", "tools.yaml:12"}, id == "grep" }, Version: "1.2.3", Say: h.say}
	if hurry {
		now := make(chan time.Time)
		close(now)
		o.Wait = func(time.Duration) <-chan time.Time { return now }
	}
	e, err := Export(o)
	if err != nil {
		h.Fatal(err)
	}
	return e
}

// next returns the next span of a call of grep.
func (h *home) next(c *collector) *tracepb.Span {
	h.Helper()
	for span := range c.spans {
		if attribute(span, "tool.id") == "grep" {
			return span
		}
	}
	return nil
}

func attribute(span *tracepb.Span, key string) string {
	for _, a := range span.Attributes {
		if a.Key == key {
			switch {
			case a.Value.GetStringValue() != "":
				return a.Value.GetStringValue()
			case a.Value.GetDoubleValue() != 0:
				return fmt.Sprint(a.Value.GetDoubleValue())
			}
			return fmt.Sprint(a.Value.GetIntValue())
		}
	}
	return ""
}

// call records a call of grep as it is recorded, with what must not leave in all that is text.
func (h *home) call(id string, trace tool.Trace) {
	h.Helper()
	act := &events.Act{Kind: "call", Tool: "grep", Title: canary, Paths: []string{"/home/" + canary}, Shell: "grep " + canary,
		Arguments: map[string]any{"pattern": canary}, Dir: "/work/" + canary, Commands: []string{canary}}
	for _, e := range []events.Event{
		{Type: events.ToolDecided, Decision: &events.Decision{DecisionSummary: tool.DecisionSummary{Result: "approve", Source: "policy",
			Rule: "searching", Reason: canary}, Reasons: []string{canary}, Environment: map[string]string{"TOKEN": canary}}},
		{Type: events.ToolStarted},
		{Type: events.ToolEnded, Outcome: &events.Outcome{Status: "failed", Millis: 12.5, Level: "full", ExitCode: new(int),
			Error: "resource_limit: " + canary, Changed: []string{canary}, Diagnostics: map[string]any{"detail": canary}}},
	} {
		e.CallID, e.Door, e.Session, e.Agent, e.Act, e.Detail = id, "mcp", "s1", "gemini", act, canary
		e.Under(trace)
		h.record(e)
	}
}

func TestSpans(t *testing.T) {
	t.Parallel()
	h, c := newHome(t), newCollector(t)
	e := h.export(c.URL, false, map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "x-key=k", "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"})
	trace := tool.Trace{ID: "0af7651916cd43dd8448eb211c80319c", Parent: "b7ad6b7169203331", Sampled: true}.Child()
	h.call("c1", trace)
	span := h.next(c)
	if got := hex.EncodeToString(span.TraceId) + hex.EncodeToString(span.ParentSpanId) + hex.EncodeToString(span.SpanId); got !=
		trace.ID+trace.Parent+trace.Span {
		t.Errorf("it belongs to %s", got)
	}
	if span.Name != "execute_tool" || span.EndTimeUnixNano-span.StartTimeUnixNano < 12_500_000 {
		t.Errorf("%s takes %d ns", span.Name, span.EndTimeUnixNano-span.StartTimeUnixNano)
	}
	for key, want := range map[string]string{
		"tool.id": "grep", "tool.name": "Search", "tool.source_path": "tools.yaml:12", "tool.execution_mode": "sync",
		"tool.execution_time_ms": "12.5", "tool.status": "failed", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "grep",
		"gen_ai.tool.call.id": "c1", "gen_ai.agent.name": "gemini", "gen_ai.conversation.id": "s1", "error.type": "resource_limit",
		"a2a_acp.decision": "approve", "a2a_acp.decision.rule": "searching", "a2a_acp.sandbox.level": "full", "process.exit.code": "0",
	} {
		if got := attribute(span, key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if span.Status.Code != tracepb.Status_STATUS_CODE_ERROR || len(span.Events) != 1 || span.Events[0].Name != "tool.started" {
		t.Errorf("status %v, events %v", span.Status, span.Events)
	}
	h.record(events.Event{Type: events.ToolDecided, CallID: "c2", Act: &events.Act{Tool: "grep"},
		Decision: &events.Decision{DecisionSummary: tool.DecisionSummary{Result: "reject", Source: "policy"}}})
	if span := h.next(c); attribute(span, "tool.status") != "denied" || attribute(span, "error.type") != "denied" || len(span.TraceId) != 16 {
		t.Errorf("what was denied is told as %v", span)
	}
	h.call("c3", tool.Trace{ID: trace.ID, Parent: trace.Parent}.Child()) // its caller does not want it
	h.call("c4", tool.Trace{})
	if got := attribute(h.next(c), "a2a_acp.call.id"); got != "c4" {
		t.Errorf("%s is told, which its caller has not sampled", got)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if strings.Contains(c.sent(), canary) || strings.Contains(h.lines(), canary) {
		t.Error("what must not leave has left")
	}
	if c.header.Get("X-Key") != "k" || c.header.Get("User-Agent") != "a2a-acp" {
		t.Errorf("headers %v", c.header)
	}
}

// TestToldOnce: of two that are told to send to the same place one does, and what happens in between their lives
// is told as well, once.
func TestToldOnce(t *testing.T) {
	t.Parallel()
	h, c := newHome(t), newCollector(t)
	first := h.export(c.URL, false, nil)
	second := h.export(c.URL, true, nil)
	for i := range 20 {
		h.call(fmt.Sprint("c", i), tool.Trace{})
	}
	told := []string{}
	for len(told) < 20 {
		told = append(told, attribute(h.next(c), "a2a_acp.call.id"))
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	for i := range 20 {
		h.call(fmt.Sprint("c", 20+i), tool.Trace{})
	}
	for len(told) < 40 {
		told = append(told, attribute(h.next(c), "a2a_acp.call.id"))
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	h.call("c40", tool.Trace{}) // while nobody sends
	third := h.export(c.URL, true, nil)
	told = append(told, attribute(h.next(c), "a2a_acp.call.id"))
	if err := third.Close(); err != nil {
		t.Error(err)
	}
	for i, id := range told {
		if id != fmt.Sprint("c", i) {
			t.Fatalf("told in the order %v", told)
		}
	}
	if len(c.spans) > 0 {
		t.Errorf("%d spans more", len(c.spans))
	}
}

// TestCollectorThatIsGone: what is recorded waits for nobody, the end of the process neither, nothing is left
// running, and what was not told is told later.
func TestCollectorThatIsGone(t *testing.T) {
	t.Parallel()
	h, c := newHome(t), newCollector(t)
	c.mu.Lock()
	c.answer = slices.Repeat([]int{http.StatusServiceUnavailable, http.StatusTooManyRequests}, 10_000)
	c.mu.Unlock()
	e := h.export(c.URL, false, nil)
	h.call("warm", tool.Trace{})
	<-c.asked // it has tried
	for i := range 200 {
		h.call(fmt.Sprint("c", i), tool.Trace{})
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if got := strings.Count(h.lines(), "\n"); got > 0 || !strings.Contains(h.lines(), "503") {
		t.Errorf("said: %s", h.lines())
	}
	c.mu.Lock()
	c.answer = nil
	c.mu.Unlock()
	again := h.export(c.URL, true, nil)
	for i := 0; i < 200; {
		if id := attribute(h.next(c), "a2a_acp.call.id"); id == fmt.Sprint("c", i) {
			i++
		} else if id != "warm" {
			t.Fatalf("%s is told where c%d was to be", id, i)
		}
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// TestHostileCollectors has collectors that hang, drip, fail and never stop talking, and wait as long as they like: what
// is recorded waits for none of them, the end for a moment only, and memory does not grow with what is owed. What
// none of them has taken is told when they are mended.
func TestHostileCollectors(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	var wrote, answered atomic.Int64
	for name, answer := range map[string]http.HandlerFunc{
		"hangs": func(http.ResponseWriter, *http.Request) { <-over },
		"drips": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
			w.Write([]byte("x")) //nolint:errcheck // it has gone
			w.(http.Flusher).Flush()
			<-over
		},
		"grows": func(w http.ResponseWriter, _ *http.Request) {
			answered.Add(1)
			w.WriteHeader(http.StatusServiceUnavailable)
			for n, err := 0, error(nil); err == nil; wrote.Add(int64(n)) { // until the client has gone
				n, err = w.Write(make([]byte, 64<<10))
			}
		},
		"long headers": func(w http.ResponseWriter, _ *http.Request) {
			for i := range 100 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 64<<10))
			}
			w.WriteHeader(http.StatusServiceUnavailable)
		},
		"fails": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, good, asked := newHome(t), newCollector(t), make(chan struct{}, 1)
			var mended atomic.Bool
			there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if mended.Load() {
					good.ServeHTTP(w, r)
					return
				}
				io.Copy(io.Discard, r.Body) //nolint:errcheck // it has gone
				select {
				case asked <- struct{}{}:
				default:
				}
				answer(w, r)
			}))
			t.Cleanup(there.CloseClientConnections) // Close waits for handlers
			patient := map[string]string{
				"OTEL_EXPORTER_OTLP_TIMEOUT": "3600000", "OTEL_METRICS_EXPORTER": "otlp", "OTEL_METRIC_EXPORT_INTERVAL": "100"}
			e := h.export(there.URL, false, patient)
			h.call("c0", tool.Trace{})
			<-asked
			for i := range 100 {
				h.call(fmt.Sprint("c", i+1), tool.Trace{})
			}
			if read := e.counters.Seq(); read > 3 { // what is owed stays in the record
				t.Errorf("%d entries were read, while the first call is not told", read)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			mended.Store(true)
			again := h.export(there.URL, false, patient)
			for i := range 101 {
				if id := attribute(h.next(good), "a2a_acp.call.id"); id != fmt.Sprint("c", i) {
					t.Fatalf("%s is told where c%d was to be", id, i)
				}
			}
			if err := again.Close(); err != nil {
				t.Error(err)
			}
			if name == "grows" && wrote.Load() > 16<<20*answered.Load() { // what the kernel holds is not ours
				t.Errorf("%d bytes of %d answers were taken", wrote.Load(), answered.Load())
			}
		})
	}
}

// TestRefusedForGood: what the collector does not take is not sent for ever, and a redirect is not followed.
func TestRefusedForGood(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusBadRequest, http.StatusTemporaryRedirect, http.StatusForbidden} {
		h, c := newHome(t), newCollector(t)
		c.answer = []int{status}
		e := h.export(c.URL, true, nil)
		h.call("c1", tool.Trace{}) // refused, maybe with the next
		h.call("c2", tool.Trace{})
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if !strings.Contains(h.lines(), fmt.Sprint(status)) {
			t.Errorf("%d: said %q", status, h.lines())
		}
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	h, c := newHome(t), newCollector(t)
	e := h.export(c.URL, false, map[string]string{"OTEL_METRICS_EXPORTER": "otlp", "OTEL_METRIC_EXPORT_INTERVAL": "3600000",
		"OTEL_SERVICE_NAME": "guard"})
	h.call("c1", tool.Trace{})
	h.next(c)
	if err := e.Close(); err != nil { // sends them once more
		t.Error(err)
	}
	got := <-c.numbers
	names := map[string]*metricspb.Metric{}
	for _, m := range got.ResourceMetrics[0].ScopeMetrics[0].Metrics {
		names[m.Name] = m
	}
	durations := names["tool_execution_duration_ms"].GetHistogram()
	var grep *metricspb.HistogramDataPoint
	for _, p := range durations.GetDataPoints() {
		if p.Attributes[0].Value.GetStringValue() == "grep" {
			grep = p
		}
	}
	if grep == nil || grep.Count != 1 || grep.GetSum() != 12.5 || len(grep.BucketCounts) != len(grep.ExplicitBounds)+1 || grep.BucketCounts[4] != 1 {
		t.Errorf("durations: %v", durations)
	}
	if names["tool_executions_total"].GetSum() == nil || !names["tool_executions_total"].GetSum().IsMonotonic {
		t.Errorf("executions: %v", names["tool_executions_total"])
	}
	if !strings.Contains(fmt.Sprint(got.ResourceMetrics[0].Resource), `"guard"`) || strings.Contains(c.sent(), canary) {
		t.Errorf("resource %v", got.ResourceMetrics[0].Resource)
	}
}

// TestOnlyThisMachine: a name that means another machine when it is dialled is not sent to.
func TestOnlyThisMachine(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	d, _ := Read(Source{Getenv: func(name string) string {
		return map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": c.URL}[name]
	}})
	to, err := newSender(d.Traces)
	if err != nil {
		t.Fatal(err)
	}
	d.Traces.URL.Host = "192.0.2.1:80" // as if the name had meant that
	if err := to.send(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "is not this machine") {
		t.Errorf("got %v", err)
	}
}
