package agents

import "strings"

// Held says how far rules hold what an agent does itself: an act of one kind, without hooks and without a
// sandbox.
type Held struct {
	// But is what the agent does of that kind although a rule rejects it; "" where nothing is known.
	But string
	// Cure is how to start it so that rules, or a sandbox, hold it.
	Cure string
}

// Holds reports how far rules hold acts of a kind ("read", "write", …) of an agent, by any of its names. What
// an agent has the editor or our tools do is always held.
func Holds(agent, kind string) Held {
	if a, ok := BySelf(agent); ok {
		cure := "bridge --confine " + a.Name + " holds it to its sandbox"
		if a.Hooks != "" {
			cure = "its hooks have each of its acts decided before it happens, but for a bridge with --hooks=off, and " + cure
		}
		if a.ByRules {
			cure = strings.Replace(cure, "its hooks have", "a rule that the bridge gives it has", 1)
		}
		but := a.UnaskedActs[kind]
		if but == "" {
			but = a.Title + " may do it without asking"
		}
		return Held{But: but, Cure: cure}
	}
	return Held{But: "whether it asks before it does it itself is not known",
		Cure: "bridge --confine=terminal -- … holds it to a sandbox"}
}
