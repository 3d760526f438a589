package imports

import (
	"fmt"
	"slices"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/openapi"
	"github.com/a2a-acp/a2a-acp/internal/secret"
)

// secrets are what is known of the secrets of this machine when tools are made.
type secrets struct {
	set  []secret.Listed
	sent []config.SentSecret // by the tools that are in force
	file []config.SentSecret // by those of the file that is written
}

// readSecrets reads the names that are in use: of the secrets that are set, of those that the configuration sends
// somewhere, and of those that the file out does.
func readSecrets(env *cli.Environment, out string) (*secrets, error) {
	s := &secrets{}
	if dir, err := app.StateDir(env.AppOptions(nil, nil)); err == nil {
		if s.set, err = secret.NewStore(dir).List(); err != nil {
			return nil, cli.Fail(exit.Host, fmt.Errorf("which secrets there are: %w", err))
		}
	}
	set, err := cli.Load(env, nil, nil)
	if err != nil {
		env.Say("your configuration cannot be read, so no secret that is set is used for the new tools; a2a-acp tools check says why")
	} else {
		s.sent = config.SentSecrets(set.Tools)
	}
	commands, err := cli.Commands(env)
	if err != nil || out == "" {
		return s, err
	}
	if file, err := cli.ReadFile(out, commands); err == nil { // one that is not there, or broken, is told where it is written
		if tools, err := config.ReadTools(file); err == nil {
			s.file = config.SentSecrets(tools)
		}
	}
	return s, nil
}

// free reports whether a source of a server may want a secret of a name. The document is anybody's, and so is its title, which
// the name comes from: one that is set already is for those who get it now, and nobody else's tools may share it.
func (s *secrets) free(name, to string) bool {
	gets := false
	for _, one := range s.sent {
		if one.Name == name {
			if gets = config.IsSameOrigin(one.To, to); !gets {
				return false
			}
		}
	}
	for _, one := range s.file {
		if one.Name == name && !config.IsSameOrigin(one.To, to) {
			return false
		}
	}
	return gets || !s.exists(name)
}

func (s *secrets) exists(name string) bool {
	return slices.ContainsFunc(s.set, func(one secret.Listed) bool { return one.Name == name })
}

// wantedSecret is a secret that a source of new tools wants.
type wantedSecret struct {
	Name   string `json:"name"`
	Source string `json:"source"`
	To     string `json:"to"`     // the server that gets it
	Exists bool   `json:"exists"` // then it is shown there with the first call
	// InsteadOf is how it would be called, if that name were not in use for something else.
	InsteadOf string `json:"instead_of,omitempty"`
}

func (s *secrets) wanted(made *openapi.Made) []wantedSecret {
	list := []wantedSecret{}
	for _, source := range made.Sources {
		for _, one := range source.Secrets {
			list = append(list, wantedSecret{one.Name, source.Name, one.To, s.exists(one.Name), one.InsteadOf})
		}
	}
	return list
}

// String says what a person should know, and do.
func (w wantedSecret) String() string {
	text := fmt.Sprintf("the source %s wants the secret %s, which goes to %s", w.Source, w.Name, display.Line(w.To))
	if w.Exists {
		text += "; it is set, and goes there already"
	} else {
		text += ": a2a-acp secrets set " + w.Name
	}
	if w.InsteadOf != "" {
		text += fmt.Sprintf("; %s is in use, and not for that server", w.InsteadOf)
	}
	return text
}
