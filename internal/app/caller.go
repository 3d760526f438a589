package app

import (
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/dirs"
	"github.com/a2a-acp/a2a-acp/internal/person"
)

// Caller is who has started this program.
type Caller struct {
	person.Finding
	// Confirm is the command that has to succeed before an act of this caller's counts that lets something happen; empty for none.
	Confirm []string
}

// FindCaller finds out who has started this program. Who is in a container is a person where root says that people work in it.
func FindCaller() (Caller, error) {
	c := Caller{Finding: person.Look()}
	if c.AgentsAct() {
		return c, nil // whatever root says
	}
	people, err := config.ReadPeople(dirs.System)
	if err != nil {
		return Caller{}, err
	}
	if people.Container {
		c.Finding = c.Vouched()
	}
	c.Confirm = people.Confirm
	return c, nil
}
