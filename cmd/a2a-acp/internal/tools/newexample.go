package tools

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/scaffold"
	"github.com/a2a-acp/a2a-acp/internal/tooltest"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// tested returns the entry with an example that is a test and passes; the entry as it is where none does. The call is
// made as a2a-acp tools test makes it.
func tested(ctx context.Context, env *cli.Environment, request scaffold.Request, plain scaffold.Entry) (scaffold.Entry, error) {
	why := ""
	for _, request.Example = range []scaffold.Example{scaffold.Test, scaffold.TestFile} {
		entry, err := scaffold.Make(request)
		if err != nil || !entry.Tested {
			return plain, err
		}
		problems, err := tryExample(ctx, env, entry)
		if err != nil {
			return plain, err
		}
		if len(problems) == 0 {
			return entry, nil
		}
		why = problems[0]
	}
	plain.Found = append(plain.Found, "the example is no test, since it did not pass when it was tried: "+why)
	return plain, nil
}

// tryExample makes the call that an entry gives as its example, and says what did not fit; nothing where it passes.
func tryExample(ctx context.Context, env *cli.Environment, entry scaffold.Entry) (problems []string, err error) {
	dir, err := os.MkdirTemp("", "a2a-acp-new-")
	if err != nil {
		return nil, cli.Fail(exit.Host, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "tools.yaml")
	text := append([]byte("version: 2\ntools:\n"), toolyaml.Indent(entry.YAML, 2)...)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, cli.Fail(exit.Host, err)
	}
	options := env.AppOptions([]string{file}, nil)
	options.Say = func(string) {} // what it says of this machine is said with each call
	a, err := app.New(options)
	if err != nil {
		return []string{err.Error()}, nil //nolint:nilerr // it says so, and the entry is written all the same
	}
	defer func() { err = errors.Join(err, a.Stop(ctx)) }()
	loaded, err := toTest(a.Set(), []string{entry.ID})
	if err != nil {
		return nil, err
	}
	err = a.TestTools(ctx, loaded, tool.DoorCLI, cli.NewTerminal(env, true), func(o tooltest.Outcome) {
		if problems = o.Problems; o.Status != tooltest.Passed && len(problems) == 0 {
			problems = []string{string(o.Status)}
		}
	})
	if err != nil {
		return nil, cli.Fail(exit.Host, fmt.Errorf("try %s: %w", strings.Join(append([]string{entry.ID}, entry.Call...), " "), err))
	}
	return problems, nil
}
