package imports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/cliimport"
	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// cliFlags are what `import cli` takes.
type cliFlags struct {
	exclude, flags, noFlags, grants []string
	inherited, readOnly             bool
	prefix, into, output, spec      string
	pin, update, remove, yes, guess bool
}

func cliCommand(env *cli.Environment) *cobra.Command {
	var f cliFlags
	cmd := &cobra.Command{
		Use:   "cli COMMAND [SUB...]",
		Short: "Make tools of the commands of a program, without running one of them",
		Long: `cli asks a program that was written with Cobra (kubectl, gh, hugo, docker, …)
what it can do, by its own completions and its --help, and makes a tool of each
command. It asks in the sandbox, without a network, a home or a place to write
to; no command of the program runs but its own 'mcp tools', where it has that.
The types of flags are what the program's own parser says. A SUB is a command
below it, with all below that; one that lies deeper is written as one word:
'rollout status'.

Left out are flags of all commands (--inherited has them), hidden and
deprecated ones, those that hold credentials or make a call somebody else's
(--flags NAME has one), and commands that run others, unless SUB names them.

Of a program that does not answer so a draft is made, in which nothing was tried:
of its carapace spec (--spec, or carapace/specs/COMMAND.yaml among your
configuration), else of its --help. Types, and which commands only read, are
guessed there with --guess alone.

Without --into the tools are printed. With it they are put into a tools file;
--update looks at the programs of that file again, and says what is other than
before; --remove takes out of it what an import of COMMAND has put there.`,
		Example: `  a2a-acp import cli kubectl get describe logs
  a2a-acp import cli gh --read-only --into ~/.config/a2a-acp/tools.yaml
  a2a-acp import cli hugo -o mcp-tools
  a2a-acp import cli --guess rsync
  a2a-acp import cli --update --into ~/.config/a2a-acp/tools.yaml
  a2a-acp import cli gh --remove --into ~/.config/a2a-acp/tools.yaml`,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	s := cmd.Flags()
	s.StringArrayVar(&f.exclude, "exclude", nil, "a command below it that becomes no tool, with all below that; may be repeated")
	s.StringArrayVar(&f.flags, "flags", nil, "only flags like this GLOB; may be repeated")
	s.StringArrayVar(&f.noFlags, "no-flags", nil, "no flags like this GLOB; may be repeated")
	s.BoolVar(&f.inherited, "inherited", false, "also flags that all commands have")
	s.BoolVar(&f.readOnly, "read-only", false, "only commands that, by their names, read")
	s.BoolVar(&f.readOnly, "only-read", false, "the same as --read-only")
	_ = s.MarkHidden("only-read")
	s.StringVar(&f.spec, "spec", "", "a carapace spec of the program, which counts in place of what it answers")
	s.BoolVar(&f.guess, "guess", false, "of a draft: guess types, and which commands only read")
	s.StringVar(&f.prefix, "prefix", "", "what the names of the tools begin with; the program's name if not given")
	s.StringArrayVar(&f.grants, "grant", nil, "what the tools are given (see grants: of a tool); may be repeated")
	s.BoolVar(&f.pin, "pin", false, "refuse calls where the program's file is another one")
	s.StringVar(&f.into, "into", "", "the tools file that they are put into")
	s.BoolVar(&f.update, "update", false, "look again at the programs of --into, or at COMMAND alone")
	s.BoolVar(&f.remove, "remove", false, "take the tools of COMMAND out of --into")
	s.BoolVar(&f.yes, "yes", false, "write without asking")
	s.StringVarP(&f.output, "output", "o", "yaml", "form of the output: yaml, json or mcp-tools")
	_ = cmd.RegisterFlagCompletionFunc("output",
		cobra.FixedCompletions([]string{"yaml", "json", "mcp-tools"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd, args); err != nil {
			return cli.Fail(exit.Usage, err)
		}
		return (&importer{env: env, f: f}).run(cmd.Context(), args)
	}
	return cmd
}

// check finds what cannot be meant.
func (f *cliFlags) check(cmd *cobra.Command, args []string) error {
	selecting := []string{"exclude", "flags", "no-flags", "inherited", "read-only", "only-read", "prefix", "grant", "pin", "spec",
		"guess"}
	switch {
	case !slices.Contains([]string{"yaml", "json", "mcp-tools"}, f.output):
		return fmt.Errorf("-o %s: want yaml, json or mcp-tools", f.output)
	case f.into != "" && cmd.Flags().Changed("output"):
		return errors.New("--into writes a tools file, and -o prints; give one of them")
	case f.remove && (f.into == "" || len(args) != 1 || f.update || slices.ContainsFunc(selecting, cmd.Flags().Changed)):
		return errors.New("what is to go? a2a-acp import cli COMMAND --remove --into FILE takes out all tools of COMMAND")
	case f.update && f.into == "":
		return errors.New("which file? a2a-acp import cli --update --into FILE")
	case f.update && len(args) > 1:
		return errors.New("--update takes the selection from the file; to change it, import again with --into")
	case f.update && slices.ContainsFunc(selecting, cmd.Flags().Changed):
		return errors.New("--update takes the selection from the file; to change it, import again with --into")
	case !f.update && len(args) == 0:
		return errors.New("which program? a2a-acp import cli COMMAND [SUB...]")
	}
	return nil
}

// importer is one run of the verb.
type importer struct {
	env      *cli.Environment
	f        cliFlags
	commands *command.Catalogue
}

func (i *importer) run(ctx context.Context, args []string) (err error) {
	if i.f.into != "" {
		if err := cli.CheckPerson(); err != nil {
			return cli.Fail(exit.Denied, fmt.Errorf("tools are for a person to give; without --into they are printed: %w", err))
		}
	}
	if i.commands, err = cli.Commands(i.env); err != nil {
		return err
	}
	if i.f.remove {
		return i.remove(ctx, args[0])
	}
	imports := []config.Import{}
	if i.f.update {
		if imports, err = i.known(args); err != nil {
			return err
		}
	} else {
		imports = append(imports, i.f.selection(args[0], args[1:]))
	}
	host, err := sandbox.Open(sandbox.Options{Hidden: i.env.AppOptions(nil, nil).Dirs().Own()})
	if err != nil {
		return cli.Fail(exit.Host, fmt.Errorf("a program is asked in the sandbox only: %w", err))
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	for _, one := range imports {
		if err := i.one(ctx, host, one); err != nil {
			return err
		}
	}
	return nil
}

// selection is what the flags mean, in the words of a tools file.
func (f *cliFlags) selection(program string, subs []string) config.Import {
	name := program[strings.LastIndexByte(program, '/')+1:]
	s := config.Selector{ReadOnly: f.readOnly}
	for _, sub := range subs {
		s.AllowCmds = append(s.AllowCmds, below(name, sub)...)
	}
	for _, sub := range f.exclude {
		s.ExcludeCmds = append(s.ExcludeCmds, below(name, sub)...)
	}
	s.LocalFlags = config.FlagSelector{Allow: f.flags, Exclude: f.noFlags}
	s.InheritedFlags = config.FlagSelector{None: true}
	if f.inherited {
		s.InheritedFlags = s.LocalFlags
	}
	return config.Import{Name: name, Command: program, Pin: f.pin, Spec: f.spec, Guess: f.guess, Prefix: f.prefix, Grants: f.grants,
		Selectors: []config.Selector{s}}
}

// below are the globs for a command and all below it.
func below(program, sub string) []string {
	words := program + " " + strings.Join(strings.Fields(sub), " ")
	return []string{words, words + " *"}
}

// known are the imports of the file.
func (i *importer) known(args []string) ([]config.Import, error) {
	file, err := cli.ReadFile(i.f.into, i.commands)
	if err != nil {
		return nil, cli.Fail(exit.Usage, err)
	}
	imports, err := config.ReadImports(file)
	if err != nil {
		return nil, cli.Fail(exit.Usage, err)
	}
	if len(args) == 1 {
		imports = slices.DeleteFunc(imports, func(one config.Import) bool { return one.Name != args[0] })
	}
	if len(imports) == 0 {
		return nil, cli.Fail(exit.Usage, fmt.Errorf("%s has no such import; a2a-acp import cli COMMAND --into FILE makes one",
			i.f.into))
	}
	return imports, nil
}

// one makes the tools of one program, and prints or writes them.
func (i *importer) one(ctx context.Context, host cliimport.Host, one config.Import) error {
	program, err := cliimport.Find(one.Command, i.env.Getenv("PATH"), i.env.AppOptions(nil, nil).Dir)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	program.Name = one.Name
	r := cliimport.Request{Program: program, Import: one, Commands: i.commands, Progress: i.progress(program)}
	if err := i.specs(&r); err != nil {
		return cli.Fail(exit.Usage, err)
	}
	made, err := cliimport.Make(ctx, host, r)
	if err != nil {
		return cli.Fail(codeOf(err), err)
	}
	made.Import.Command = program.Command()
	if _, err := made.Check(i.commands); err != nil {
		return cli.Fail(exit.Usage, err)
	}
	i.tell(program, made)
	if i.f.into != "" {
		return i.write(ctx, made)
	}
	return i.print(made)
}

// specs reads the carapace spec that was named, or finds a person's own, which counts for a program that does not answer.
func (i *importer) specs(r *cliimport.Request) (err error) {
	if r.Import.Spec != "" {
		if r.Import.Spec, err = filepath.Abs(r.Import.Spec); err != nil {
			return err
		}
		r.Spec, err = readSpec(r.Import.Spec)
		return err
	}
	config := i.env.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) {
		config = filepath.Join(i.env.Getenv("HOME"), ".config")
	}
	r.ElseFile = filepath.Join(config, "carapace", "specs", r.Program.Name+".yaml")
	if r.Else, err = readSpec(r.ElseFile); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// readSpec reads a file that a stranger may have written.
func readSpec(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, cliimport.LargestSpec+1))
}

func codeOf(err error) int {
	var failure *tool.Failure
	if errors.As(err, &failure) {
		return exit.Host
	}
	if errors.Is(err, context.Canceled) {
		return exit.Interrupt
	}
	return exit.Usage
}

// write puts the tools into the file, once they have been looked at.
func (i *importer) write(ctx context.Context, made *cliimport.Made) error {
	_, err := os.Lstat(i.f.into)
	isNew := errors.Is(err, fs.ErrNotExist)
	var data []byte
	var drift []string
	switch {
	case isNew:
		data, err = made.File(i.commands)
	case err == nil:
		var file config.File
		if file, err = cli.ReadFile(i.f.into, i.commands); err == nil {
			data, drift, err = made.Merge(file)
		}
	}
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	for _, line := range drift {
		fmt.Fprintln(i.env.Stdout, line)
	}
	goes := func(line string) bool { return strings.HasPrefix(line, "- ") && strings.Count(line, " ") == 1 } // else it is a flag
	if !i.f.update && slices.ContainsFunc(drift, goes) {
		i.env.Say("what has a - goes: an import takes the place of the one before, so name all commands of the program that you want")
	}
	if len(drift) == 0 && !isNew {
		i.env.Say("nothing is other than before in " + i.env.Short(i.f.into))
	}
	if err := agreed(ctx, i.env, "Write them to "+i.env.Short(i.f.into)+"?", i.f.yes); err != nil {
		return err
	}
	const private = 0o700
	if err := os.MkdirAll(filepath.Dir(i.f.into), private); err != nil { // a person's first file is the first there
		return cli.Fail(exit.Host, err)
	}
	if err := cli.ReplaceFile(i.f.into, data, 0o600); err != nil {
		return cli.Fail(exit.Host, err)
	}
	i.env.Say(display.Count(len(made.Tools), "tool is in ", "tools are in ") + i.env.Short(i.f.into))
	sayUnread(i.env, i.f.into, "--into", "")
	return nil
}

// remove takes the tools of an import out of the file.
func (i *importer) remove(ctx context.Context, program string) error {
	file, err := cli.ReadFile(i.f.into, i.commands)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	data, removed, err := cliimport.Remove(file, filepath.Base(program))
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	return takeOut(ctx, i.env, i.f.into, data, removed, i.f.yes)
}
