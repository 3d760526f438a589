package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/state"
)

// Options is what a look at what is trusted takes from outside.
type Options struct {
	Getenv func(string) string // required: where the state directory is
	Home   string              // the home directory of our account, which no variable says; "" for none
	Dir    string              // required: the current directory, absolute
	Say    func(line string)   // required: one line for the person
}

// Lookup returns what somebody trusts of a workspace's root, or of a file. Nothing is made: where there is no
// store, nothing is trusted.
func Lookup(o Options, dir string) (Directory, bool, error) {
	path := StatePath(o)
	if _, err := os.Lstat(path); path == "" || errors.Is(err, fs.ErrNotExist) {
		return Directory{}, false, nil // whoever opens the state says why there is none
	}
	opened, err := state.Open(filepath.Dir(path))
	if err != nil {
		return Directory{}, false, err
	}
	found, ok, err := In(opened.Path()).Lookup(dir)
	if err != nil || !ok {
		return Directory{}, false, err
	}
	if found.IsFile() {
		dir = filepath.Dir(dir)
	}
	return found, true, mayTrust(o, dir)
}

// Counts reports whether somebody has read files of a directory, each as it is now, and lets them count.
func Counts(o Options, dir string, files []string) (bool, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false, err
	}
	trusted, ok, err := Lookup(o, real)
	if err != nil || !ok || trusted.IsFile() {
		return false, err
	}
	for _, name := range files {
		if _, pinned := trusted.Files[name]; !pinned || !trusted.hasFile(name) {
			return false, nil
		}
	}
	return len(files) > 0, nil
}

// List returns what is trusted, and makes nothing.
func List(o Options) ([]Directory, error) {
	path := StatePath(o)
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
	return In(dir.Path()).List()
}

// State returns a function that says what somebody thinks of a workspace's own file, by the bytes that
// were read of it.
func State(o Options) func(config.File) config.TrustState {
	return func(file config.File) config.TrustState {
		dir := filepath.Dir(filepath.Dir(file.Path))
		trusted, ok, err := Lookup(o, dir)
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

// StatePath returns the file that State looks into; "" where there is no place for it.
func StatePath(o Options) string {
	path, err := state.Locate(o.Getenv)
	if err != nil {
		return ""
	}
	return Path(path)
}

// mayTrust refuses a state directory that whoever wrote the workspace could have brought along: he can set
// A2A_STATE_DIR (direnv does), and would trust himself.
func mayTrust(o Options, dir string) error {
	path, err := state.Locate(o.Getenv)
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if in := config.BroughtWith(path, dir, o.Home); in != "" {
		return fmt.Errorf("the state directory %s is, like the workspace, in %s: who wrote the workspace could have "+
			"made it; unset A2A_STATE_DIR and XDG_STATE_HOME, and set HOME to the home of your account", path, in)
	}
	return nil
}
