package supervisor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Resolve finds the file that a command starts, as execvp(3) would in the agent's environment and
// directory. The errors say what is missing, where it was looked for, and the cure.
func Resolve(command, env []string, dir string) (string, error) {
	if len(command) == 0 || command[0] == "" {
		return "", errors.New("start the agent: no command is given; name one after --")
	}
	name := command[0]
	if strings.Contains(name, "/") {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if err := executable(path); err != nil {
			return "", fmt.Errorf("start the agent: %w", err)
		}
		return filepath.Abs(path)
	}

	searched := variable(env, "PATH")
	var found error // the first file of that name, which cannot be run
	for _, in := range filepath.SplitList(searched) {
		if !filepath.IsAbs(in) {
			continue // the working directory belongs to whoever wrote the repository
		}
		path := filepath.Join(in, name)
		err := executable(path)
		if err == nil {
			return path, nil
		}
		if found == nil && !errors.Is(err, fs.ErrNotExist) {
			found = err
		}
	}
	if found != nil {
		return "", fmt.Errorf("start the agent: %w", found)
	}
	if searched == "" {
		return "", fmt.Errorf("start the agent: there is no command %q, since PATH is empty; give its absolute path, or set PATH", name)
	}
	return "", fmt.Errorf("start the agent: there is no command %q in PATH (%s); install it, or give its absolute path",
		name, searched)
}

// executable tells why a file cannot be run.
func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return missingError{path}
	case err != nil:
		return fmt.Errorf("%s cannot be looked at: %w", path, err)
	case info.IsDir():
		return fmt.Errorf("%s is a directory; name the program in it", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no program (%s)", path, info.Mode().Type())
	}
	if err := mayExecute(path); err != nil {
		return fmt.Errorf("%s may not be executed by this user (%s): chmod +x %s, or mount its file system without noexec: %w",
			path, info.Mode(), path, err)
	}
	return nil
}

// missingError is fs.ErrNotExist in words that say what to do.
type missingError struct{ path string }

func (e missingError) Error() string {
	return e.path + " does not exist; install it, or correct the path"
}

func (missingError) Unwrap() error { return fs.ErrNotExist }

// mayExecute asks the kernel whether this user may execute a file (access(2)), which knows of ACLs and
// noexec mounts.
func mayExecute(path string) error { return unix.Access(path, unix.X_OK) }

// explainStart says why the kernel would not run a file that is there and may be executed.
func explainStart(path string, err error) string {
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Sprintf("start the agent: %s is neither a program for this machine nor a script; "+
			"a script's first line names its interpreter, as in #!/bin/sh", path)
	case errors.Is(err, syscall.ENOENT):
		return fmt.Sprintf("start the agent: what %s is run by does not exist; "+
			"see the interpreter in its first line (#!), or install the loader that it was built for", path)
	case errors.Is(err, syscall.E2BIG):
		return fmt.Sprintf("start the agent: the arguments and the environment of %s are more than this machine takes", path)
	}
	return fmt.Sprintf("start the agent: %s: %v", path, err)
}

// variable returns a variable of an environment. As with the C library, the first of several holds.
func variable(env []string, name string) string {
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}
