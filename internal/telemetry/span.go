package telemetry

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// Tool is what spans say of a tool beside its id.
type Tool struct {
	Name   string
	Source string // where its entry stands: file and line
}

// spanName is the name of every span: gen_ai.operation.name, and what seed systems call it.
const spanName = "execute_tool"

// mostPending bounds the acts that are remembered until they end.
const mostPending = 4096

// spans makes spans of entries of the record. It is for one goroutine.
type spans struct {
	tool    func(id string) (Tool, bool) // what the configuration has; optional
	pending *lru.Cache[string, *pending] // by act
}

// pending is what is known of an act that has not ended.
type pending struct {
	decided  time.Time
	decision *events.Decision
	told     []*tracepb.Span_Event
}

func newSpans(tool func(string) (Tool, bool)) *spans {
	cache, err := lru.New[string, *pending](mostPending)
	if err != nil {
		panic(err) // the size is positive
	}
	return &spans{tool: tool, pending: cache}
}

// take returns the span that an entry ends; nil for most entries.
func (s *spans) take(e audit.Entry) *tracepb.Span {
	if e.Act != nil && (e.Act.Trial || e.Act.History) || e.TraceID != "" && !e.Sampled {
		return nil // nobody wanted it; or whoever began the trace does not
	}
	key := actOf(e)
	switch e.Type {
	case events.ToolDecided:
		p := s.of(key)
		p.decided, p.decision = e.Time, e.Decision
		if e.Decision == nil || e.Decision.Result != "reject" {
			return nil
		}
		s.pending.Remove(key)
		return s.span(e, p, "denied")
	case events.ApprovalAsked, events.ApprovalAnswered, events.ToolStarted, events.ToolAttempted, events.JobBegun:
		p := s.of(key)
		if len(p.told) < mostAttributes {
			p.told = append(p.told, &tracepb.Span_Event{TimeUnixNano: nano(e.Time), Name: string(e.Type)})
		}
	case events.ToolEnded, events.ToolSeen:
		p := s.of(key)
		s.pending.Remove(key)
		return s.span(e, p, cmp.Or(statusOf(e), events.EndUnknown))
	}
	return nil
}

// of returns what is known of an act, and remembers it from now on.
func (s *spans) of(key string) *pending {
	if p, known := s.pending.Get(key); known {
		return p
	}
	p := &pending{}
	if key != "" {
		s.pending.Add(key, p)
	}
	return p
}

// actOf returns what an act is known by in the record; "" for nothing.
func actOf(e audit.Entry) string {
	if e.CallID != "" {
		return e.CallID
	}
	if e.ToolCall == "" {
		return ""
	}
	return e.Session + "\x00" + e.ToolCall
}

func statusOf(e audit.Entry) string {
	if e.Outcome == nil {
		return ""
	}
	return e.Outcome.Status
}

func (s *spans) span(e audit.Entry, p *pending, status string) *tracepb.Span {
	o := e.Outcome
	if o == nil {
		o = &events.Outcome{}
	}
	begun := e.Time.Add(-time.Duration(o.Millis * float64(time.Millisecond)))
	if !p.decided.IsZero() && p.decided.Before(begun) {
		begun = p.decided
	}
	traceID, spanID, parent := ids(e)
	span := &tracepb.Span{
		TraceId: traceID, SpanId: spanID, ParentSpanId: parent, Name: spanName, Kind: tracepb.Span_SPAN_KIND_INTERNAL,
		StartTimeUnixNano: nano(begun), EndTimeUnixNano: nano(e.Time), Events: p.told, Status: &tracepb.Status{},
	}
	id := toolID(e)
	known, configured := Tool{}, false
	if s.tool != nil {
		known, configured = s.tool(id)
	}
	if !configured {
		known.Name = id
	}
	a := attributes{}
	a.text("tool.id", id)
	a.text("tool.name", known.Name)
	a.text("tool.source_path", known.Source)
	a.text("tool.execution_mode", executionMode(o))
	a.number("tool.execution_time_ms", o.Millis)
	a.text("tool.status", status)
	a.text("gen_ai.operation.name", spanName)
	a.text("gen_ai.tool.name", id)
	a.text("gen_ai.tool.type", "function")
	a.text("gen_ai.tool.call.id", cmp.Or(e.ToolCall, e.CallID))
	a.text("gen_ai.agent.name", e.Agent)
	a.text("gen_ai.conversation.id", cmp.Or(e.Context, e.Session))
	a.text("a2a_acp.call.id", e.CallID)
	a.text("a2a_acp.task.id", e.Task)
	a.text("a2a_acp.door", e.Door)
	a.text("a2a_acp.principal", e.Principal)
	a.text("a2a_acp.sandbox.level", o.Level)
	a.whole("a2a_acp.record.seq", e.Seq)
	if p.decision != nil {
		a.text("a2a_acp.decision", p.decision.Result)
		a.text("a2a_acp.decision.source", p.decision.Source)
		a.text("a2a_acp.decision.rule", p.decision.Rule)
	}
	if o.ExitCode != nil {
		a.whole("process.exit.code", int64(*o.ExitCode))
	}
	if o.Cached {
		a.text("a2a_acp.cached", "true")
	}
	if code := errorCode(status, o); code != "" {
		a.text("error.type", code)
		span.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: code}
	}
	span.Attributes = a
	return span
}

// executionMode says how an act was carried out: in seed systems sync or async_poll. All of ours are sync so far.
func executionMode(o *events.Outcome) string { return cmp.Or(o.By, "sync") }

// ids returns the trace and the span of an act. Where nobody has begun a trace, they are made of the entry's own id,
// so that who is told twice is told the same.
func ids(e audit.Entry) (trace, span, parent []byte) {
	own := sha256.Sum256([]byte(cmp.Or(e.CallID, e.ID)))
	trace, span = hexBytes(e.TraceID, 16), hexBytes(e.SpanID, 8)
	if trace == nil {
		return own[:16], own[16:24], nil
	}
	if span == nil {
		span = own[16:24]
	}
	return trace, span, hexBytes(e.ParentSpan, 8)
}

func hexBytes(text string, n int) []byte {
	decoded, err := hex.DecodeString(text)
	if err != nil || len(decoded) != n {
		return nil
	}
	return decoded
}

// toolID returns the id of the tool that an entry is about; of an act without one its kind.
func toolID(e audit.Entry) string {
	if e.Act == nil {
		return ""
	}
	return cmp.Or(e.Act.Tool, e.Act.Kind)
}

func nano(t time.Time) uint64 {
	if t.Before(time.Unix(0, 0)) {
		return 0
	}
	return uint64(t.UnixNano()) //nolint:gosec // it is not negative
}

// attributes are those of a span.
type attributes []*commonpb.KeyValue

func (a *attributes) add(key string, value *commonpb.AnyValue) {
	*a = append(*a, &commonpb.KeyValue{Key: key, Value: value})
}

// text adds a text, unless it is empty.
func (a *attributes) text(key, value string) {
	if value != "" {
		a.add(key, &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: cut(value, mostText)}})
	}
}

func (a *attributes) number(key string, value float64) {
	a.add(key, &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: value}})
}

func (a *attributes) whole(key string, value int64) {
	a.add(key, &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: value}})
}
