package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// File is one configuration file as it was read.
type File struct {
	Name  string // as it is shown to people
	Path  string // absolute; "" for a file that came with the program
	Layer tool.Layer
	// Workspace marks a file that belongs to a workspace. It stands outside the layers: it replaces nothing,
	// and of its policies only the rejecting rules are in force.
	Workspace bool
	// Trusted is the directory of the workspace where somebody trusts the file as it is: there it counts
	// whole. "" for none.
	Trusted string
	// ErrorProfile is the one that a tools file is read under; "" is acp-basic.
	ErrorProfile tool.ErrorProfile
	// Checked says that the file came with the program, whose tests have read it whole: its scripts are not
	// compiled in each of their shapes again at every start, nor are its examples held against its
	// parameters. What a call needs of one is proved when it is called, as always.
	Checked bool
	Data    []byte // never changed
	// Made is what stands in a tools file that has not been written; nil where Data has it.
	Made *yaml.Node
	// Commands is what is known of programs, which scripts and rules are checked by; nil for what comes with
	// this program.
	Commands *command.Catalogue
}

// equal reports whether two files say the same, in the same place.
func (f File) equal(g File) bool {
	return f.Name == g.Name && f.Path == g.Path && f.Layer == g.Layer && f.Workspace == g.Workspace &&
		f.Trusted == g.Trusted &&
		f.ErrorProfile == g.ErrorProfile && f.Checked == g.Checked && f.Commands.Same(g.Commands) && bytes.Equal(f.Data, g.Data)
}

// SHA256 names the content, in hexadecimal.
func (f File) SHA256() string {
	sum := sha256.Sum256(f.Data)
	return hex.EncodeToString(sum[:])
}

// From says in one word where the file comes from, for the record.
func (f File) From() string {
	if f.Workspace {
		return "workspace"
	}
	return f.Layer.String()
}

// source returns the place of a node of the file.
func (f File) source(v yamldoc.Value) tool.Source {
	return tool.Source{Layer: f.Layer, File: f.Name, Line: v.Node.Line, Column: v.Node.Column}
}
