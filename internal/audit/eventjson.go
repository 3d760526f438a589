package audit

import (
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
	other(&o, "outcome", e.Outcome, e.Outcome != nil)
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
	other(o, "arguments", a.Arguments, len(a.Arguments) > 0)
	o.string("digest", a.Digest)
	other(o, "request", a.Request, len(a.Request) > 0)
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
