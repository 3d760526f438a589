package store

import (
	"crypto/rand"
	"errors"
	"slices"
	"time"
)

// State says what became of a question.
type State string

// The states. The last two are not kept: they follow from the time and from the process that asked.
const (
	Pending   State = "pending"
	Approved  State = "approved"
	Denied    State = "denied"
	Withdrawn State = "withdrawn" // whoever asked has taken it back
	Expired   State = "expired"   // nobody answered in time, which counts as no
	// The process that asked has ended, and nobody could find the answer: nothing would come of it.
	Gone State = "gone"
)

// Approval is one question to a person, and its answer. Title and Text are shown to people: whoever makes
// an Approval has escaped what in them comes from an agent or a model, and whoever shows them does it
// again.
type Approval struct {
	ID      string
	Asked   time.Time
	Expires time.Time
	State   State

	Door, Agent, Session string
	Principal            string // whose call to the daemon it is about; "" for what did not come through it
	Task, Context        string // of the A2A client that the act is for; "" for none
	CallID               string // required: ours, of the act that the question is about
	ToolCall             string // the agent's
	Kind                 string // what it is about: write, execute, call, …
	Title                string // one line
	Text                 string
	Digest               string // names what the answer is about; "" when that cannot be named
	// Bound tells that we carry the act out ourselves, and only what Digest names. Otherwise Carrier does, and
	// the answer is about what the agent says.
	Bound   bool
	Carrier string // in words: "the agent"; "" where that is not known
	// Key names the act, and all that an answer depends on, for whoever asks the very same later; "" when
	// nobody could.
	Key string

	// AtTerminal tells that only a person at a terminal may answer, and no client for its person.
	AtTerminal bool
	// Lasting is what a yes for the rest of the session can allow; none where there is no such yes.
	Lasting Lasting

	Answered time.Time // zero while it waits
	Where    Where     // "" while it waits
	Approver string    // who answered, and where
	Reason   string    // what the approver said, or why it was withdrawn
	Always   int       // which of Lasting the yes allows for the rest of the session, counted from 1; 0 for none

	Used   time.Time // when the answer was given to a call; zero before. No answer is given twice.
	UsedBy string    // the CallID of that call
	// Left tells that the process that asked has ended before it had an answer. The question stands, and
	// its answer waits for whoever asks the very same before Expires.
	Left bool

	owner string
}

// Kept reports whether there is an answer that nobody has been given yet, and that the next one who asks
// the very same is given.
func (a Approval) Kept() bool {
	return (a.State == Approved || a.State == Denied) && a.Left && a.Used.IsZero() && a.Key != ""
}

// Asker is the session and the process that a question stands for, until another call takes it over.
type Asker struct{ session, owner string }

// Asker returns for whom the question stands.
func (a Approval) Asker() Asker { return Asker{a.Session, a.owner} }

// Answer is what a person said to a question.
type Answer struct {
	Approved bool
	Approver string // required: who, and where
	Reason   string
	// Always is which of the question's Lasting it allows, counted from 1, in the session of the Asker that the person was
	// shown; 0 for none. Where there is none, whoever asked has ended, or another has taken the question over, the yes is
	// for this once.
	Always int
	Asker  Asker
}

// Where says where a question was answered. What was answered where it was asked is used by the very act
// that asked, and the table holds nothing else: only an answer from elsewhere can wait for an act.
type Where string

// The places.
const (
	AtAsker   Where = "asker"
	Elsewhere Where = "elsewhere"
)

// The reasons why a question cannot be answered. The Approval that comes with them says more.
var (
	ErrNoApproval = errors.New("there is no such question")
	ErrAnswered   = errors.New("it was answered before")
	ErrWithdrawn  = errors.New("it was withdrawn")
	ErrExpired    = errors.New("nobody answered in time, which counts as no")
	ErrGone       = errors.New("the process that asked has ended, and nobody could find an answer, so nothing would come of it")
	ErrUsed       = errors.New("the answer was given to a call already")
	ErrNotAsker   = errors.New("another process asks it by now")
	ErrNotKept    = errors.New("there is no answer that waits for a call")
)

// isReason reports whether an error says what has become of a question, and not that the database fails.
func isReason(err error) bool {
	return slices.ContainsFunc([]error{ErrNoApproval, ErrAnswered, ErrWithdrawn, ErrExpired, ErrGone, ErrUsed, ErrNotAsker},
		func(reason error) bool { return errors.Is(err, reason) })
}

// refusal is the reason why a question in that state takes no answer; nil when it does.
func (s State) refusal() error {
	switch s {
	case Pending:
		return nil
	case Approved, Denied:
		return ErrAnswered
	case Withdrawn:
		return ErrWithdrawn
	case Expired:
		return ErrExpired
	}
	return ErrGone
}

// NewID makes the id of a question: eight letters and digits that a person can type and cannot misread. It
// is a name and no secret.
func NewID() string {
	const alphabet = "23456789abcdefghjkmnpqrstuvwxyz2" // 32 of them, without 0, 1, i, l and o
	var b [8]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the program when the kernel has no randomness
	for i := range b {
		b[i] = alphabet[b[i]%32]
	}
	return string(b[:])
}
