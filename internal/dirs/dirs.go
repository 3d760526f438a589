// Package dirs locates the directories that the program works with: those of its own files, and workspaces.
package dirs

import (
	"context"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/state"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// System is where root keeps what holds for everybody.
const System = "/etc/a2a-acp"

// Dirs finds directories by the environment.
type Dirs struct {
	Getenv func(string) string // required
}

// ConfigHome returns where a user's programs keep their configuration (XDG Base Directory Specification);
// "" when there is no such place.
func (d Dirs) ConfigHome() string {
	if dir := d.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if home := d.Getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config")
	}
	return ""
}

// Config returns where the user's own files lie; "" when there is no such place.
func (d Dirs) Config() string {
	home := d.ConfigHome()
	if home == "" {
		return ""
	}
	return filepath.Join(home, "a2a-acp")
}

// State returns where our state lies; "" when there is no such place.
func (d Dirs) State() string {
	dir, err := state.Locate(d.Getenv)
	if err != nil {
		return ""
	}
	return dir
}

// Notes returns where the sandbox notes what runs where; "" where there is no state yet, which nobody makes
// for that.
func (d Dirs) Notes() string {
	dir := d.State()
	if info, err := os.Stat(dir); dir == "" || err != nil || !info.IsDir() {
		return ""
	}
	return filepath.Join(dir, "running")
}

// Own returns every directory of ours: where the variables of this process say, and where they lie for who sets fewer
// of them, or none, since those of this process may be of somebody else's choice, and the next one's may be others. Each
// is named by every mount that shows it. No agent may write there by a rule, and what runs in the sandbox does not see
// them.
func (d Dirs) Own() []string {
	own := []string{System}
	add := func(dir string) {
		if dir != "" && !slices.Contains(own, dir) {
			own = append(own, dir)
		}
	}
	for _, home := range []string{d.Getenv("HOME"), AccountHome()} {
		for _, variables := range [][]string{{"A2A_STATE_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"}, {"XDG_STATE_HOME"}, nil} {
			as := Dirs{Getenv: func(name string) string {
				switch {
				case name == "HOME":
					return home
				case slices.Contains(variables, name):
					return d.Getenv(name)
				}
				return ""
			}}
			add(as.Config())
			add(as.State())
		}
	}
	for _, dir := range otherNames(own) {
		add(dir)
	}
	return own
}

// AccountHome returns the home directory of our account; "" where it has none.
func AccountHome() string { return accountHome() }

var accountHome = sync.OnceValue(func() string { return homeOf(strconv.Itoa(os.Getuid())) })

// homeOf returns the home directory of a user. Without the C library only /etc/passwd is read; getent(1)
// knows those of a directory service too.
func homeOf(uid string) string {
	home := ""
	if account, err := user.LookupId(uid); err == nil {
		home = account.HomeDir
	} else {
		home = homeIn(getent(uid), uid)
	}
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Clean(home)
}

// getent asks the system for the entry of a user; "" where there is none, or nobody to ask.
func getent(uid string) string {
	const patience = 5 * time.Second // a service may be away
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/usr/bin/getent", "passwd", uid)
	cmd.Env = []string{"PATH=/usr/bin:/bin"} // ours may be of somebody else's choice
	out, _ := cmd.Output()
	return string(out)
}

// homeIn returns the home directory in the entry of a user (passwd(5)).
func homeIn(entry, uid string) string {
	line, _, _ := strings.Cut(entry, "\n")
	fields := strings.Split(line, ":")
	if len(fields) != 7 || fields[2] != uid {
		return ""
	}
	return fields[5]
}

// HoldsHome reports whether a directory, without links, is a home of ours, or one that such a home is in.
func (d Dirs) HoldsHome(dir string) bool {
	return slices.ContainsFunc([]string{d.Getenv("HOME"), AccountHome()},
		func(home string) bool { return home != "" && holds(dir, home) })
}

// holds reports whether a path is in a directory that has no links, or is that.
func holds(dir, path string) bool {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// Workspace returns the workspace of a session from the directories that the editor names, or a person
// stands in. Some directories hold so much that everything would be inside: the root, the home directory,
// and what our own files lie in.
func (d Dirs) Workspace(cwd string, additional []string) tool.Workspace {
	w := tool.Workspace{Root: d.workspaceDir(cwd)}
	for _, dir := range additional {
		if dir = d.workspaceDir(dir); dir != "" {
			w.Additional = append(w.Additional, dir)
		}
	}
	return w
}

// workspaceDir returns a directory without links; "" for one that cannot be a workspace.
func (d Dirs) workspaceDir(dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil || dir == "/" || d.HoldsHome(dir) ||
		slices.ContainsFunc([]string{d.State(), d.ConfigHome()},
			func(kept string) bool { return kept != "" && holds(dir, kept) }) {
		return ""
	}
	return dir
}
