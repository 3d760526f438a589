package unasked

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// An agent tells its model what stands in files of instructions as soon as a session begins. Where one of them is a
// link, that is the file that it leads to: a key of the person's, for one. Measured with all four.

// ledAway finds links in place of such files, that lead to a file which is none by its name. Whoever has his
// instructions elsewhere has them in a file of such a name.
func ledAway(dir string, names ...string) (found []Finding) {
	for _, name := range names {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err != nil { // as nearly always
			continue
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil { // there is nothing that it leads to
			continue
		}
		at, err := filepath.EvalSymlinks(dir)
		if err == nil && (real == filepath.Join(at, name) || ofInstructions(filepath.Base(real))) {
			continue
		}
		found = append(found, Finding{Dir: dir, What: path + " is a link to " + real, Instead: "put the file itself there"})
	}
	return found
}

// ofInstructions reports whether a file has a name of those that hold instructions, such as AGENTS.md or .cursorrules.
func ofInstructions(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".mdc") || strings.HasSuffix(name, ".txt") ||
		strings.HasPrefix(name, ".") && strings.HasSuffix(name, "rules")
}

// below lists the files in a directory of a repository's, by their names relative to dir; none where there is no such
// directory.
func below(dir, name string) (names []string) {
	entries, err := os.ReadDir(filepath.Join(dir, name))
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		names = append(names, filepath.Join(name, entry.Name()))
	}
	return names
}

// named returns the files that a setting names, a text or a list of texts, and whether they are the repository's own:
// none elsewhere, and no address.
func named(dir string, setting json.RawMessage) (names []string, own bool) {
	var one string
	if json.Unmarshal(setting, &one) == nil {
		names = []string{one}
	} else if json.Unmarshal(setting, &names) != nil {
		return nil, false
	}
	var all []string
	for _, name := range names {
		if !filepath.IsLocal(name) || strings.HasPrefix(name, "~") || strings.Contains(name, ":") {
			return nil, false
		}
		all = append(all, name)
		if found, err := fs.Glob(os.DirFS(dir), name); err == nil {
			all = append(all, found...)
		}
	}
	return all, true
}
