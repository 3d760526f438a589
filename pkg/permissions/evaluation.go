package permissions

import (
	"path/filepath"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// evaluation is a Request as rules look at it: every path resolved, every word of a command with the files
// that it could name.
type evaluation struct {
	Request
	home      string
	sensitive *sensitiveFiles
	resources []resource
	shell     *shellText // nil when the act runs no command
	ids       []string   // under which rules may mean the tool; see toolIDs
	inGitTree func() bool
	danger    func() danger
	// commandGuard is why the act's command needs a person; see guardCommand.
	commandGuard func() string
	trees        func() []wholeTree // the directories that the act takes whole
	toolText     string             // see shownTool
	shownPath    string             // what shown has shown last
	shownText    string
	exceeding    map[string]string // what exceeds has found
	facts        *facts
	git          gitAsker
	// repositories are what git has said, by the directory that it was asked in.
	repositories  map[string]repository
	takenFiles    map[takenKey]fact[[]string]
	trackedNames  map[string]fact[[]string] // by the directory that git was asked in
	variablesSeen map[string]any            // what conditions see; nil until one asks
	// mayRead reports whether the rules in force approve that the agent reads a file with its own tool; see
	// Authority.readsNamed. It is nil for acts that are no command.
	mayRead func(path string) bool

	now     time.Time
	counter Counter // nil where nothing is counted
	worked  int     // see work
	// treeHazards is what readsTree has found below a directory.
	treeHazards map[walkedTree]string
}

func newEvaluation(r Request, home string, s *sensitiveFiles, f files, git gitAsker) *evaluation {
	v := &evaluation{Request: r, home: home, sensitive: s, facts: newFacts(f), git: git}
	v.inGitTree = sync.OnceValue(func() bool { return v.facts.inGitTree(r.Workspace.Root) })
	v.danger = sync.OnceValue(v.assess)
	v.commandGuard = sync.OnceValue(v.guardCommand)
	v.trees = sync.OnceValue(v.findTrees)
	v.ids = v.toolIDs()
	v.gather(v.gatherRequest)
	return v
}

// gatherRequest looks at what every rule needs to know of the request: what its names mean.
func (v *evaluation) gatherRequest() {
	for _, path := range v.Request.Paths {
		// Doors look for hidden characters in what they read; here none gets past, whatever the door.
		v.Doubts = append(v.Doubts[:len(v.Doubts):len(v.Doubts)], Doubtful(path.Name)...)
		path.Write = path.Write || writes(v.Action)
		v.resources = append(v.resources, v.facts.resource(v.Dir, v.home, path))
	}
	if v.Action == ActionSearch {
		for i, p := range v.resources {
			if v.inside(p) {
				v.resources[i].below = v.treeHazard(walkedTree{root: p.real, hidden: true})
			}
		}
	}
	switch {
	case v.Shell != nil:
		v.shell = newShellText(v)
	case v.runs():
		_, _ = v.facts.resolve("/", v.Dir) // for what is kept of a command for the session
	}
}

// writes reports whether an action changes every file that it names.
func writes(a Action) bool { return a == ActionWrite || a == ActionDelete || a == ActionMove }

// aboutFiles reports whether an action is about files and nothing else, so that one without a path does not
// say what it does.
func aboutFiles(a Action) bool { return writes(a) || a == ActionRead || a == ActionSearch }

// runs reports whether the act runs a command: then paths are only what somebody says that it touches.
func (v *evaluation) runs() bool { return v.shell != nil || v.Action == ActionExecute }

// byPerson reports whether the act is that of the person who typed it.
func (v *evaluation) byPerson() bool { return v.Door == tool.DoorCLI }

// inside reports whether a resource surely lies in the workspace.
func (v *evaluation) inside(p resource) bool { return p.err == nil && v.Workspace.Contains(p.real) }

// allInside reports whether every resource does.
func (v *evaluation) allInside() bool {
	for _, p := range v.resources {
		if !v.inside(p) {
			return false
		}
	}
	return true
}

// inGitTree reports whether a directory lies in a git work tree. A .git that is a file names the real one, as
// in a worktree or submodule of git's.
func (d *facts) inGitTree(dir string) bool {
	if !filepath.IsAbs(dir) {
		return false
	}
	for {
		if info, err := d.stat(filepath.Join(dir, ".git")); err == nil &&
			(info.IsDir() || info.Mode().IsRegular()) {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}
