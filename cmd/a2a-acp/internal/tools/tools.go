// Package tools is the verb tools: list, show, check, run and test the tools of tools.yaml.
package tools

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Command returns the verb tools.
func Command(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "List, write, check, test and run the tools of tools.yaml",
		Args:  cli.VerbsOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		toolsListCommand(env), toolsShowCommand(env), toolsNewCommand(env), toolsCheckCommand(env),
		toolsRunCommand(env), toolsResumeCommand(env), toolsSwitchCommand(env, true), toolsSwitchCommand(env, false),
		toolsTestCommand(env), toolsExportCommand(env), toolsSchemaCommand(env), toolsCircuitsCommand(env),
	)
	return cmd
}

// loadTold is load, and says which files of the workspace were left alone: somebody who looks for their
// tools would wonder.
func loadTold(env *cli.Environment, tools []string) (*config.Set, error) {
	set, err := cli.Load(env, tools, nil)
	if err != nil {
		return nil, err
	}
	for _, e := range set.Ignored() {
		line := env.Short(e.File) + ": " + e.Message
		if e.Line == 0 {
			line, _, _ = strings.Cut(line, ": whoever")
		}
		if e.Hint != "" {
			line += "; " + e.Hint
		}
		env.Say(line)
	}
	return set, nil
}

// listedTool is a tool in `tools list`.
type listedTool struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Source      string `json:"source"`
	Layer       string `json:"layer"`
	ReadOnly    bool   `json:"read_only"`
	Asks        bool   `json:"requires_confirmation"`
	Exposed     bool   `json:"exposed"` // agents are offered it
	Unavailable string `json:"unavailable,omitempty"`
	Disabled    bool   `json:"disabled,omitempty"`
	// Access says who may call it at the daemon, by the claims of their tokens; nil for everybody.
	Access []string `json:"access,omitempty"`
	Tokens int      `json:"tokens,omitempty"` // with --tokens
}

func toolsListCommand(env *cli.Environment) *cobra.Command {
	var tools []string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tools that can be called, and where each comes from",
		Example: `  a2a-acp tools list
  a2a-acp tools list --tools ./tools.yaml --json`,
		Args: cobra.NoArgs,
	}
	f := cli.AddFormat(cmd)
	cmd.Flags().StringArrayVar(&tools, "tools", nil, "a tools file, in addition to the others; may be repeated")
	tokens := cmd.Flags().Bool("tokens", false, "say how many tokens each costs a model that is offered it: a fourth of its bytes")
	cmd.RunE = func(*cobra.Command, []string) error {
		set, err := loadTold(env, tools)
		if err != nil {
			return err
		}
		list := make([]listedTool, 0, len(set.Tools))
		for _, loaded := range set.Tools {
			t := loaded.Tool
			list = append(list, listedTool{
				ID: t.ID, Name: t.Name, Description: t.Description, Source: t.Source.String(),
				Layer:    t.Source.Layer.String(),
				ReadOnly: t.IsReadOnly(), Asks: t.Sandbox.RequiresConfirmation, Unavailable: unavailable(&t), Disabled: t.Disabled,
				Access:  whoMay(&t),
				Exposed: app.IsExposed(&t, set.Settings, tool.Claims{}),
			})
			if *tokens {
				list[len(list)-1].Tokens = mcpserver.Tokens(&t)
			}
		}
		own := func(t listedTool) bool { return t.Layer != tool.LayerEmbedded.String() }
		sort.SliceStable(list, func(i, j int) bool { return own(list[i]) && !own(list[j]) })
		if *tokens {
			defer sayBudget(env, list, set.Settings.Search)
		}
		if *f != cli.FormatTable {
			return cli.WriteData(env.Stdout, *f, list)
		}
		head := []string{"TOOL", "DOES", "AGENTS", "FROM", "DESCRIPTION"}
		if *tokens {
			head = slices.Insert(head, 3, "TOKENS")
		}
		out := cli.Table{Head: head}
		for _, t := range list {
			row := []string{t.ID, does(t), offered(t), env.Short(t.Source), cli.FirstLine(t.Description)}
			if *tokens {
				row = slices.Insert(row, 3, strconv.Itoa(t.Tokens))
			}
			out.Add(row...)
		}
		out.Write(env.Stdout)
		return nil
	}
	return cmd
}

func does(t listedTool) string {
	switch {
	case t.Disabled:
		return "off"
	case t.Unavailable != "":
		return "unavailable"
	case t.Asks:
		return "asks"
	case t.ReadOnly:
		return "reads"
	}
	return "changes"
}

// unavailable says why the tool cannot be called here, where nothing is verified of who calls; "" for one that can.
func unavailable(t *tool.Tool) string { return cmp.Or(t.Unavailable, t.Access.Missing()) }

// whoMay says whom each rule of access lets call a tool.
func whoMay(t *tool.Tool) (all []string) {
	if t.Access == nil {
		return nil
	}
	for _, r := range t.Access.Rules {
		all = append(all, r.Who())
	}
	return all
}

func offered(t listedTool) string {
	switch {
	case t.Exposed:
		return "yes"
	case len(t.Access) > 0 && !t.Disabled:
		return "by claims"
	}
	return "no"
}

func toolsShowCommand(env *cli.Environment) *cobra.Command {
	var tools, pairs []string
	cmd := &cobra.Command{
		Use:   "show TOOL",
		Short: "Show one tool: its parameters, its script, what it may do",
		Long: `show describes a tool: its parameters, what its calls may touch, how an
agent's call would be decided here, and its script. With -p it shows one
call: the script as a person reads it and as bash gets it, the values, and
the decision. Nothing runs. Of a tool that sends a request, -o curl is the
command line of curl that would send it, without its credential.`,
		Example: `  a2a-acp tools show grep
  a2a-acp tools show grep -p pattern=TODO
  a2a-acp tools show grep -o json
  a2a-acp tools show order -p pizza=margherita -o curl`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cli.CompleteTools(env, &tools),
	}
	f := cli.AddFormat(cmd, formatCurl)
	cmd.Flags().StringArrayVar(&tools, "tools", nil, "a tools file, in addition to the others; may be repeated")
	cmd.Flags().StringArrayVarP(&pairs, "param", "p", nil,
		"an argument of a call to be shown, name=value; may be repeated")
	_ = cmd.RegisterFlagCompletionFunc("param", completeParameters(env, &tools))
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if len(pairs) > 0 || *f == formatCurl {
			return showCall(env, args[0], pairs, tools, *f)
		}
		set, err := loadTold(env, tools)
		if err != nil {
			return err
		}
		loaded, err := findTool(set, args[0])
		if err != nil {
			return err
		}
		if *f != cli.FormatTable {
			return cli.WriteData(env.Stdout, *f, shownTool(env, set, loaded))
		}
		writeTool(env, set, loaded)
		return nil
	}
	return cmd
}

func findTool(set *config.Set, id string) (*config.Loaded, error) {
	var ids []string
	for i := range set.Tools {
		if set.Tools[i].Tool.ID == id {
			return &set.Tools[i], nil
		}
		ids = append(ids, set.Tools[i].Tool.ID)
	}
	if near := spelling.Nearest(id, ids); near != "" {
		return nil, cli.Fail(exit.Usage, fmt.Errorf("there is no tool %q (did you mean %s?); a2a-acp tools list lists them", id, near))
	}
	return nil, cli.Fail(exit.Usage, fmt.Errorf("there is no tool %q; there are: %s", id, strings.Join(ids, ", ")))
}

// toolDetails is a tool in `tools show -o json`.
type toolDetails struct {
	listedTool
	Script      string         `json:"script"`
	Exec        *shownExec     `json:"exec,omitempty"` // in place of a script
	HTTP        *shownHTTP     `json:"http,omitempty"` // likewise
	A2A         *shownA2A      `json:"a2a,omitempty"`  // likewise
	InputSchema map[string]any `json:"inputSchema"`
	Limits      map[string]any `json:"limits"`
	WorkingDir  string         `json:"working_directory"`
	Temp        bool           `json:"use_temp_isolation"`
	Sandbox     sandboxDetails `json:"sandbox"`
	// Decision is that about an agent's call here, as far as it can be told without arguments.
	Decision tool.DecisionSummary `json:"decision"`
	Examples []string             `json:"examples,omitempty"`

	Retry          *retryDetails   `json:"retry,omitempty"`
	CircuitBreaker *breakerDetails `json:"circuit_breaker,omitempty"`
	Caching        *cachingDetails `json:"caching,omitempty"`

	Grants     []shownGrant      `json:"grants,omitempty"`
	References map[string]string `json:"references,omitempty"` // variables whose values stand elsewhere

	Audit      tool.AuditLevel    `json:"audit,omitempty"`
	Middleware *middlewareDetails `json:"middleware,omitempty"`

	Warnings yamldoc.Errors `json:"warnings,omitempty"`
}

func shownTool(env *cli.Environment, set *config.Set, loaded *config.Loaded) toolDetails {
	t := &loaded.Tool
	var examples []string
	for _, x := range t.Examples {
		examples = append(examples, x.Text+x.Name)
	}
	l := t.Sandbox.Limits
	retry, breaker, caching := shownPolicy(env, t)
	return toolDetails{
		listedTool: listedTool{
			ID: t.ID, Name: t.Name, Description: t.Description, Source: t.Source.String(),
			Layer:    t.Source.Layer.String(),
			ReadOnly: t.IsReadOnly(), Asks: t.Sandbox.RequiresConfirmation, Unavailable: unavailable(t), Disabled: t.Disabled,
			Access:  whoMay(t),
			Exposed: app.IsExposed(t, set.Settings, tool.Claims{}),
		},
		Script: t.Script, Exec: execDetails(t), HTTP: httpDetails(t), A2A: a2aDetails(t), InputSchema: t.InputSchema(),
		Limits: map[string]any{
			"timeout_seconds": l.Timeout.Seconds(), "cpu_seconds": l.CPU.Seconds(), "memory_bytes": l.Memory,
			"file_size_bytes": l.FileSize, "open_files": l.OpenFiles, "processes": l.Processes,
			"output_bytes": l.Output,
		},
		WorkingDir: t.Sandbox.WorkingDirectory, Temp: t.Sandbox.TempIsolation,
		Sandbox: shownSandbox(t.Sandbox), Decision: verdictOf(env, set, t), Examples: examples,
		Retry: retry, CircuitBreaker: breaker, Caching: caching, References: shownReferences(t.Sandbox),
		Grants: shownGrants(env, t.Sandbox), Audit: t.Audit, Middleware: shownMiddleware(t.Middleware), Warnings: loaded.Warnings,
	}
}

func writeTool(env *cli.Environment, set *config.Set, loaded *config.Loaded) {
	t := &loaded.Tool
	w := env.Stdout
	fmt.Fprintf(w, "%s  (%s, %s)\n", t.ID, t.Source, t.Source.Layer)
	if why := unavailable(t); why != "" {
		fmt.Fprintf(w, "unavailable: %s\n", why)
	}
	for _, who := range whoMay(t) {
		fmt.Fprintf(w, "for callers of the daemon with %s\n", display.Line(who))
	}
	fmt.Fprintf(w, "%s\n", display.Text(strings.TrimSpace(t.Description)))
	if len(t.Parameters) > 0 {
		fmt.Fprintln(w, "\nParameters")
		out := cli.Table{Head: []string{"  NAME", "TYPE", "REQUIRED", "DEFAULT", "DESCRIPTION"}}
		for _, p := range t.Parameters {
			required, preset := "no", ""
			if p.Required {
				required = "yes"
			}
			if p.Default != nil {
				preset = fmt.Sprint(p.Default)
			}
			kind := string(p.Type)
			if p.Format != "" {
				kind += " (" + string(p.Format) + ")"
			}
			out.Add("  "+p.Name, kind, required, preset, cli.FirstLine(p.Description))
		}
		out.Write(w)
	}
	s := t.Sandbox
	fmt.Fprintln(w, "\nMay")
	if s.RequiresConfirmation {
		fmt.Fprintln(w, "  run only when a person says yes, every time")
	}
	writeLimits(w, t)
	for _, allowed := range s.AllowedPaths {
		fmt.Fprintf(w, "  %s %s\n", map[bool]string{true: "read", false: "read and write"}[allowed.ReadOnly],
			allowed.Path)
	}
	if s.Commands != nil {
		fmt.Fprintf(w, "  start %s\n", strings.Join(s.Commands, ", "))
	}
	for _, socket := range s.Sockets {
		fmt.Fprintf(w, "  connect to %s\n", socket)
	}
	writeVariables(w, t)
	writeGrants(env, w, s)
	if names := shownSandbox(s).Environment; len(names) > 0 {
		fmt.Fprintf(w, "  find in its environment %s\n", strings.Join(names, ", "))
	}
	if len(s.Require) > 0 {
		fmt.Fprintf(w, "  run only where the machine enforces %s\n", strings.Join(s.Require, ", "))
	}
	writeVerdict(w, verdictOf(env, set, t))
	writePolicy(env, w, t)
	writeMiddleware(w, t)
	switch t.Audit {
	case tool.AuditMetadata:
		fmt.Fprintln(w, "\nOn record without its arguments (audit: metadata)")
	case tool.AuditFull:
		fmt.Fprintln(w, "\nOn record with what it prints (audit: full)")
	case tool.AuditParams:
	}
	writeOutcomes(w, t)
	writeWork(w, t)
	for _, warning := range loaded.Warnings {
		fmt.Fprintln(env.Stderr, cli.FoldText(env.Stderr, warning.Shown()))
	}
}

// writeLimits tells where a tool's calls start, and what they may take and reach.
func writeLimits(w io.Writer, t *tool.Tool) {
	if t.HTTP != nil {
		writeReach(w, t)
		return
	}
	s := t.Sandbox
	fmt.Fprintf(w, "  start in %s%s\n", dirName(s),
		map[bool]string{true: ", in a directory of its own", false: ""}[s.TempIsolation])
	output := s.Limits.Output
	if t.Output.Spill {
		output = t.Output.MostSpilled()
	}
	fmt.Fprintf(w, "  take %s of time, %s of CPU a process, %d MB of memory a process, files of %d MB, %d open files, "+
		"%d MB of output\n",
		s.Limits.Timeout, s.Limits.CPU, s.Limits.Memory>>20, s.Limits.FileSize>>20, s.Limits.OpenFiles, output>>20)
	fmt.Fprintf(w, "  use the network: %s\n",
		map[bool]string{true: "yes", false: "no"}[s.Network == tool.NetworkOn])
}

func dirName(s tool.Sandbox) string {
	switch {
	case s.WorkingDirectory == "" && s.TempIsolation:
		return "the temporary directory"
	case s.WorkingDirectory == "" || s.WorkingDirectory == ".":
		return "the caller's directory"
	}
	return s.WorkingDirectory
}

func toolsCheckCommand(env *cli.Environment) *cobra.Command {
	return cli.CheckCommand(env, &cobra.Command{
		Use:   "check [FILE...]",
		Short: "Check tools files: every mistake at once, with its place and its cure",
		Long: `check reads tools files as the program does, and prints every mistake as file:line:column: message
[rule]. Without a file it checks all the configuration that is in use, policies included.`,
		Example: `  a2a-acp tools check ./tools.yaml
  a2a-acp tools check -o json`,
	}, "tool", "tools", check)
}

// check reads the files, or all the configuration when there are none, and gives everything that is to be
// said.
func check(env *cli.Environment, files []string) (yamldoc.Errors, cli.Checked, error) {
	var programs executor.Programs
	if len(files) == 0 {
		set, err := config.Load(app.Sources(env.AppOptions(nil, nil)))
		if err != nil {
			return cli.ToList(err)
		}
		found, included := set.Warnings, 0
		for i := range set.Tools {
			found = append(found, checkTool(&programs, &set.Tools[i])...)
			if set.Tools[i].Tool.Shipped() {
				included++
			}
		}
		config.AddExcerptsOf(set.Files, found)
		return found, cli.Checked{All: len(set.Tools), Included: included}, nil
	}
	var found yamldoc.Errors
	count := 0
	profile, err := tool.ParseErrorProfile(env.Getenv(config.ErrorProfileVariable))
	if err != nil {
		return nil, cli.Checked{}, cli.Fail(exit.Usage, fmt.Errorf("%s: %w", config.ErrorProfileVariable, err))
	}
	commands, err := cli.Commands(env)
	if err != nil {
		return nil, cli.Checked{}, err
	}
	var all []config.Loaded
	var read []config.File
	for _, name := range files {
		file, err := cli.ReadFile(name, commands)
		var loaded []config.Loaded
		file.ErrorProfile = profile
		if err == nil {
			loaded, err = config.ReadTools(file)
		}
		if err != nil {
			list, _, err := cli.ToList(err)
			if err != nil {
				return nil, cli.Checked{}, err
			}
			found = append(found, list...)
			continue
		}
		count += len(loaded)
		found = append(found, config.WarningsOf(loaded)...)
		for i := range loaded {
			found = append(found, checkTool(&programs, &loaded[i])...)
		}
		all, read = append(all, loaded...), append(read, file)
	}
	found = append(found, config.SharedSecrets(all)...)
	config.AddExcerptsOf(read, found)
	sort.SliceStable(found, func(i, j int) bool { return found[i].File < found[j].File })
	return found, cli.Checked{All: count}, nil
}

// checkTool looks at what is not looked at whenever the program starts.
func checkTool(programs *executor.Programs, loaded *config.Loaded) yamldoc.Errors {
	return slices.Concat(config.CheckSetups(loaded), config.CheckPaths(loaded), checkProgram(programs, &loaded.Tool))
}

// checkProgram warns where the program of a tool is another one than its entry names, by its sha256.
func checkProgram(programs *executor.Programs, t *tool.Tool) yamldoc.Errors {
	says := programs.Differs(t)
	if says == "" {
		return nil
	}
	hint := "a2a-acp import cli --update --into FILE imports the new one"
	if t.Exec.Pin {
		says += "; calls are refused, since the entry pins it"
	}
	return yamldoc.Errors{yamldoc.Error{
		File: t.Source.File, Line: t.Source.Line, Column: 1, Severity: yamldoc.SeverityWarning,
		Rule: "exec", Message: fmt.Sprintf("tool %q: %s", t.ID, says), Hint: hint,
	}.Escaped()}
}

// completeParameters completes the names of the parameters of the tool that the line has named.
func completeParameters(env *cli.Environment, tools *[]string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		const more = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveKeepOrder
		set, err := cli.Load(env, *tools, nil)
		if err != nil || len(args) != 1 {
			return nil, more
		}
		var names []string
		for _, loaded := range set.Tools {
			if loaded.Tool.ID != args[0] {
				continue
			}
			for _, p := range loaded.Tool.Parameters {
				names = append(names, cobra.CompletionWithDesc(p.Name+"=", cli.FirstLine(p.Description)))
			}
		}
		return names, more
	}
}
