package grant

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Kind is what sort of thing a grant gives.
type Kind string

// The kinds.
const (
	KindRead     Kind = "read"
	KindWrite    Kind = "write"
	KindSocket   Kind = "socket"
	KindVariable Kind = "variable"
	KindSecret   Kind = "secret variable"
)

// Item is one thing that a grant gives on this machine.
type Item struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name"` // a path, or the name of a variable
	// Lacks says why it is not given; "" when it is. That something is not there is nothing to worry about.
	Lacks string `json:"lacks,omitempty"`
	// Refused says that it is there, and was left out.
	Refused bool `json:"refused,omitempty"`
}

// Gives lists what the grant gives on this machine, now. getenv looks up our own environment.
func (g Grant) Gives(getenv func(string) string) []Item {
	var all []Item
	for _, kind := range []struct {
		kind  Kind
		paths []string
	}{{KindRead, g.Read}, {KindWrite, g.Write}, {KindSocket, g.Sockets}} {
		for _, written := range kind.paths {
			all = append(all, look(kind.kind, written, getenv))
		}
	}
	for _, kind := range []struct {
		kind  Kind
		names []string
	}{{KindVariable, g.Environment}, {KindSecret, g.Secrets}} {
		for _, name := range kind.names {
			item := Item{Kind: kind.kind, Name: name}
			if getenv(name) == "" {
				item.Lacks = "not set"
			}
			all = append(all, item)
		}
	}
	return all
}

// Give adds to a tool's sandbox what its grants give on this machine, now. What the entry says itself
// stays. It returns what is there and was refused, for people. Names must be those of grants.
func Give(s *tool.Sandbox, getenv func(string) string) (refused []Item, err error) {
	s.Environment, s.References = maps.Clone(s.Environment), maps.Clone(s.References)
	s.AllowedPaths, s.Sockets = slices.Clone(s.AllowedPaths), slices.Clone(s.Sockets)
	if s.Environment == nil {
		s.Environment = map[string]string{}
	}
	if s.References == nil {
		s.References = map[string]tool.Reference{}
	}
	for _, name := range s.Grants {
		g, err := Named(name)
		if err != nil {
			return nil, err
		}
		for _, item := range g.Gives(getenv) {
			if item.Refused {
				refused = append(refused, item)
			}
			if item.Lacks == "" {
				item.addTo(s, getenv)
			}
		}
	}
	return refused, nil
}

func (g Item) addTo(s *tool.Sandbox, getenv func(string) string) {
	_, literal := s.Environment[g.Name]
	_, reference := s.References[g.Name]
	switch g.Kind {
	case KindRead, KindWrite:
		s.AllowedPaths = append(s.AllowedPaths, tool.AllowedPath{Path: g.Name, ReadOnly: g.Kind == KindRead})
	case KindSocket:
		s.Sockets = append(s.Sockets, g.Name)
	case KindVariable:
		if !literal && !reference {
			s.Environment[g.Name] = getenv(g.Name)
		}
	case KindSecret:
		if !literal && !reference {
			s.References[g.Name] = tool.Reference{Env: g.Name}
		}
	}
}

// look finds out whether a path can be given.
func look(kind Kind, written string, getenv func(string) string) Item {
	path, base, err := expand(written, getenv)
	item := Item{Kind: kind, Name: path}
	if err != nil || path == "" {
		item.Name, item.Lacks = written, "means nothing here"
		return item
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		item.Lacks = "not there"
		return item
	case err != nil:
		item.Lacks = "cannot be looked at"
		return item
	}
	link := linkIn(base, path)
	switch {
	case link != "" && kind != KindSocket:
		// The sandbox follows no link that a call could have put there, and would refuse the whole call.
		real, _ := filepath.EvalSymlinks(path)
		item.Refused, item.Lacks = true,
			fmt.Sprintf("%s is a link, and links are not followed here; allowed_paths: [%s] grants what it leads to", link, real)
	case kind == KindSocket && info.Mode()&fs.ModeSocket == 0:
		item.Refused, item.Lacks = true, "is no socket"
	case kind == KindSocket && strings.HasPrefix(written, "$") && !isOurs(info):
		// A repository can set variables (direnv), and would name the docker daemon's.
		item.Refused, item.Lacks = true, "a variable names it, and it is not yours"
	}
	return item
}

// linkIn returns the first link on the way from base, which is not looked at itself, to path; "" when there
// is none.
func linkIn(base, path string) string {
	rest, err := filepath.Rel(base, path)
	if err != nil {
		return ""
	}
	at := base
	for _, name := range strings.Split(rest, "/") {
		at = filepath.Join(at, name)
		if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return at
		}
	}
	return ""
}

func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// places are what the $XDG variables mean where they are not set, below HOME.
var places = map[string]string{
	"XDG_CACHE_HOME": ".cache", "XDG_CONFIG_HOME": ".config", "XDG_DATA_HOME": ".local/share",
	"XDG_STATE_HOME": ".local/state",
}

// expand makes a path of the file absolute, and tells from where on it is the file's own; "" where its
// beginning means nothing on this machine.
func expand(path string, getenv func(string) string) (expanded, base string, err error) {
	first, rest, _ := strings.Cut(path, "/")
	home := getenv("HOME")
	variable, isVariable := strings.CutPrefix(first, "$")
	switch {
	case first == "~" && rest == "":
		return "", "", errors.New("~: that is everything of somebody's; name what is in it")
	case first == "~":
		base = home
	case strings.HasPrefix(path, "/"):
		return filepath.Clean(path), "/", nil
	case !isVariable || variable == "":
		return "", "", fmt.Errorf("%s: want a path that begins with ~, / or a variable", path)
	case filepath.IsAbs(getenv(variable)):
		base = getenv(variable)
	case places[variable] != "":
		if base = home; filepath.IsAbs(base) {
			base = filepath.Join(base, places[variable])
		}
	}
	if !filepath.IsAbs(base) || filepath.Clean(base) == "/" {
		return "", "", nil
	}
	return filepath.Join(base, rest), filepath.Clean(base), nil
}
