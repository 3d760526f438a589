package approvals

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/replay"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// policyChange is the person's policy file with a rule more, which is not written yet.
type policyChange struct {
	path          string
	before, after []byte
	added         []byte // what is new in it
	line          int    // that the rule begins in
}

// addRule adds a rule to the person's policy file. Where only a person can say where it goes, it prints the rule.
func addRule(env *cli.Environment, rule replay.SuggestedRule) (c policyChange, err error) {
	c.path = filepath.Join(env.AppOptions(nil, nil).Dirs().Config(), config.PoliciesName)
	file := config.File{Name: env.Short(c.path), Layer: tool.LayerUser}
	if file.Commands, err = cli.Commands(env); err != nil {
		return c, err
	}
	if c.before, err = readPolicyFile(c.path); err != nil {
		return c, cli.Fail(exit.Host, err)
	}
	file.Data = c.before
	text, err := rule.YAML()
	if err != nil {
		return c, err
	}
	if c.after, c.added, c.line, err = config.AddRule(file, "Kept by a2a-acp approvals keep.", text); err != nil {
		env.Say("the rule, for you to put where it belongs:")
		fmt.Fprintf(env.Stdout, "%s", text)
		return c, cli.Fail(exit.Usage, err)
	}
	return c, nil
}

// write puts the change into the file, if that is still as it was when the change was made.
func (c policyChange) write(env *cli.Environment) error {
	if now, err := readPolicyFile(c.path); err != nil || !bytes.Equal(now, c.before) {
		return errors.Join(fmt.Errorf("%s was changed meanwhile; nothing is kept", env.Short(c.path)), err)
	}
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		return err
	}
	return cli.ReplaceFile(c.path, c.after, 0o600)
}

// readPolicyFile returns what the person's policy file says; nothing where there is none.
func readPolicyFile(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}
