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

	// Code says that the value is a program; only then may it stand where a program is expected.
	Code Code
	// AllowLeadingDash lets a value start with '-' where the program would read it as an option.
	AllowLeadingDash bool
	// Secret keeps the value out of prompts, events and the record.
	Secret bool

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
