package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/state"
	"github.com/a2a-acp/a2a-acp/internal/trust"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// trustedIn looks up what somebody trusts of a workspace's root. Nothing is made: where there is no store, nothing is trusted.
func trustedIn(o Options, dir string) (trust.Directory, bool, error) {
	path := standingPath(o)
	if _, err := os.Lstat(path); path == "" || errors.Is(err, fs.ErrNotExist) {
		return trust.Directory{}, false, nil // New says why there is no state
	}
	opened, err := state.Open(filepath.Dir(path))
	if err != nil {
		return trust.Directory{}, false, err
	}
	found, ok, err := trust.In(opened.Path()).Lookup(dir)
	if err != nil || !ok {
		return trust.Directory{}, false, err
	}
	if found.IsFile() {
		dir = filepath.Dir(dir)
	}
	return found, true, mayTrust(o, dir)
}

// standing tells what somebody thinks of a workspace's own file, by the bytes that were read of it.
func standing(o Options) func(config.File) config.Standing {
	return func(file config.File) config.Standing {
		dir := filepath.Dir(filepath.Dir(file.Path))
		trusted, ok, err := trustedIn(o, dir)
		switch {
		case err != nil:
			o.Say(fmt.Sprintf("nothing in %s is trusted: %v", dir, err))
			return config.Untrusted
		case !ok:
			return config.Untrusted
		}
		name, err := filepath.Rel(dir, file.Path)
		if err != nil {
			return config.Untrusted
		}
		if pin, pinned := trusted.Files[name]; pinned && pin.SHA256 == file.SHA256() {
			return config.Trusted
		}
		return config.Changed
	}
}

// standingPath is the file that standing looks into; "" where there is no place for it.
func standingPath(o Options) string {
	path, err := state.Locate(o.Getenv)
	if err != nil {
		return ""
	}
	return trust.Path(path)
}

// ownSources are a workspace's own files and nothing else. Of the environment they see what their tools are given, and no
// variable that names files of ours.
func ownSources(o Options, w tool.Workspace) config.Sources {
	return config.Sources{
		Workspace: w, Standing: standing(o), StandingPath: standingPath(o),
		Env: func(name string) string {
			if strings.HasPrefix(name, "A2A_") && name != config.ErrorProfileVariable {
				return ""
			}
			return o.Getenv(name)
		},
	}
}

// TrustRoot gives the directory that stands for a workspace in the store: absolute and without links. The error says why nothing
// in it can ever be trusted.
func TrustRoot(o Options, dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(o.Dir, dir)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is no directory; name the workspace, not a file of it", real)
	}
	if o.Dirs().Workspace(real, nil).Root == "" {
		return "", fmt.Errorf("%s is no workspace: it is the root, the home directory, or one that our own files lie in; trust the project's own directory", real)
	}
	return real, mayTrust(o, real)
}

// mayTrust refuses a state directory that whoever wrote the workspace could have brought along: he can set A2A_STATE_DIR
// (direnv does), and would trust himself.
func mayTrust(o Options, dir string) error {
	path, err := state.Locate(o.Getenv)
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	home := o.Getenv("HOME")
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	for p := dir; p != filepath.Dir(p) && !within(home, p); p = filepath.Dir(p) {
		if within(path, p) {
			return fmt.Errorf("the state directory %s lies beside the workspace, in %s, whose author could have brought it along; unset A2A_STATE_DIR", path, p)
		}
	}
	return nil
}

// within tells whether a clean path is dir or lies in it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// watchScripts has the tools of a workspace look, before they run, whether the scripts that they name are as somebody trusted them.
func (a *App) watchScripts(root string, entries []*executor.Entry) {
	trusted, _, _ := trustedIn(a.o, root) // with none, every script counts as changed
	for _, entry := range entries {
		names := config.NamedScripts(entry.Tool, root)
		if len(names) == 0 {
			continue
		}
		entry.Intact = func() error {
			for _, name := range names {
				if !trusted.HasScript(name) {
					return fmt.Errorf("%s changed since somebody trusted it; look at it, and pin it again: a2a-acp trust %s", name, config.ShellWord(root))
				}
			}
			return nil
		}
	}
}

// Trust is what people trust, open to be changed. Close it.
type Trust struct {
	trust.Store
	log *audit.Log
}

// OpenTrust opens the store, and makes the state directory where there is none. Who may change it has been looked at.
func OpenTrust(o Options) (*Trust, error) {
	dir, log, err := openLog(o)
	if err != nil {
		return nil, err
	}
	return &Trust{trust.In(dir.Path()), log}, nil
}

// ListTrust gives what is trusted, and makes nothing.
func ListTrust(o Options) ([]trust.Directory, error) {
	path := standingPath(o)
	if path == "" {
		return nil, nil
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	dir, err := state.Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	return trust.In(dir.Path()).List()
}

// Trust pins what somebody was shown. It is on record before it counts.
func (t *Trust) Trust(ctx context.Context, d trust.Directory) error {
	return t.Store.Trust(d, func() error {
		event := events.Event{Type: events.TrustGiven, Time: now(), Detail: events.Text(d.Dir + ", by " + d.By)}
		if d.IsFile() {
			event.Files = append(event.Files, events.File{Path: d.Dir, Layer: "file", SHA256: d.Files[filepath.Base(d.Dir)].SHA256})
		}
		for _, name := range config.ProjectFiles() {
			if pin, ok := d.Files[name]; ok {
				event.Files = append(event.Files, events.File{Path: filepath.Join(d.Dir, name), Layer: "workspace", SHA256: pin.SHA256})
			}
		}
		return t.log.Record(context.WithoutCancel(ctx), event)
	})
}

// Revoke takes it back.
func (t *Trust) Revoke(ctx context.Context, dir, by string) error {
	return t.Store.Revoke(dir, func() error {
		return t.log.Record(context.WithoutCancel(ctx), events.Event{Type: events.TrustRevoked, Time: now(), Detail: events.Text(dir + ", by " + by)})
	})
}

// Close ends the use of it.
func (t *Trust) Close() error { return t.log.Close() }
