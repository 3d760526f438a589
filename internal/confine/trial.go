package confine

import (
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
)

// Trial is the sandbox of an agent, made ready to see whether this machine can do it. Close it.
type Trial struct {
	Level   sandbox.Level
	Command []string // starts the agent in it

	host  *sandbox.Host
	reach sandbox.Reach
}

// Try makes the sandbox of an agent ready, and starts nothing. Its Level is set also with an error, where
// the machine's was found out; the fix is what the person may do about the error.
func (c Confinement) Try(o Options, self string, agent []string) (t *Trial, fix string, err error) {
	t = &Trial{}
	inside, err := c.exec(o, self, "", agent)
	if err != nil {
		return t, "install it, or give its whole path", err
	}
	t.Command = inside.words(self)
	e := &execution{o: inside}
	if err := e.settle(); err != nil {
		return t, "run this in the directory of a project", err
	}
	if t.host, err = sandbox.Open(e.hostOptions()); err != nil {
		return t, "a2a-acp doctor says what is missing", err
	}
	e.host = t.host
	t.Level = t.host.Level()
	plan, err := t.host.Plan(e.profile)
	if err == nil {
		err = e.refuse(plan.Level())
	}
	if err != nil {
		return t, "a2a-acp doctor says what is missing; a2a-acp bridge --confine --best-effort confines as far as it goes", err
	}
	t.reach = t.host.Reach(plan)
	return t, "", nil
}

// Advice returns the flag of the bridge that would allow what the agent says it was refused; "" where none
// can be recommended.
func (t *Trial) Advice(said string) string {
	advice := ""
	for _, refusal := range t.reach.Refusals(said) {
		if refusal.Grant != "" && refusal.What != sandbox.RefusedRun && sensitive.Delicate(refusal.Path) == "" {
			advice = flagFor(refusal.Grant, refusal.What == sandbox.RefusedWrite)
		}
	}
	return advice
}

// Close gives back what Try has opened.
func (t *Trial) Close() error {
	if t.host == nil {
		return nil
	}
	return t.host.Close()
}
