package editor

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/editor"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/unasked"
)

// mcpFlags say what is entered as an MCP server, and where.
type mcpFlags struct {
	mcp        bool
	http       string
	env        []string
	workspace  string
	configPath string
}

// here is the value of --workspace without a directory.
const here = "."

func (f *mcpFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.mcp, "mcp", false, "enter your tools, as an MCP server, where agents are entered otherwise (zed)")
	cmd.Flags().StringVar(&f.http, "http", "", "the URL of a running a2a-acp serve, in place of a program to start")
	cmd.Flags().StringArrayVarP(&f.env, "env", "e", nil, "a variable for the server, NAME=VALUE; may be repeated")
	f.addPlace(cmd)
}

func (f *mcpFlags) addPlace(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.workspace, "workspace", "",
		"enter it for this project only; a client without settings of projects makes its calls there")
	cmd.Flags().Lookup("workspace").NoOptDefVal = here
	cmd.Flags().StringVar(&f.configPath, "config-path", "", "the settings file, in place of the usual one")
}

// takeWorkspace takes the directory of --workspace DIR from the words behind the editor's name: with a value that may be left
// out, pflag takes DIR for one of them.
func (f *mcpFlags) takeWorkspace(args []string) []string {
	if len(args) == 2 && f.workspace == here && (strings.Contains(args[1], "/") || !hasAgents(args[0])) {
		f.workspace = args[1]
		return args[:1]
	}
	return args
}

// meant reports whether the flags are about our MCP server.
func (f *mcpFlags) meant() bool {
	return f.mcp || f.http != "" || len(f.env) > 0 || f.workspace != "" || f.configPath != ""
}

// clientOf returns the MCP client of a name.
func clientOf(name string) (editor.Client, bool) {
	for _, c := range editor.Clients() {
		if c.Name == name {
			return c, true
		}
	}
	return editor.Client{}, false
}

// hasAgents reports whether an editor of that name has agents.
func hasAgents(name string) bool {
	return slices.ContainsFunc(editor.Known(), func(e editor.Editor) bool { return e.Name == name })
}

// path returns the file that is changed, and the directory that calls are made in, "" for the client's own.
func (f *mcpFlags) path(env *cli.Environment, c editor.Client) (path, dir string, err error) {
	project := ""
	if f.workspace != "" {
		if project, err = projectDir(env, f.workspace); err != nil {
			return "", "", err
		}
		if !c.OfProjects() || f.configPath != "" {
			project, dir = "", project
		}
	}
	if f.configPath != "" {
		path, err = filepath.Abs(f.configPath)
		return path, dir, err
	}
	path, err = c.File(settingsDirs(env), project)
	return path, dir, err
}

// projectDir returns the directory that --workspace names. A shell leaves the tilde of --workspace=~/project as it is,
// since it stands inside of a word.
func projectDir(env *cli.Environment, named string) (string, error) {
	dir := named
	if rest, ok := strings.CutPrefix(named, "~"); ok && (rest == "" || rest[0] == '/') {
		dir = env.Getenv("HOME") + rest
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("--workspace=%s: there is no directory %s", named, dir)
	}
	return dir, nil
}

// server returns what is entered.
func (f *mcpFlags) server(env *cli.Environment, dir string) (editor.Server, error) {
	if f.http != "" {
		at, err := url.Parse(f.http)
		switch {
		case err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || at.User != nil:
			return editor.Server{}, fmt.Errorf("%q is no URL such as http://127.0.0.1:8642/mcp", f.http)
		case len(f.env) > 0:
			return editor.Server{}, errors.New("--env is for a program that is started; with --http there is none")
		}
		if strings.Trim(at.Path, "/") == "" {
			at.Path = "/mcp"
		}
		return editor.Server{URL: at.String(), Token: "A2A_AUTH_TOKEN"}, nil
	}
	program, err := cli.Self()
	if err != nil {
		return editor.Server{}, err
	}
	server := editor.Server{Command: program, Args: []string{"mcp"}, Env: map[string]string{}}
	if dir != "" {
		server.Args = append(server.Args, "--workspace", dir)
	}
	// An editor that is started from a desktop has another PATH than a shell.
	if found := env.Getenv("PATH"); found != "" && (f.workspace == "" || dir != "") {
		server.Env["PATH"] = found
	}
	for _, pair := range f.env {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return server, fmt.Errorf("--env %q is no NAME=VALUE", pair)
		}
		if editor.IsPlainSecret(name, value) {
			return server, fmt.Errorf("%s would stand in the settings for everybody to read: keep it with a2a-acp secrets set %s, "+
				"and have the tool refer to it ({secret: %s}), or give a reference that the editor fills in", name, name, name)
		}
		server.Env[name] = value
	}
	return server, nil
}

// enableMCP enters our MCP server.
func enableMCP(cmd *cobra.Command, env *cli.Environment, c editor.Client, f mcpFlags, dry, yes bool) error {
	path, dir, err := f.path(env, c)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	server, err := f.server(env, dir)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	change, err := c.Enable(path, server)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	if err := apply(cmd.Context(), env, change, dry, yes); err != nil {
		return err
	}
	if !dry && !change.None() {
		env.Say(c.Title + " has your tools when it is started again; a2a-acp tools list --tokens says what they cost")
		if f.workspace != "" && dir == "" && f.configPath == "" {
			return f.sayUnasked(env)
		}
	}
	return nil
}

// sayUnasked says what is to be done where the project's settings keep guarded sessions from beginning, as those of an agent do
// that starts what they name without asking.
func (f *mcpFlags) sayUnasked(env *cli.Environment) error {
	project, err := projectDir(env, f.workspace)
	if err != nil {
		return err
	}
	found, err := unasked.Here(project, []string{"HOME=" + env.Getenv("HOME")})
	if len(found) > 0 || err != nil {
		env.Say("an agent would start what these settings name without asking, so none that is guarded begins a session here " +
			"until you have looked at them: a2a-acp trust " + display.ShellWord(project))
	}
	return nil
}

// disableMCP takes our MCP server out.
func disableMCP(cmd *cobra.Command, env *cli.Environment, c editor.Client, f mcpFlags, dry, yes bool) error {
	path, _, err := f.path(env, c)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	change, err := c.Disable(path)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	if change.None() {
		f.sayOwned(env, c)
	}
	return takeOut(cmd.Context(), env, change, dry, yes)
}

// sayOwned says where the settings of the project in this directory name our MCP server, and how to take it out, to whoever
// has looked at the person's own.
func (f *mcpFlags) sayOwned(env *cli.Environment, c editor.Client) {
	if f.workspace == "" && f.configPath == "" && ownedHere(env, c) {
		env.Say("this project has settings of its own with your tools: a2a-acp editor disable " + c.Name + " --workspace")
	}
}

// ownedHere reports whether the settings of the project in this directory name our MCP server.
func ownedHere(env *cli.Environment, c editor.Client) bool {
	if !c.OfProjects() {
		return false
	}
	path, _, err := (&mcpFlags{workspace: here}).path(env, c)
	if err != nil {
		return false
	}
	servers, err := c.Servers(path)
	return err == nil && slices.ContainsFunc(servers, func(s editor.Listed) bool { return s.Ours })
}
