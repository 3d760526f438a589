package permissions

import (
	"path/filepath"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/digest"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// scope is how much of its kind a person can allow with one act for the rest of its session.
type scope struct {
	key, words string
	of         string // the key without the workspace; see here
	rule       *Rule  // that says it; nil where the key does
}

// scopes lists what an "always" about the act can allow, the narrowest first, or says why nothing.
func (v *evaluation) scopes() (all []scope, why string) {
	key, words := v.allowance()
	if key == "" {
		return nil, words
	}
	return append([]scope{{key: key, words: words}}, v.wider()...), ""
}

// wider lists what a person can allow beyond the files of a read or a write: all below the directory that they are in, and
// all below that of the workspace. It lists nothing for files outside of the workspace. Whatever is allowed, a file
// that is more than data is asked about every time.
func (v *evaluation) wider() (all []scope) {
	dirs := v.commonDirs()
	for i, dir := range dirs {
		words := " everything below " + shown(v.Workspace, dir)
		if i == len(dirs)-1 {
			words = " every file of " + shown(tool.Workspace{}, dir)
		}
		if i == 0 || i == len(dirs)-1 {
			all = append(all, scope{key: v.belowKey(dir), words: v.verb() + words})
		}
	}
	return all
}

// commonDirs lists the directories that all files of a read or a write lie below, from the one nearest to them up to one of
// the workspace's own. The act is one that something can be allowed of (see allowance): it names files, and each is known.
func (v *evaluation) commonDirs() (dirs []string) {
	if v.Action != ActionRead && v.Action != ActionWrite {
		return nil
	}
	for dir := v.resources[0].real; v.Workspace.Contains(filepath.Dir(dir)); {
		dir = filepath.Dir(dir)
		if !slices.ContainsFunc(v.resources, func(p resource) bool { return !isBelow(p.real, dir) }) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// liesBelow reports whether the files of a read or a write lie below a directory for whose key holds is true.
func (v *evaluation) liesBelow(holds func(key string) bool) bool {
	for _, dir := range v.commonDirs() {
		if holds(v.belowKey(dir)) {
			return true
		}
	}
	return false
}

// belowKey names what it is to do the same with everything below a directory.
func (v *evaluation) belowKey(dir string) string { return digest.Of("below", string(v.Action), dir) }

// verb is what a read or a write does, in a word.
func (v *evaluation) verb() string {
	if v.Action == ActionWrite {
		return "writing"
	}
	return "reading"
}
