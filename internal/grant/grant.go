// Package grant holds what a tool can be granted in one word, such as git or docker. grants.yaml lists the
// paths, sockets and variables of each word, with the risk of granting it.
package grant

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

//go:embed grants.yaml
var embedded []byte

// Grant is one of them.
type Grant struct {
	Name        string   `yaml:"-"`
	Says        string   `yaml:"says"` // one sentence
	Risk        string   `yaml:"risk"` // what may be done with it that was not meant
	Network     string   `yaml:"network"`
	Environment []string `yaml:"environment"`
	Secrets     []string `yaml:"secrets"` // variables whose values are not shown
	Read        []string `yaml:"read"`    // as written; see expand
	Write       []string `yaml:"write"`
	Sockets     []string `yaml:"sockets"`
}

// NeedsNetwork reports whether the grant is of no use without the network.
func (g Grant) NeedsNetwork() bool { return g.Network == string(tool.NetworkOn) }

// readEmbedded reads grants.yaml once: each tool that has grants asks for them, one by one.
var readEmbedded = sync.OnceValues(func() ([]Grant, error) { return read(embedded) })

// All lists the grants that the program brings along, in the file's order. They are not to be changed.
func All() ([]Grant, error) { return readEmbedded() }

// Named finds one of them. The error names the one that was probably meant, or all.
func Named(name string) (Grant, error) {
	all, err := All()
	if err != nil {
		return Grant{}, err
	}
	var names []string
	for _, g := range all {
		if g.Name == name {
			return g, nil
		}
		names = append(names, g.Name)
	}
	return Grant{}, &UnknownError{Name: name, Near: spelling.Nearest(name, names), Known: names}
}

// UnknownError says that there is no grant of a name.
type UnknownError struct {
	Name  string
	Near  string // "" when none is near
	Known []string
}

func (e *UnknownError) Error() string { return fmt.Sprintf("there is no grant %q", e.Name) }

// Hint is what to write instead.
func (e *UnknownError) Hint() string {
	if e.Near != "" {
		return fmt.Sprintf("did you mean %s?", e.Near)
	}
	return "there are: " + strings.Join(e.Known, ", ")
}

// read reads a file of grants. Keys that it does not know are errors, and so is a grant that does not say
// what it is.
func read(data []byte) ([]Grant, error) {
	var file struct {
		Grants yaml.Node `yaml:"grants"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil {
		return nil, fmt.Errorf("grants.yaml: %w", err)
	}
	// The node keeps the order, which a map would not.
	var all []Grant
	for i := 0; i+1 < len(file.Grants.Content); i += 2 {
		key, body := file.Grants.Content[i], file.Grants.Content[i+1]
		g, err := readOne(key.Value, body)
		if err != nil {
			return nil, fmt.Errorf("grants.yaml:%d: grant %s: %w", key.Line, key.Value, err)
		}
		all = append(all, g)
	}
	return all, nil
}

func readOne(name string, body *yaml.Node) (Grant, error) {
	// A Node decodes without KnownFields, so by way of text.
	text, err := yaml.Marshal(body)
	if err != nil {
		return Grant{}, err
	}
	g := Grant{Name: name}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&g); err != nil {
		return Grant{}, err
	}
	switch {
	case g.Says == "":
		return Grant{}, errors.New("says is missing")
	case g.Risk == "":
		return Grant{}, errors.New("risk is missing")
	case g.Network != "" && !g.NeedsNetwork():
		return Grant{}, fmt.Errorf("network: want on, or nothing; found %q", g.Network)
	}
	for _, list := range [][]string{g.Read, g.Write, g.Sockets} {
		for _, path := range list {
			if _, _, err := expand(path, func(string) string { return "/x" }); err != nil {
				return Grant{}, err
			}
		}
	}
	return g, nil
}
