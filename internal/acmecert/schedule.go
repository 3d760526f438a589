package acmecert

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"time"

	"golang.org/x/crypto/acme"
)

// How long it is until the next try after one that came to nothing. Let's Encrypt wants no more than five failed
// validations an hour.
const (
	firstWait   = 5 * time.Minute
	longestWait = 6 * time.Hour
)

// renewal returns when another certificate is asked for: when two thirds of its time are over, and a little
// before, so that not all of a fleet come at once.
func renewal(made *tls.Certificate) time.Time {
	life := made.Leaf.NotAfter.Sub(made.Leaf.NotBefore)
	return made.Leaf.NotBefore.Add(life*2/3 - rand.N(max(life/30, 1)))
}

// failure is a try that came to nothing. The zero failure is none. It is kept on disk, so that a daemon that is
// started again and again asks no more often than one that runs.
type failure struct {
	Spec  string    `json:"spec"`  // what was asked for: with another one the wait is over
	Times int       `json:"times"` // one after the other
	Again time.Time `json:"again"` // when the next try is due
}

// of reports whether it is a failure with a spec.
func (f failure) of(s Spec) bool { return f.Times > 0 && f.Spec == sum(s) }

// next returns the failure after this one. Who asks an authority too often is told for how long to wait.
func (f failure) next(s Spec, now time.Time, err error) failure {
	wait := min(firstWait<<min(f.Times, 16), longestWait)
	var said *acme.Error
	if errors.As(err, &said) {
		if told, limited := acme.RateLimit(said); limited {
			wait = min(max(wait, told), longestWait)
		}
	}
	return failure{Spec: sum(s), Times: f.Times + 1, Again: now.Add(wait)}
}

// sum names a spec.
func sum(s Spec) string {
	text, err := json.Marshal(s)
	if err != nil {
		return ""
	}
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:8])
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
