package executor

import (
	"fmt"
	"path/filepath"

	"github.com/a2a-acp/a2a-acp/internal/filehash"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// program is the file of a program, as it was when it was looked at.
type program struct {
	path string // absolute; what is started
	sum  string // its hash, in hex digits
}

// differs says that a tool's entry is about another program; "" where it is not, or does not say.
func (p program) differs(t *tool.Tool) string {
	if t.Exec.SHA256 == "" || t.Exec.SHA256 == p.sum {
		return ""
	}
	return fmt.Sprintf("%s is another program than its entry names (sha256 %s…, not %s…)", p.path, p.sum[:12], t.Exec.SHA256[:12])
}

// Programs looks at the files of programs before a call is made. Its zero value is ready; safe for concurrent use.
type Programs struct{ found programs }

// Differs says that a tool's program is another one than its entry names, or that there is none. It is "" where that
// says nothing of its program.
func (p *Programs) Differs(t *tool.Tool) string {
	if t.Exec == nil || t.Exec.SHA256 == "" {
		return ""
	}
	found, failure := p.found.find(t)
	if failure != nil {
		return failure.Message
	}
	return found.differs(t)
}

// programs finds programs, and knows their hashes. Safe for concurrent use.
type programs struct{ files filehash.Files }

// find finds the program of a tool and its hash. A program outside of the directories that every call sees is
// named by the file itself, without links, since that alone is granted.
func (p *programs) find(t *tool.Tool) (program, *tool.Failure) {
	path, err := sandbox.LookPath(t.Exec.Command, sandbox.SearchPath, "/")
	if err != nil {
		return program{}, tool.Failf(tool.FailSandbox, "%s (%s): %v; install it, or write its whole path: exec: {command: /…}",
			t.ID, t.Source, err)
	}
	found := program{path: filepath.Clean(path)}
	if !found.system() {
		if found.path, err = filepath.EvalSymlinks(found.path); err != nil {
			return program{}, tool.Failf(tool.FailSandbox, "%s (%s): %v", t.ID, t.Source, err)
		}
	}
	if found.sum, err = p.files.Hash(found.path); err != nil {
		return program{}, tool.Failf(tool.FailSandbox, "%s (%s): read %s: %v", t.ID, t.Source, found.path, err)
	}
	return found, nil
}
