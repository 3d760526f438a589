package events

import (
	"cmp"
	"strconv"
	"time"
)

// CloudEvent is an event in the form of CloudEvents 1.0 (JSON, structured).
type CloudEvent struct {
	SpecVersion     string         `json:"specversion"`
	ID              string         `json:"id"`
	Source          string         `json:"source"`
	Type            string         `json:"type"`
	Subject         string         `json:"subject,omitempty"`
	Time            time.Time      `json:"time"`
	DataContentType string         `json:"datacontenttype"`
	Sequence        string         `json:"sequence"`              // the number of the record: extension "sequence"
	Traceparent     string         `json:"traceparent,omitempty"` // extension "distributed tracing"
	Data            map[string]any `json:"data"`
}

// cloudSource names the program as the source of its events; their ids are unique everywhere.
const cloudSource = "a2a-acp"

// CloudEvent returns the event as CloudEvents 1.0 has it. Its data is that of the Notification; a circuit
// breaker's is that of the system which seed 002 describes, with its types.
func (r Recorded) CloudEvent() CloudEvent {
	out := CloudEvent{SpecVersion: "1.0", ID: r.ID, Source: cloudSource, Type: "a2a-acp." + string(r.Type) + ".v1",
		Subject: r.subject(), Time: r.Time.UTC(), DataContentType: "application/json",
		Sequence: strconv.FormatInt(r.Seq, 10), Traceparent: r.Trace().Header()}
	if c := r.Circuit; r.Type == CircuitChanged && c != nil {
		out.Type, out.Data = circuitEvent(c, r.Time)
		return out
	}
	k := kindOf(&r.Event)
	out.Data = k.data(k, &r.Event)
	return out
}

// subject is what the event is about, as far as that has a name.
func (r Recorded) subject() string {
	switch {
	case r.Circuit != nil:
		return cmp.Or(r.Circuit.Tool, r.Circuit.Source)
	case r.Act != nil && r.Act.Tool != "":
		return r.Act.Tool
	}
	return cmp.Or(r.Task, r.Session)
}

// circuitEvent returns type and data of a change of a circuit breaker. The members are those of tools-provider
// (domain/events/circuit_breaker.py).
func circuitEvent(c *Circuit, at time.Time) (kind string, data map[string]any) {
	id := cmp.Or(c.Tool, c.Source)
	data = map[string]any{"circuit_id": id, "circuit_type": "tool_execution", "source_id": id,
		"state": c.State, "previous_state": c.Before}
	switch c.State {
	case circuitOpen:
		data["failure_count"], data["failure_threshold"] = c.Failures, c.Threshold
		data["last_failure_time"] = timeOrNil(c.LastFailure)
		data["reason"] = "failure_threshold_reached"
		if c.Before == circuitHalfOpen {
			data["reason"] = "test_call_failed"
		}
		data["open_until"] = timeOrNil(c.Until)
		return "circuit_breaker.opened.v1", data
	case circuitHalfOpen:
		data["recovery_timeout"], data["opened_at"] = c.Recovery, timeOrNil(c.Opened)
		data["reason"] = "recovery_timeout_elapsed"
		return "circuit_breaker.half_opened.v1", data
	}
	data["reason"], data["closed_at"] = "test_call_succeeded", timeOrNil(at)
	data["was_manual"], data["closed_by"] = c.Manual, nil
	if c.Manual {
		data["reason"] = "manual_reset"
	}
	return "circuit_breaker.closed.v1", data
}

// The states of a circuit breaker, as sony/gobreaker writes them.
const (
	circuitOpen     = "open"
	circuitHalfOpen = "half-open"
)

func timeOrNil(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC()
}
