package permissions

import (
	"slices"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Version says by which rules of reading a policy file was written.
type Version int

// The versions. A file of the original format yields the decision of its first rule that matches; of a
// version-2 file every rule that matches counts, and the strongest verdict holds.
const (
	VersionOriginal Version = 1
	Version2        Version = 2
)

// File is one policy file, as its author wrote it.
type File struct {
	Version Version
	Layer   tool.Layer
	Name    string // as it is shown to people
	Rules   []Rule
	// TightenOnly keeps only the rejecting rules in force: the file belongs to a workspace that nobody has
	// trusted.
	TightenOnly bool
	// Root is the directory of the workspace whose own file this is, once somebody trusts it; "" for all
	// others. Acts of other workspaces it can only reject.
	Root string `json:",omitempty"`
	// Unmatched is what becomes of an agent's act that no rule is about, where the file says so: Ask or
	// Reject, in place of the program's own defaults. It never approves anything.
	Unmatched *Verdict
}

// tightens reports whether only the rejecting rules of the file are in force in a workspace.
func (f *File) tightens(w tool.Workspace) bool {
	return f.TightenOnly || f.Root != "" && f.Root != w.Root
}

// Rule is one entry of auto_approval_policies. Every condition that it has must hold; a condition that it
// does not have always holds.
type Rule struct {
	ID     string
	Source tool.Source

	AppliesTo    []string // globs over tool ids; at least one
	IncludePaths []string // globs; an approval needs every path of the act to match one
	ExcludePaths []string // globs; an approval needs no path of the act to match one

	// Parameters are arguments that must be equal to the given scalar values.
	Parameters map[string]any
	// Matchers are arguments that must fit in another way.
	Matchers map[string]Matcher
	// Request is what the HTTP request of the act must fit: method, url, path, query.NAME and body.NAME.
	Request map[string]Matcher `json:",omitempty"`
	// CommandPrefixes are the first words of commands (parameters.command_prefix of the original format).
	CommandPrefixes []string
	// Commands is the version-2 form: every command of a shell text must be allowed.
	Commands *Commands
	// InGitWorkTree wants the workspace to be a git work tree, so that what is changed can be got back.
	InGitWorkTree bool
	// Confined wants the agent's sandbox to hold the act.
	Confined bool

	Agents []string // globs over the name that the agent gave itself
	// Principals are globs over the name by which the daemon knows who calls it.
	Principals []string
	// Workspaces are globs over the directories of the session's workspace: absolute, or below the home directory (~/). A
	// rule that approves needs each of them to match one, so that no further directory comes along.
	Workspaces []string
	// Modes are interactive, headless, or globs over the id of the mode that the agent is in.
	Modes []string
	// MinRisk and MaxRisk bound what the act could do (see Risk); RiskUnsaid does not.
	MinRisk, MaxRisk Risk
	// When is an expression in CEL that must be true; see Condition.
	When string
	// Limit bounds how often the rule approves. Beyond it a person is asked.
	Limit *Limit
	// Expires is when the rule stops to count; zero for never.
	Expires time.Time

	// Observe has the rule looked at and recorded, and not counted: so a new rule can be watched first.
	Observe bool

	Verdict Verdict
	Option  string // optionId
	Reason  string
	// SkipGovernors leaves out the governors that are not required, where this rule decides.
	SkipGovernors bool
	// AtTerminal has only a person at a terminal of this machine answer, where this rule matches and somebody is
	// asked: a client that may answer for its person is not asked.
	AtTerminal bool `json:",omitempty"`
	// Sandbox is the profile under which the commands run that the rule approves; "" for none. It approves
	// nothing where they would run without.
	Sandbox string

	// Match and NotMatch are acts that the rule must, and must not, be about: see CheckExamples.
	Match, NotMatch []Example
}

// Commands is what a rule lets shell texts run.
type Commands struct {
	// Allow holds the first words of allowed commands. They are compared word by word: "git log" allows
	// "git log -1" and neither "git logx" nor "git -C / log".
	Allow []string
	// Redirects says which files the text may write by redirection: none, workspace or any.
	Redirects Redirects
	// Network, when it is given and false, keeps a rule from approving programs that reach another machine.
	// When it is given and true, a rule that stops is about those programs.
	Network *bool
}

// Redirects says where a shell text may write by redirection.
type Redirects string

// The values of Redirects; "" is RedirectsNone.
const (
	RedirectsNone      Redirects = "none"
	RedirectsWorkspace Redirects = "workspace"
	RedirectsAny       Redirects = "any"
)

// Matcher is what a rule wants of one argument, beyond being equal to one value. All that is given must
// hold. Of an argument that is a list every entry must fit for an approval, and one is enough for a rule
// that stops.
type Matcher struct {
	In     []any    // one of these scalar values
	Host   []string // a URL of one of these hosts: a name, *.name, or either with a :port
	Absent *bool    // whether the argument must be missing
	Max    string   // a number no greater; "" for none
	Min    string   // a number no less; "" for none
	Within string   // a file at or below this directory; relative to the workspace
	Regex  string   // a text that matches as a whole (RE2)
}

// Limit bounds how often a rule approves.
type Limit struct {
	Count int
	Per   time.Duration
	Key   LimitKey
}

// LimitKey says what a limit counts apart.
type LimitKey string

// The keys of a limit; "" is LimitAll.
const (
	LimitAll       LimitKey = "all" // everything that the rule approves
	LimitAgent     LimitKey = "agent"
	LimitSession   LimitKey = "session"
	LimitTool      LimitKey = "tool"
	LimitWorkspace LimitKey = "workspace"
)

// names reports whether the rule says which tools it is about, and is not just about all of them.
func (r *Rule) names() bool {
	return len(r.AppliesTo) > 0 && !slices.ContainsFunc(r.AppliesTo, func(id string) bool { return strings.Trim(id, "*") == "" })
}
