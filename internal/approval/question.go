package approval

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/digest"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Question is what a person is asked before an act goes on. Title and Text are ready to be shown: text in
// them that comes from an agent or a model is escaped and fenced (see display.Text and display.Fence).
type Question struct {
	Session  string
	ToolCall string // the id under which the person's editor knows the act; "" when it does not
	Title    string // one line
	Text     string // Markdown: what would happen, and why it is asked
	Head     Head   // how Text begins; the zero value where there is nothing to say of it
	Action   permissions.Action
	Command  string   // that would run, as shell text and as it is; "" for none
	Dir      string   // where it would
	Risk     []string // what it would run and could reach, a line each, where that is not plain
	Paths    []string
	Change   *FileChange // what would be written; nil when that is not known
	// Once leaves out the answer "always".
	Once bool
	// AtTerminal leaves out every place but a terminal of this machine: a client that may answer for its person
	// is not asked.
	AtTerminal bool
	// InCall is set where whoever makes the call is asked, and answers while it waits: the question does not stay.
	InCall bool
	// Lasting is what "always" can allow, in words, the narrowest first; none where there is no such answer.
	Lasting []string
	// Unkept is why "always" would allow nothing, in words; "" where Lasting says what it can.
	Unkept string
	// The fields below describe the question where else it stands. They are not shown here.
	Door  tool.Door
	Agent string
	// Principal is whose call to the daemon it is about; "" for what did not come through it.
	Principal string
	// Task and Context are those of the A2A client that it is asked for; "" for none.
	Task, Context string
	CallID        string // ours
	// Digest identifies exactly what an answer is about; "" if that is not possible.
	Digest string
	// Bound is set if this program carries the act out itself, exactly as Digest identifies it. Otherwise
	// Carrier does, in words: "the agent".
	Bound   bool
	Carrier string
	Basis   Basis
}

// Head is how the text of a question begins, where it names places that move while nothing else does: the line at which
// the rule stands that asks. Key is the same without them.
type Head struct{ Text, Key string }

// Basis is what an answer depends on besides the act: an answer on another basis does not count.
type Basis struct {
	Caller    string // who asks, as far as we know ourselves (see permissions.Request)
	Workspace []string
	Policy    string // as in a permissions.Decision
	Governors string
	// Plan is the sandbox plan, where we run it; of what an agent does or has done, what was started as that
	// agent.
	Plan string
	// Frame identifies what else belongs to the act: how it is repeated, or what is sent with it to whoever
	// carries it out.
	Frame string
}

// Key identifies the question for whoever asks it again later, maybe from another process: the same act,
// caller, place and basis. It is "" for an act that cannot be identified, whose question cannot be asked
// again.
func (q Question) Key() string {
	if q.Digest == "" {
		return ""
	}
	shown := ""
	if !q.Bound { // then the words are all that there is
		shown = q.Title + "\n" + q.shown()
	}
	parts := []string{
		"question v1", string(q.Door), q.Agent, q.Basis.Caller, string(q.Action), q.Digest,
		strconv.FormatBool(q.Bound), shown,
		q.Basis.Policy, q.Basis.Governors, q.Basis.Plan, q.Basis.Frame, strconv.Itoa(len(q.Basis.Workspace)),
	}
	return digest.Hex(append(parts, q.Basis.Workspace...)...)
}

// shown returns everything that people are shown, including the change that an editor shows itself, and without
// places that move.
func (q Question) shown() string {
	text := q.Text
	if rest, ok := strings.CutPrefix(text, q.Head.Text); ok {
		text = q.Head.Key + rest
	}
	if q.Change == nil {
		return text
	}
	return text + "\n" + q.Change.Show()
}

// FileChange is a file as it is and as it would be.
type FileChange struct {
	Path    string
	OldText *string // nil for a new file, or one that cannot be shown
	NewText string
}

// Answer is a person's answer.
type Answer struct {
	Verdict permissions.Verdict // Approve or Reject
	Always  int                 // which of the question's Lasting holds for the rest of the session, from 1; 0 for none
	Source  permissions.Source  // SourcePerson, or SourceAct for an answer that was given before
	Reason  string
	// Option is the id of the agent's own option that the person picked, where the question was the
	// agent's; else "".
	Option string
	By     string // where the person answered, and who it was as far as we know
}

// ErrNobody is returned by an Asker that has no person to ask.
var ErrNobody = errors.New("somebody must be asked and nobody can be")

// Asker asks a person. Ask blocks until there is an answer or ctx ends; in the latter case it withdraws the
// question and returns ctx's cause. It returns ErrNobody, wrapped, if there is no person. Safe for
// concurrent use.
type Asker interface {
	Ask(ctx context.Context, question Question) (Answer, error)
}
