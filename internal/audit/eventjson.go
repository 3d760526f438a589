package audit

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// encodeWhole returns an event as encode does, to the byte, in a fifth of the time: a decision waits for it. What is
// seldom in a decision is left to encode. The time of the event is in UTC, of a year that JSON can write.
func encodeWhole(e *events.Event) ([]byte, error) {
	o := object{text: make([]byte, 0, 1024)}
	o.begin("")
	o.always("type", string(e.Type))
	o.name("time")
	o.text = append(e.Time.AppendFormat(append(o.text, '"'), time.RFC3339Nano), '"')
	o.string("session_id", e.Session)
	o.string("task_id", e.Task)
	o.string("context_id", e.Context)
	o.string("call_id", e.CallID)
	o.string("tool_call_id", e.ToolCall)
	o.string("asked_by_call_id", e.AskedBy)
	o.string("agent", e.Agent)
	o.string("door", e.Door)
	o.string("principal", e.Principal)
	o.bool("late", e.Late)
	o.string("trace_id", e.TraceID)
	o.string("span_id", e.SpanID)
	o.string("parent_span_id", e.ParentSpan)
	o.bool("trace_sampled", e.Sampled)
	if e.Act != nil {
		o.act(e.Act)
	}
	if e.Decision != nil {
		o.decision(e.Decision)
	}
	if e.Outcome != nil {
		o.outcome(e.Outcome)
	}
	other(&o, "governance", e.Governance, e.Governance != nil)
	other(&o, "job", e.Job, e.Job != nil)
	other(&o, "circuit", e.Circuit, e.Circuit != nil)
	other(&o, "options", e.Options, len(e.Options) > 0)
	other(&o, "progress", e.Progress, e.Progress != nil)
	other(&o, "client", e.Client, e.Client != nil)
	other(&o, "retired", e.Retired, e.Retired != 0)
	other(&o, "damage", e.Damage, len(e.Damage) > 0)
	other(&o, "coverage", e.Coverage, len(e.Coverage) > 0)
	o.strings("command", e.Command)
	other(&o, "files", e.Files, len(e.Files) > 0)
	o.string("detail", e.Detail)
	o.end()
	return o.text, o.err
}

func (o *object) act(a *events.Act) {
	o.begin("act")
	o.string("level", string(a.Level))
	o.always("kind", a.Kind)
	o.string("tool", a.Tool)
	o.string("title", a.Title)
	o.strings("paths", a.Paths)
	o.strings("commands", a.Commands)
	o.string("shell", a.Shell)
	o.object("arguments", a.Arguments)
	o.string("digest", a.Digest)
	o.object("request", a.Request)
	other(o, "given", a.Given, len(a.Given) > 0)
	o.strings("tools", a.Tools)
	o.strings("argv", a.Argv)
	o.string("dir", a.Dir)
	o.strings("workspace", a.Workspace)
	o.strings("env", a.Env)
	o.string("mode", a.Mode)
	o.bool("headless", a.Headless)
	o.bool("confined", a.Confined)
	o.bool("sandboxing", a.Sandboxing)
	o.bool("obliging", a.Obliging)
	o.strings("doubts", a.Doubts)
	o.bool("read_only", a.ReadOnly)
	o.bool("destructive", a.Destructive)
	o.bool("own_program", a.OwnProgram)
	o.bool("confirmation", a.Confirm)
	o.bool("trial", a.Trial)
	o.bool("history", a.History)
	o.bool("claimed", a.Claimed)
	o.end()
}

func (o *object) decision(d *events.Decision) {
	o.begin("decision")
	o.always("result", d.Result)
	o.always("source", d.Source)
	o.string("rule", d.Rule)
	o.string("at", d.At)
	o.string("reason", d.Reason)
	o.string("approver", d.Approver)
	o.string("option_id", d.Option)
	o.strings("reasons", d.Reasons)
	o.string("policy_sha256", d.PolicySHA256)
	other(o, "environment", d.Environment, len(d.Environment) > 0)
	o.string("sandbox", d.Sandbox)
	o.bool("waits", d.Waits)
	o.end()
}

func (o *object) outcome(e *events.Outcome) {
	o.begin("outcome")
	o.always("status", e.Status)
	o.string("by", e.By)
	if e.ExitCode != nil {
		o.name("exit_code")
		o.text = strconv.AppendInt(o.text, int64(*e.ExitCode), 10)
	}
	o.string("signal", e.Signal)
	o.float("ms", e.Millis)
	o.float("token_ms", e.TokenMillis)
	o.int("output_length", e.Bytes)
	o.bool("truncated", e.Truncated)
	o.string("output_sha256", e.OutputHash)
	o.strings("limits_hit", e.LimitsHit)
	o.string("sandbox_level", e.Level)
	o.int("killed", int64(e.Killed))
	o.strings("changed", e.Changed)
	o.string("error", e.Error)
	o.string("stdout", e.Stdout)
	o.string("stderr", e.Stderr)
	o.object("a2a_diagnostics", e.Diagnostics)
	o.int("attempt", int64(e.Attempt))
	o.bool("cached", e.Cached)
	o.string("same_as", e.SameAs)
	o.end()
}

// object is JSON that is being written, one member after the other. Members that are empty are left out where
// encoding/json leaves them out by omitempty.
type object struct {
	text []byte
	err  error // of what JSON cannot say
}

// begin begins an object, which is a member unless its name is "".
func (o *object) begin(name string) {
	if name != "" {
		o.name(name)
	}
	o.text = append(o.text, '{')
}

func (o *object) end() { o.text = append(o.text, '}') }

func (o *object) name(name string) {
	if n := len(o.text); n > 0 && o.text[n-1] != '{' {
		o.text = append(o.text, ',')
	}
	o.text = append(append(append(o.text, '"'), name...), `":`...)
}

func (o *object) always(name, value string) {
	o.name(name)
	o.value(value)
}

func (o *object) string(name, value string) {
	if value != "" {
		o.always(name, value)
	}
}

func (o *object) bool(name string, value bool) {
	if value {
		o.name(name)
		o.text = strconv.AppendBool(o.text, true)
	}
}

func (o *object) int(name string, value int64) {
	if value != 0 {
		o.name(name)
		o.text = strconv.AppendInt(o.text, value, 10)
	}
}

// float writes a number. What is not written with digits and a point alone is left to encode.
func (o *object) float(name string, value float64) {
	if value == 0 {
		return
	}
	o.name(name)
	if size := math.Abs(value); size < 1e-6 || size >= 1e21 || math.IsNaN(size) {
		o.encoded(value)
		return
	}
	o.text = strconv.AppendFloat(o.text, value, 'f', -1, 64)
}

func (o *object) object(name string, members map[string]any) {
	if len(members) > 0 {
		o.name(name)
		o.any(members, 0)
	}
}

// any writes a value as arguments have them. What is seldom among these is left to encode, and so is what lies deep,
// which may hold itself.
func (o *object) any(value any, depth int) {
	if depth > 64 {
		o.encoded(value)
		return
	}
	switch v := value.(type) {
	case nil:
		o.text = append(o.text, "null"...)
	case bool:
		o.text = strconv.AppendBool(o.text, v)
	case string:
		o.value(v)
	case map[string]any:
		if v == nil {
			o.text = append(o.text, "null"...)
			return
		}
		o.text = append(o.text, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				o.text = append(o.text, ',')
			}
			o.value(name)
			o.text = append(o.text, ':')
			o.any(v[name], depth+1)
		}
		o.text = append(o.text, '}')
	case []any:
		if v == nil {
			o.text = append(o.text, "null"...)
			return
		}
		o.text = append(o.text, '[')
		for i, item := range v {
			if i > 0 {
				o.text = append(o.text, ',')
			}
			o.any(item, depth+1)
		}
		o.text = append(o.text, ']')
	default:
		o.encoded(value)
	}
}

func (o *object) strings(name string, values []string) {
	if len(values) == 0 {
		return
	}
	o.name(name)
	for i, value := range values {
		if i == 0 {
			o.text = append(o.text, '[')
		} else {
			o.text = append(o.text, ',')
		}
		o.value(value)
	}
	o.text = append(o.text, ']')
}

// value writes a string. What has to be escaped, or may have to be, is left to encode.
func (o *object) value(value string) {
	for i := range len(value) {
		if c := value[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x80 {
			o.encoded(value)
			return
		}
	}
	o.text = append(append(append(o.text, '"'), value...), '"')
}

// other writes a member as encode does.
func other[T any](o *object, name string, value T, present bool) {
	if present {
		o.name(name)
		o.encoded(value)
	}
}

func (o *object) encoded(value any) {
	text, err := encode(value)
	if err != nil && o.err == nil {
		o.err = err
	}
	o.text = append(o.text, text...)
}
