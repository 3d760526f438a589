package audit

import (
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// The bounds of what is kept of an event that is too long: some 300 texts of 320 bytes, each of which JSON
// may write as six characters, stay well below a line.
const (
	keptText  = 320 // bytes of a text
	keptItems = 16  // items of a list
)

// truncate returns what must be known of an event: who, what, decided how, ended how. It names each field
// that it keeps, so that a field which is added later cannot break the bound.
func truncate(e events.Event) events.Event {
	out := events.Event{
		Type: events.Type(shorten(string(e.Type))), Time: e.Time,
		Session: shorten(e.Session), Task: shorten(e.Task), Context: shorten(e.Context), CallID: shorten(e.CallID),
		ToolCall: shorten(e.ToolCall), AskedBy: shorten(e.AskedBy),
		Agent: shorten(e.Agent), Door: shorten(e.Door), Principal: shorten(e.Principal),
		TraceID: shorten(e.TraceID), SpanID: shorten(e.SpanID), ParentSpan: shorten(e.ParentSpan), Sampled: e.Sampled, Late: e.Late,
		Command: shortenList(e.Command), Detail: shorten(e.Detail), Retired: e.Retired,
	}
	if a := e.Act; a != nil {
		out.Act = &events.Act{
			Kind: shorten(a.Kind), Tool: shorten(a.Tool), Title: shorten(a.Title),
			Paths: shortenList(a.Paths), Commands: shortenList(a.Commands), Shell: shorten(a.Shell),
			Level: a.Level, Given: shortenMap(a.Given),
			Digest: shorten(a.Digest), Claimed: a.Claimed, Trial: a.Trial, History: a.History,
		}
	}
	if d := e.Decision; d != nil {
		out.Decision = &events.Decision{
			DecisionSummary: tool.DecisionSummary{
				Result: shorten(d.Result), Source: shorten(d.Source), Rule: shorten(d.Rule),
				At: shorten(d.At), Reason: shorten(d.Reason),
				Approver: shorten(d.Approver),
			},
			Option: shorten(d.Option), Reasons: shortenList(d.Reasons), PolicySHA256: shorten(d.PolicySHA256),
			Waits: d.Waits,
		}
	}
	if o := e.Outcome; o != nil {
		out.Outcome = &events.Outcome{
			Status: shorten(o.Status), By: shorten(o.By), ExitCode: o.ExitCode, Signal: shorten(o.Signal),
			Bytes: o.Bytes, Truncated: o.Truncated, OutputHash: shorten(o.OutputHash),
			LimitsHit: shortenList(o.LimitsHit), Level: shorten(o.Level), Killed: o.Killed,
			Changed: shortenList(o.Changed), Error: shorten(o.Error), Stdout: shorten(o.Stdout), Stderr: shorten(o.Stderr),
			Attempt: o.Attempt, Cached: o.Cached, SameAs: shorten(o.SameAs),
		}
		if encoded, err := encode(o.Diagnostics); err == nil && len(encoded) <= keptText {
			out.Outcome.Diagnostics = o.Diagnostics
		}
		if _, err := encode(o.Millis); err == nil { // NaN and the infinities are no JSON
			out.Outcome.Millis = o.Millis
		}
	}
	if g := e.Governance; g != nil {
		out.Governance = &tool.Governance{Phase: shorten(g.Phase), InputSHA256: shorten(g.InputSHA256)}
		for _, a := range firstOf(g.Answers) {
			out.Governance.Answers = append(out.Governance.Answers, tool.GovernorAnswer{
				Governor: shorten(a.Governor), Type: shorten(a.Type), Status: shorten(a.Status),
				CountsAs: shorten(a.CountsAs),
				Redacted: a.Redacted, ExitCode: a.ExitCode, HTTP: a.HTTP, Error: shorten(a.Error),
			})
		}
	}
	if c := e.Circuit; c != nil {
		out.Circuit = truncateCircuit(c)
	}
	for _, option := range firstOf(e.Options) {
		out.Options = append(out.Options,
			events.Option{ID: shorten(option.ID), Name: shorten(option.Name), Kind: shorten(option.Kind)})
	}
	if p := e.Progress; p != nil {
		out.Progress = &events.Progress{State: shorten(p.State), Before: shorten(p.Before), Role: shorten(p.Role),
			Text: shorten(p.Text), Artifact: shorten(p.Artifact), Name: shorten(p.Name), Media: shorten(p.Media), Bytes: p.Bytes}
	}
	if c := e.Client; c != nil {
		out.Client = &events.Client{By: shorten(c.By), Address: shorten(c.Address), UserAgent: shorten(c.UserAgent),
			Error: shorten(c.Error)}
	}
	out.Coverage = shortenMap(e.Coverage)
	for _, d := range firstOf(e.Damage) {
		out.Damage = append(out.Damage,
			events.Damage{Kind: shorten(d.Kind), Seq: d.Seq, File: shorten(d.File), Message: shorten(d.Message)})
	}
	for _, file := range firstOf(e.Files) {
		out.Files = append(out.Files,
			events.File{Path: shorten(file.Path), Layer: shorten(file.Layer), SHA256: shorten(file.SHA256)})
	}
	return out
}

// truncateCircuit keeps of a circuit what JSON can write: no year has five digits there, and no number is none.
func truncateCircuit(c *events.Circuit) *events.Circuit {
	out := &events.Circuit{Tool: shorten(c.Tool), Source: shorten(c.Source), State: shorten(c.State), Before: shorten(c.Before),
		Failures: c.Failures, Threshold: c.Threshold, Manual: c.Manual}
	for _, t := range []struct{ to, from *time.Time }{
		{&out.Until, &c.Until}, {&out.LastFailure, &c.LastFailure}, {&out.Opened, &c.Opened},
	} {
		if year := t.from.Year(); year >= 0 && year <= 9999 {
			*t.to = *t.from
		}
	}
	if _, err := encode(c.Recovery); err == nil {
		out.Recovery = c.Recovery
	}
	return out
}

// shorten returns the beginning of a text, and says so.
func shorten(s string) string {
	if len(s) <= keptText {
		return s
	}
	cut := keptText
	for cut > keptText-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… [%d bytes]", s[:cut], len(s))
}

func shortenList(list []string) []string {
	var out []string
	for _, item := range firstOf(list) {
		out = append(out, shorten(item))
	}
	if more := len(list) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("… and %d more", more))
	}
	return out
}

func shortenMap(m map[string]string) map[string]string {
	var out map[string]string
	for _, name := range firstOf(slices.Sorted(maps.Keys(m))) {
		if out == nil {
			out = map[string]string{}
		}
		out[shorten(name)] = shorten(m[name])
	}
	return out
}

func firstOf[T any](list []T) []T { return list[:min(len(list), keptItems)] }
