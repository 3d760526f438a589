package person

import "github.com/a2a-acp/a2a-acp/internal/config"

// Status is who has started this program, and what root wants of him.
type Status struct {
	Finding
	// Confirm is the command that has to succeed before an act of this caller's counts that lets
	// something happen; empty for none.
	Confirm []string
}

// Find finds out who has started this program. Who is in a container is a person where root says so in
// system, the directory of his files.
func Find(system string) (Status, error) {
	c := Status{Finding: Look()}
	if c.AgentsAct() {
		return c, nil // whatever root says
	}
	people, err := config.ReadPeople(system)
	if err != nil {
		return Status{}, err
	}
	if people.Container {
		c.Finding = c.Vouched()
	}
	c.Confirm = people.Confirm
	return c, nil
}
