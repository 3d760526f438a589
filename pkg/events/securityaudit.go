package events

import (
	"bytes"
	"encoding/json"
	"maps"
)

// auditData is an event that the original keeps in its audit. Its details are what the record says beside who
// and when.
func auditData(k kind, e *Event) map[string]any {
	data := who(e)
	data["event_type"], data["severity"] = string(e.Type), k.severity
	if len(k.names) > 0 {
		data["event_type"] = k.names[0]
	}
	if _, known := data["session_id"]; !known {
		data["session_id"] = ""
	}
	data["tool_id"] = toolOf(e)
	data["details"] = details(e)
	return data
}

// Severity returns how bad the event is, in the words of the original's audit: info, warning, error or critical.
func (e *Event) Severity() string { return string(kindOf(e).severity) }

// details are the members of an event that no notification has a place for.
func details(e *Event) map[string]any {
	members := map[string]any{}
	encoded, err := json.Marshal(e)
	if err != nil {
		return members // what was read from the record is JSON
	}
	dec := json.NewDecoder(bytes.NewReader(encoded))
	dec.UseNumber()
	_ = dec.Decode(&members) // it was encoded just now
	maps.DeleteFunc(members, func(name string, _ any) bool {
		switch name {
		case "time", "session_id", "task_id", "context_id", "call_id", "tool_call_id", "agent", "principal",
			"trace_id", "span_id", "parent_span_id", "trace_sampled":
			return true
		}
		return false
	})
	return members
}

// circuitData is a change of a circuit breaker.
func circuitData(_ kind, e *Event) map[string]any {
	if e.Circuit == nil {
		return who(e)
	}
	_, data := circuitEvent(e.Circuit, e.Time)
	return data
}

// clientData is somebody who came to a listener.
func clientData(_ kind, e *Event) map[string]any {
	data, c := who(e), e.Client
	data["status"] = "success"
	if e.Type == ClientRefused {
		data["status"] = "failed"
	}
	if c == nil {
		c = &Client{}
	}
	data["type"], data["client_ip"], data["user_agent"] = c.By, c.Address, c.UserAgent
	if c.Error != "" {
		data["error"] = c.Error
	}
	return data
}
