package store

import (
	"errors"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/process"
)

// WebhookKey names a subscription: its id is unique among those that follow its source.
type WebhookKey struct{ Source, ID string }

// WebhookState says whether a subscription is delivered to.
type WebhookState string

// The states.
const (
	WebhookOn     WebhookState = "on"
	WebhookPaused WebhookState = "paused" // by a person
	WebhookOff    WebhookState = "off"    // by its receiver
)

// Webhook is what is known of a subscription.
type Webhook struct {
	WebhookKey
	// Position is the number of the last item of the source that is settled, and Token what the source knows
	// that item by.
	Position int64
	Token    string

	State  WebhookState
	Reason string
	Since  time.Time // of the state; zero for the first one
	Target string    // names the receiver

	WebhookAttempts

	Delivered int64     // how many items were
	Last      time.Time // when the last one was; zero before

	Term    int64     // see WebhookStep
	Until   time.Time // when the lease ends
	Process string    // the number of the process that has the lease; "" for none
	Dead    int64     // letters that were given up
	Again   int64     // letters that are wanted once more

	holder string // a Store of a process, of which each may have several
}

// WebhookAttempts is how a delivery stands. The zero value is one that was not tried yet, or is done.
type WebhookAttempts struct {
	Attempts int       // that have failed
	Failing  time.Time // since when
	Due      time.Time // no attempt before
	Error    string    // of the last attempt
}

// Letter is a delivery that was given up, or that somebody wants once more.
type Letter struct {
	Position int64
	Item     string // "" where it is not known yet
	Event    string
	WebhookAttempts
	GivenUp time.Time // zero for one that never was
	Again   time.Time // since when it is wanted once more; zero for not
}

// WebhookStep is what has become of the delivery that a subscription is at. It holds where the process that
// brings it has the lease, and nobody else has changed anything since Term.
type WebhookStep struct {
	WebhookKey
	Term     int64
	Position int64
	Token    string
	WebhookAttempts
	Delivered int64     // since the last step
	Last      time.Time // zero for no delivery since
	// Off says why the receiver wants nothing more; "" where it does.
	Off string
	// Keep is a letter to be kept, in the place of one with its position.
	Keep *Letter
	// Drop is the position of a letter that was delivered; 0 for none.
	Drop int64
}

// ErrNoWebhook is returned for a subscription of which nothing is known.
var ErrNoWebhook = errors.New("there is no such webhook")

// holderLives reports whether a holder may still deliver.
func holderLives(holder string) bool {
	_, owner, _ := strings.Cut(holder, " ")
	return process.Lives(owner)
}

// processOf is the number of a holder's process.
func processOf(holder string) string {
	_, owner, _ := strings.Cut(holder, " ")
	number, _, _ := strings.Cut(owner, " ")
	return number
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func atMillis(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMilli(n)
}
