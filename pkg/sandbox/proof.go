package sandbox

// Proof tells of one property whether this machine enforces it, and how that is known.
type Proof struct {
	Property Property
	Enforced bool
	// How says what was tried and what became of it, or why the property is not enforced.
	How string
}
