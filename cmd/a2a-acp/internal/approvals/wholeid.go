package approvals

import (
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/store"
)

// leastOfID is how much of an ID has to be typed, as git has it: less may begin another one tomorrow.
const leastOfID = 4

// named is something with an ID, and what people know it by.
type named struct{ id, words string }

// wholeID returns the ID that begins like that. Where several do, it says which. Where none does, it returns what was given:
// whoever looks for that says that it is not there.
func wholeID(given string, all []named) (string, error) {
	var meant []named
	for _, n := range all {
		if n.id == given {
			return given, nil
		}
		if len(given) >= leastOfID && strings.HasPrefix(n.id, given) {
			meant = append(meant, n)
		}
	}
	switch {
	case len(meant) == 1:
		return meant[0].id, nil
	case len(meant) == 0:
		return given, nil
	}
	list := make([]string, len(meant))
	for i, n := range meant {
		list[i] = "\n  " + display.Line(n.id+"  "+n.words)
	}
	return "", cli.Fail(exit.Usage, fmt.Errorf("%s: %d IDs begin like that; write more of the one that you mean:%s",
		display.Line(given), len(meant), strings.Join(list, "")))
}

// namedQuestions are the questions of the last day, those that are over too: what was typed for one that is over must
// not come to mean another.
func namedQuestions(questions []store.Approval) []named {
	all := make([]named, len(questions))
	for i, a := range questions {
		all[i] = named{a.ID, string(a.State) + "  " + a.Title}
	}
	return all
}
