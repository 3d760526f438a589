package policy

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

func policyFilesCommand(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "files [FILE...]",
		Short: "Show which files are more than data, and why",
		Long: `files says of each FILE, by its name, whether it is more than data: which
programs read it by convention, and where that is documented. A rule
approves writing such a file, or reading one with a secret, only if it names
that very file. Without a FILE it lists every name that is known.

  control      decides what a2a-acp allows, or tells agents what to do
  runs         runs as code without being asked for: in git, shells, editors, agents, CI
  runs_built   runs when somebody builds, checks, tests, installs or starts something
  secret       contains what nobody else should know`,
		Example: `  a2a-acp policy files
  a2a-acp policy files tsconfig.json src/main.ts .envrc
  a2a-acp policy files --json`,
	}
	f := cli.AddFormat(cmd)
	cmd.RunE = func(_ *cobra.Command, names []string) error {
		if len(names) == 0 {
			return printFiles(env, knownFiles(), *f, false)
		}
		files, err := findFiles(env, names)
		if err != nil {
			return cli.Fail(exit.Usage, err)
		}
		return printFiles(env, files, *f, true)
	}
	return cmd
}

// sensitiveFile is a file, or a name that files have, in `policy files`.
type sensitiveFile struct {
	File   string `json:"file,omitempty"`
	Class  string `json:"class"` // "plain" for what is only data
	Name   string `json:"name,omitempty"`
	Says   string `json:"says,omitempty"`
	ReadBy string `json:"read_by,omitempty"`
	Source string `json:"source,omitempty"`
}

func newSensitiveFile(file string, f sensitive.Finding) sensitiveFile {
	return sensitiveFile{File: file, Class: f.Class.String(), Name: f.Name, Says: f.Says, ReadBy: f.ReadBy,
		Source: f.Source}
}

func knownFiles() []sensitiveFile {
	var list []sensitiveFile
	for _, f := range sensitive.Table() {
		list = append(list, newSensitiveFile("", f))
	}
	return list
}

// findFiles looks the files up by the names that they have when links are followed.
func findFiles(env *cli.Environment, names []string) ([]sensitiveFile, error) {
	o := env.AppOptions(nil, nil)
	workspace := o.Dirs().Workspace(o.Dir, nil)
	var list []sensitiveFile
	for _, name := range names {
		path, err := permissions.Resolve(o.Dir, name)
		if err != nil {
			return nil, err
		}
		found := sensitive.All(path, workspace.Root)
		for _, f := range found {
			list = append(list, newSensitiveFile(name, f))
		}
		if len(found) == 0 {
			list = append(list, sensitiveFile{File: name, Class: "plain"})
		}
	}
	return list, nil
}

func printFiles(env *cli.Environment, files []sensitiveFile, f cli.Format, asked bool) error {
	if f != cli.FormatTable {
		return cli.WriteData(env.Stdout, f, files)
	}
	if !asked {
		out := cli.Table{Head: []string{"CLASS", "NAME", "READ BY"}}
		for _, file := range files {
			out.Add(file.Class, file.Name, file.ReadBy)
		}
		out.Write(env.Stdout)
		return nil
	}
	for _, file := range files {
		name := display.Line(file.File)
		if file.Says == "" {
			fmt.Fprintf(env.Stdout, "%s is plain data, by its name\n", name)
			continue
		}
		fmt.Fprintf(env.Stdout, "%s %s\n", name, file.Says)
		for _, line := range [][2]string{{"class", file.Class}, {"as", file.Name}, {"read by", file.ReadBy},
			{"source", file.Source}} {
			fmt.Fprintf(env.Stdout, "  %-8s %s\n", line[0], strings.TrimSpace(line[1]))
		}
	}
	return nil
}
