package permissions

import (
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Unreadable is what of a workspace rules keep every agent from reading, whenever it asks.
type Unreadable struct {
	// Paths are absolute and without links. A directory stands for all that is, and will be, in it.
	Paths []string
	// Whole reports whether there are no others. Where there are very many, some are left out.
	Whole bool
}

// The bounds of a look for what cannot be read: it comes before an agent starts.
const (
	mostUnreadable = 256
	mostLookedAt   = 100_000 // names
)

// Unreadable looks through a workspace for what rules reject reading. A rule counts that has no condition but
// its paths: what depends on the agent, the time or an expression may be decided otherwise later. Links are
// not followed: what they lead to is looked at where it is. walk is filepath.WalkDir: rules look at no disk
// themselves.
func (a *Authority) Unreadable(w tool.Workspace, walk func(string, fs.WalkDirFunc) error) (found Unreadable) {
	rules := a.rulesFor(Request{Workspace: w})
	files, dirs := rules.keepFromReading()
	if len(files) == 0 {
		return Unreadable{Whole: true}
	}
	v := a.newEvaluation(Request{Workspace: w, Dir: w.Root})
	looked := 0
	found.Whole = true
	for _, root := range w.Dirs() {
		err := walk(root, func(path string, entry fs.DirEntry, err error) error {
			if looked++; looked > mostLookedAt || len(found.Paths) == mostUnreadable {
				found.Whole = false
				return fs.SkipAll
			}
			switch {
			case entry == nil: // the workspace itself is not there
				return err
			case err != nil:
				return fs.SkipDir // what we cannot look into, the agent as our user cannot either
			case path == root || entry.Type()&fs.ModeSymlink != 0:
				return nil
			case entry.IsDir():
				if a.allBelow(v, dirs, path) {
					found.Paths = append(found.Paths, path)
					return fs.SkipDir
				}
			case entry.Type().IsRegular() && mayBeAbout(v, files, path) && a.rejectsReading(w, path):
				found.Paths = append(found.Paths, path)
			}
			return nil
		})
		found.Whole = found.Whole && err == nil
	}
	return found
}

// keepFromReading returns the rules that reject reading files by their paths alone: those that could be about
// a file, and those of them that hold for a directory as a whole, whatever other rules say.
func (f inForce) keepFromReading() (files, dirs []*compiledRule) {
	for _, set := range []*Set{f.policies, f.own} {
		if set == nil {
			continue
		}
		for _, file := range set.files {
			for _, c := range file.rules {
				plain := c.Rule
				plain.IncludePaths, plain.ExcludePaths = nil, nil
				if c.Verdict != Reject || len(c.include) == 0 || !plain.unconditional() ||
					!CompileTools(c.AppliesTo).Match([]string{ToolRead}) {
					continue
				}
				files = append(files, c)
				if file.Version == Version2 && len(c.exclude) == 0 {
					dirs = append(dirs, c)
				}
			}
		}
	}
	return files, dirs
}

// mayBeAbout reports whether one of the rules could be about a path.
func mayBeAbout(v *evaluation, rules []*compiledRule, path string) bool {
	return slices.ContainsFunc(rules, func(c *compiledRule) bool {
		return c.mayInclude(v, resource{maybe: []string{path}})
	})
}

// allBelow reports whether one of the rules is about everything in a directory, whatever it is called.
func (a *Authority) allBelow(v *evaluation, rules []*compiledRule, dir string) bool {
	var below []string
	for _, name := range []string{"anything", "any.thing", ".any", "Z9", "-"} { // that no pattern is made for
		below = append(below, filepath.Join(dir, name), filepath.Join(dir, name, name))
	}
	return slices.ContainsFunc(rules, func(c *compiledRule) bool {
		return !slices.ContainsFunc(below, func(path string) bool {
			return !c.mayInclude(v, resource{maybe: []string{path}})
		})
	})
}

// rejectsReading reports whether the rules reject that a file is read, by whichever agent.
func (a *Authority) rejectsReading(w tool.Workspace, path string) bool {
	d := a.Decide(Request{Door: tool.DoorACP, Action: ActionRead, Tools: []string{ToolRead}, Workspace: w, Dir: w.Root,
		Paths: []Path{{Name: path}}, Commands: a.commands})
	return d.Verdict == Reject && d.Source == SourcePolicy
}
