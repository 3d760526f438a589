package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/scaffold"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// newFlags are what `tools new` takes.
type newFlags struct {
	into        string
	description string
	dryRun      bool
}

func toolsNewCommand(env *cli.Environment) *cobra.Command {
	var flags newFlags
	cmd := &cobra.Command{
		Use:   "new NAME -- COMMAND",
		Short: "Make a tool of a command line, and put it into your tools file",
		Long: `new adds an entry for a bash command line to your tools file. {{name}} is
where a value goes. It finds out which parameters there are and what each
must be, whether the command is known to only read, and whether it needs the
network, and says so. The entry has an example, which is a test for a2a-acp
tools test where it passes: that is tried, with made-up values, in a
directory of its own and the tool's sandbox. The rest of the file keeps
every byte. A command that cannot be made safe is refused;
the message says what to write instead.`,
		Example: `  a2a-acp tools new line_count -- 'wc -l {{file}}'
  a2a-acp tools new last_commits -- 'git log --oneline -{{count}}'
  a2a-acp tools new fetch --description 'Get a page' -- curl -sS {{url}}
  a2a-acp tools new line_count --dry-run -- 'wc -l {{file}}'`,
		Args:              cobra.MinimumNArgs(2),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringVar(&flags.into, "into", "", "the tools file; your own if not given")
	cmd.Flags().StringVar(&flags.description, "description", "", "what it does, for the model")
	cmd.Flags().BoolVar(&flags.dryRun, "dry-run", false, "print the entry; write nothing")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return newTool(cmd.Context(), env, args[0], args[1:], flags)
	}
	return cmd
}

func newTool(ctx context.Context, env *cli.Environment, id string, command []string, flags newFlags) error {
	if err := cli.CheckPerson(); err != nil && !flags.dryRun {
		return cli.Fail(exit.Denied,
			fmt.Errorf("a tool is for a person to give, and --dry-run prints its entry: %w", err))
	}
	path := flags.into
	if path == "" {
		dir := env.AppOptions(nil, nil).Dirs().Config()
		if dir == "" {
			return cli.Fail(exit.Host,
				errors.New("neither HOME nor XDG_CONFIG_HOME is set; name the file with --into"))
		}
		path = filepath.Join(dir, "tools.yaml")
	}
	set, err := cli.Load(env, nil, nil)
	if err != nil {
		return err
	}
	for _, loaded := range set.Tools {
		if loaded.Tool.ID == id {
			return cli.Fail(exit.Usage,
				fmt.Errorf("there is a tool %q already, at %s; take another name", id, loaded.Tool.Source))
		}
	}
	request := scaffold.Request{ID: id, Command: commandLine(command), Description: flags.description, Commands: set.Commands}
	entry, err := scaffold.Make(request)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	if flags.dryRun {
		entry.Found = append(entry.Found, "the example becomes a test where it passes, which is tried when it is written")
		tellEntry(env, entry)
		return nil
	}
	if err := cli.Confirm(ctx, env); err != nil {
		return err
	}
	if entry, err = tested(ctx, env, request, entry); err != nil {
		return err
	}
	if err := putEntry(env, path, entry, set.Commands); err != nil {
		return err
	}
	tellEntry(env, entry)
	try := "a2a-acp tools test " + id
	if !entry.Tested {
		try = "a2a-acp tools run " + id
		for _, argument := range entry.Call {
			try += " -p " + display.ShellWord(argument)
		}
	}
	if flags.into != "" {
		try += " --tools " + display.ShellWord(flags.into)
	}
	env.Say(fmt.Sprintf("wrote it to %s; try it: %s", env.Short(path), try))
	return nil
}

// putEntry writes the file with the entry in it.
func putEntry(env *cli.Environment, path string, entry scaffold.Entry, commands *command.Catalogue) error {
	var file config.File
	_, err := os.Lstat(path)
	if err == nil {
		file, err = cli.ReadFile(path, commands)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return cli.Fail(exit.Host, err)
		}
		if path == filepath.Join(env.AppOptions(nil, nil).Dirs().Config(), "tools.yaml") {
			if err := WriteSchema(env, filepath.Dir(path)); err != nil {
				return cli.Fail(exit.Host, err)
			}
		}
		file = config.File{Name: path, Path: path, Layer: tool.LayerFlag, Commands: commands,
			Data: []byte(Modeline + "version: 2\n\ntools:\n")}
	case err != nil:
		return cli.Fail(exit.Usage, err)
	}
	data, err := scaffold.Insert(file, entry)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	if err := cli.ReplaceFile(path, data, 0o600); err != nil {
		return cli.Fail(exit.Host, err)
	}
	return nil
}

// tellEntry prints the entry as data, and what was found out as talk.
func tellEntry(env *cli.Environment, entry scaffold.Entry) {
	fmt.Fprintf(env.Stdout, "%s", entry.YAML)
	for _, line := range entry.Found {
		fmt.Fprintf(env.Stderr, "  %s\n", line)
	}
}

// commandLine makes one line of a command: a single word is bash as it stands, several are words that stay
// what they are.
func commandLine(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	quoted := make([]string, len(words))
	for i, word := range words {
		if !harmlessWord.MatchString(word) {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		quoted[i] = word
	}
	return strings.Join(quoted, " ")
}

// harmlessWord needs no quotes in bash. A tag may stand in it.
var harmlessWord = lazyregexp.New(`^(?:[A-Za-z0-9_@%+=:,./-]|\{\{[A-Za-z0-9_-]+\}\})+$`)
