package permissions

import (
	"errors"
	"fmt"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// GrantLife is how long a Grant holds after it was issued.
const GrantLife = 5 * time.Minute

// Grant is the permission to run one invocation under one sandbox plan, once decided. Only Issue makes one
// that covers anything: the zero Grant covers nothing.
type Grant struct {
	invocation tool.Digest
	plan       string
	policy     string
	governors  string
	expires    time.Time
}

// The reasons why a Grant does not cover an act.
var (
	ErrNoGrant       = errors.New("nothing was granted")
	ErrGrantExpired  = errors.New("the grant has expired")
	ErrGrantMismatch = errors.New("what would run is not what was granted")
	ErrNotApproved   = errors.New("only an approval can be granted")
)

// Issue makes the Grant of an approved invocation under the sandbox plan that is named by its hash. It returns
// ErrNotApproved for any other verdict and refuses a digest that names nothing.
func Issue(decision Decision, invocation tool.Digest, plan string, now time.Time) (Grant, error) {
	if decision.Verdict != Approve {
		return Grant{}, ErrNotApproved
	}
	if invocation.IsZero() || plan == "" {
		return Grant{}, fmt.Errorf("issue a grant: %w", ErrNoGrant)
	}
	return Grant{invocation: invocation, plan: plan, policy: decision.Policy, governors: decision.Governors,
		expires: now.Add(GrantLife)}, nil
}

// Covers returns nil when the Grant lets the invocation run under the plan now, by the rules and the
// governors that are in force now. It is asked again right before the process starts, since a person may
// have taken long to answer.
func (g Grant) Covers(invocation tool.Digest, plan, policy, governors string, now time.Time) error {
	switch {
	case g.invocation.IsZero():
		return ErrNoGrant
	case !now.Before(g.expires):
		return ErrGrantExpired
	case g.invocation != invocation || g.plan != plan || g.policy != policy || g.governors != governors:
		return ErrGrantMismatch
	}
	return nil
}
