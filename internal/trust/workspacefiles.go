package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/unasked"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// WorkspaceFiles is what a workspace brings, as it was read once: what is shown of it is what is pinned.
type WorkspaceFiles struct {
	Dir   string
	Files []WorkspaceFile // those that are there
	// Gone are files that were trusted and are no longer there.
	Gone []string
	// Scripts are those that its tools name.
	Scripts []WorkspaceScript
	// Before is what was trusted until now; Known tells whether anything was.
	Before Directory
	Known  bool
}

// WorkspaceFile is one of a workspace's own files.
type WorkspaceFile struct {
	Name string // relative to the workspace
	Data []byte
	Says config.Project
	// Unasked says what of it agents go by without asking anybody; none of one that is not a file of an agent's.
	Unasked []string
	Changed bool // it is not what was trusted before, or nothing was
}

// WorkspaceScript is a script of the workspace that a tool names.
type WorkspaceScript struct {
	Name    string // relative to the workspace
	SHA256  string // "" for one that is not there
	Data    []byte
	Changed bool
}

// ReadWorkspace reads what a workspace brings, by what is known of programs. A file with a mistake is a
// config.Errors: nobody can trust what cannot be read.
func ReadWorkspace(o Options, dir string, commands *command.Catalogue) (*WorkspaceFiles, error) {
	b := &WorkspaceFiles{Dir: dir}
	var err error
	if b.Before, b.Known, err = Lookup(o, dir); err != nil {
		return nil, err
	}
	profile, err := tool.ParseErrorProfile(o.Getenv(config.ErrorProfileVariable))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", config.ErrorProfileVariable, err)
	}
	var mistakes yamldoc.Errors
	agents, err := agentFiles(o, dir)
	if err != nil {
		return nil, err
	}
	names := slices.Concat(config.ProjectFiles(), slices.Sorted(maps.Keys(agents)))
	for _, name := range slices.Sorted(maps.Keys(b.Before.Files)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		pin, pinned := b.Before.Files[name]
		data, err := Read(dir, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if pinned {
				b.Gone = append(b.Gone, name)
			}
			continue
		case err != nil:
			return nil, err
		}
		file := WorkspaceFile{Name: name, Data: data, Unasked: agents[name], Changed: !pinned || pin.SHA256 != Hash(data)}
		if slices.Contains(config.ProjectFiles(), name) {
			file.Says, err = config.ReadProject(dir, name, data, profile, commands)
			mistakes = append(mistakes, yamldoc.List(err)...)
		}
		b.Files = append(b.Files, file)
	}
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	return b, b.readScripts()
}

// agentFiles lists the files of a workspace by which agents do what nobody is asked about, and what that is. Where a
// directory holds more files than anybody reads, none of them is there.
func agentFiles(o Options, dir string) (map[string][]string, error) {
	found, err := unasked.Here(dir, []string{"HOME=" + o.Getenv("HOME")})
	if err != nil {
		return nil, err
	}
	files := map[string][]string{}
	for _, f := range found {
		for i, name := range f.Files {
			said := files[name]
			if i == 0 {
				said = append(said, f.What)
			}
			files[name] = said
		}
	}
	return files, nil
}

// readScripts reads the scripts that the tools name.
func (b *WorkspaceFiles) readScripts() error {
	seen := map[string]bool{}
	for _, file := range b.Files {
		for i := range file.Says.Tools {
			for _, name := range config.NamedScripts(&file.Says.Tools[i].Tool, b.Dir) {
				if seen[name] {
					continue
				}
				seen[name] = true
				data, err := Read(b.Dir, name)
				script := WorkspaceScript{Name: name, Data: data}
				switch {
				case err == nil:
					script.SHA256 = Hash(data)
				case !errors.Is(err, fs.ErrNotExist):
					return err
				}
				before, pinned := b.Before.Scripts[name]
				script.Changed = !pinned || before != script.SHA256
				b.Scripts = append(b.Scripts, script)
			}
		}
	}
	return nil
}

// Nothing tells that there is nothing to trust, and nothing that was.
func (b *WorkspaceFiles) Nothing() bool { return len(b.Files) == 0 && !b.Known }

// IsFile reports whether it is a single file of tools.
func (b *WorkspaceFiles) IsFile() bool {
	return len(b.Files) == 1 && b.Files[0].Name == filepath.Base(b.Dir)
}

// Asks counts the tools that are to be given what is the person's.
func (b *WorkspaceFiles) Asks() int {
	n := 0
	for _, file := range b.Files {
		for i := range file.Says.Tools {
			if Asks(&file.Says.Tools[i].Tool) {
				n++
			}
		}
	}
	return n
}

// Changed reports whether anything is not what was trusted before.
func (b *WorkspaceFiles) Changed() bool {
	for _, file := range b.Files {
		if file.Changed {
			return true
		}
	}
	for _, script := range b.Scripts {
		if script.Changed {
			return true
		}
	}
	return len(b.Gone) > 0
}

// manyFiles is how many files are kept with their texts at the most: the store is read by each start.
const manyFiles = 10

// Pins is what is trusted when somebody says yes to it.
func (b *WorkspaceFiles) Pins(by string) Directory {
	d := Directory{Dir: b.Dir, Since: time.Now().UTC(), By: by, Files: map[string]Pin{},
		Scripts: map[string]string{}}
	for _, file := range b.Files {
		d.Files[file.Name] = NewPin(file.Data)
		if len(b.Files) > manyFiles {
			d.Files[file.Name] = Pin{SHA256: Hash(file.Data)}
		}
	}
	for _, script := range b.Scripts {
		d.Scripts[script.Name] = script.SHA256
	}
	return d
}

// ReadFile is ReadWorkspace for a single file of tools. What its tools are to be given is why it has to be
// trusted.
func ReadFile(o Options, path string, commands *command.Catalogue) (*WorkspaceFiles, error) {
	b := &WorkspaceFiles{Dir: path}
	var err error
	if b.Before, b.Known, err = Lookup(o, path); err != nil {
		return nil, err
	}
	profile, err := tool.ParseErrorProfile(o.Getenv(config.ErrorProfileVariable))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", config.ErrorProfileVariable, err)
	}
	name := filepath.Base(path)
	data, err := Read(filepath.Dir(path), name)
	if err != nil {
		return nil, err
	}
	tools, err := config.ReadTools(config.File{Name: path, Path: path, Layer: tool.LayerFlag,
		ErrorProfile: profile, Data: data, Commands: commands})
	if err != nil {
		return nil, err
	}
	pin, pinned := b.Before.Files[name]
	b.Files = []WorkspaceFile{{Name: name, Data: data, Says: config.Project{Tools: tools}, Changed: !pinned ||
		pin.SHA256 != Hash(data)}}
	return b, nil
}
