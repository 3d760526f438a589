package permissions

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/pathwalk"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// The bounds of Resolve, Linux's own: PATH_MAX of limits.h, and MAXSYMLINKS of path_resolution(7).
const (
	longestPath = 4096
)

// Resolve returns the file that a name means: absolute, clean, and with the links on its way resolved as
// far as it exists, so that the parents of a file that does not exist yet count, too. A relative name is
// relative to dir, which must be absolute. A file:// URL stands for its path.
//
// It returns an error for a name that does not say one file to everybody: one with a NUL, over 4096 bytes,
// through more than 40 links or through /proc, of another URL scheme, with a ~ in front, or with a ".."
// behind a link, which the kernel and an editor that cleans names first read differently. Between this look
// and the act somebody may change a link; whoever acts on the answer must act on the name that it gives.
func Resolve(dir, name string) (string, error) { return newFacts(machine{}).resolveName(dir, name) }

func (d *facts) resolveName(dir, name string) (string, error) {
	plain, err := plainName(name)
	if err != nil {
		return "", err
	}
	if first, _, more := strings.Cut(plain, "/"); strings.HasPrefix(first, "~") && (more || first == "~") {
		return "", fmt.Errorf("%q: some take ~ for the home directory and some for a name: write the whole path",
			plain)
	}
	return d.resolve(dir, plain)
}

// plainName takes the path out of a file:// URL and leaves every other name as it is.
func plainName(name string) (string, error) {
	scheme, _, found := strings.Cut(name, "://")
	if !found {
		// Some readers of URLs take file:/etc/passwd for /etc/passwd.
		var rest string
		if scheme, rest, found = strings.Cut(name, ":/"); !found || !strings.EqualFold(scheme, "file") {
			return name, nil
		}
		name = "file:///" + strings.TrimLeft(rest, "/")
	}
	switch {
	case !isScheme(scheme):
		return name, nil
	case !strings.EqualFold(scheme, "file"):
		return "", fmt.Errorf("%q is no file: its scheme is %s", name, scheme)
	}
	u, err := url.Parse(name)
	switch {
	case err != nil:
		return "", fmt.Errorf("%q is no file URL: %w", name, err)
	case u.Host != "" && !strings.EqualFold(u.Host, "localhost"), u.User != nil:
		return "", fmt.Errorf("%q is a file of another machine", name)
	case strings.ContainsAny(name, "?#"), u.Path == "":
		return "", fmt.Errorf("%q: a file URL is file:///path, with %%3F and %%23 for ? and #", name)
	}
	return u.Path, nil
}

// joined returns a name that is relative to a directory, or absolute.
func joined(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// isScheme reports whether text is the name of a URL scheme (RFC 3986, 3.1).
func isScheme(text string) bool {
	for i, r := range text {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || (r < '0' || r > '9') && r != '+' && r != '-' && r != '.') {
			return false
		}
	}
	return text != ""
}

// resolve is resolveName for a name that is no URL.
func (d *facts) resolve(dir, name string) (string, error) {
	path, based := name, filepath.IsAbs(name)
	if !based {
		path, based = dir+"/"+name, filepath.IsAbs(dir)
	}
	switch {
	case name == "":
		return "", errors.New("the name is empty")
	case strings.ContainsRune(name, 0):
		return "", fmt.Errorf("%q holds a NUL", name)
	case !based:
		return "", fmt.Errorf("%q is relative to %q, which is no absolute directory", name, dir)
	case len(path) > longestPath:
		return "", fmt.Errorf("the name is longer than %d bytes", longestPath)
	}
	walked, err := d.walk(path)
	if err != nil || !slices.Contains(strings.Split(path, "/"), "..") {
		return walked, err
	}
	cleaned, err := d.walk(filepath.Clean(path))
	if err == nil && cleaned != walked {
		err = fmt.Errorf("%q is %s, or %s to those who clean names first: a .. stands behind a link", name,
			walked, cleaned)
	}
	if err != nil {
		return "", err
	}
	return walked, nil
}

// anotherToEach is the error of a name that leads through a link of /proc.
type anotherToEach string

func (name anotherToEach) Error() string { return string(name) + " is another file to every process" }

// walk follows a path as the kernel does (path_resolution(7)), but goes on by name where nothing exists any
// more.
func (d *facts) walk(path string) (string, error) {
	at, err := pathwalk.Walk(path, func(name string) (string, error) {
		info, err := d.lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), err == nil &&
			info.Mode()&fs.ModeSymlink == 0:
			return "", nil
		case err != nil:
			return "", err
		case strings.HasPrefix(name, "/proc/"):
			return "", anotherToEach(name)
		}
		return d.readlink(name)
	})
	if err != nil {
		return "", err
	}
	if len(at) > longestPath {
		return "", fmt.Errorf("the file's name is longer than %d bytes", longestPath)
	}
	return at, nil
}

// resource is one file of a request, with everything that its name could mean.
type resource struct {
	name string // as given
	dir  string // that a word of a command is looked for in
	real string // see Resolve; "" when err says why not
	err  error
	// Absolute names that somebody could take it for, real among them: what a rule that stops looks at.
	maybe []string
	write bool
	// credential tells that it holds the settings of a repository, and a credential among them.
	credential bool
	// alias tells that it is another name of a file that has its own.
	alias bool
	below string // why what lies below it must not be searched unasked; "" where it may
}

// resource resolves a name. home may be "".
func (d *facts) resource(dir, home string, path Path) resource {
	p := resource{name: path.Name, write: path.Write}
	if p.real, p.err = d.resolveName(dir, path.Name); p.err == nil {
		p.maybe = append(p.maybe, p.real)
	}
	plain, err := plainName(path.Name)
	if err != nil {
		plain = path.Name
	}
	p.maybe = append(p.maybe, d.meanings(dir, home, plain)...)
	return d.described(p)
}

// described is a resource with what its names tell of the file.
func (d *facts) described(p resource) resource {
	p.credential = slices.ContainsFunc(p.maybe, d.givesCredential)
	p.alias = p.err == nil && d.isAlias(p.real)
	return p
}

// meanings lists the absolute names that a plain name could be taken for. None of them is sure.
func (d *facts) meanings(dir, home, name string) []string {
	var names []string
	add := func(path string) {
		if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) || len(path) > longestPath {
			return
		}
		clean := filepath.Clean(path)
		names = append(names, clean)
		if walked, err := d.walk(clean); err == nil {
			names = append(names, walked)
		}
		if clean == path || !strings.Contains(path, "..") {
			return // the kernel goes the same way: only .. depends on what stands before it
		}
		if walked, err := d.walk(path); err == nil {
			names = append(names, walked)
		}
	}
	switch {
	case filepath.IsAbs(name):
		add(name)
	case name == "~" || strings.HasPrefix(name, "~/"):
		add(home + name[1:])
		fallthrough
	default:
		add(dir + "/" + name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// shown names a file for people: relative to the workspace where it lies in it.
func shown(w tool.Workspace, path string) string {
	if relative, ok := w.Rel(path); ok {
		path = relative
	}
	return "`" + display.Line(path) + "`"
}
