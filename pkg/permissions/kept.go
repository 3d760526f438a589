package permissions

import "time"

// Kept is what a person's "always" keeps for a session, as it is told to people.
type Kept struct {
	ID      string    `json:"id"`
	Session string    `json:"session_id"`
	Words   string    `json:"allows"`
	Agent   string    `json:"agent,omitempty"`
	Since   time.Time `json:"since"`
}

// Grants shows people, outside of the program that asks, what is kept, and lets them take it back. It is safe for
// concurrent use.
type Grants interface {
	// Add shows what is kept from now on, and gives it an id. With an error nothing must be kept.
	Add(Kept) (id string, err error)
	// Holds tells whether it was not taken back. An error counts as taken back.
	Holds(id string) (bool, error)
	// Remove ends what was kept.
	Remove(ids ...string) error
}
