package trust

import (
	"fmt"
	"path/filepath"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Asks reports whether a tool is to be given what is its person's: secrets, variables, files, what commands
// print, or what a grant stands for; a token for who calls; or addresses that only his machine, or its network, reaches.
func Asks(t *tool.Tool) bool {
	s := t.Sandbox
	return len(s.References)+len(s.Grants) > 0 || t.HTTP != nil && (len(t.HTTP.API.Addresses) > 0 || t.HTTP.API.Auth.Token.Caller) ||
		t.A2A != nil && len(t.A2A.Allow) > 0
}

// IsOwn reports whether a file's tools may have that as they are: those that came with the program, the
// user's own and root's may, and those of a workspace, which count only when somebody was shown what they ask
// for. A file that a flag or a variable names is anybody's, a cloned repository's for one.
func IsOwn(layer tool.Layer) bool { return layer != tool.LayerFlag && layer != tool.LayerEnvironment }

// MayBeGiven says why the tools of a file are given nothing; nil when somebody trusts it as it was read.
func MayBeGiven(o Options, file config.File) error {
	cure := "read what it asks for and let it have that: a2a-acp trust " + display.ShellWord(file.Path)
	real, err := filepath.EvalSymlinks(file.Path)
	if err != nil {
		return err
	}
	trusted, ok, err := Lookup(o, real)
	switch {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("it asks for secrets or grants of yours, and %s is not one of your own files; %s",
			file.Name, cure)
	case trusted.Files[filepath.Base(real)].SHA256 != file.SHA256():
		return fmt.Errorf("it asks for secrets or grants of yours, and %s has changed since you let it have them; %s", file.Name, cure)
	}
	return nil
}
