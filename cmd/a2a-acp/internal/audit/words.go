package audit

import (
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// decision says in a line what was decided and by whom. Where somebody answered because a rule or a
// governor asked, both are named.
func decision(c audit.ActRecord, d *events.Decision) string {
	by, rule := d.Source, d.Rule
	if by == string(permissions.SourceAct) {
		by = "the answer just before"
	}
	if d.At != "" {
		rule += " (" + d.At + ")"
	}
	asked := ""
	switch {
	case d.Rule == "":
	case answers(permissions.Source(d.Source)):
		asked = fmt.Sprintf("; %s %s asked", askerOf(c, d), rule)
	default:
		by += " " + rule
	}
	if d.Approver != "" {
		by += " (" + d.Approver + ")"
	}
	reason := ""
	if d.Reason != "" {
		reason = ": " + d.Reason
	}
	if d.Source == string(permissions.SourceNobody) { // the reason is that of the question
		return display.Line(fmt.Sprintf("%s, by %s%s%s", d.Result, by, asked, reason))
	}
	return display.Line(fmt.Sprintf("%s, by %s%s%s", d.Result, by, reason, asked))
}

// answers reports whether a source answers what a rule or a governor has asked, rather than being the one
// that is named.
func answers(s permissions.Source) bool {
	return s == permissions.SourcePerson || s == permissions.SourceCaller || s == permissions.SourceNobody
}

// askerOf says what it is that a decision names beside the one who answered.
func askerOf(c audit.ActRecord, d *events.Decision) string {
	for _, entry := range c {
		if entry.Governance == nil {
			continue
		}
		for _, answer := range entry.Governance.Answers {
			if answer.Governor == d.Rule && answer.At == d.At {
				return "governor"
			}
		}
	}
	return "rule"
}

func why(d *events.Decision) string {
	if d.Reason == "" {
		return "no reason was given"
	}
	return display.Line(d.Reason)
}

// detail is what an entry says beside its members, in a line.
func detail(e audit.Entry) string { return display.Line(oneLine(e.Detail)) }

// oneLine puts lines behind one another: mistakes in files have one each, with a hint below.
func oneLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, "; ")
}

func outcome(o *events.Outcome) string {
	words := []string{strings.ReplaceAll(o.Status, "_", " ")}
	if o.ExitCode != nil {
		words = append(words, fmt.Sprintf("exit code %d", *o.ExitCode))
	}
	if o.Signal != "" {
		words = append(words, o.Signal)
	}
	switch o.By {
	case events.ByAgent:
		words = append(words, "done by the agent, as it says")
	case events.ByEditor:
		words = append(words, "done by the editor")
	}
	if o.Millis > 0 {
		words = append(words, fmt.Sprintf("after %.0f ms", o.Millis))
	}
	if o.Attempt > 0 {
		words = append(words, fmt.Sprintf("attempt %d", o.Attempt))
	}
	if o.Cached {
		words = append(words, "nothing ran: it is the result of call "+o.SameAs)
	} else if o.Level != "" {
		words = append(words, "confined: "+o.Level)
	}
	if len(o.LimitsHit) > 0 {
		words = append(words, "limits hit: "+strings.Join(o.LimitsHit, ", "))
	}
	if o.Error != "" {
		words = append(words, o.Error)
	}
	return display.Line(strings.Join(words, ", "))
}

func circuitChange(c *events.Circuit) string {
	of := c.Tool
	if c.Source != "" {
		of = "the source " + c.Source
	}
	text := fmt.Sprintf("of %s: %s, was %s", of, c.State, c.Before)
	if c.Manual {
		text += ", reset by a person"
	}
	if !c.Until.IsZero() {
		text += "; calls are refused until " + cli.Clock(c.Until)
	}
	return display.Line(text)
}

// seenStatus says what came of an act that the agent does by itself. Nobody but the agent knows.
func seenStatus(c audit.ActRecord, entry audit.Entry) string {
	says := "the agent did it by itself"
	if o := entry.Outcome; o != nil && o.Status != string(tool.StatusCompleted) {
		told := *o
		told.By = ""
		says = "the agent says that it came to nothing (" + outcome(&told) + ")"
	}
	switch d := entry.Decision; {
	case d != nil && d.Rule != "":
		says += fmt.Sprintf(", against rule %s (%s)", d.Rule, d.At)
		if d.Reason != "" {
			says += ": " + d.Reason
		}
	case c.Decided() == nil:
		says += "; nobody decided it"
	}
	if entry.Detail != "" {
		says += "; " + oneLine(entry.Detail)
	}
	return display.Line(says)
}

// inShort tells an act in one sentence: who decided, who carried it out, and how that ended.
func inShort(c audit.ActRecord) string {
	decided := c.Decided()
	switch c.Result() {
	case "approve":
	case "reject":
		return "rejected by " + byWhom(c) + "; it did not happen"
	case audit.ResultViolation:
		return "a violation: the agent did by itself what is not allowed"
	case audit.ResultSeen:
		return "only seen: the agent did it by itself, and nobody decided it"
	case audit.ResultAsked:
		switch {
		case c.AnsweredLate():
			return "asked; it did not happen: the answer came when the call had ended, and is for the same call, made again"
		case c.PutOff():
			return "asked; it did not happen: nobody had answered when the call ended, and an answer is for the same call, made again"
		}
		return ""
	default:
		return ""
	}
	says := "approved by " + byWhom(c)
	switch o := c.Outcome(); {
	case o == nil && c.Act().Claimed:
		return says + "; the agent has not said how it ended"
	case o == nil:
		return says + "; how it ended is not on record"
	case o.Status == events.NotDone:
		return says + "; nothing came of it"
	case o.Status == events.EndUnknown:
		return says + ", done by the editor; nobody asked how it ended"
	case decided.Act != nil:
		who := map[string]string{events.ByAgent: "the agent", events.ByEditor: "the editor", "": "a2a-acp"}[o.By]
		says += ", done by " + who + ": " + endOf(c)
	}
	return says
}

// byWhom is who decided, and where a person has answered, how.
func byWhom(c audit.ActRecord) string {
	by := c.By()
	if d := c.Decided().Decision; by == d.Rule && by != "" {
		return askerOf(c, d) + " " + display.Line(by)
	}
	if by != "person" {
		return orDash(by)
	}
	for i := len(c) - 1; i >= 0; i-- {
		if d := c[i].Decision; d != nil && d.Approver != "" {
			return "a person (" + display.Line(d.Approver) + ")"
		}
	}
	return "a person"
}
