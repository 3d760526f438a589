package acp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// directories are where a session works.
type directories struct {
	cwd       string // absolute, as the editor gave it
	workspace tool.Workspace
	dirs      []editorsDir
}

// editorsDir is a directory of a session's, as the editor calls it and without links.
type editorsDir struct{ name, real string }

// editorsDirs resolves the directories that a session works in.
func editorsDirs(names []string) (dirs []editorsDir, err error) {
	for _, name := range names {
		if !filepath.IsAbs(name) {
			return nil, fmt.Errorf("a directory of the session is named %q: write the whole path", name)
		}
		real, err := permissions.Resolve("/", name)
		if err != nil {
			return nil, fmt.Errorf("it cannot be told which directory of the session is meant: %w; name it without links", err)
		}
		dirs = append(dirs, editorsDir{filepath.Clean(name), real})
	}
	return dirs, nil
}

// directoriesOf reads where a session is to work. The params go on as they came, so a directory must be the same to
// everybody: to the kernel, which follows a link before the ".." behind it, and to whoever cleans names first.
func (b *Bridge) directoriesOf(members object) (at directories, err error) {
	p := readMembers(members)
	at.cwd, _ = p.optional("cwd")
	additional := p.texts("additionalDirectories")
	meta := p.shallow("_meta") // of which Claude's adapter takes directories, too
	options := meta.shallow("claudeCode").shallow("options")
	named := slices.Concat(meta.texts("additionalRoots"), options.texts("additionalDirectories"))
	if root, given := options.optional("projectConfigRoot"); given {
		named = append(named, root)
	}
	if p.err() != nil || at.cwd == "" {
		return at, p.err()
	}
	if at.dirs, err = editorsDirs(slices.Concat([]string{at.cwd}, additional, named)); err != nil {
		return at, err
	}
	at.cwd = filepath.Clean(at.cwd)
	at.workspace = b.o.Workspace(at.cwd, additional)
	return at, pluginsOutside(at, options)
}

// pluginsOutside refuses what an editor has Claude load from a directory of the session's, whose author would have it run
// commands: nobody looks at plugins.
func pluginsOutside(at directories, options *params) error {
	for _, plugin := range options.objects("plugins") {
		path := plugin.text("path")
		if options.err() != nil {
			break
		}
		dirs, err := editorsDirs([]string{path})
		if err != nil {
			return fmt.Errorf("a plugin: %w", err)
		}
		for _, dir := range at.dirs {
			if strings.HasPrefix(dirs[0].real+"/", strings.TrimSuffix(dir.real, "/")+"/") {
				return fmt.Errorf("the plugin %s lies in a directory of the session; move it elsewhere", path)
			}
		}
	}
	arguments := options.shallow("extraArgs")
	for key := range arguments.members {
		if name, _, _ := strings.Cut(key, "="); slices.Contains(directoryFlags, name) {
			arguments.fail("%s names directories that nobody looks at; name them in additionalDirectories or plugins", key)
		}
	}
	return options.err()
}

// directoryFlags are the flags of Claude's program that say what its adapter takes by itself.
var directoryFlags = []string{"add-dir", "plugin-dir", "plugin-dir-no-mcp", "project-config-root"}

// editorsName returns the name of a file for the editor. real has no links; what lies in a directory of the
// session's is named below that directory as the editor calls it, since it knows its files by those names.
func (s *Session) editorsName(real string) string {
	if s == nil {
		return real
	}
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	for _, dir := range s.dirs {
		if real == dir.real {
			return dir.name
		}
		if below, ok := strings.CutPrefix(real, strings.TrimSuffix(dir.real, "/")+"/"); ok {
			return filepath.Join(dir.name, below)
		}
	}
	return real
}
