package tool

import (
	"encoding/json"
	"fmt"
	"strings"
)

// ErrorProfile says how much clients are told of an error by the protocol itself.
type ErrorProfile string

// The profiles. ACP's own clients print an error's data as it is and show an object as "[object Object]",
// so under ProfileBasic it is a text, and what does not fit stands in the diagnostics. ProfileExtended lets
// it be any JSON.
const (
	ProfileBasic    ErrorProfile = "acp-basic" // also what "" means
	ProfileExtended ErrorProfile = "extended-json"
)

// ParseErrorProfile reads the name of a profile; "" is the basic one. A _ is as good as a -.
func ParseErrorProfile(name string) (ErrorProfile, error) {
	switch p := ErrorProfile(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "_", "-")); p {
	case "", ProfileBasic:
		return ProfileBasic, nil
	case ProfileExtended:
		return p, nil
	}
	return "", fmt.Errorf("want %s or %s, found %q", ProfileBasic, ProfileExtended, name)
}

// Word is the profile's name in diagnostics, as the original system writes it.
func (p ErrorProfile) Word() string {
	if p == ProfileExtended {
		return "extended_json"
	}
	return "acp_basic"
}

// DetailText is the detail on one line: a text as it is, anything else as JSON.
func (e *MCPError) DetailText() string {
	switch detail := e.Detail.(type) {
	case nil:
		return ""
	case string:
		return detail
	}
	encoded, err := json.Marshal(e.Detail)
	if err != nil {
		return err.Error()
	}
	return string(encoded)
}
