package replay

import (
	"github.com/a2a-acp/a2a-acp/internal/governor"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// Candidates lists the governors that would be asked about an act that was decided so. None is asked.
func (j *Judge) Candidates(r permissions.Request, d permissions.Decision) []governor.Candidate {
	governors := governor.New(governor.Options{}).With(j.Set.Governors)
	// What is wrong with the workspace's own files has been told with the decision.
	if own, err := j.readOwn(r.Workspace); err == nil {
		governors = governors.WithOwn(r.Workspace, own.Governors)
	}
	return governors.Candidates(ReviewOf(r, d))
}

// ReviewOf is an act as Prospects looks at it.
func ReviewOf(r permissions.Request, d permissions.Decision) permissions.Review {
	return permissions.Review{Door: r.Door, Action: r.Action, Tools: r.Tools, Workspace: r.Workspace, Decided: d}
}
