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
	// Option is the optionId that the rule names. It is a wish: see ChooseOption.
	Option string
	// Obligation is what the act is approved with.
	Obligation Obligation
	// Reasons says of every rule, in order, whether it matched and what kept it from matching.
	Reasons []Reason
	// Policy is the hash of the rules that were asked.
	Policy string
	// Governors is the hash of the governors that were in force before the first of them was asked; "" for
	// none.
	Governors string

	// SkipGovernors is the wish of the rule that decided: only governors that are required are asked. See
	// Govern.
	SkipGovernors bool
	// Open marks a question that stands only because nothing else decided: no rule, no doubt, no file or
	// tool that wants a person. A governor may answer it in the person's place, where its file says so.
	Open bool
	// First is who decided where the decision stands for an act that was decided about before (SourceAct).
	First Source
	// FollowUp is what a governor wants the agent to be told, beside the decision; "" for nothing.
	FollowUp string
	// Approver says where a person answered, and who it was as far as we know; "" when nobody was asked.
	Approver string
}

// Reason is what one rule said.
type Reason struct {
	Rule    string  `json:"rule"`
	At      string  `json:"at"`    // file:line
	Layer   string  `json:"layer"` // whose file it is
	Matched bool    `json:"matched"`
	Verdict Verdict `json:"-"`
	// Condition is the key of the condition that decided: the first that failed, or that could not be told.
	Condition string `json:"condition,omitempty"`
	Why       string `json:"why"` // the same in words, with the actual value
	// Observed marks a rule that matches, and is only watched.
	Observed bool `json:"observed,omitempty"`
}

// Summary returns the decision in the words of a Result.
func (d Decision) Summary() tool.DecisionSummary {
	return tool.DecisionSummary{Result: d.Verdict.String(), Source: string(d.Source), Rule: d.Rule, At: d.At,
		Reason: d.Reason, Approver: d.Approver}
}
