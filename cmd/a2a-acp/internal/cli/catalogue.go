package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/dirs"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

// maxCatalogue bounds a person's commands.yaml.
const maxCatalogue = 1 << 20

// AddToCatalogue reads the person's own commands.yaml, where there is one. With a mistake in it nothing is
// decided.
func AddToCatalogue(env *Environment) error {
	dir := dirs.Dirs{Getenv: env.Getenv}.Config()
	if dir == "" {
		return nil
	}
	path := filepath.Join(dir, "commands.yaml")
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return Fail(exit.Usage, err)
	case !info.Mode().IsRegular():
		return Fail(exit.Usage, fmt.Errorf("%s is no plain file", env.Short(path)))
	}
	file, err := os.Open(path)
	if err != nil {
		return Fail(exit.Usage, err)
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, maxCatalogue+1))
	if err == nil && len(data) > maxCatalogue {
		err = fmt.Errorf("%s is longer than 1 MiB", env.Short(path))
	}
	if err != nil {
		return Fail(exit.Usage, err)
	}
	added, err := command.ReadAdditions(env.Short(path), data)
	if err != nil {
		return Fail(exit.Usage, err)
	}
	command.Use(added)
	return nil
}
