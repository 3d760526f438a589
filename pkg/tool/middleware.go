package tool

import "time"

// Middleware is what a row of `middleware:` in a tool's file adds to it. The zero Middleware adds nothing.
// Timeout and Audit are in the tool's own fields already, as far as they count.
type Middleware struct {
	Source  Source // of the row
	Timeout time.Duration
	Limit   CallLimit
	// MostArguments is how many arguments a call may have, and items each list among them; 0 is no bound.
	MostArguments int
	MostBytes     int      // of a call's arguments, as JSON; 0 is no bound
	Redact        []string // expressions (RE2) for what is taken out of the output
	Audit         AuditLevel
}

// IsZero reports whether there is no row for the tool.
func (m Middleware) IsZero() bool { return m.Source.File == "" }

// CallLimit is how often tools may be called: Count times in each Per, all that one row is about together.
type CallLimit struct {
	Count int64 // 0 is no limit
	Per   time.Duration
	Key   LimitKey
}

// LimitKey says which calls a CallLimit counts together.
type LimitKey string

// The keys.
const (
	LimitAll     LimitKey = "all"
	LimitClient  LimitKey = "client"
	LimitTool    LimitKey = "tool"
	LimitSession LimitKey = "session"
)
