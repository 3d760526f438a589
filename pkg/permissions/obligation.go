package permissions

// Obligation is what whoever carries out an approved act has to do with it: the rule approved the act so,
// and not as it was asked for. The zero Obligation is none. (The word is that of XACML 3.0, 7.18.)
type Obligation struct {
	// Environment is set for the command, over what the act itself sets.
	Environment []Variable
	// Profile is that of the sandbox which the command runs in; "" for none.
	Profile string
	Why     string // one sentence for people; "" for none
}

// None reports whether there is nothing to do.
func (o Obligation) None() bool { return len(o.Environment) == 0 && o.Profile == "" }

// Variable is a variable of the environment.
type Variable struct{ Name, Value string }
