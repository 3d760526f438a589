package telemetry

import (
	"slices"
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Counters are numbers of what the record says. They are safe for concurrent use.
//
// An agent chooses what its tools and sessions are called, so a label is a name that the configuration has, or a
// word of a fixed list, or "other".
type Counters struct {
	known  func(tool string) bool
	gauges []Gauge

	mu       sync.Mutex
	families map[string]*Family
	seq      int64 // of the last entry
}

// Kind is what kind of metric a family is.
type Kind string

// The kinds.
const (
	KindCounter   Kind = "counter"
	KindGauge     Kind = "gauge"
	KindHistogram Kind = "histogram"
)

// Family is a metric with all its samples.
type Family struct {
	Name, Help string
	Kind       Kind
	Samples    []Sample
}

// Sample is one number, or one histogram.
type Sample struct {
	Labels [][2]string // in a fixed order
	Value  float64
	// Of a histogram: how many were at most as large as each bound of buckets, how many in all, and their sum.
	Buckets []uint64
	Count   uint64
	Sum     float64
}

// Gauge is a number that is looked at when it is asked for.
type Gauge struct {
	Name, Help string
	Read       func() []Sample // it must not block for long; nil for none
}

// buckets are the bounds of durations, in milliseconds.
func buckets() []float64 {
	return []float64{1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000}
}

// NewCounters returns counters that are all 0. known reports whether the configuration has a tool.
func NewCounters(known func(tool string) bool, gauges ...Gauge) *Counters {
	c := &Counters{known: known, gauges: gauges, families: map[string]*Family{}}
	for _, f := range []Family{
		{Name: "tool_executions_total", Kind: KindCounter, Help: "Tool execution attempts, by how they ended."},
		{Name: "tool_execution_duration_ms", Kind: KindHistogram, Help: "How long tool executions took, in milliseconds."},
		{Name: "token_exchange_duration_ms", Kind: KindHistogram, Help: "How long token endpoints took, in milliseconds."},
		{Name: "tool_execution_errors", Kind: KindCounter, Help: "Tool executions that failed, by error_code."},
		{Name: "circuit_breaker_state", Kind: KindGauge, Help: "State of a tool's circuit breaker: 0 closed, 1 half-open, 2 open."},
		{Name: "a2a_acp_decisions_total", Kind: KindCounter, Help: "Decisions, by their result and who made them."},
		{Name: "a2a_acp_questions_total", Kind: KindCounter, Help: "Questions to people."},
		{Name: "a2a_acp_violations_total", Kind: KindCounter, Help: "Acts of an agent's own against a rule or an answer."},
		{Name: "a2a_acp_record_entries", Kind: KindGauge, Help: "Number of the last entry of the record that was counted."},
	} {
		c.families[f.Name] = &f
	}
	return c
}

// Take counts an entry of the record.
func (c *Counters) Take(e audit.Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seq = e.Seq
	if e.Act != nil && (e.Act.Trial || e.Act.History) {
		return // nobody wanted the act itself
	}
	name, door := [2]string{"tool", c.label(toolID(e))}, [2]string{"door", doorOf(e.Door)}
	switch e.Type {
	case events.ToolDecided:
		if e.Decision == nil {
			return
		}
		c.add("a2a_acp_decisions_total", [2]string{"decision", oneOf(e.Decision.Result, "approve", "reject", "ask")},
			[2]string{"source", oneOf(e.Decision.Source, sources()...)}, door)
		if e.Decision.Result == "reject" {
			c.add("tool_executions_total", name, [2]string{"status", "denied"})
			c.add("tool_execution_errors", [2]string{"error_code", string(tool.FailDenied)})
		}
	case events.ToolEnded, events.ToolSeen:
		o := e.Outcome
		if o == nil {
			o = &events.Outcome{}
		}
		status := oneOf(o.Status, statuses()...)
		c.add("tool_executions_total", name, [2]string{"status", status})
		c.observe("tool_execution_duration_ms", o.Millis, name)
		if o.TokenMillis > 0 {
			c.observe("token_exchange_duration_ms", o.TokenMillis, name)
		}
		if code := errorCode(status, o); code != "" {
			c.add("tool_execution_errors", [2]string{"error_code", code})
		}
	case events.CircuitChanged:
		if e.Circuit != nil {
			state := slices.Index([]string{"closed", "half-open", "open"}, e.Circuit.State)
			of := [2]string{"tool", c.label(e.Circuit.Tool)}
			if e.Circuit.Source != "" { // a name of the configuration
				of = [2]string{"source", e.Circuit.Source[:min(len(e.Circuit.Source), mostText)]}
			}
			c.sample("circuit_breaker_state", of).Value = float64(max(state, 0))
		}
	case events.ApprovalAsked:
		c.add("a2a_acp_questions_total", [2]string{"what", "asked"})
	case events.ApprovalAnswered:
		c.add("a2a_acp_questions_total", [2]string{"what", "answered"})
	case events.ToolViolated:
		c.add("a2a_acp_violations_total", door)
	}
}

// other is the label of everything that is not known.
const other = "other"

func (c *Counters) label(id string) string {
	if id == "" || len(id) > mostText || !c.known(id) {
		return other
	}
	return id
}

func oneOf(word string, words ...string) string {
	if slices.Contains(words, word) {
		return word
	}
	return other
}

func doorOf(door string) string { return oneOf(door, "acp", "mcp", "cli", "a2a") }

// sources are who decides.
func sources() []string {
	return []string{"policy", "default", "session", "act", "control_file", "doubt", "tool", "governor", "person", "caller",
		"nobody", "confinement", "fault"}
}

// statuses are how acts end.
func statuses() []string {
	return []string{
		string(tool.StatusCompleted), string(tool.StatusFailed), string(tool.StatusDenied), string(tool.StatusTimeout),
		string(tool.StatusCancelled), events.NotDone, events.EndUnknown,
	}
}

// toolFailed is the code of a tool that has failed by itself.
const toolFailed = "tool_failed"

// errorCode says why an act has failed, in a word of a fixed list; "" for one that has not. The record has a
// failure as CODE: MESSAGE.
func errorCode(status string, o *events.Outcome) string {
	code, _, _ := strings.Cut(o.Error, ":")
	switch {
	case slices.Contains(tool.FailureCodes(), tool.FailureCode(code)):
		return code
	case status == string(tool.StatusFailed):
		return toolFailed
	case slices.Contains(tool.FailureCodes(), tool.FailureCode(status)): // denied, timeout, cancelled
		return status
	}
	return ""
}

// add counts one more.
func (c *Counters) add(family string, labels ...[2]string) { c.sample(family, labels...).Value++ }

// observe counts a duration.
func (c *Counters) observe(family string, value float64, labels ...[2]string) {
	s := c.sample(family, labels...)
	if s.Buckets == nil {
		s.Buckets = make([]uint64, len(buckets()))
	}
	for i, bound := range buckets() {
		if value <= bound {
			s.Buckets[i]++
		}
	}
	s.Count++
	s.Sum += value
}

// sample returns the sample with these labels, which is made where there is none.
func (c *Counters) sample(family string, labels ...[2]string) *Sample {
	f := c.families[family]
	i := slices.IndexFunc(f.Samples, func(s Sample) bool { return slices.Equal(s.Labels, labels) })
	if i < 0 {
		i = len(f.Samples)
		f.Samples = append(f.Samples, Sample{Labels: labels})
	}
	return &f.Samples[i]
}

// Seq returns the number of the entry that was counted last; 0 for none.
func (c *Counters) Seq() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seq
}

// Families returns all metrics as they are now, in the order of their names.
func (c *Counters) Families() []Family {
	c.mu.Lock()
	var list []Family
	for _, f := range c.families {
		now := *f
		now.Samples = slices.Clone(f.Samples)
		for i := range now.Samples {
			now.Samples[i].Buckets = slices.Clone(now.Samples[i].Buckets)
		}
		if f.Name == "a2a_acp_record_entries" {
			now.Samples = []Sample{{Value: float64(c.seq)}}
		}
		list = append(list, now)
	}
	c.mu.Unlock()
	for _, g := range c.gauges {
		list = append(list, Family{Name: g.Name, Help: g.Help, Kind: KindGauge, Samples: g.Read()})
	}
	slices.SortFunc(list, func(a, b Family) int { return strings.Compare(a.Name, b.Name) })
	return list
}
