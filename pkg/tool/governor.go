package tool

import (
	"fmt"
	"strings"
)

// The phases in which governors are asked.
const (
	PhasePermission = "permission" // before an act
	PhaseOutput     = "post_run"   // about its output: the original system's word
)

// Governance is what governors said of one act, or of its output, as the record carries it.
type Governance struct {
	Phase string `json:"phase"`
	// InputSHA256 names what they were told: the JSON that a script reads and a URL is sent.
	InputSHA256 string           `json:"input_sha256,omitempty"`
	Answers     []GovernorAnswer `json:"answers"`
}

// Summary returns the answers, a line each.
func (g *Governance) Summary() []string {
	lines := []string{}
	for _, a := range g.Answers {
		lines = append(lines, a.line())
	}
	return lines
}

// GovernorAnswer is what became of asking one governor.
type GovernorAnswer struct {
	Governor string `json:"governor"`
	At       string `json:"at,omitempty"` // file:line of its entry
	Type     string `json:"type"`
	// Status is approve, reject, needs_attention or abstain; error or timeout when there is no answer;
	// cancelled when it was not waited for.
	Status string `json:"status"`
	// CountsAs is what an error or a time-out was taken for, by on_error and on_timeout.
	CountsAs string   `json:"counts_as,omitempty"`
	Messages []string `json:"messages,omitempty"`
	Score    *float64 `json:"score,omitempty"`
	Option   string   `json:"option_id,omitempty"`
	FollowUp string   `json:"follow_up_prompt,omitempty"`
	Metadata string   `json:"metadata,omitempty"` // as it was given: JSON, shortened
	Redacted int      `json:"redacted,omitempty"` // how many places it took out of the output
	Millis   float64  `json:"ms"`
	ExitCode *int     `json:"exit_code,omitempty"`   // of a script
	HTTP     int      `json:"http_status,omitempty"` // of a URL's answer
	Error    string   `json:"error,omitempty"`
}

// line is an answer in one line, as the original system writes it: [guard] reject: not here.
func (a GovernorAnswer) line() string {
	line := fmt.Sprintf("[%s] %s", a.Governor, a.Status)
	if a.CountsAs != "" {
		line += " (counts as " + a.CountsAs + ")"
	}
	said := strings.Join(a.Messages, "; ")
	if said == "" {
		said = a.Error
	}
	if said != "" {
		line += ": " + said
	}
	return line
}
