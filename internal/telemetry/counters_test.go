package telemetry

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

func isGrep(id string) bool { return id == "grep" }

func entry(seq int64, e events.Event) audit.Entry {
	return audit.Entry{Seq: seq, ID: fmt.Sprint("id", seq), Event: e}
}

func ended(status, failure string, ms float64) events.Event {
	return events.Event{Type: events.ToolEnded, CallID: "c", Door: "mcp", Act: &events.Act{Kind: "call", Tool: "grep"},
		Outcome: &events.Outcome{Status: status, Error: failure, Millis: ms}}
}

func decided(result, source string) events.Event {
	return events.Event{Type: events.ToolDecided, Door: "mcp", Act: &events.Act{Kind: "call", Tool: "grep"},
		Decision: &events.Decision{DecisionSummary: tool.DecisionSummary{Result: result, Source: source}}}
}

// scrape asks for the numbers as Prometheus does, and reads them with Prometheus' own parser: NAME{LABELS} → value.
func scrape(t *testing.T, c *Counters) map[string]float64 {
	t.Helper()
	server := httptest.NewServer(c.Handler())
	defer server.Close()
	answer, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(string(body)))
	if err != nil {
		t.Fatalf("%v in:\n%s", err, body)
	}
	values := map[string]float64{}
	for name, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			key := name + "{" + strings.Join(labels, ",") + "}"
			switch {
			case m.Counter != nil:
				values[key] = m.GetCounter().GetValue()
			case m.Gauge != nil:
				values[key] = m.GetGauge().GetValue()
			case m.Histogram != nil:
				values[key+"_count"], values[key+"_sum"] = float64(m.GetHistogram().GetSampleCount()), m.GetHistogram().GetSampleSum()
				last := uint64(0)
				for _, b := range m.GetHistogram().GetBucket() {
					if b.GetCumulativeCount() < last {
						t.Errorf("%s: its buckets do not rise", key)
					}
					last = b.GetCumulativeCount()
				}
			}
		}
	}
	return values
}

func TestCounters(t *testing.T) {
	t.Parallel()
	c := NewCounters(isGrep, Gauge{Name: "a2a_acp_approvals_waiting", Help: "Two\nlines, and a \\.", Read: func() []Sample {
		return []Sample{{Value: 2}}
	}})
	for i, e := range []events.Event{
		decided("approve", "policy"), ended("completed", "", 7.5), decided("approve", "person"), ended("failed", "", 30),
		decided("approve", "policy"), ended("timeout", "timeout: the call was ended after 1s", 1000), decided("reject", "policy"),
		{Type: events.CircuitChanged, Circuit: &events.Circuit{Tool: "grep", State: "open"}},
		{Type: events.ToolViolated, Door: "acp"},
		{Type: events.ToolEnded, Act: &events.Act{Tool: "grep", Trial: true}, Outcome: &events.Outcome{Status: "completed"}},
	} {
		c.Take(entry(int64(i+1), e))
	}
	got := scrape(t, c)
	for key, want := range map[string]float64{
		"tool_executions_total{tool=grep,status=completed}":                1,
		"tool_executions_total{tool=grep,status=failed}":                   1,
		"tool_executions_total{tool=grep,status=timeout}":                  1,
		"tool_executions_total{tool=grep,status=denied}":                   1,
		"tool_execution_errors{error_code=tool_failed}":                    1,
		"tool_execution_errors{error_code=timeout}":                        1,
		"tool_execution_errors{error_code=denied}":                         1,
		"tool_execution_duration_ms{tool=grep}_count":                      3,
		"tool_execution_duration_ms{tool=grep}_sum":                        1037.5,
		"circuit_breaker_state{tool=grep}":                                 2,
		"a2a_acp_decisions_total{decision=approve,source=policy,door=mcp}": 2,
		"a2a_acp_decisions_total{decision=approve,source=person,door=mcp}": 1,
		"a2a_acp_decisions_total{decision=reject,source=policy,door=mcp}":  1,
		"a2a_acp_violations_total{door=acp}":                               1,
		"a2a_acp_record_entries{}":                                         10,
		"a2a_acp_approvals_waiting{}":                                      2,
	} {
		if got[key] != want {
			t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
}

// TestLabelsAreBounded: an agent that invents names of tools, sessions, doors, statuses and failures makes no more
// series than one that does not.
func TestLabelsAreBounded(t *testing.T) {
	t.Parallel()
	c := NewCounters(isGrep)
	for i := range int64(5000) {
		name := fmt.Sprintf("tool-%d\"}\n# HELP evil %d", i, i)
		c.Take(entry(2*i+1, events.Event{Type: events.ToolDecided, Session: name, Door: name, Act: &events.Act{Tool: name},
			Decision: &events.Decision{DecisionSummary: tool.DecisionSummary{Result: name, Source: name, Rule: name}}}))
		c.Take(entry(2*i+2, events.Event{Type: events.ToolEnded, Session: name, CallID: name, Act: &events.Act{Tool: name},
			Outcome: &events.Outcome{Status: name, Error: name + ": " + name}}))
		c.Take(entry(2*i+2, events.Event{Type: events.CircuitChanged, Circuit: &events.Circuit{Tool: name, State: name}}))
	}
	series := 0
	for _, f := range c.Families() {
		series += len(f.Samples)
	}
	if series > 10 {
		t.Errorf("%d series", series)
	}
	if got := scrape(t, c)["tool_executions_total{tool=other,status=other}"]; got != 5000 {
		t.Errorf("%v executions, want 5000", got)
	}
}
