package permissions

import (
	"errors"
	"fmt"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// PermitLife is how long a Permit holds after it was issued.
const PermitLife = 5 * time.Minute

// Permit is the permission to run one invocation under one sandbox plan, once decided. Only Issue makes one
// that covers anything: the zero Permit covers nothing.
type Permit struct {
	invocation tool.Digest
	plan       string
	policy     string
	governors  string
	expires    time.Time
}

// The reasons why a Permit does not cover an act.
var (
	ErrNoPermit       = errors.New("nothing was permitted")
	ErrPermitExpired  = errors.New("the permit has expired")
	ErrPermitMismatch = errors.New("what would run is not what was permitted")
	ErrNotApproved    = errors.New("only an approval can be permitted")
)

// Issue makes the Permit of an approved invocation under the sandbox plan that is named by its hash. It
// returns ErrNotApproved for any other verdict and refuses a digest that names nothing.
func Issue(decision Decision, invocation tool.Digest, plan string, now time.Time) (Permit, error) {
	if decision.Verdict != Approve {
		return Permit{}, ErrNotApproved
	}
	if invocation.IsZero() || plan == "" {
		return Permit{}, fmt.Errorf("issue a permit: %w", ErrNoPermit)
	}
	return Permit{invocation: invocation, plan: plan, policy: decision.Policy, governors: decision.Governors,
		expires: now.Add(PermitLife)}, nil
}

// Covers returns nil when the Permit lets the invocation run under the plan now, by the rules and the
// governors that are in force now. It is asked again right before the process starts, since a person may
// have taken long to answer.
func (p Permit) Covers(invocation tool.Digest, plan, policy, governors string, now time.Time) error {
	switch {
	case p.invocation.IsZero():
		return ErrNoPermit
	case !now.Before(p.expires):
		return ErrPermitExpired
	case p.invocation != invocation || p.plan != plan || p.policy != policy || p.governors != governors:
		return ErrPermitMismatch
	}
	return nil
}
