package taint

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"mvdan.cc/sh/v3/syntax"
)

// arm is a branch of a case over a value that runs for some texts only: case VALUE in read) …;; esac.
type arm struct {
	chooser *Slot
	texts   []string
}

// taken reports whether the branch may run in a call. Letter case does not count, as it does not to shopt
// -s nocasematch.
func (r arm) taken(texts []string) bool {
	for _, text := range r.texts {
		if strings.EqualFold(text, texts[r.chooser.Number]) {
			return true
		}
	}
	return false
}

// armsOf lists the branches that the end of a stack stands in.
func (a *analysis) armsOf(stack []syntax.Node) []arm {
	var arms []arm
	for i := 1; i+1 < len(stack); i++ {
		item, ok := stack[i].(*syntax.CaseItem)
		if !ok {
			continue
		}
		clause, ok := stack[i-1].(*syntax.CaseClause)
		if _, body := stack[i+1].(*syntax.Stmt); !ok || !body {
			continue
		}
		if r, ok := a.armOf(clause, item); ok {
			arms = append(arms, r)
		}
	}
	return arms
}

// armOf reads one branch. It says no when the branch may run for texts that it does not list.
func (a *analysis) armOf(clause *syntax.CaseClause, item *syntax.CaseItem) (arm, bool) {
	parts, fixed := a.parts(clause.Word)
	if !fixed || len(parts) != 1 || parts[0].slot == nil {
		return arm{}, false
	}
	for _, other := range clause.Items {
		if other.Op == syntax.Fallthrough {
			return arm{}, false
		}
	}
	r := arm{chooser: parts[0].slot}
	for _, pattern := range item.Patterns {
		w := shellwords.Static(pattern)
		if !w.Fixed || a.holds(w.Text) {
			return arm{}, false
		}
		r.texts = append(r.texts, w.Text)
	}
	return r, true
}

// Conditional reports whether a place stands in a branch of a case that only runs for some values.
func (p *Slot) Conditional() bool { return len(p.arms) > 0 }

// Idle reports whether a place stands in a branch that a call does not take, so that it needs no value.
// texts are the values of the call, by the numbers of their places.
func (p *Slot) Idle(texts []string) bool {
	for _, r := range p.arms {
		if !r.taken(texts) {
			return true
		}
	}
	return false
}
