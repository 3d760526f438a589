// Package person answers one question for everything that only a person may do: was this program started by
// a person, as far as that can be shown? What cannot be shown is a no.
//
// What it shows is that no agent is this program's forebear, and that what it looked at was what the kernel
// keeps. It does not show who has the keyboard: an agent that has another program start this one (a service
// manager, cron, a terminal multiplexer, an SSH server of its own user) is not among the forebears. An
// agent in its cell reaches none of those.
package person

import (
	"errors"
	"fmt"
)

// Caller is who has started this program.
type Caller int

const (
	// Unknown is somebody who cannot be told from an agent.
	Unknown Caller = iota
	// Agent is an agent, or something that it has started.
	Agent
	// Doubtful is nobody's agent, as far as is to be seen; but more lies outside of the namespaces around
	// us, or it was a program that started this and not a person.
	Doubtful
	// Person is nobody's agent, and nothing was hidden.
	Person
)

func (c Caller) String() string {
	return [...]string{"unknown", "an agent", "doubtful", "a person"}[c]
}

// Finding is who has started this program, and what shows that.
type Finding struct {
	Caller Caller
	Reason string // what is seen, or cannot be seen; "" for a person
	Cure   string // what a person can do about it; may be ""
	// Vouchable is set where root's word for these namespaces would be enough for a Doubtful caller. In a
	// user namespace of somebody's making it is not: whoever makes one is root there, and says what he
	// likes.
	Vouchable bool
	// Line is what the ancestors call themselves, the parent first. For the record: a name is its process's
	// own choice.
	Line []string
}

// AgentsAct reports whether what the caller does by itself, such as to run a tool, has to be taken for an
// agent's act.
func (f Finding) AgentsAct() bool { return f.Caller == Agent || f.Caller == Unknown }

// Vouched is the finding when root has said that the people of these namespaces answer in them.
func (f Finding) Vouched() Finding {
	if f.Vouchable {
		f.Caller, f.Reason, f.Cure = Person, "", ""
	}
	return f
}

// ErrAgent is among the errors of Err where it is an agent.
var ErrAgent = errors.New("this was started by an agent")

// ErrUnknown is among the errors of Err where it may be one.
var ErrUnknown = errors.New("it cannot be told whether a person has started this")

// Err returns why the caller is not believed to be a person; nil when it is.
func (f Finding) Err() error {
	switch f.Caller {
	case Person:
		return nil
	case Agent:
		return fmt.Errorf("%w, and only a person may do that (%s); run it in a terminal of your own",
			ErrAgent, f.Reason)
	}
	if f.Cure == "" {
		return fmt.Errorf("%w, and only a person may do that: %s", ErrUnknown, f.Reason)
	}
	return fmt.Errorf("%w, and only a person may do that: %s; %s", ErrUnknown, f.Reason, f.Cure)
}

// ErrToTighten is Err for an act that only takes something back or says no. Who is only doubtful may do
// that, too.
func (f Finding) ErrToTighten() error {
	if f.Caller == Doubtful {
		return nil
	}
	return f.Err()
}

func agent(format string, args ...any) Finding {
	return Finding{Caller: Agent, Reason: fmt.Sprintf(format, args...)}
}

func unknown(cure, format string, args ...any) Finding {
	return Finding{Caller: Unknown, Reason: fmt.Sprintf(format, args...), Cure: cure}
}
