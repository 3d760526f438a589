package a2aclient

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
)

// Card is an agent's card, of 1.0 or 0.3, as far as a client needs it. What else stands there is not looked at, and
// what is of another type than it should be is not there.
type Card struct {
	Raw json.RawMessage // as it came
	URL *url.URL        // where it came from

	Name, Description, Version string
	Provider                   string
	Documentation              string
	Interfaces                 []Interface
	Streaming, Push, Extended  bool
	Extensions                 []string // their URIs
	InputModes, OutputModes    []string
	Skills                     []wire.AgentSkill
	Schemes                    []Scheme // how callers can show who they are
	Signature                  Signature

	signatures []cardSignature
}

// Interface is where an agent can be reached, and how.
type Interface struct {
	URL     string `json:"url"`
	Binding string `json:"protocolBinding"` // JSONRPC, HTTP+JSON, GRPC, or another one
	Version string `json:"protocolVersion"` // "1.0", "0.3"
	Tenant  string `json:"tenant,omitempty"`
}

// Scheme is a way to show who one is.
type Scheme struct {
	Name   string `json:"name"`
	Type   string `json:"type"`             // http, apiKey, oauth2, openIdConnect or mutualTLS
	Scheme string `json:"scheme,omitempty"` // of http: bearer, basic
	In     string `json:"in,omitempty"`     // of apiKey: header, query or cookie
	Param  string `json:"param,omitempty"`  // of apiKey: the name of the header
}

// The bindings that are spoken, and the versions.
const (
	JSONRPC  = "JSONRPC"
	HTTPJSON = "HTTP+JSON"
	GRPC     = "GRPC"

	Version10 = "1.0"
	Version03 = "0.3"
)

// version returns the version that an interface is spoken to in; "" for one that is not spoken.
func (i Interface) version() string {
	switch {
	case i.Binding == GRPC && !strings.HasPrefix(i.Version, "1"): // its service had another name before
	case i.Version == "1" || strings.HasPrefix(i.Version, "1."):
		return Version10
	case strings.HasPrefix(i.Version, "0.3") || strings.HasPrefix(i.Version, "0.2"):
		return Version03
	}
	return ""
}

// mostListed bounds how much of each list of a card is looked at.
const mostListed = 1000

// ParseCard reads a card that came from a URL.
func ParseCard(body []byte, from *url.URL) (*Card, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, fmt.Errorf("it is no JSON object: %w", err)
	}
	c := &Card{Raw: body, URL: from}
	take(members["name"], &c.Name)
	take(members["description"], &c.Description)
	take(members["version"], &c.Version)
	take(members["documentationUrl"], &c.Documentation)
	take(members["defaultInputModes"], &c.InputModes)
	take(members["defaultOutputModes"], &c.OutputModes)
	var provider struct {
		Organization string `json:"organization"`
	}
	take(members["provider"], &provider)
	c.Provider = provider.Organization
	c.takeCapabilities(members)
	for _, raw := range list(members["skills"]) {
		var skill wire.AgentSkill
		if take(raw, &skill); skill.ID != "" {
			c.Skills = append(c.Skills, skill)
		}
	}
	for _, raw := range list(members["signatures"]) {
		var s cardSignature
		take(raw, &s)
		c.signatures = append(c.signatures, s)
	}
	c.takeInterfaces(members)
	c.takeSchemes(members["securitySchemes"])
	if c.Name == "" && c.Interfaces == nil {
		return nil, fmt.Errorf("it is no agent card: it has neither a name nor interfaces")
	}
	return c, nil
}

// take reads a member, and leaves out what is of another type.
func take(raw json.RawMessage, into any) {
	if raw != nil {
		_ = json.Unmarshal(raw, into) // what cannot be read is not there
	}
}

func list(raw json.RawMessage) []json.RawMessage {
	var items []json.RawMessage
	take(raw, &items)
	return items[:min(len(items), mostListed)]
}

func (c *Card) takeCapabilities(members map[string]json.RawMessage) {
	var can struct {
		Streaming  bool              `json:"streaming"`
		Push       bool              `json:"pushNotifications"`
		Extended   bool              `json:"extendedAgentCard"`
		Extensions []json.RawMessage `json:"extensions"`
	}
	take(members["capabilities"], &can)
	take(members["supportsAuthenticatedExtendedCard"], &can.Extended) // of 0.3
	c.Streaming, c.Push, c.Extended = can.Streaming, can.Push, can.Extended
	for _, raw := range can.Extensions[:min(len(can.Extensions), mostListed)] {
		var extension struct {
			URI string `json:"uri"`
		}
		if take(raw, &extension); extension.URI != "" {
			c.Extensions = append(c.Extensions, extension.URI)
		}
	}
}

// takeInterfaces reads where the agent is: what 1.0 says first, and then what 0.3 says.
func (c *Card) takeInterfaces(members map[string]json.RawMessage) {
	add := func(i Interface) {
		if i.Binding == "" {
			i.Binding = JSONRPC
		}
		i.Binding = strings.ToUpper(i.Binding)
		if i.URL != "" && !slices.Contains(c.Interfaces, i) {
			c.Interfaces = append(c.Interfaces, i)
		}
	}
	for _, raw := range list(members["supportedInterfaces"]) {
		var i Interface
		if take(raw, &i); i.Version == "" {
			i.Version = Version10
		}
		add(i)
	}
	old := Interface{Version: Version03}
	take(members["protocolVersion"], &old.Version)
	take(members["url"], &old.URL)
	take(members["preferredTransport"], &old.Binding)
	if old.version() != Version03 {
		old.Version = Version03 // a card with this member is one of 0.3, whatever it says
	}
	add(old)
	for _, raw := range list(members["additionalInterfaces"]) {
		var i struct {
			URL       string `json:"url"`
			Transport string `json:"transport"`
		}
		take(raw, &i)
		add(Interface{URL: i.URL, Binding: i.Transport, Version: old.Version})
	}
}

// takeSchemes reads security schemes: those of 0.3 say their type, those of 1.0 stand in a member that is named
// after it.
func (c *Card) takeSchemes(raw json.RawMessage) {
	var schemes map[string]json.RawMessage
	take(raw, &schemes)
	for name, raw := range schemes {
		if len(c.Schemes) == mostListed {
			break
		}
		var s struct {
			Type, Scheme, In, Name string
			HTTP                   *struct{ Scheme string }         `json:"httpAuthSecurityScheme"`
			Key                    *struct{ Location, Name string } `json:"apiKeySecurityScheme"`
			OAuth                  *struct{}                        `json:"oauth2SecurityScheme"`
			OpenID                 *struct{}                        `json:"openIdConnectSecurityScheme"`
			MTLS                   *struct{}                        `json:"mtlsSecurityScheme"`
		}
		take(raw, &s)
		known := Scheme{Name: name, Type: s.Type, Scheme: strings.ToLower(s.Scheme), In: s.In, Param: s.Name}
		switch {
		case s.HTTP != nil:
			known.Type, known.Scheme = "http", strings.ToLower(s.HTTP.Scheme)
		case s.Key != nil:
			known.Type, known.In, known.Param = "apiKey", s.Key.Location, s.Key.Name
		case s.OAuth != nil:
			known.Type = "oauth2"
		case s.OpenID != nil:
			known.Type = "openIdConnect"
		case s.MTLS != nil:
			known.Type = "mutualTLS"
		}
		c.Schemes = append(c.Schemes, known)
	}
	slices.SortFunc(c.Schemes, func(a, b Scheme) int { return strings.Compare(a.Name, b.Name) })
}

// ParameterTypes returns the JSON types of what a skill takes, by name, where an extension of the card says so as ours does,
// with a JSON Schema under params.skills.SKILL.parameters.
func (c *Card) ParameterTypes(skill string) map[string]string {
	var card struct {
		Capabilities struct {
			Extensions []json.RawMessage `json:"extensions"`
		} `json:"capabilities"`
	}
	take(c.Raw, &card)
	types := map[string]string{}
	for _, raw := range card.Capabilities.Extensions[:min(len(card.Capabilities.Extensions), mostListed)] {
		var extension struct {
			Params struct {
				Skills map[string]struct {
					Parameters struct {
						Properties map[string]json.RawMessage `json:"properties"`
					} `json:"parameters"`
				} `json:"skills"`
			} `json:"params"`
		}
		take(raw, &extension)
		for name, raw := range extension.Params.Skills[skill].Parameters.Properties {
			var property struct {
				Type string `json:"type"`
			}
			if take(raw, &property); property.Type != "" {
				types[name] = property.Type
			}
		}
	}
	return types
}
