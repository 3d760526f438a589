package tool

// Type is the type of a parameter: JSON Schema's names.
type Type string

// The types.
const (
	TypeString  Type = "string"
	TypeNumber  Type = "number"
	TypeInteger Type = "integer"
	TypeBoolean Type = "boolean"
	TypeObject  Type = "object"
	TypeArray   Type = "array"
)

// Types lists the types in the order that messages name them.
func Types() []Type {
	return []Type{TypeString, TypeNumber, TypeInteger, TypeBoolean, TypeObject, TypeArray}
}

// Code marks a parameter whose value is a program that the agent is meant to write.
type Code string

// CodeSQL is the only language that a parameter may be marked with.
const CodeSQL Code = "sql"

// Parameter is one declared argument of a tool.
type Parameter struct {
	Name        string
	Type        Type
	Description string
	Required    bool
	Default     any // nil: none; numbers are json.Number

	Enum    []any  // numbers are json.Number
	Minimum string // a JSON number, "" for none: kept as text so that no digit is lost
	Maximum string
	Pattern string // a regular expression (RE2) for the whole value
	Format  Format // "" for any text
	Items   *Parameter
	// Properties are the members of an object; nil where it may have any. Their names are keys of JSON, and may be
	// any text.
	Properties []Parameter
	// Nullable lets the value be null.
	Nullable bool
	// MinLength and MaxLength bound a text in characters, MinItems and MaxItems a list; nil for no bound.
	MinLength, MaxLength *int
	MinItems, MaxItems   *int

	// Code says that the value is a program; only then may it stand where a program is expected.
	Code Code
	// AllowLeadingDash lets a value start with '-' where the program would read it as an option.
	AllowLeadingDash bool
	// Slash says what a slash in the value means where it stands in a URL's path.
	Slash Slash
	// Secret keeps the value out of prompts, events and the record.
	Secret bool
	// Ask has a person asked for the value where a call does not give it, if the client can ask.
	Ask bool

	// Flag is what stands in front of the value in a call of a program (Exec): --name, -name or -n. Without it
	// the value is an argument by itself, and each item of a list is one.
	Flag string
	Form FlagForm
	// PassEmpty hands an empty value on, where it else is as good as none.
	PassEmpty bool

	// Implied marks a parameter that no entry declares: the template names it, and a file of the original
	// format may leave the declaration out.
	Implied bool
}

// Slash says what becomes of slashes in a value that stands in the path of a URL.
type Slash string

// The kinds of Slash. SlashRefused, which is what is meant where nothing is said, has a value be one segment.
const (
	SlashRefused  Slash = ""
	SlashEncoded  Slash = "encoded"  // %2F: one segment to a server that knows it, several to many another
	SlashSegments Slash = "segments" // the value is several segments
)

// Property returns the property of a name; nil when there is none.
func (p *Parameter) Property(name string) *Parameter {
	for i := range p.Properties {
		if p.Properties[i].Name == name {
			return &p.Properties[i]
		}
	}
	return nil
}
