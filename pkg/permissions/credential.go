package permissions

import (
	"path"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/gitrepo"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
)

// The settings of a repository hold no secret by their name: nearly all are plain, and git grep -r reads
// them. But a clone of https://user:password@host keeps the address as it was given, and what checks out in
// CI keeps its token there (http.<url>.extraheader; https://github.com/actions/checkout). So they are read
// first.

const holdsCredential = "holds a password or a token for another repository"

// credential reports whether the text of git's settings, or one of them, gives one away.
var credential = lazyregexp.New(`(?i)://[^\s/:@"']*:[^\s/@"']+@|://[^\s/:@"']{20,}@|` +
	`(?:^|[\n.])[ \t]*(?:extraheader|password|token)[ \t]*=[ \t]*\S`)

// secret tells what is special about a file that is read: the completion of "`file` …", "" for nothing.
func (v *evaluation) secret(name string) string {
	if what := v.sensitive.find(v.Workspace, name, sensitive.Secret); what != "" {
		return what
	}
	if v.facts.givesCredential(name) {
		return holdsCredential
	}
	return ""
}

// givesCredential reports whether a file is one of a repository's settings with a credential in it.
func (d *facts) givesCredential(name string) bool {
	folded := sensitive.Fold(name)
	if base := path.Base(folded); base != "config" && base != "config.worktree" ||
		!strings.Contains(folded, ".git/") {
		return false
	}
	info, err := d.stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	data, err := d.readFile(name)
	return info.Size() > mostIgnored || err == nil && credential.Match(data)
}

// printsCredential tells why a command of git's must not print its settings; "" where it prints none, or none
// that gives a credential away. (git-remote(1), git-config(1); url.*.insteadOf is a part of what git remote
// -v prints.)
func printsCredential(r *gitrepo.Repository, row *command.Row, words []string) string {
	if r == nil || !row.Addresses || len(words) == 0 {
		return ""
	}
	if row.Operands == command.Setting && !slices.ContainsFunc(words, func(word string) bool {
		return strings.HasPrefix(strings.ToLower(word), "remote.")
	}) {
		return ""
	}
	for _, s := range r.Settings {
		address := strings.HasPrefix(s.Key, "remote.") || strings.HasPrefix(s.Key, "url.")
		if address && credential.MatchString(s.Key+"="+s.Value) {
			return "an address in the settings of the repository " + holdsCredential
		}
	}
	return ""
}
