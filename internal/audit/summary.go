package audit

import (
	"fmt"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Summary counts what became of acts. What was done counts by what it did; Failed are those that came to
// nothing, and commands and calls that did not succeed.
type Summary struct {
	Session string    `json:"session_id,omitempty"`
	Agent   string    `json:"agent,omitempty"`
	From    time.Time `json:"from,omitzero"`
	To      time.Time `json:"to,omitzero"`

	Wrote    int `json:"wrote"` // files written, deleted or moved
	Ran      int `json:"ran"`   // commands
	Read     int `json:"read"`  // files read or searched
	Called   int `json:"called"`
	Fetched  int `json:"fetched"`
	Other    int `json:"other"`
	Failed   int `json:"failed"`
	Stopped  int `json:"stopped"`  // by a rule, a governor or a person, or since nobody answered
	Refused  int `json:"refused"`  // by the sandbox of a confined agent
	Seen     int `json:"seen"`     // the agent did it by itself: nobody decided it
	Violated int `json:"violated"` // the agent did it by itself, against a rule or an answer
	Waiting  int `json:"waiting"`  // for an answer
	// FailedSeen are those of Failed that the agent has tried by itself: nobody decided them either.
	FailedSeen int `json:"failed_seen"`

	Asked int `json:"asked"` // questions that a person has answered
	Yes   int `json:"yes"`

	// The acts of three of these numbers, for who lists them.
	WereStopped, WereSeen, WereViolations []ActRecord `json:"-"`
}

// Summarise counts acts. A question that one call has asked, and whose answer another one has used, is one, and so is what they
// were about.
func Summarise(acts []ActRecord) Summary {
	var s Summary
	used, calls := map[string]bool{}, map[string]bool{}
	for _, c := range acts {
		used[c.uses()], calls[c[0].CallID] = true, true
		if joined := c.last(events.ApprovalJoined); joined != nil && joined.AskedBy != c[0].CallID {
			used[joined.AskedBy] = true // the question is this call's now
		}
	}
	delete(used, "")
	delete(calls, "")
	for _, c := range acts {
		first, last := c[0], c[len(c)-1]
		if s.From.IsZero() || first.Time.Before(s.From) {
			s.From = first.Time
		}
		if last.Time.After(s.To) {
			s.To = last.Time
		}
		if first.Agent != "" { // at its beginning a session may not know it
			s.Agent = first.Agent
		}
		if act := c.Act(); act != nil && !act.Trial {
			if answer := c.answer(); answer != nil && !calls[c.uses()] {
				s.Asked++
				if answer.Result == approved {
					s.Yes++
				}
			}
			if c.Outcome() != nil || !used[c[0].CallID] && !(c.PutOff() && c.AnsweredLate()) { // what has happened is left out by nothing
				s.count(c)
			}
		}
	}
	return s
}

// Acts returns how many acts were counted.
func (s *Summary) Acts() int {
	return s.Wrote + s.Ran + s.Read + s.Called + s.Fetched + s.Other + s.Failed + s.Stopped + s.Refused + s.Seen +
		s.Violated + s.Waiting
}

// count counts one act by what became of it.
func (s *Summary) count(c ActRecord) {
	switch c.Result() {
	case ResultViolation:
		s.Violated++
		s.WereViolations = append(s.WereViolations, c)
	case approved:
		s.done(c)
	case ResultSeen:
		if c.Act().History { // whoever saw it then has counted it
			return
		}
		failed := s.Failed
		nothing := s.cameToNothing(c)
		s.FailedSeen += s.Failed - failed
		if nothing {
			return
		}
		s.Seen++
		s.WereSeen = append(s.WereSeen, c)
	case ResultAsked:
		s.Waiting++
	case ResultRefused:
		s.Refused++
		s.WereStopped = append(s.WereStopped, c)
	case rejected:
		s.Stopped++
		s.WereStopped = append(s.WereStopped, c)
	default:
		if c.Ended() != nil { // it could not be decided about, since nobody can tell what it is
			s.Failed++
		}
	}
}

// What a decision can come to, once somebody has answered.
const (
	approved = "approve"
	rejected = "reject"
)

// answer returns what a person said to a question about the act; nil where nobody was asked, or has answered.
func (c ActRecord) answer() *events.Decision {
	for _, entry := range c {
		switch {
		case entry.Decision == nil || entry.Decision.Source != "person":
		case entry.Type == events.ApprovalAnswered, entry.Type == events.ToolDecided:
			return entry.Decision
		}
	}
	return nil
}

// cameToNothing counts an act that did not succeed, and reports whether it did nothing either: commands and calls have
// run, however they ended.
func (s *Summary) cameToNothing(c ActRecord) bool {
	kind, outcome := c.Act().Kind, c.Outcome()
	if outcome == nil || outcome.Status == string(tool.StatusCompleted) || outcome.Status == events.EndUnknown {
		return false
	}
	s.Failed++
	return kind != "execute" && kind != "call" || outcome.Status == events.NotDone
}

// done counts one act that was let through.
func (s *Summary) done(c ActRecord) {
	if s.cameToNothing(c) {
		return
	}
	switch c.Act().Kind {
	case "write", "delete", "move":
		s.Wrote++
	case "execute":
		s.Ran++
	case "read", "search":
		s.Read++
	case "call":
		s.Called++
	case "fetch":
		s.Fetched++
	default:
		s.Other++
	}
}

// Line says a summary in one line: what an agent does in every session, and whatever else there is.
func (s *Summary) Line() string {
	var words []string
	for _, part := range []struct {
		word   string
		n      int
		always bool
		of     string // which of them
	}{
		{"wrote", s.Wrote, true, ""}, {"ran", s.Ran, true, ""}, {"read", s.Read, true, ""}, {"called", s.Called, false, ""},
		{"fetched", s.Fetched, false, ""}, {"did otherwise", s.Other, false, ""}, {"failed", s.Failed, false, s.undecided()},
		{"stopped", s.Stopped, true, ""}, {"refused by its sandbox", s.Refused, false, ""},
		{"waiting", s.Waiting, false, ""}, {"only seen", s.Seen, true, ""}, {"VIOLATIONS", s.Violated, false, ""},
	} {
		if part.always || part.n > 0 {
			words = append(words, fmt.Sprintf("%s %d%s", part.word, part.n, part.of))
		}
	}
	return strings.Join(words, ", ")
}

// undecided says how many of those that failed nobody has decided. Only seen are those of them that did something.
func (s *Summary) undecided() string {
	if s.FailedSeen == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d undecided)", s.FailedSeen)
}
