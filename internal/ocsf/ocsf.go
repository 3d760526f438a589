// Package ocsf writes recorded events in the words of the Open Cybersecurity Schema Framework
// (https://schema.ocsf.io), which many systems that collect security events read.
//
// The start and the end of a process of ours is a Process Activity (class 1007), everything else an API Activity
// (6003). What the schema has no place for stands in "unmapped", by the record's own names.
//
// The schema itself (https://github.com/ocsf/ocsf-schema, Apache-2.0) is not among our files: the tests check
// what they know of it by themselves, and against a checkout where A2A_OCSF_SCHEMA names one.
package ocsf

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/netip"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// Version is that of the schema.
const Version = "1.8.0"

const product = "a2a-acp"

// Event is an event in the schema's words. Times are milliseconds since 1970.
type Event struct {
	ClassUID     int    `json:"class_uid"`
	ClassName    string `json:"class_name"`
	CategoryUID  int    `json:"category_uid"`
	ActivityID   int    `json:"activity_id"`
	ActivityName string `json:"activity_name"`
	TypeUID      int    `json:"type_uid"`
	SeverityID   int    `json:"severity_id"`
	Time         int64  `json:"time"`
	Duration     int64  `json:"duration,omitempty"`
	Message      string `json:"message"`
	StatusID     int    `json:"status_id"`
	StatusCode   string `json:"status_code,omitempty"`
	StatusDetail string `json:"status_detail,omitempty"`

	Metadata Metadata `json:"metadata"`
	Actor    Actor    `json:"actor"`

	// Of an API Activity.
	API  *API      `json:"api,omitempty"`
	From *Endpoint `json:"src_endpoint,omitempty"`

	// Of a Process Activity.
	Device   *Device  `json:"device,omitempty"`
	Process  *Process `json:"process,omitempty"`
	ExitCode *int     `json:"exit_code,omitempty"`

	// Profile security_control: what was decided.
	ActionID      int     `json:"action_id,omitempty"`
	DispositionID int     `json:"disposition_id,omitempty"`
	IsAlert       bool    `json:"is_alert,omitempty"`
	Policy        *Policy `json:"policy,omitempty"`

	Trace *Trace `json:"trace,omitempty"` // profile trace

	Unmapped map[string]any `json:"unmapped,omitempty"`
}

// Metadata is about the event as such.
type Metadata struct {
	Version     string   `json:"version"`
	Product     Product  `json:"product"`
	UID         string   `json:"uid"`
	Sequence    int64    `json:"sequence"`
	LogName     string   `json:"log_name"`
	EventCode   string   `json:"event_code"` // the record's own type
	Correlation string   `json:"correlation_uid,omitempty"`
	Profiles    []string `json:"profiles,omitempty"`
}

// Product is the program that tells.
type Product struct {
	Name   string `json:"name"`
	Vendor string `json:"vendor_name"`
}

// Actor is who wanted it: an agent in a session, and whoever called the daemon.
type Actor struct {
	App     string   `json:"app_name"`
	Session *Session `json:"session,omitempty"`
	User    *User    `json:"user,omitempty"`
}

// Session is an agent's.
type Session struct {
	UID string `json:"uid"`
}

// User is a principal of the daemon.
type User struct {
	Name string `json:"name"`
}

// API is the act, what it was given and what it gave.
type API struct {
	Operation string    `json:"operation"`
	Request   *Request  `json:"request,omitempty"`
	Response  *Response `json:"response,omitempty"`
}

// Request is a call.
type Request struct {
	UID  string         `json:"uid"`
	Data map[string]any `json:"data,omitempty"`
}

// Response is how it ended.
type Response struct {
	Code    *int   `json:"code,omitempty"`
	Error   string `json:"error,omitempty"`
	Message string `json:"error_message,omitempty"`
}

// Endpoint is where a call came in.
type Endpoint struct {
	Service string `json:"svc_name"`
	IP      string `json:"ip,omitempty"`
}

// Device is the machine.
type Device struct {
	TypeID   int    `json:"type_id"` // 0: unknown
	Hostname string `json:"hostname"`
}

// Process is one of ours. Its uid is the call's, and the number of a further attempt.
type Process struct {
	UID  string `json:"uid"`
	Name string `json:"name"`
}

// Policy is the rule that decided, or what stood in its place, and the hash of the rules.
type Policy struct {
	Name string `json:"name"`
	UID  string `json:"uid,omitempty"`
}

// Trace is that of W3C Trace Context.
type Trace struct {
	UID string `json:"uid"`
}

// The numbers of the schema.
const (
	processActivity, system   = 1007, 1
	apiActivity, applications = 6003, 6

	launch, terminate = 1, 2

	success, failure, otherStatus = 1, 2, 99

	allowed, denied, observed = 1, 2, 3 // actions
	letThrough, blocked       = 1, 2    // dispositions
	detected                  = 15
)

type activity struct {
	id   int
	name string
}

var (
	create = activity{1, "Create"}
	read   = activity{2, "Read"}
	update = activity{3, "Update"}
	remove = activity{4, "Delete"}
)

// byKind are the activities that kinds of acts are; what stands in neither map is another one (99), by its own name.
var byKind = map[string]activity{"read": read, "search": read, "fetch": read, "write": update, "move": update,
	"delete": remove}

var byType = map[events.Type]activity{
	events.SessionOpened: create, events.SessionClosed: remove, events.ConfigLoaded: read, events.TrustGiven: create,
	events.TrustRevoked: remove, events.GrantRevoked: remove, events.SecretSet: update, events.SecretRemoved: remove,
	events.TaskCreated: create, events.TaskStatusChanged: update, events.TaskMessage: update, events.TaskArtifact: update,
	events.RecordRetired: remove, events.CircuitChanged: update,
}

var severities = map[string]int{"info": 1, "warning": 3, "error": 4, "critical": 5}

// Of returns an event in the schema's words. host is the machine whose record it is.
func Of(r events.Recorded, host string) Event {
	e := Event{
		SeverityID: severities[r.Severity()], Time: r.Time.UnixMilli(), Message: message(&r.Event),
		Metadata: Metadata{Version: Version, Product: Product{product, product}, UID: r.ID, Sequence: r.Seq,
			LogName: "audit", EventCode: string(r.Type), Correlation: r.CallID},
		Actor: Actor{App: cmp.Or(r.Agent, product)},
	}
	if r.Session != "" {
		e.Actor.Session = &Session{r.Session}
	}
	if r.Principal != "" {
		e.Actor.User = &User{r.Principal}
	}
	if isProcess(&r.Event) {
		e.process(&r.Event, host)
	} else {
		e.api(&r.Event)
	}
	e.TypeUID = e.ClassUID*100 + e.ActivityID
	e.status(&r.Event)
	e.decision(&r.Event)
	e.Unmapped = unmapped(&r.Event)
	return e
}

// isProcess reports whether the event is the beginning or the end of a process of ours.
func isProcess(e *events.Event) bool {
	o := e.Outcome
	switch {
	case e.Act == nil || e.CallID == "":
		return false
	case e.Type == events.ToolStarted:
		return true
	}
	return (e.Type == events.ToolEnded || e.Type == events.ToolAttempted) && e.Act.Kind == "call" && o != nil &&
		o.By == "" && !o.Cached && (o.ExitCode != nil || o.Signal != "" || o.Level != "")
}

func (e *Event) process(event *events.Event, host string) {
	e.ClassUID, e.ClassName, e.CategoryUID = processActivity, "Process Activity", system
	e.ActivityID, e.ActivityName = terminate, "Terminate"
	if event.Type == events.ToolStarted {
		e.ActivityID, e.ActivityName = launch, "Launch"
	}
	e.Device = &Device{Hostname: cmp.Or(host, "localhost")}
	e.Process = &Process{UID: event.CallID, Name: cmp.Or(event.Act.Tool, event.Act.Kind)}
	if o := event.Outcome; o != nil {
		e.ExitCode = o.ExitCode
		if o.Attempt > 1 {
			e.Process.UID += "#" + strconv.Itoa(o.Attempt)
		}
	}
}

func (e *Event) api(event *events.Event) {
	e.ClassUID, e.ClassName, e.CategoryUID = apiActivity, "API Activity", applications
	is, known := byType[event.Type]
	if act := event.Act; act != nil && !known {
		is, known = byKind[act.Kind]
	}
	if !known {
		is = activity{99, string(event.Type)}
	}
	e.ActivityID, e.ActivityName = is.id, is.name
	e.API = &API{Operation: string(event.Type)}
	if act := event.Act; act != nil {
		e.API.Operation = cmp.Or(act.Tool, act.Kind)
	}
	if uid := cmp.Or(event.CallID, event.ToolCall, event.Task); uid != "" {
		e.API.Request = &Request{UID: uid}
		if event.Act != nil {
			e.API.Request.Data = event.Act.Arguments
		}
	}
	if o := event.Outcome; o != nil {
		e.API.Response = &Response{Code: o.ExitCode}
		if o.Error != "" {
			code, _, _ := strings.Cut(o.Error, ":")
			e.API.Response.Error, e.API.Response.Message = code, o.Error
		}
	}
	e.From = &Endpoint{Service: cmp.Or(event.Door, product)}
	if c := event.Client; c != nil {
		if at, err := netip.ParseAddrPort(c.Address); err == nil {
			e.From.IP = at.Addr().Unmap().WithZone("").String()
		} else if at, err := netip.ParseAddr(c.Address); err == nil {
			e.From.IP = at.Unmap().WithZone("").String()
		}
	}
	if event.TraceID != "" {
		e.Trace = &Trace{event.TraceID}
		e.Metadata.Profiles = append(e.Metadata.Profiles, "trace")
	}
}

// status says whether what the event tells of has succeeded: 99 where neither is true.
func (e *Event) status(event *events.Event) {
	e.StatusID = success
	if o := event.Outcome; o != nil {
		switch o.Status {
		case "completed", events.Started:
		case events.EndUnknown, events.NotDone:
			e.StatusID = otherStatus
		default:
			e.StatusID = failure
		}
		e.StatusCode, e.StatusDetail, e.Duration = o.Status, o.Error, int64(o.Millis)
	}
	switch {
	case event.Type == events.ClientRefused:
		e.StatusID = failure
		if event.Client != nil {
			e.StatusDetail = event.Client.Error
		}
	case event.Type == events.ConfigRefused || event.Type == events.WebhookFailed || event.Type == events.FrameRefused:
		e.StatusID, e.StatusDetail = failure, event.Detail
	case event.Decision != nil && event.Decision.Result == "reject" && event.Outcome == nil:
		e.StatusID, e.StatusDetail = failure, event.Decision.Reason
	}
}

func (e *Event) decision(event *events.Event) {
	d := event.Decision
	if d == nil {
		return
	}
	switch {
	case event.Type == events.ToolViolated:
		e.ActionID, e.DispositionID, e.IsAlert = observed, detected, true
	case d.Result == "approve":
		e.ActionID, e.DispositionID = allowed, letThrough
	case d.Result == "reject":
		e.ActionID, e.DispositionID = denied, blocked
	default:
		e.ActionID, e.DispositionID = observed, detected
	}
	e.Policy = &Policy{Name: cmp.Or(d.Rule, d.Source, "none"), UID: d.PolicySHA256}
	e.Metadata.Profiles = append(e.Metadata.Profiles, "security_control")
}

func message(e *events.Event) string {
	text := ""
	if e.Act != nil {
		text = cmp.Or(e.Act.Title, e.Act.Tool, e.Act.Kind)
	}
	text = cmp.Or(text, e.Detail)
	if text == "" {
		return string(e.Type)
	}
	return string(e.Type) + ": " + text
}

// unmapped are the members of the event without those that have a place of their own.
func unmapped(e *events.Event) map[string]any {
	members := map[string]any{}
	encoded, err := json.Marshal(e)
	if err != nil {
		return nil // what was read from the record is JSON
	}
	dec := json.NewDecoder(bytes.NewReader(encoded))
	dec.UseNumber()
	_ = dec.Decode(&members) // it was encoded just now
	maps.DeleteFunc(members, func(name string, _ any) bool {
		switch name {
		case "type", "time", "session_id", "call_id", "agent", "principal":
			return true
		}
		return false
	})
	return members
}
