package openapi

import (
	"errors"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// check has the program read a tool, alone in a file. The file is written only where there is a mistake, for what is told of
// it then; what is written in the end is read once more (File).
func (m *maker) check(t *Tool) error {
	sources, err := m.sources([]Source{t.from})
	if err != nil {
		return err
	}
	file := toolyaml.Mapping("version", toolyaml.Plain("2"), "sources", sources,
		"tools", toolyaml.Mapping(t.Name, t.entry()))
	if _, err := config.ReadTools(config.File{Name: m.Source, Commands: m.Commands, Made: file}); err == nil {
		return nil
	}
	data, err := m.file([]Tool{*t}, []Source{t.from})
	if err != nil {
		return err
	}
	return m.read(data)
}

// read reads a file as the program will, and tells its first mistake.
func (m *maker) read(data []byte) error {
	_, err := config.ReadTools(config.File{Name: m.Source, Commands: m.Commands, Data: data})
	for _, found := range yamldoc.List(err) {
		if found.Severity == yamldoc.SeverityError {
			return errors.New(found.Message)
		}
	}
	return err
}
