package unasked

import (
	"cmp"
	"slices"
)

// Finding is something of a repository's that an agent goes by without asking anybody.
type Finding struct {
	Dir string // absolute: the directory that it stands in
	// Files are what says it, relative to Dir; none where there are too many to be read.
	Files []string
	What  string // in words, with the name of the file
	// Instead is what else can be done about it; "" for nothing that the agent has.
	Instead string
}

// finder looks for what one agent goes by in a directory that it works in.
type finder func(dir string, environ []string) ([]Finding, error)

// finders are those of the agents, by name.
func finders() map[string]finder {
	return map[string]finder{"claude": findClaude, "codex": findCodex, "gemini": findGemini, "opencode": findOpencode}
}

// Find lists what an agent goes by, by its name, where it works in a directory, of what stands there and above, up to
// the person's home. environ is the agent's.
func Find(agent, dir string, environ []string) ([]Finding, error) {
	find := finders()[agent]
	if find == nil {
		return nil, nil
	}
	found, err := find(dir, environ)
	return append(found, ownInRepository(agent, dir, environ)...), err
}

// Here lists what all agents go by of what stands in a directory itself.
func Here(dir string, environ []string) ([]Finding, error) {
	var here []Finding
	for _, find := range finders() {
		found, err := find(dir, environ)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if f.Dir == dir {
				here = append(here, f)
			}
		}
	}
	slices.SortFunc(here, func(a, b Finding) int { return cmp.Compare(a.What, b.What) })
	return here, nil
}
