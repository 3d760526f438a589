package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// PoliciesName is the name of a policy file in a directory where one is looked for.
const PoliciesName = "auto_approval_policies.yaml"

// The names that other files have there.
const (
	toolsName      = "tools.yaml"
	settingsName   = "a2a-acp.yaml"
	governorsName  = "governors.yaml"
	commandsName   = "commands.yaml"
	workspaceDir   = ".a2a-acp"  // in a workspace
	directoryName  = "a2a-acp"   // in ConfigHome
	embeddedPrefix = "embedded:" // before the name of a file that came with the program
	ruleUntrusted  = "untrusted" // somebody else may have written the file
	ruleIgnored    = "ignored"   // a file is there and not read
	ruleVanished   = "vanished"  // a file is gone, and what it said last counts
	toolsVariable  = "A2A_TOOLS_CONFIG"
	policyVariable = "A2A_AUTO_APPROVAL_FILE"
	// ErrorProfileVariable names the error profile: acp-basic or extended-json.
	ErrorProfileVariable = "A2A_ERROR_PROFILE"
	governorsVariable    = "A2A_GOVERNORS_FILE"
)

// Sources says where configuration comes from. The zero Sources has none.
type Sources struct {
	// EmbeddedTools and EmbeddedPolicies are the files that came with the program; nil for none.
	EmbeddedTools, EmbeddedPolicies []byte
	// OfferedOnly leaves the embedded tools unread where the settings expose none of them: who has agents
	// offered tools needs no others, and to read them takes longer than to read everything else.
	OfferedOnly bool
	// ConfigHome is $XDG_CONFIG_HOME, or ~/.config: the user's files are in its directory a2a-acp. Absolute;
	// "" for none.
	ConfigHome string
	// Home is the home directory of our account, which no variable says; "" for none.
	Home string
	// Root says that our account is root.
	Root bool
	// Env looks up a variable of the environment; nil for none. A2A_TOOLS_CONFIG is a list of paths,
	// A2A_AUTO_APPROVAL_FILE and A2A_GOVERNORS_FILE are one path each.
	Env func(string) string
	// Tools, Policies and Settings are the files that flags name, relative to Dir.
	Tools, Policies, Settings []string
	// Dir is the current directory, which relative paths of flags start from. Absolute.
	Dir string
	// SystemDir is /etc/a2a-acp; "" for none. What is in it overrides everything, so it must be root's alone.
	SystemDir string
	// Workspace is what a session works in. Its own policy file can only tighten until somebody trusts it,
	// its tools and governors count only then, and no other file may lie in it unless a flag names it:
	// whoever writes the repository would decide what is allowed. Sources with nothing but a Workspace have
	// what the workspace says itself.
	Workspace tool.Workspace
	// TrustState reports whether somebody trusts a file of the workspace's root, by the very bytes that were
	// read. Nil trusts none. The additional directories' own files are never trusted: they were written for
	// sessions that begin there.
	TrustState func(File) TrustState
	// Commands is what is known of programs where no commands.yaml is among the files; nil for what comes
	// with this program.
	Commands *command.Catalogue
	// TrustPath is the file that TrustState looks into, so that a Watcher sees when somebody changes his
	// mind; "" for none.
	TrustPath string

	systemOwner int // user id; 0, root, but in tests
}

// TrustState says what a person thinks of a workspace's own file.
type TrustState int

// The standings of a file.
const (
	Untrusted TrustState = iota // nobody has looked at it
	Changed                     // somebody trusted it as it was, and it is another now
	Trusted                     // somebody trusts it as it is
)

// kind is what a file is about.
type kind int

const (
	kindTools kind = iota
	kindPolicies
	kindSettings
	kindGovernors
	kindCommands // of a person alone
)

// fileNames are the names of the kinds in a directory.
var fileNames = []string{kindTools: toolsName, kindPolicies: PoliciesName, kindSettings: settingsName,
	kindGovernors: governorsName, kindCommands: commandsName}

// candidate is a file that counts when it is there.
type candidate struct {
	kind     kind
	name     string // as it is shown to people
	path     string // absolute; "" for one that came with the program
	layer    tool.Layer
	embedded []byte
	named    bool   // somebody named it, so it must be there
	outside  bool   // must not lie in the workspace
	by       string // who named it, for messages
	// workspace is the directory of the workspace whose own file this is; "" for all others.
	workspace string
}

// candidates lists the files in the order in which they count, the strongest last, and a workspace's own
// after that. The person's commands.yaml is the first, since tools and rules are checked by it.
func (s Sources) candidates() ([]candidate, yamldoc.Errors) {
	var all []candidate
	home := filepath.Join(s.ConfigHome, directoryName)
	if s.ConfigHome != "" {
		all = append(all, inDirectory(home, kindCommands, tool.LayerUser))
	}
	if s.EmbeddedTools != nil {
		all = append(all, candidate{kind: kindTools, name: embeddedPrefix + toolsName,
			embedded: s.EmbeddedTools})
	}
	if s.EmbeddedPolicies != nil {
		all = append(all, candidate{kind: kindPolicies, name: embeddedPrefix + PoliciesName,
			embedded: s.EmbeddedPolicies})
	}
	if s.ConfigHome != "" {
		all = append(all, directory(home, tool.LayerUser)...)
	}
	environment, errs := s.fromEnvironment()
	if _, err := s.errorProfile(); err != nil {
		errs = append(errs, yamldoc.Error{File: ErrorProfileVariable, Severity: yamldoc.SeverityError,
			Rule: yamldoc.RuleValue, Message: err.Error(), Hint: "unset it for acp-basic"})
	}
	all = append(all, environment...)
	all = append(all, s.fromFlags()...)
	if s.SystemDir != "" {
		all = append(all, directory(s.SystemDir, tool.LayerSystem)...)
	}
	for _, dir := range s.Workspace.Dirs() {
		for _, kind := range []kind{kindTools, kindPolicies, kindGovernors} {
			path := filepath.Join(dir, workspaceDir, fileNames[kind])
			all = append(all, candidate{kind: kind, name: path, path: path, layer: tool.LayerProject,
				workspace: dir})
		}
	}
	return once(all), append(errs, s.relative()...)
}

// Lasting lists the files that count whatever workspace it is, whether they are there or not: the person's, those that
// the environment and flags name, and root's.
func (s Sources) Lasting() []string {
	candidates, _ := s.candidates()
	var paths []string
	for _, c := range candidates {
		if c.path != "" && c.layer != tool.LayerProject {
			paths = append(paths, c.path)
		}
	}
	return paths
}

// errorProfile returns the error profile that the environment names.
func (s Sources) errorProfile() (tool.ErrorProfile, error) {
	if s.Env == nil {
		return tool.ProfileBasic, nil
	}
	return tool.ParseErrorProfile(s.Env(ErrorProfileVariable))
}

// relative refuses paths that would mean another place wherever the program starts.
func (s Sources) relative() yamldoc.Errors {
	var errs yamldoc.Errors
	refuse := func(what, dir string) {
		if dir != "" && !filepath.IsAbs(dir) {
			errs = append(errs, yamldoc.Error{
				File: dir, Severity: yamldoc.SeverityError, Rule: ruleUntrusted,
				Message: what + " must be an absolute path",
				Hint:    "a relative one would mean another place wherever the program starts",
			})
		}
	}
	refuse("the configuration directory (XDG_CONFIG_HOME)", s.ConfigHome)
	refuse("the system's configuration directory", s.SystemDir)
	refuse("the current directory", s.Dir)
	if s.Dir == "" {
		for _, name := range slices.Concat(s.Tools, s.Policies, s.Settings) {
			refuse("a file that is named where the current directory is not known", name)
		}
	}
	return errs
}

// directory lists the files that a configuration directory may hold, but for a person's commands.yaml.
func directory(dir string, layer tool.Layer) []candidate {
	var all []candidate
	for i := range fileNames {
		if kind(i) != kindCommands {
			all = append(all, inDirectory(dir, kind(i), layer))
		}
	}
	return all
}

func inDirectory(dir string, kind kind, layer tool.Layer) candidate {
	path := filepath.Join(dir, fileNames[kind])
	c := candidate{kind: kind, name: path, path: path, layer: layer}
	if layer == tool.LayerUser {
		c.outside, c.by = true, "the configuration directory"
	}
	return c
}

// fromEnvironment lists the files that variables name. They must be absolute, since a relative one would mean
// a file of whatever directory the program starts in.
func (s Sources) fromEnvironment() ([]candidate, yamldoc.Errors) {
	if s.Env == nil {
		return nil, nil
	}
	var all []candidate
	var errs yamldoc.Errors
	add := func(kind kind, variable, path string) {
		if !filepath.IsAbs(path) {
			errs = append(errs, yamldoc.Error{
				File: path, Severity: yamldoc.SeverityError, Rule: ruleUntrusted,
				Message: fmt.Sprintf("%s names this file, and must give an absolute path", variable),
				Hint:    "a repository can set variables (through direnv, for one), and this one would mean a file of its own",
			})
			return
		}
		all = append(all, candidate{
			kind: kind, name: path, path: path, layer: tool.LayerEnvironment, named: true, outside: true,
			by: variable,
		})
	}
	for _, path := range filepath.SplitList(s.Env(toolsVariable)) {
		if path != "" {
			add(kindTools, toolsVariable, path)
		}
	}
	if path := s.Env(policyVariable); path != "" {
		add(kindPolicies, policyVariable, path)
	}
	if path := s.Env(governorsVariable); path != "" {
		add(kindGovernors, governorsVariable, path)
	}
	return all, errs
}

// fromFlags lists the files that a person named on the command line. They may lie anywhere.
func (s Sources) fromFlags() []candidate {
	var all []candidate
	for i, paths := range [][]string{kindTools: s.Tools, kindPolicies: s.Policies, kindSettings: s.Settings} {
		for _, name := range paths {
			path := name
			if !filepath.IsAbs(path) {
				path = filepath.Join(s.Dir, path)
			}
			all = append(all, candidate{kind: kind(i), name: name, path: path, layer: tool.LayerFlag,
				named: true})
		}
	}
	return all
}

// once leaves out a file that the same layer names again.
func once(all []candidate) []candidate {
	type place struct {
		kind  kind
		layer tool.Layer
		path  string
	}
	seen := map[place]bool{}
	kept := all[:0]
	for _, c := range all {
		at := place{c.kind, c.layer, c.path}
		if c.path != "" && seen[at] && c.workspace == "" {
			continue
		}
		seen[at] = true
		kept = append(kept, c)
	}
	return kept
}

// errAbsent says that a file that need not be there is not.
var errAbsent = errors.New("absent")

// read reads a candidate. It returns errAbsent for an optional one that is not there.
func (s Sources) read(c candidate) (File, error) {
	file := File{Name: c.name, Path: c.path, Layer: c.layer, Workspace: c.workspace != ""}
	file.ErrorProfile, _ = s.errorProfile() // said once, by candidates
	if c.embedded != nil {
		file.Data, file.Checked = bytes.Clone(c.embedded), true
		return file, nil
	}
	var err error
	switch {
	case c.workspace != "":
		file.Data, err = readWithin(c.workspace, filepath.Join(workspaceDir, fileNames[c.kind]))
	case c.layer == tool.LayerSystem:
		file.Data, err = s.readSystem(c.path)
	default:
		check := func(info fs.FileInfo) error {
			if err := notEverybodys(info); err != nil {
				return err
			}
			return s.notAnothers(info, c.path)
		}
		if c.named { // what a person names may lie on a file system that knows no modes
			check = nil
		}
		file.Data, err = readRegular(func() (*os.File, error) {
			return os.OpenFile(c.path, openFlags, 0)
		}, check)
	}
	if (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) && !c.named {
		return File{}, errAbsent
	}
	if err == nil && c.outside {
		err = s.mustBeOutside(c)
	}
	if err != nil {
		return File{}, err
	}
	return file, nil
}

// readWithin reads a file below a directory that may belong to a stranger: no link leads out of it.
func readWithin(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // it was only read from
	return readRegular(func() (*os.File, error) { return root.OpenFile(name, openFlags, 0) }, nil)
}

// readSystem reads a file of the system directory, when nobody but its owner can have written it.
func (s Sources) readSystem(path string) ([]byte, error) {
	dir, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	check := func(info fs.FileInfo) error { return ownedBy(s.systemOwner, info) }
	return readRegular(func() (*os.File, error) {
		file, err := os.OpenFile(path, openFlags, 0)
		if err == nil {
			if fault := check(dir); fault != nil {
				file.Close()
				return nil, untrusted{why: fmt.Sprintf("its directory %s", fault)}
			}
		}
		return file, err
	}, func(info fs.FileInfo) error {
		if fault := check(info); fault != nil {
			return untrusted{why: fault.Error()}
		}
		return nil
	})
}

// notEverybodys refuses a file that every user of the machine may write: who can change it can change what is
// allowed. A group may, since many systems give each user one of its own.
func notEverybodys(info fs.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o002 != 0 {
		return untrusted{why: fmt.Sprintf("may be written by everybody (mode %#o)", mode), cure: "chmod o-w it"}
	}
	return nil
}

// notAnothers has root believe no file of another user's, where HOME is not that of root's account: sudo can keep it, and
// who owns the file would say what root runs and approves. In root's own home it is root's business whose files lie there;
// in a container they may be of a user outside.
func (s Sources) notAnothers(info fs.FileInfo, path string) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Uid == 0 || !s.Root || s.Home != "" && strings.HasPrefix(path, strings.TrimSuffix(s.Home, "/")+"/") {
		return nil
	}
	return untrusted{why: fmt.Sprintf("is owned by user %d, and you are root: it would say what root runs and approves", stat.Uid),
		cure: "sudo -H has root use its own files; or chown it to root, or name it with --tools or --policies"}
}

// untrusted is the reason why a file that is there must not be believed, and what to do; "" for what is to be
// done about most.
type untrusted struct{ why, cure string }

func (u untrusted) Error() string { return u.why }

// mustBeOutside refuses a file when the workspace, or what its author may have brought with it, has a part in
// which file it is: it lies there, or a link on the way to it does. Nobody in the workspace can change the
// way as far as its first name there, so looking after opening is enough. The current directory counts where
// it is no workspace, too: the variables that make it none may come from who named the file.
func (s Sources) mustBeOutside(c candidate) error {
	for _, step := range pathSteps(c.path) {
		if s.Workspace.Contains(step.path) {
			return untrusted{why: fmt.Sprintf("%s names this file, but it is in the workspace (%s)", c.by,
				step.path)}
		}
		for _, dir := range append(s.Workspace.Dirs(), s.Dir) {
			if in := BroughtWith(step.path, dir, s.Home); in != "" {
				if home := s.otherHome(); home != "" && within(c.path, home) {
					return untrusted{why: fmt.Sprintf("your HOME (%s) is not the home of your account (%s), so in a project below "+
						"%s your files do not count: a repository can set HOME, through direnv for one", home, s.Home, in),
						cure: "set HOME to " + s.Home + ", work outside of " + in + ", or name the files with --tools and --policies"}
				}
				return untrusted{why: fmt.Sprintf("%s names this file, but %s holds both it and the workspace: "+
					"who wrote the workspace could have written it, too", c.by, in),
					cure: "work outside of " + in + ", or name the files with --tools and --policies"}
			}
		}
	}
	return nil
}

// WouldCount says why files that come into the configuration directory would not count; nil where they would.
func (s Sources) WouldCount() error {
	c := inDirectory(filepath.Join(s.ConfigHome, directoryName), kindSettings, tool.LayerUser)
	err := s.mustBeOutside(c)
	if err == nil {
		return nil
	}
	var l loading
	l.fail(c, err)
	return l.found
}

// otherHome returns HOME where it is not the home of our account; else "".
func (s Sources) otherHome() string {
	if s.Env == nil {
		return ""
	}
	home := s.Env("HOME")
	if home == "" || s.Home == "" || filepath.Clean(home) == filepath.Clean(s.Home) {
		return ""
	}
	return home
}

// ReadsTools reports whether the tools file of that path is one that counts, once it is there: by its name in a directory of
// ours, or since a variable names it. own is the directory that it lies in, where it is a workspace's own, which counts
// once somebody trusts it; "" for all others.
func (s Sources) ReadsTools(path string) (reads bool, own string) {
	candidates, _ := s.candidates()
	for _, c := range candidates {
		if c.kind == kindTools && c.path != "" && filepath.Clean(c.path) == filepath.Clean(path) {
			return true, c.workspace
		}
	}
	return false, ""
}
