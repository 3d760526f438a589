package permissions

import "github.com/a2a-acp/a2a-acp/pkg/tool"

// Version says by which rules of reading a policy file was written.
type Version int

// The versions. A file of the original format yields the decision of its first rule that matches; of a version-2 file
// every rule that matches counts, and the strongest verdict holds.
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
	// TightenOnly keeps only the rejecting rules in force: the file belongs to a workspace that nobody has trusted.
	TightenOnly bool
}

// Rule is one entry of auto_approval_policies. Every condition that it has must hold; a condition that it does not have
// always holds.
type Rule struct {
	ID     string
	Source tool.Source

	AppliesTo    []string // globs over tool ids; at least one
	IncludePaths []string // globs; an approval needs every path of the act to match one
	ExcludePaths []string // globs; an approval needs no path of the act to match one

	// Parameters are arguments that must be equal to the given scalar values.
	Parameters map[string]any
	// CommandPrefixes are the first words of commands (parameters.command_prefix of the original format).
	CommandPrefixes []string
	// Commands is the version-2 form: every command of a shell text must be allowed.
	Commands *Commands
	// InGitWorkTree wants the workspace to be a git work tree, so that what is changed can be got back.
	InGitWorkTree bool

	Verdict Verdict
	Option  string // optionId
	Reason  string
	// SkipGovernors leaves out the governors that are not required, where this rule decides.
	SkipGovernors bool
}

// Commands is what a rule lets shell texts run.
type Commands struct {
	// Allow holds the first words of allowed commands. They are compared word by word: "git log" allows "git log -1" and
	// neither "git logx" nor "git -C / log".
	Allow []string
	// Redirects says which files the text may write by redirection: none, workspace or any.
	Redirects Redirects
}

// Redirects says where a shell text may write by redirection.
type Redirects string

// The values of Redirects; "" is RedirectsNone.
const (
	RedirectsNone      Redirects = "none"
	RedirectsWorkspace Redirects = "workspace"
	RedirectsAny       Redirects = "any"
)
