package permissions

import (
	"encoding/json"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Review is an act as governors are told of it, after the rules and before any person is asked. Values of
// secret parameters are not in it.
type Review struct {
	CallID, ToolCall, Session, Task, Agent string
	Caller                                 string // see Request.Caller; governors outside are not told

	Door      tool.Door
	Action    Action
	Tools     []string // the ids under which governors may name the act, the best one first
	Title     string
	Sent      map[string]any // the HTTP request that it sends; nil for none
	Arguments map[string]any
	Paths     []ReviewedPath
	Commands  []string // what a shell text runs, a command an item
	Unclear   []string // what cannot be told about that text
	Shell     string
	Dir       string
	Workspace tool.Workspace
	Digest    string // of what would run; "" for what we do not run ourselves
	Script    string // SHA-256 of the script, likewise
	ReadOnly  bool
	Doubts    []string
	// Claim is an agent's own tool call as it told of it, for an act that we know only from its words; nil
	// for all others.
	Claim json.RawMessage

	Decided Decision
	// Earlier marks an act about which the governors were asked a moment ago, when the agent asked for it:
	// those that count do not count it again.
	Earlier bool
}

// ReviewedPath is a file of a Review.
type ReviewedPath struct {
	Name     string `json:"name"`               // as it was given
	Resolved string `json:"resolved,omitempty"` // without the links on its way; "" where that cannot be told
	Write    bool   `json:"write"`
	Inside   bool   `json:"inside"` // of the workspace
}

// NewReview tells of a request. mask takes secret values out of a text; the arguments are those that
// anybody may see.
func NewReview(r Request, decided Decision, arguments map[string]any, mask func(string) string) Review {
	review := Review{
		Session: r.Session, Task: r.Task, Agent: r.Agent, Caller: r.Caller(), Door: r.Door, Action: r.Action,
		Tools: r.Tools, Arguments: arguments, Sent: r.SentAsTold(),
		Shell: mask(r.ShellText), Dir: mask(r.Dir), Workspace: r.Workspace, ReadOnly: r.ReadOnly, Decided: decided,
	}
	for _, path := range r.Paths {
		told := ReviewedPath{Name: mask(path.Name), Write: path.Write || writes(r.Action)}
		if real, err := Resolve(r.Dir, path.Name); err == nil {
			told.Resolved, told.Inside = mask(real), r.Workspace.Contains(real)
		}
		review.Paths = append(review.Paths, told)
	}
	for _, line := range r.CommandLines() {
		review.Commands = append(review.Commands, mask(line))
	}
	if r.Shell != nil {
		for _, problem := range r.Shell.Problems {
			review.Unclear = append(review.Unclear, mask(problem.Text))
		}
	}
	for _, doubt := range r.Doubts {
		review.Doubts = append(review.Doubts, mask(doubt))
	}
	return review
}

// Ruling is what governors say together. The zero Ruling asks a person, which never lets anything happen by
// itself.
type Ruling struct {
	// Silent says that no governor spoke; then nothing else of it counts.
	Silent  bool
	Verdict Verdict
	// Governor is the one whose answer it is, and At the place of its entry.
	Governor, At string
	Reason       string
	Option       string // of a rejection: the optionId that it names
	// Answers lets an approval stand in for a person's answer, where nothing but the default asks for one.
	Answers    bool
	FollowUp   string
	Governance tool.Governance
}

// Govern puts what governors said on top of what was decided: reject is stronger than ask, ask than
// approve. Nothing lifts a rejection, and an approval lifts no question but an Open one.
func (d Decision) Govern(r Ruling) Decision {
	if r.Silent || d.Verdict == Reject {
		return d
	}
	by := func(verdict Verdict) Decision {
		out := d
		out.Verdict, out.Source, out.Rule, out.At, out.Reason = verdict, SourceGovernor, r.Governor, r.At, r.Reason
		out.Option, out.FollowUp, out.Open = "", r.FollowUp, false
		return out
	}
	switch {
	case r.Verdict == Reject:
		out := by(Reject)
		out.Option = r.Option
		return out
	case r.Verdict == Approve && d.Verdict == Ask && d.Open && r.Answers:
		return by(Approve)
	case r.Verdict == Approve:
	case d.Verdict == Approve:
		return by(Ask)
	default: // two want a person to be asked, and the person hears of both
		d.Reason += "; governor " + r.Governor + ": " + r.Reason
		d.Open, d.FollowUp = false, r.FollowUp
	}
	return d
}

// Finished is what a call has put out, before anybody sees it.
type Finished struct {
	Review Review // as it was decided; Decided is the last decision
	Result tool.Result
}

// Screened is what may be seen of it. What was done stays done, and stays told: only texts are replaced.
type Screened struct {
	// Silent says that the output stays as it is.
	Silent         bool
	Stdout, Stderr string
	// Withheld says why the output is not given out; "" when it is, as far as it stands in Stdout and Stderr.
	Withheld string
	// Governor is who withheld it, or else who changed it.
	Governor, At string
	FollowUp     string
	Governance   tool.Governance
}
