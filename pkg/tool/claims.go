package tool

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"
)

// Claims are what an issuer of tokens says of who calls, in a token that a door has verified. Whatever prints them
// prints none of it. Two are equal if they are copies of one another. The zero Claims are those of a caller of whom
// nothing was verified.
type Claims struct{ are *claims }

type claims struct {
	issuer string
	only   bool
	issued time.Time
	all    map[string]any
	shown  *ShownClaims
	number int64 // in the order in which they were shown
}

// VerifiedClaims is a token that was verified.
type VerifiedClaims struct {
	Issuer string         // as the settings call it
	Only   bool           // tokens of no other issuer count
	Issued time.Time      // when the token was; zero where it does not say
	All    map[string]any // as encoding/json reads them; not changed afterwards
}

// ShownClaims are the claims that one principal has shown last. Safe for concurrent use; the zero ShownClaims are none.
type ShownClaims struct {
	count atomic.Int64
	last  atomic.Pointer[claims] // of those that were shown the ones that were issued last
}

// NewClaims returns Claims that were shown now.
func NewClaims(v VerifiedClaims, shown *ShownClaims) Claims {
	c := &claims{issuer: v.Issuer, only: v.Only, issued: v.Issued, all: v.All, shown: shown}
	if shown != nil {
		c.number = shown.count.Add(1)
	}
	for shown != nil {
		before := shown.last.Load()
		if before != nil && before.issued.After(c.issued) && !c.issued.IsZero() || shown.last.CompareAndSwap(before, c) {
			break
		}
	}
	return Claims{c}
}

// Now returns what is said of the same caller by a token that it has shown since, unless this one was issued later. An
// earlier token counts by itself as long as it is good: somebody may have several, for different things.
func (c Claims) Now() Claims {
	if c.are == nil || c.are.shown == nil {
		return c
	}
	if last := c.are.shown.last.Load(); last.number > c.are.number {
		return Claims{last}
	}
	return c
}

// Format implements fmt.Formatter, whatever the verb.
func (c Claims) Format(f fmt.State, _ rune) { fmt.Fprint(f, c.hidden()) }

// LogValue implements slog.LogValuer.
func (c Claims) LogValue() slog.Value { return slog.StringValue(c.hidden()) }

// MarshalJSON implements json.Marshaler.
func (c Claims) MarshalJSON() ([]byte, error) { return []byte(`"` + c.hidden() + `"`), nil }

func (c Claims) hidden() string {
	if c.are == nil {
		return ""
	}
	return "(hidden)"
}
