package cliimport

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/filehash"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
)

// Program is the file of a program that tools are made of.
type Program struct {
	Name    string // what its tools are named after
	Path    string // absolute, without links where calls do not see them
	SHA256  string
	Version string // what it says of itself; "" where it says nothing
	Script  bool   // it is a text that starts another program, which nobody here knows
	Link    bool   // what it was named by is a link to a program of another name, which may do something else by that
}

// Find finds a program: a name in path, which is a list as PATH is, or below dir.
func Find(command, path, dir string) (Program, error) {
	found, err := sandbox.LookPath(command, path, dir)
	if err != nil {
		return Program{}, err
	}
	p := Program{Name: filepath.Base(command), Path: filepath.Clean(found)}
	if !slices.Contains(filepath.SplitList(sandbox.SearchPath), filepath.Dir(p.Path)) {
		if p.Path, err = filepath.EvalSymlinks(p.Path); err != nil {
			return Program{}, err
		}
		p.Link = filepath.Base(p.Path) != p.Name
	}
	var files filehash.Files
	if p.SHA256, err = files.Hash(p.Path); err != nil {
		return Program{}, fmt.Errorf("read %s: %w", p.Path, err)
	}
	file, err := os.Open(p.Path)
	if err != nil {
		return Program{}, err
	}
	defer file.Close()
	head := make([]byte, 2)
	_, err = io.ReadFull(file, head)
	p.Script = err == nil && bytes.Equal(head, []byte("#!"))
	return p, nil
}

// same reports whether the file is still the one that was found.
func (p Program) same() bool {
	var files filehash.Files
	sum, err := files.Hash(p.Path)
	return err == nil && sum == p.SHA256
}

// Command is how entries name the program: by its name where calls find it by that.
func (p Program) Command() string {
	name := filepath.Base(p.Path)
	if found, err := sandbox.LookPath(name, sandbox.SearchPath, "/"); err == nil && filepath.Clean(found) == p.Path {
		return name
	}
	return p.Path
}

// askVersion asks what version the program is, if it has a flag for that.
func askVersion(ctx context.Context, a Asker, root offers) string {
	if !root.has("--version") {
		return ""
	}
	answer, err := a.Ask(ctx, "--version")
	if err != nil || answer.Ended != "" || answer.Code != 0 {
		return ""
	}
	line, _, _ := bytes.Cut([]byte(answer.Stdout), []byte("\n"))
	return toolyaml.Clean(string(line))
}
