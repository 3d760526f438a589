package app

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/trust"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Asks tells whether a tool is to be given what is its person's: secrets, variables, files, what commands print, or what a grant
// stands for.
func Asks(s tool.Sandbox) bool { return len(s.References)+len(s.Grants) > 0 }

// IsOwn tells whether a file's tools may have that as they are: those that came with the program, the user's own and root's may,
// and those of a workspace, which count only when somebody was shown what they ask for. A file that a flag or a variable names is
// anybody's, a cloned repository's for one.
func IsOwn(layer tool.Layer) bool { return layer != tool.LayerFlag && layer != tool.LayerEnvironment }

// holdBack has the tools of files that are anybody's look, before they run, whether somebody was shown what they ask for.
func (a *App) holdBack(set *config.Set, entries []*executor.Entry) {
	for _, entry := range entries {
		t := entry.Tool
		if IsOwn(t.Source.Layer) || !Asks(t.Sandbox) {
			continue
		}
		entry.Intact = func() error {
			return fmt.Errorf("it asks for secrets or grants of yours, and nobody knows any more what %s was when it was read", t.Source.File)
		}
		for _, file := range set.Files {
			if file.Name == t.Source.File && file.Layer == t.Source.Layer {
				entry.Intact = func() error { return mayBeGiven(a.o, file) }
			}
		}
	}
}

// tellHeldBack says once which files have tools that are not run yet, since an agent that calls one is the wrong one to find out.
func (a *App) tellHeldBack(set *config.Set) {
	for _, file := range set.Files {
		n := 0
		for i := range set.Tools {
			t := &set.Tools[i].Tool
			if t.Source.File == file.Name && t.Source.Layer == file.Layer && !IsOwn(file.Layer) && Asks(t.Sandbox) {
				n++
			}
		}
		if n > 0 && mayBeGiven(a.o, file) != nil {
			a.o.Say(fmt.Sprintf("%s: %d of its tools ask for secrets or grants of yours, and are not run until you have read what they ask for: a2a-acp trust %s",
				file.Name, n, config.ShellWord(file.Path)))
		}
	}
}

// mayBeGiven says why the tools of a file are given nothing; nil when somebody trusts it as it was read.
func mayBeGiven(o Options, file config.File) error {
	cure := "read what it asks for and let it have that: a2a-acp trust " + config.ShellWord(file.Path)
	real, err := filepath.EvalSymlinks(file.Path)
	if err != nil {
		return err
	}
	trusted, ok, err := trustedIn(o, real)
	switch {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("it asks for secrets or grants of yours, and %s is not one of your own files; %s", file.Name, cure)
	case trusted.Files[filepath.Base(real)].SHA256 != file.SHA256():
		return fmt.Errorf("it asks for secrets or grants of yours, and %s has changed since you let it have them; %s", file.Name, cure)
	}
	return nil
}

// ReadOwnFile is ReadWorkspaceFiles for a single file of tools. What its tools are to be given is why it has to be trusted.
func ReadOwnFile(o Options, path string) (*WorkspaceFiles, error) {
	b := &WorkspaceFiles{Dir: path}
	var err error
	if b.Before, b.Known, err = trustedIn(o, path); err != nil {
		return nil, err
	}
	profile, err := tool.ParseErrorProfile(o.Getenv(config.ErrorProfileVariable))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", config.ErrorProfileVariable, err)
	}
	name := filepath.Base(path)
	data, err := trust.Read(filepath.Dir(path), name)
	if err != nil {
		return nil, err
	}
	tools, err := config.ReadTools(config.File{Name: path, Path: path, Layer: tool.LayerFlag, ErrorProfile: profile, Data: data})
	if err != nil {
		return nil, err
	}
	pin, pinned := b.Before.Files[name]
	b.Files = []WorkspaceFile{{Name: name, Data: data, Says: config.Project{Tools: tools}, Changed: !pinned || pin.SHA256 != trust.Hash(data)}}
	return b, nil
}

// TrustedPath gives the name under which a file is trusted: absolute and without links. It is "" for what is no file.
func TrustedPath(o Options, path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(o.Dir, path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err != nil || info.IsDir() {
		return "", err
	}
	return real, mayTrust(o, filepath.Dir(real))
}
