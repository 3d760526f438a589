package unasked

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// inRepository looks for something in a directory and those above it, in which agents find a repository's
// settings. From the home on they are the person's own.
func inRepository(dir string, environ []string, find func(dir string) []Finding) (all []Finding, err error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("%q is no absolute path of a directory to work in", dir)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	homes := homesIn(environ)
	starts := []string{filepath.Clean(dir), real}
	if starts[0] == real {
		starts = starts[1:]
	}
	for _, start := range starts {
		for at := start; !isOneOf(homes, at, start != real); at = filepath.Dir(at) {
			all = append(all, find(at)...)
			if at == "/" {
				break
			}
		}
	}
	return all, nil
}

// isOneOf reports whether a directory is one of some, by its name or, with links in it, by where that leads.
func isOneOf(dirs []string, dir string, linked bool) bool {
	if linked {
		if real, err := filepath.EvalSymlinks(dir); err == nil && slices.Contains(dirs, real) {
			return true
		}
	}
	return slices.Contains(dirs, dir)
}

// homesIn returns the names of the home that a person's environment has. What lies above it is no person's own: who
// works there, in a repository with a home in it for one, obeys what stands there as anybody does.
func homesIn(environ []string) (names []string) {
	home := variable(environ, "HOME")
	if !filepath.IsAbs(home) {
		return nil
	}
	names = append(names, filepath.Clean(home))
	if real, err := filepath.EvalSymlinks(home); err == nil {
		names = append(names, real)
	}
	return names
}

// variable returns the value of an environment variable; "" for one that is not there.
func variable(environ []string, name string) (value string) {
	for _, v := range environ {
		if is, named := strings.CutPrefix(v, name+"="); named {
			value = is
		}
	}
	return value
}

// mainWorkTree returns the main work tree of the repository that a directory is in, as a further one names it
// (gitrepository-layout(5)); "" where the directory is in no further one. Whoever made the files could have named any.
func mainWorkTree(dir string) string {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		data, _ := text(at, ".git")
		if named, is := strings.CutPrefix(string(data), "gitdir:"); is {
			own := joined(at, strings.TrimSpace(named))
			common, _ := text(own, "commondir")
			main := filepath.Dir(joined(own, strings.TrimSpace(string(common))))
			if real, err := filepath.EvalSymlinks(main); err == nil && len(common) > 0 {
				return real
			}
			return ""
		}
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil || at == "/" {
			return ""
		}
	}
}

// joined returns a name that is relative to a directory, or absolute.
func joined(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}
