package permissions

import (
	"path/filepath"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
)

// in reports whether a program, by its name or its path, is in a group of the catalogue.
func in(g command.Group, program string) bool { return command.In(g, filepath.Base(program)) }

// in does so for a group that a person's own commands.yaml adds to.
func (v *evaluation) in(g command.OpenGroup, program string) bool {
	return v.Commands.In(g, filepath.Base(program))
}

func set(names string) map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		all[name] = true
	}
	return all
}
