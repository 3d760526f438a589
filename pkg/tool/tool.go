// Package tool holds the nouns that every other package speaks: a Tool as its author wrote it, a Call that
// somebody makes of it, the Invocation that the call becomes, the Result that comes back, and the Failure
// that says why there is none.
//
// It imports nothing of ours, so that any package may speak of tools without knowing how they are run.
package tool

import (
	"slices"
	"time"
)

// Tool is one checked entry of a tools file. A Tool that exists has passed every check of its file.
type Tool struct {
	ID          string // the key in the file and the name that agents call it by
	Name        string // for people; the ID when the file gives none
	Description string // for the model

	Script     string // the template as written, values not filled in; "" where Exec, HTTP or A2A is set
	Exec       *Exec  // the program that it runs in place of a script; nil for a script
	HTTP       *HTTP  // the request that it sends in place of one; nil likewise
	A2A        *A2A   // the remote agent that it sends a message to in place of one; nil likewise
	Parameters []Parameter
	Sandbox    Sandbox

	ErrorMapping map[int]MappedError // by exit code, or status; below 0 those for conditions, the first by -1
	Annotations  Annotations

	Retry          Retry
	CircuitBreaker CircuitBreaker
	Caching        Caching

	Output  Output
	Surface Surface
	Audit   AuditLevel

	Middleware Middleware

	// AllowDynamicCommand says that the author means a parameter to choose what runs, as a shell tool does.
	AllowDynamicCommand bool
	// TrustProgram says that the author knows what programs that no table has do with the values that they
	// are given.
	TrustProgram bool

	Tags     []string
	Examples []Example
	Version  string
	Author   string

	Source Source

	// Unavailable says why calls are refused: the entry uses something that this build does not do, and
	// running it without would do less than its author wrote. Empty for a tool that can be called.
	Unavailable string
	// Disabled says that a person has switched it off, which is why it is unavailable.
	Disabled bool

	// Access says who may call it by the claims of who calls; nil for everybody.
	Access *Access
}

// Sandbox is what an entry grants its calls, and how much of it.
type Sandbox struct {
	RequiresConfirmation bool
	ConfirmationMessage  string // plain text template; empty: a standard sentence

	WorkingDirectory string // as written; "" and "." mean the caller's directory
	// TempIsolation gives each call a directory of its own to start in, below WorkingDirectory, and removes
	// it afterwards.
	TempIsolation bool
	AllowedPaths  []AllowedPath
	Environment   map[string]string
	// References are the variables whose values stand elsewhere. They are filled in last, for the process
	// alone.
	References map[string]Reference
	// Grants are the names of what the entry was granted in one word (internal/grant). What they give
	// stands in the other fields, too.
	Grants  []string
	Network Network
	// Strict gives a call network interfaces of its own, none of which leads anywhere, beside what Network
	// means.
	Strict bool
	// Sockets are the UNIX sockets that a call may connect to. No others are, whatever Network says.
	Sockets []string
	// Commands are the program files that may start: names to be found in PATH, or absolute paths. Nil
	// means all.
	Commands []string
	// Require names properties that must be enforced for a call to run, unless BestEffort.
	Require    []string
	BestEffort bool

	Limits Limits
}

// AllowedPath is one file or directory that a call may use beside its working directory.
type AllowedPath struct {
	Path     string
	ReadOnly bool
	// Anything also lets the call make and change what others run or believe without a look. No file can
	// say it: it is for directories that nobody works in.
	Anything bool `json:",omitempty"`
}

// Network says whether a call may use the network.
type Network string

// The values of Network. NetworkUnsaid is what a file says that says nothing: on when the author's own
// script calls a network client, else off.
const (
	NetworkUnsaid Network = ""
	NetworkOn     Network = "on"
	NetworkOff    Network = "off"
)

// Limits bounds one call. Zero means that there is no limit of that kind; the loader fills in the defaults.
type Limits struct {
	Timeout   time.Duration // wall clock
	CPU       time.Duration // of each process, whole seconds
	Memory    int64         // bytes of writable private memory of each process
	FileSize  int64         // bytes of each file that is written
	Output    int64         // bytes of stdout and of stderr, each
	OpenFiles int           // descriptors of each process
	Processes int           // tasks of the whole call; the kernel counts threads
	TempSize  int64         // bytes of the call's own /tmp, which is in memory
	// Bytes of address space of each process, whether it uses them or not; none unless asked for.
	Addresses int64
}

// DefaultLimits are the limits of an entry that names none: those of the original system, but for
// processes, since the kernel counts threads and 10 of them start neither java nor go, and for open files, since
// 100 are too few for a build.
func DefaultLimits() Limits {
	return Limits{
		Timeout:   30 * time.Second,
		CPU:       30 * time.Second,
		Memory:    512 << 20,
		FileSize:  10 << 20,
		Output:    10 << 20,
		OpenFiles: 4096,
		Processes: 256,
		TempSize:  256 << 20,
	}
}

// MappedError is what an exit code means to the protocols' clients.
type MappedError struct {
	Code    int    // JSON-RPC error code
	Message string // canonical text, e.g. "Resource not found"
	// A plain text template over the call's arguments; under ProfileExtended JSON whose texts are such.
	Detail    any
	Retryable bool
	If        string // an expression of CEL over an answer that it is for, in place of a status
}

// Surface says how a door tells what the tool came to, where its author wants it otherwise than the door's
// rule.
type Surface struct {
	// MCPProtocolError lets a mapped exit code be an error of the protocol to MCP clients, in place of a
	// result with isError.
	MCPProtocolError bool
}

// Annotations are the hints that MCP shows to a client (MCP 2025-06-18, ToolAnnotations). A nil hint was
// not given. ReadOnly is more than a hint to us: a read-only tool is not asked about when no rule matches.
type Annotations struct {
	Title       string
	ReadOnly    *bool
	Destructive *bool
	Idempotent  *bool
	OpenWorld   *bool
}

// IsReadOnly reports whether the author says that the tool changes nothing.
func (t *Tool) IsReadOnly() bool { return t.Annotations.ReadOnly != nil && *t.Annotations.ReadOnly }

// IsDestructive reports whether the author says that the tool removes or overwrites something.
func (t *Tool) IsDestructive() bool {
	return t.Annotations.Destructive != nil && *t.Annotations.Destructive
}

// IsOpenWorld reports whether the author says that the tool reaches other machines, or other programs on
// this one.
func (t *Tool) IsOpenWorld() bool {
	return t.Annotations.OpenWorld != nil && *t.Annotations.OpenWorld
}

// SaysClosed reports whether the annotations hold the tool to this machine, whatever its sandbox says.
func (t *Tool) SaysClosed() bool {
	return !t.IsOpenWorld() && (t.IsReadOnly() || t.Annotations.OpenWorld != nil)
}

// HoldToHints takes from the sandbox of a tool that changes nothing, as its author says, what it could
// change something with, and from one that reaches nothing else what it could reach that with.
func (t *Tool) HoldToHints() {
	if t.HTTP != nil {
		return
	}
	s := &t.Sandbox
	if t.SaysClosed() {
		s.Network, s.Sockets = NetworkOff, nil
	}
	if !t.IsReadOnly() {
		return
	}
	s.AllowedPaths = slices.Clone(s.AllowedPaths)
	for i := range s.AllowedPaths {
		s.AllowedPaths[i].ReadOnly = true
	}
}

// Shipped reports whether the entry came with the program.
func (t *Tool) Shipped() bool { return t.Source.Layer == LayerEmbedded }

// SecretParameters names the parameters whose values must not be shown or recorded.
func (t *Tool) SecretParameters() map[string]bool {
	secret := map[string]bool{}
	for _, p := range t.Parameters {
		if p.Secret {
			secret[p.Name] = true
		}
	}
	return secret
}

// ChangesNothing reports whether the sandbox of the tool's calls lets them change nothing that outlives them, and
// reach nothing, whatever its author says.
func (t *Tool) ChangesNothing() bool {
	s := t.Sandbox
	writes := slices.ContainsFunc(s.AllowedPaths, func(p AllowedPath) bool { return !p.ReadOnly })
	return s.TempIsolation && !writes && t.IsClosed()
}

// IsClosed reports whether the sandbox of the tool's calls lets them reach no other machine and no other program.
func (t *Tool) IsClosed() bool {
	return t.Sandbox.Network == NetworkOff && len(t.Sandbox.Sockets) == 0
}
