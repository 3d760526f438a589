package governor

import (
	"net/netip"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// File is one governors file, as its author wrote it.
type File struct {
	Layer tool.Layer
	Name  string // as it is shown to people
	// Project marks the file of a workspace. It holds only kinds that run no program and reach nobody, and
	// can only tighten.
	Project bool

	Permission, Output                 []Spec
	PermissionSettings, OutputSettings Settings
}

// Settings are those of all governors of one phase in a file.
type Settings struct {
	// StopOnFirstReject ends the others as soon as one rejects.
	StopOnFirstReject bool
	// AllApprove lets governors answer in a person's place: at least one approves, and every one that
	// speaks does.
	AllApprove bool
	// MostFollowUps is how often the governors of a session may send the agent a prompt; 0 means never.
	MostFollowUps int
	// Deadline is how long all governors of the phase may take together.
	Deadline time.Duration
}

// The defaults of Settings and Spec. Those that the original system had are its own.
const (
	DefaultTimeout   = 5 * time.Second
	DefaultDeadline  = 15 * time.Second
	DefaultFollowUps = 3
)

// DefaultSettings are the settings where a file says nothing.
func DefaultSettings() Settings {
	return Settings{MostFollowUps: DefaultFollowUps, Deadline: DefaultDeadline}
}

// Kind is what a governor is.
type Kind string

// The kinds. `python` of the original system is a script.
const (
	KindScript  Kind = "script"
	KindHTTP    Kind = "http"
	KindCEL     Kind = "cel"
	KindRate    Kind = "rate"
	KindBudget  Kind = "budget"
	KindSecrets Kind = "secrets"
	// KindPatterns looks for what its expressions match.
	KindPatterns Kind = "patterns"
)

// Kinds lists them all.
func Kinds() []Kind {
	return []Kind{KindScript, KindHTTP, KindCEL, KindRate, KindBudget, KindSecrets, KindPatterns}
}

// InProject reports whether a workspace's own file may hold a governor of this kind.
func (k Kind) InProject() bool {
	return k == KindCEL || k == KindRate || k == KindSecrets || k == KindPatterns
}

// Spec is one governor.
type Spec struct {
	ID     string
	Kind   Kind
	Source tool.Source

	Timeout time.Duration
	// RequiresManual keeps the governor out of what a rule approves: it looks at what a person would be
	// asked.
	RequiresManual bool
	// Required asks the governor whatever a rule's skipGovernors says.
	Required bool
	// AppliesTo are patterns over tool ids; none means all.
	AppliesTo          []string
	OnError, OnTimeout Fallback

	Script Script
	HTTP   HTTP
	CEL    CEL
	Limit  Limit // of rate and budget
	Found  Verb  // what is done about a secret, or what a pattern matches
	// Patterns are regular expressions (RE2): what one matches, or its first group where it has one, is found.
	Patterns []string
	Message  string // what is said when a governor that is no program and no URL objects; "" for its own words
}

// Fallback is what a governor without an answer counts as.
type Fallback string

// The fallbacks. There is none that approves.
const (
	// A person is asked; where nobody can be, it is a rejection. Output is withheld.
	FallbackAsk    Fallback = "ask"
	FallbackReject Fallback = "reject" //
	FallbackIgnore Fallback = "ignore" // as if it were not there
)

// Script is a program that is run for each act, in the sandbox.
type Script struct {
	Command []string // the program and its arguments; no shell reads them
	Dir     string   // what a relative path of Command is relative to: that of the file. Absolute
	Network tool.Network
	// Environment holds literal values, Secrets those that stand elsewhere.
	Environment map[string]string
	Secrets     map[string]tool.Reference
}

// HTTP is a URL that is told of each act.
type HTTP struct {
	URL     string
	Headers map[string]string // ${VAR} in a value stands for a variable of the program's environment
	Secret  *tool.Reference   // what requests are signed with; nil for none
	// Allow are the addresses that may be reached although they are not public.
	Allow []netip.Prefix
}

// CEL is an expression that is true for an act that is fine.
type CEL struct {
	Expression string
	Otherwise  Verb // what false means: reject or ask
}

// Verb says what a built-in governor does about what it objects to.
type Verb string

// The verbs.
const (
	VerbReject Verb = "reject"
	VerbAsk    Verb = "ask"
	VerbRedact Verb = "redact" // of output: take it out
)

// Limit is how much of something there may be.
type Limit struct {
	// Of each of these that is not zero there may be so much in each Per. A rate governor has Calls alone.
	Calls   int64
	Bytes   int64         // of output
	Running time.Duration // that tools ran
	Per     time.Duration
	Key     Key
	Beyond  Verb // reject or ask
}

// Key says what is counted together.
type Key string

// The keys.
const (
	KeyAll     Key = "all"
	KeyAgent   Key = "agent"
	KeyTool    Key = "tool"
	KeySession Key = "session"
)
