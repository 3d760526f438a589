// Package profile holds the ready-made answers to the question what a command may do in the sandbox. They
// lie in one file, profiles.yaml, for people to read.
package profile

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

//go:embed profiles.yaml
var embedded []byte

// Profile is one of them.
type Profile struct {
	Name        string
	Says        string // one sentence
	Inner       string // of an agent: what becomes of its own sandbox
	Network     tool.Network
	Environment []string          // names of variables that are passed on
	Set         map[string]string // paths for variables that are not set; as written, see Settings
	// Directories of the command's own, made where they are missing; as written, see Paths.
	State       []string
	Write, Read []string // likewise, as far as they are there
	Limits      tool.Limits
}

// Default is the name of the profile that counts when none is named.
const Default = "plain"

// All lists the profiles that the program brings along, in the file's order.
func All() ([]Profile, error) { return read(embedded) }

// Named finds one of them. The error names the others.
func Named(name string) (Profile, error) {
	all, err := All()
	if err != nil {
		return Profile{}, err
	}
	var names []string
	for _, p := range all {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Profile{}, fmt.Errorf("there is no profile %q; there are: %s", name, strings.Join(names, ", "))
}

// written is a profile as the file has it.
type written struct {
	Name        string            `yaml:"name"`
	Says        string            `yaml:"says"`
	Inner       string            `yaml:"inner_sandbox"`
	Network     tool.Network      `yaml:"network"`
	Environment []string          `yaml:"environment"`
	Set         map[string]string `yaml:"set"`
	State       []string          `yaml:"state"`
	Write       []string          `yaml:"write"`
	Read        []string          `yaml:"read"`
	Limits      limits            `yaml:"limits"`
}

// limits are those of a profile. Nil is what a tool has that says nothing.
type limits struct {
	Timeout   *int64 `yaml:"timeout"` // seconds
	CPU       *int64 `yaml:"max_cpu_time_seconds"`
	Memory    *int64 `yaml:"max_memory_mb"`
	FileSize  *int64 `yaml:"max_file_size_mb"`
	OpenFiles *int64 `yaml:"max_open_files"`
	Processes *int64 `yaml:"max_processes"`
	TempSize  *int64 `yaml:"max_temp_mb"`
}

// read reads a file of profiles. Keys that it does not know are errors, and so is a profile that does not
// say what it is.
func read(data []byte) ([]Profile, error) {
	var file struct {
		Profiles []written `yaml:"profiles"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil {
		return nil, fmt.Errorf("profiles.yaml: %w", err)
	}
	var all []Profile
	for _, w := range file.Profiles {
		p, err := w.profile()
		if err != nil {
			return nil, fmt.Errorf("profiles.yaml: profile %s: %w", w.Name, err)
		}
		all = append(all, p)
	}
	return all, nil
}

// profile makes a profile of what is written.
func (w written) profile() (Profile, error) {
	switch {
	case w.Name == "":
		return Profile{}, errors.New("name is missing")
	case w.Says == "":
		return Profile{}, errors.New("says is missing")
	case w.Network != tool.NetworkOn && w.Network != tool.NetworkOff:
		return Profile{}, fmt.Errorf("network: want on or off, found %q", w.Network)
	}
	for _, path := range slices.Concat(w.State, w.Write, w.Read, slices.Collect(maps.Values(w.Set))) {
		if _, err := expand(path, "/", func(string) string { return "/" }); err != nil {
			return Profile{}, err
		}
	}
	return Profile{
		Name: w.Name, Says: w.Says, Inner: w.Inner, Network: w.Network, Environment: w.Environment, Set: w.Set,
		State: w.State, Write: w.Write, Read: w.Read,
		Limits: w.Limits.apply(),
	}, nil
}

// apply returns the limits of a tool with what the file says instead. Output is never limited: it is not
// kept.
func (w limits) apply() tool.Limits {
	l := tool.DefaultLimits()
	l.Output = 0
	set := func(given *int64, to func(n int64)) {
		if given != nil {
			to(*given)
		}
	}
	set(w.Timeout, func(n int64) { l.Timeout = time.Duration(n) * time.Second })
	set(w.CPU, func(n int64) { l.CPU = time.Duration(n) * time.Second })
	set(w.Memory, func(n int64) { l.Memory = n << 20 })
	set(w.FileSize, func(n int64) { l.FileSize = n << 20 })
	set(w.OpenFiles, func(n int64) { l.OpenFiles = int(n) })
	set(w.Processes, func(n int64) { l.Processes = int(n) })
	set(w.TempSize, func(n int64) { l.TempSize = n << 20 })
	return l
}

// Paths returns what the profile grants to a command that starts in dir, absolute. A path that begins with
// a variable that means nothing here, as ~ does without HOME, is left out. Whether a path exists is not
// looked at.
func (p Profile) Paths(dir string, getenv func(string) string) []tool.AllowedPath {
	var list []tool.AllowedPath
	for _, path := range append(p.StateDirs(dir, getenv), expandAll(p.Write, dir, getenv)...) {
		list = append(list, tool.AllowedPath{Path: path})
	}
	for _, path := range expandAll(p.Read, dir, getenv) {
		list = append(list, tool.AllowedPath{Path: path, ReadOnly: true})
	}
	return list
}

// StateDirs returns the directories of the command's own, absolute. What is not there cannot be granted, so
// whoever runs the command makes them.
func (p Profile) StateDirs(dir string, getenv func(string) string) []string {
	return expandAll(p.State, dir, getenv)
}

// Settings returns the variables that the profile sets, as far as they are not set and their paths mean
// something here.
func (p Profile) Settings(dir string, getenv func(string) string) map[string]string {
	set := map[string]string{}
	for name, path := range p.Set {
		if at := expandAll([]string{path}, dir, getenv); getenv(name) == "" && len(at) == 1 {
			set[name] = at[0]
		}
	}
	return set
}

// expandAll makes the file's paths absolute, as far as they mean something on this machine. Reading has
// checked them.
func expandAll(paths []string, dir string, getenv func(string) string) []string {
	var list []string
	for _, path := range paths {
		if path, err := expand(path, dir, getenv); err == nil && path != "" {
			list = append(list, path)
		}
	}
	return list
}

// places are what the $XDG variables mean where they are not set, below HOME.
var places = map[string]string{
	"$XDG_CACHE_HOME": ".cache", "$XDG_CONFIG_HOME": ".config", "$XDG_DATA_HOME": ".local/share",
	"$XDG_STATE_HOME": ".local/state",
}

// expand makes a path of the file absolute; "" where its beginning means nothing on this machine.
func expand(path, dir string, getenv func(string) string) (string, error) {
	first, rest, _ := strings.Cut(path, "/")
	home := getenv("HOME")
	switch {
	case first == ".":
		return filepath.Join(dir, rest), nil
	case first == "~" && rest == "":
		return "", errors.New("~: that is everything of somebody's; name what is in it")
	case first == "~" && !filepath.IsAbs(home):
		return "", nil
	case first == "~":
		return filepath.Join(home, rest), nil
	case filepath.IsAbs(path):
		return filepath.Clean(path), nil
	case places[first] == "":
		return "", fmt.Errorf("%s: want a path that begins with ., ~, / or one of the $XDG variables", path)
	}
	if base := getenv(first[1:]); filepath.IsAbs(base) {
		return filepath.Join(base, rest), nil
	}
	if !filepath.IsAbs(home) {
		return "", nil
	}
	return filepath.Join(home, places[first], rest), nil
}
