package gitrepo

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// Effect is what it means that a file of a repository was made or changed.
type Effect int

// The effects.
const (
	NoEffect Effect = iota
	Later           // git runs commands from it when somebody goes on with what was begun
	Steers          // git runs it, or reads in it what to run, or where to look for that
)

// MostRead is how much of a file is read at most. What begins as long a text goes on in ways that nobody
// has seen.
const MostRead = 64 << 10

// FileEffect says what it means that a file was made or changed in a repository's directory
// (gitrepository-layout(5)). name is relative to .git; "" is .git itself, where it is no directory. read
// gives what the file holds, or its first MostRead bytes; where it is nil, it is whether a file of that
// name can have an effect. What lies in the directories of submodules and work trees counts as in the
// repository's.
func FileEffect(name string, read func() []byte) Effect {
	name = strings.ToLower(name) // for file systems to which letter case does not count
	base, parent := path.Base(name), path.Base(path.Dir(name))
	judge := func(harmless func(text string) bool) Effect {
		if read == nil {
			return Steers
		}
		if text := read(); text != nil && len(text) < MostRead && harmless(string(text)) {
			return NoEffect
		}
		return Steers
	}
	switch {
	case name == "":
		return judge(leadsToModule)
	case parent == "hooks":
		if strings.HasSuffix(base, ".sample") {
			return NoEffect
		}
		return Steers
	case base == "config", base == "config.worktree":
		return judge(plainSettings)
	case base == "commondir":
		return judge(func(text string) bool { return text == "../..\n" && path.Base(path.Dir(path.Dir(name))) == "worktrees" })
	case base == "attributes" && parent == "info", base == "hooks":
		return Steers // hooks is a file or a link here
	case strings.HasPrefix(name, "refs/") && parent != "hooks", strings.HasPrefix(name, "logs/"):
		if strings.HasPrefix(name, replaced) {
			return Later // git shows another object in place of this one
		}
	case base == "packed-refs":
		if read == nil || bytes.Contains(read(), []byte(" "+replaced)) {
			return Later
		}
	case parent == "remotes", parent == "branches":
		return Later // where a remote of that name is, and which program is at its other end
	case base == "git-rebase-todo", base == "todo" && parent == "sequencer":
		if read == nil {
			return Later
		}
		if text := read(); len(text) >= MostRead || runsCommands.Match(text) {
			return Later
		}
	default:
		if harmless, ok := begun[path.Join(parent, base)]; ok && (read == nil || !harmless.Match(read())) {
			return Later
		}
	}
	return NoEffect
}

// begun are the files in which git keeps how it goes on with what was begun, and what they hold where it runs
// no program by that: of a merge strategy X it runs git-merge-X, which can be a path. Of git am its options
// can name a file to write to.
var begun = map[string]*lazyregexp.Regexp{
	"rebase-merge/strategy": lazyregexp.New(`\A` + strategies + `\n?\z`),
	"sequencer/opts": lazyregexp.New(`\A(\[options\]\n|\tstrategy = ` + strategies + `\n|` +
		`\t(allow|default|drop|keep)-[a-z-]+ = \w+\n|` +
		`\t(edit|signoff|record-origin|mainline|gpg-sign|strategy-option|no-commit|commit-use-reference) = [\w.=-]*\n)*\z`),
	"rebase-apply/apply-opt": lazyregexp.New(
		`\A( '(-[Cp]\d+|--whitespace=[\w,-]+|--reject|--ignore-(whitespace|space-change))')*\s*\z`),
}

// strategies are those of git's own (git-merge(1), git's builtin/merge.c).
const strategies = `(ort|recursive|resolve|octopus|ours|subtree)`

// hookNames are the hooks that git runs in a repository of its own accord (githooks(5)).
var hookNames = strings.Fields(`applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit
	prepare-commit-msg commit-msg post-commit pre-rebase post-checkout post-merge pre-push pre-receive update
	proc-receive post-receive post-update reference-transaction push-to-checkout pre-auto-gc post-rewrite
	sendemail-validate fsmonitor-watchman post-index-change`)

// IsHook reports whether a file of a name is one that git runs for who works in a repository whose
// core.hooksPath leads to the file's directory. Others run where somebody pushes to.
func IsHook(name string) bool {
	return slices.Contains(hookNames, name) && !strings.Contains(name, "receive") && !strings.HasSuffix(name, "update")
}

// BareNames lists the names of files that BareEffect is about.
func BareNames() []string {
	return append([]string{"HEAD", "config", "config.worktree", "commondir"}, hookNames...)
}

// BareEffect is FileEffect for what may lie in a repository without a work tree, which any directory with a
// HEAD is taken for. name is the file's path. read reads a file by its path, nil where there is none; where
// read is nil, the name alone counts.
func BareEffect(name string, read func(path string) []byte) Effect {
	dir, base := path.Dir(name), path.Base(name)
	hook := slices.Contains(hookNames, base)
	if hook != (path.Base(dir) == "hooks") || !slices.Contains(BareNames(), base) {
		return NoEffect
	}
	if read == nil {
		return Steers
	}
	if hook {
		dir = path.Dir(dir)
	}
	if !headText.Match(read(path.Join(dir, "HEAD"))) {
		return NoEffect
	}
	if base != "HEAD" {
		return FileEffect(strings.TrimPrefix(name, dir+"/"), func() []byte { return read(name) })
	}
	// It makes a repository of what is there.
	for _, other := range BareNames()[1:] {
		if slices.Contains(hookNames, other) {
			other = "hooks/" + other
		}
		text := read(path.Join(dir, other))
		if text != nil && FileEffect(other, func() []byte { return text }) != NoEffect {
			return Steers
		}
	}
	return NoEffect
}

// headText is what a HEAD begins with.
var headText = lazyregexp.New(`\A(ref:\s*refs/|[0-9a-f]{40})`)

// runsCommands finds lines of a rebase that run a command (git-rebase(1), exec).
var runsCommands = lazyregexp.New(`(?m)^\s*(exec|x)\s`)

// HoldsData reports whether a directory of a repository holds nothing but data. dir is relative to .git.
func HoldsData(dir string) bool {
	return dir == "objects" || dir == "logs" || strings.HasPrefix(dir, "refs/") && dir+"/" != replaced
}

// replaced is where the refs are by which git takes one object for another (git-replace(1)).
const replaced = "refs/replace/"

// leadsToModule reports whether a file in place of .git leads to where git itself keeps submodules and
// further work trees.
func leadsToModule(text string) bool { return toModule.MatchString(text) }

var toModule = lazyregexp.New(`\Agitdir: (/|(\.\./)*)(\w[\w.+@-]*/)*\.git/(modules|worktrees)(/\w[\w.+@-]*)+\n\z`)

var (
	sectionLine = lazyregexp.New(`^\[([A-Za-z][A-Za-z0-9-]*)(?: "([^"\\]*)")?\]$`)
	settingLine = lazyregexp.New(`^\t([A-Za-z][A-Za-z0-9-]*) = ([^"\\#;]*)$`)
)

// plainSettings reports whether a file of settings is as git itself writes it, and holds nothing but
// settings by which no git command runs a program or looks elsewhere. It does not read such files as git
// does: what is not plain it takes for none.
func plainSettings(text string) bool {
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := sectionLine.FindStringSubmatch(line); m != nil {
			section = strings.ToLower(m[1]) + "."
			if m[2] != "" {
				section += m[2] + "."
			}
			continue
		}
		m := settingLine.FindStringSubmatch(line)
		if m == nil || section == "" {
			return false
		}
		key := section + strings.ToLower(m[1])
		if !isLooked(key, m[2]) && !slices.ContainsFunc(read().rows(key), func(r *row) bool {
			return !r.writes && !r.fetches && (r.kind == "any" || r.value != nil && r.value.MatchString(m[2]))
		}) {
			return false
		}
	}
	return true
}

// isLooked reports whether a setting says, as git clone writes it, that the repository was cloned from
// another one of this machine, at a place where what that runs itself is looked at: not inside of a
// repository, where most is data.
func isLooked(key, value string) bool {
	return strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, ".url") &&
		localRepository.MatchString(value) && !insideRepository.MatchString(value)
}

var (
	localRepository  = lazyregexp.New(`\A(file://)?(/(\.?[\w+@-][\w.+@ -]*)?)+\z`)
	insideRepository = lazyregexp.New(`(?i)/\.git/.*[^/]`)
)
