package audit

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// sentLines are the HTTP request of an act, as far as it is on record: its line, and its body in one more.
func sentLines(request map[string]any) (lines []string) {
	method, _ := request["method"].(string)
	url, _ := request["url"].(string)
	lines = append(lines, strings.TrimRight("  "+display.Line(method+" "+url), " "))
	body, is := request["body"].(string)
	if fields, data := request["body"].(map[string]any); !is && (!data || len(fields) > 0) && request["body"] != nil {
		text, err := json.Marshal(request["body"])
		if err != nil {
			return lines
		}
		body = string(text)
	}
	if body != "" {
		lines = append(lines, "  "+display.Line(body))
	}
	return lines
}

// tell is the act as a story: a line says what it was, one where it came from, one each what happened.
func tell(c audit.ActRecord) []string {
	lines := []string{TitleOf(c)}
	if says := inShort(c); says != "" {
		lines = append(lines, "  "+says)
	}
	lines = append(lines, from(c))
	if act := c.Act(); act != nil && act.Dir != "" {
		lines = append(lines, "  in "+display.Line(act.Dir))
	}
	if act := c.Act(); act != nil && len(act.Request) > 0 {
		lines = append(lines, sentLines(act.Request)...)
	}
	if act := c.Act(); act != nil {
		lines = append(lines, values("  with ", act.Arguments)...)
	}
	if act := c.Act(); act != nil && act.Title != "" {
		lines = append(lines, "  the agent calls it "+strconv.Quote(display.Line(act.Title)))
	}
	for _, entry := range c {
		at := entry.Time.Local().Format("15:04:05.000")
		switch {
		case entry.Type == events.ApprovalAsked && entry.Decision != nil:
			lines = append(lines, fmt.Sprintf("  %s  asked    the person, because %s", at, why(entry.Decision)))
		case entry.Type == events.ApprovalAnswered && entry.Decision != nil:
			lines = append(lines, fmt.Sprintf("  %s  answer   %s", at, decision(c, entry.Decision)))
		case entry.Type == events.ApprovalLeft, entry.Type == events.ApprovalJoined,
			entry.Type == events.ApprovalUsed, entry.Type == events.ApprovalCancelled:
			word := strings.TrimPrefix(string(entry.Type), "approval.")
			lines = append(lines, fmt.Sprintf("  %s  %-7s  %s", at, word, detail(entry)))
		case entry.Type == events.ToolDecided && entry.Decision != nil:
			lines = append(lines, fmt.Sprintf("  %s  decided  %s", at, decision(c, entry.Decision)))
			for _, reason := range entry.Decision.Reasons {
				lines = append(lines, strings.Repeat(" ", 25)+display.Line(reason))
			}
		case entry.Type == events.ToolEnded && entry.Outcome != nil:
			lines = append(lines, fmt.Sprintf("  %s  ended    %s", at, outcome(entry.Outcome)))
		case entry.Type == events.ToolStarted && entry.Outcome != nil:
			lines = append(lines, fmt.Sprintf("  %s  started  attempt %d", at, entry.Outcome.Attempt))
		case entry.Type == events.ToolStarted:
			lines = append(lines, fmt.Sprintf("  %s  started", at))
		case entry.Type == events.ToolAttempted && entry.Outcome != nil:
			lines = append(lines, fmt.Sprintf("  %s  tried    %s", at, outcome(entry.Outcome)))
		case entry.Type == events.JobBegun && entry.Job != nil:
			lines = append(lines, fmt.Sprintf("  %s  job      %s", at, display.Line(entry.Job.URL)))
		case entry.Type == events.GovernorsAsked && entry.Governance != nil:
			lines = append(lines, governorLines(at, entry.Governance)...)
		case entry.Type == events.CircuitChanged && entry.Circuit != nil:
			lines = append(lines, fmt.Sprintf("  %s  circuit  %s", at, circuitChange(entry.Circuit)))
		case entry.Type == events.SandboxRefused && entry.Act != nil:
			lines = append(lines, fmt.Sprintf("  %s  refused  by its sandbox, the agent says: %s; %s", at,
				refusedAct(entry.Act), detail(entry)))
		case entry.Type == events.ToolViolated:
			lines = append(lines, fmt.Sprintf("  %s  VIOLATED %s", at, seenStatus(c, entry)))
		case entry.Type == events.ToolSeen:
			lines = append(lines, fmt.Sprintf("  %s  seen     %s", at, seenStatus(c, entry)))
		default:
			lines = append(lines, strings.TrimRight(fmt.Sprintf("  %s  %s %s", at, entry.Type,
				detail(entry)), " "))
		}
		if entry.Late {
			lines = append(lines, strings.Repeat(" ", 25)+"recorded later, since nothing could be recorded then")
		}
		lines = append(lines, details(entry)...)
		if entry.Broken != "" {
			lines = append(lines, fmt.Sprintf("  %s  BROKEN   entry %d: %s", at, entry.Seq,
				display.Line(entry.Broken)))
		}
	}
	first, last := c[0], c[len(c)-1]
	numbers := strconv.FormatInt(first.Seq, 10)
	if last.Seq != first.Seq {
		numbers += " to " + strconv.FormatInt(last.Seq, 10)
	}
	return append(lines, fmt.Sprintf("  on record as %s in %s", numbers, last.File))
}

// refusedAct says in a line what a sandbox refused.
func refusedAct(act *events.Act) string {
	return display.Line(strings.Join(append([]string{act.Kind}, act.Paths...), " "))
}

// details are what an entry says beside its own line: what a bridge can and cannot see of its agent, which
// files counted, and what the result's a2a_diagnostics were.
func details(entry audit.Entry) []string {
	var lines []string
	for _, what := range slices.Sorted(maps.Keys(entry.Coverage)) {
		lines = append(lines, fmt.Sprintf("                %s: %s", what, display.Line(entry.Coverage[what])))
	}
	if entry.Outcome != nil {
		lines = append(lines, values(strings.Repeat(" ", 25), entry.Outcome.Diagnostics)...)
	}
	for _, file := range entry.Files {
		lines = append(lines, fmt.Sprintf("                %s  %s", display.Line(file.Path), file.SHA256))
	}
	for _, d := range entry.Damage {
		lines = append(lines, fmt.Sprintf("                %s at number %d: %s", display.Line(d.Kind), d.Seq, display.Line(d.Message)))
	}
	return lines
}

// values are what has names, a line each behind the same words. What is no text stands there as JSON.
func values(before string, all map[string]any) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text, ok := all[name].(string)
		if !ok {
			encoded, err := json.Marshal(all[name])
			if err != nil {
				encoded = []byte(err.Error())
			}
			text = string(encoded)
		}
		lines = append(lines, before+display.Line(name+": "+text))
	}
	return lines
}

func from(c audit.ActRecord) string {
	first := c[0]
	words := []string{"  " + first.Time.Local().Format(time.DateTime)}
	for _, part := range [][2]string{{"principal", first.Principal}, {"agent", first.Agent},
		{"session", first.Session}, {"task", first.Task},
		{"call", first.CallID}, {"agent's call", first.ToolCall}} {
		if part[1] != "" {
			words = append(words, part[0]+" "+display.Line(part[1]))
		}
	}
	return strings.Join(words, " · ")
}
