package approval

import (
	"context"
	"errors"
	"strconv"

	"github.com/a2a-acp/a2a-acp/internal/digest"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Question is what a person is asked before an act goes on. Title and Text are ready to be shown: whatever
// in them comes from an agent or a model has been escaped and fenced (see display.Text and display.Fence).
type Question struct {
	Session  string
	ToolCall string // the id under which the person's editor knows the act; "" when it does not
	Title    string // one line
	Text     string // Markdown: what would happen, and why it is asked
	Action   permissions.Action
	Paths    []string
	Change   *FileChange // what would be written; nil when that is not known
	// Once leaves "always" out of the answers.
	Once bool
	// What follows tells other places where the question stands what it is about. It is not shown here.
	Door   tool.Door
	Agent  string
	CallID string // ours
	// Digest names exactly what an answer is about; "" when that cannot be named.
	Digest string
	// Bound tells that we carry the act out ourselves, and only as Digest names it. Otherwise the editor
	// does, or the agent.
	Bound bool
	Basis Basis
}

// Basis is what an answer rests on beside the act itself: an answer that was given on another is none.
type Basis struct {
	Principal string // who asks, as far as we know ourselves (see permissions.Request)
	Workspace []string
	Policy    string // as in a permissions.Decision
	Governors string
	Plan      string // the sandbox plan, where we run it
	// Names what else belongs to the act: how it is repeated, or what is sent with it to whoever carries it
	// out.
	Frame string
}

// Key names the question for whoever asks the very same later, from another process too: the same act, by
// the same one, in the same place, on the same basis. It is "" for an act that cannot be named: nobody else
// can ask that.
func (q Question) Key() string {
	if q.Digest == "" {
		return ""
	}
	shown := ""
	if !q.Bound { // then the words are all that there is
		shown = q.Title + "\n" + q.shown()
	}
	parts := []string{
		"question v1", string(q.Door), q.Agent, q.Basis.Principal, string(q.Action), q.Digest,
		strconv.FormatBool(q.Bound), shown,
		q.Basis.Policy, q.Basis.Governors, q.Basis.Plan, q.Basis.Frame, strconv.Itoa(len(q.Basis.Workspace)),
	}
	return digest.Hex(append(parts, q.Basis.Workspace...)...)
}

// shown is all the text that people are shown, with the change that an editor shows by itself.
func (q Question) shown() string {
	if q.Change == nil {
		return q.Text
	}
	return q.Text + "\n" + q.Change.Show()
}

// FileChange is a file as it is and as it would be.
type FileChange struct {
	Path    string
	OldText *string // nil for a new file, or one that cannot be shown
	NewText string
}

// Answer is what the person said.
type Answer struct {
	Verdict permissions.Verdict // Approve or Reject
	Always  bool                // the same act need not be asked again in this session
	Source  permissions.Source  // SourcePerson, or SourceAct for an answer that was given before
	Reason  string
	// Option is the id of the agent's own option that the person picked, where the question was the
	// agent's; else "".
	Option string
	By     string // where the person answered, and who it was as far as we know
}

// ErrNobody is returned by an Asker that has no person to ask.
var ErrNobody = errors.New("somebody must be asked and nobody can be")

// Asker puts questions to a person. Ask blocks until there is an answer or ctx ends; then it withdraws the
// question and returns ctx's cause. It returns ErrNobody, wrapped, where there is no person. Safe for
// concurrent use.
type Asker interface {
	Ask(ctx context.Context, question Question) (Answer, error)
}
