package permissions

import "github.com/a2a-acp/a2a-acp/pkg/tool"

// Source says what kind of thing decided.
type Source string

// The sources.
const (
	SourcePolicy      Source = "policy"       // a rule of a policy file
	SourceDefault     Source = "default"      // no rule matched
	SourceSession     Source = "session"      // a person said "always" in this session
	SourceAct         Source = "act"          // a person's or rule's yes to the same act, given just before
	SourceControlFile Source = "control_file" // a file that decides what runs or what is allowed
	SourceDoubt       Source = "doubt"        // the request cannot be believed
	SourceTool        Source = "tool"         // the tool's own requires_confirmation
	SourceGovernor    Source = "governor"     // a governor, after the rules
	SourcePerson      Source = "person"       // somebody was asked, and answered
	SourceCaller      Source = "caller"       // the person who typed the command
	SourceNobody      Source = "nobody"       // somebody must be asked and nobody can be
	// The agent's own sandbox does not let it do this, so nobody does it for it.
	SourceConfinement Source = "confinement"
	SourceFault       Source = "fault" // we could not find out, or could not record it
)

// Decision is a verdict and where it comes from.
type Decision struct {
	Verdict Verdict
	Source  Source
	Rule    string // id of the rule, or of the governor, that decided
	At      string // file:line of that rule or governor
	Reason  string // one sentence for the person or the model that is told
	// Option is the optionId that the rule prefers; see ChooseOption.
	Option string
	// Obligation is the condition under which the act is approved.
	Obligation Obligation
	// Reasons says for every rule, in order, whether it matched and what kept it from matching.
	Reasons []Reason
	// Policy is the hash of the rules that were asked.
	Policy string
	// Governors is the hash of the governors that were in force before the first one was asked; "" for
	// none.
	Governors string

	// SkipGovernors is set if the rule that decided wants only required governors to be asked. See Govern.
	SkipGovernors bool
	// Open is set for a question that was only asked by default: no rule, doubt, file or tool wants a
	// person. A governor may answer it instead, if its file says so.
	Open bool
	// AtTerminal is set if only a person at a terminal may answer, should somebody be asked.
	AtTerminal bool
	// First is who decided originally, if the decision is that of an earlier act (SourceAct).
	First Source
	// FollowUp is what a governor wants the agent to be told besides the decision; "" for nothing.
	FollowUp string
	// Approver is where a person answered, and who it was as far as we know; "" if nobody was asked.
	Approver string
	// Waits is set for a no that nobody has given: the question stands, for the same act asked about again.
	Waits bool
}

// Reason is what one rule said.
type Reason struct {
	Rule    string  `json:"rule"`
	At      string  `json:"at"`    // file:line
	Layer   string  `json:"layer"` // whose file it is
	Matched bool    `json:"matched"`
	Verdict Verdict `json:"-"`
	// Condition is the key of the condition that decided: the first that failed or could not be told.
	Condition string `json:"condition,omitempty"`
	Why       string `json:"why"` // the same in words, with the actual value
	// Observed is set for a rule that matches but is only being observed.
	Observed bool `json:"observed,omitempty"`
}

// Summary returns the decision as a Result states it.
func (d Decision) Summary() tool.DecisionSummary {
	return tool.DecisionSummary{Result: d.Verdict.String(), Source: string(d.Source), Rule: d.Rule, At: d.At,
		Reason: d.Reason, Approver: d.Approver}
}
