package tool

import (
	"fmt"
	"log/slog"
)

// Credential is a token that somebody has shown. Whatever prints it prints no more than that. Two are equal if they
// are copies of one another. The zero Credential is none.
type Credential struct{ value *string }

// NewCredential returns a Credential; none of "".
func NewCredential(value string) Credential {
	if value == "" {
		return Credential{}
	}
	return Credential{&value}
}

// Reveal returns the token itself; "" for none.
func (c Credential) Reveal() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

// Format implements fmt.Formatter, whatever the verb.
func (c Credential) Format(f fmt.State, _ rune) { fmt.Fprint(f, c.hidden()) }

// LogValue implements slog.LogValuer.
func (c Credential) LogValue() slog.Value { return slog.StringValue(c.hidden()) }

// MarshalJSON implements json.Marshaler.
func (c Credential) MarshalJSON() ([]byte, error) { return []byte(`"` + c.hidden() + `"`), nil }

func (c Credential) hidden() string {
	if c.value == nil {
		return ""
	}
	return "(hidden)"
}
