package permissions

import (
	"path/filepath"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// view is a Request as rules look at it: every path resolved, every word of a command with the files that it could name.
type view struct {
	Request
	home      string
	sensitive *sensitiveFiles
	places    []place
	shell     *shellView // nil when the act runs no command
	ids       []string   // under which rules may mean the tool; see spelled
	inGitTree func() bool
	danger    func() danger
	toolText  string // see shownTool
	shownPath string // what shown has shown last
	shownText string
	looked    map[string]string // what careful has found
	disk      *disk
	git       gitAsker
	// repositories are what git has said, by the directory that it was asked in.
	repositories map[string]repository
	seen         map[string]any // what conditions see; nil until one asks

	now     time.Time
	counter Counter // nil where nothing is counted
	spent   int     // see spend
	// walked is what readsTree has found below a directory.
	walked map[walkedTree]string
}

func newView(r Request, home string, s *sensitiveFiles, f files, git gitAsker) *view {
	v := &view{Request: r, home: home, sensitive: s, disk: newDisk(f), git: git}
	for _, path := range r.Paths {
		// Doors look for hidden characters in what they read; here none gets past, whatever the door.
		v.Doubts = append(v.Doubts[:len(v.Doubts):len(v.Doubts)], Doubtful(path.Name)...)
		path.Write = path.Write || writes(r.Action)
		v.places = append(v.places, v.disk.newPlace(r.Dir, home, path))
	}
	if r.Shell != nil {
		v.shell = newShellView(v)
	}
	v.ids = v.spelled()
	v.inGitTree = sync.OnceValue(func() bool { return v.disk.inGitTree(r.Workspace.Root) })
	v.danger = sync.OnceValue(v.assess)
	return v
}

// writes tells whether an action changes every file that it names.
func writes(a Action) bool { return a == ActionWrite || a == ActionDelete || a == ActionMove }

// aboutFiles tells whether an action is about files and nothing else, so that one without a path does not say what it does.
func aboutFiles(a Action) bool { return writes(a) || a == ActionRead || a == ActionSearch }

// runs tells whether the act runs a command: then paths are only what somebody says that it touches.
func (v *view) runs() bool { return v.shell != nil || v.Action == ActionExecute }

// own tells whether the act is that of the person who typed it.
func (v *view) own() bool { return v.Door == tool.DoorCLI }

// inside tells whether a place surely lies in the workspace.
func (v *view) inside(p place) bool { return p.err == nil && v.Workspace.Contains(p.real) }

// allInside tells whether every place does.
func (v *view) allInside() bool {
	for _, p := range v.places {
		if !v.inside(p) {
			return false
		}
	}
	return true
}

// inGitTree tells whether a directory lies in a git work tree. A .git that is a file names the real one, as in a worktree
// or submodule of git's.
func (d *disk) inGitTree(dir string) bool {
	if !filepath.IsAbs(dir) {
		return false
	}
	for {
		if info, err := d.stat(filepath.Join(dir, ".git")); err == nil && (info.IsDir() || info.Mode().IsRegular()) {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}
