package imports

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/openapi"
)

// What is made without a selection.
const (
	mostTools  = 40
	mostTokens = 25_000
)

// openAPIFlags are what `import openapi` takes.
type openAPIFlags struct {
	all                         bool
	selected, tags, methods     []string
	source, server, out, output string
	allowed                     []string
	check, refresh, remove, yes bool

	addresses []netip.Prefix // those that allowed names
}

func openAPICommand(env *cli.Environment) *cobra.Command {
	var f openAPIFlags
	cmd := &cobra.Command{
		Use:   "openapi SPEC",
		Short: "Make tools of the operations of an OpenAPI document",
		Long: `openapi reads an OpenAPI document, 3.0 to 3.2, or one of Swagger 2.0, JSON or
YAML, from a file (- is standard input) or an https:// URL, and makes a tool of
each operation: a request to the server that the document names. No other
request is sent. Credentials become references to secrets, which a2a-acp secrets
set makes.

What cannot be made as it is meant is left out, and told with the reason: bodies
that are neither JSON, a form nor parts, logins. A document of more than 40 tools
or 25,000 tokens is listed, and nothing is made until you select.

Without --out the tools file is printed. --check says what is other in --out
than in the document, writes nothing, and ends with 1 where something is.
--refresh adds the tools that are missing there, and their source, also to a
file of yours; switches off those that are in the document no more, and takes
over what has changed in the document. What you have changed, too, is told and
left, and all else in the file stays. --remove takes out of it what imports have
made of a source, and the source; it needs no SPEC.`,
		Example: `  a2a-acp import openapi api.json --tag pets
  a2a-acp import openapi https://petstore3.swagger.io/api/v3/openapi.json
  a2a-acp import openapi api.yaml --select 'list*' --out tools.yaml
  a2a-acp import openapi api.yaml --tag pets --out tools.yaml --check
  a2a-acp import openapi api.yaml --tag pets --out tools.yaml --refresh
  a2a-acp import openapi --remove --source pets --out tools.yaml`,
		Args: cobra.MaximumNArgs(1),
	}
	s := cmd.Flags()
	s.BoolVar(&f.all, "all", false, "all operations, however many there are")
	s.StringArrayVar(&f.selected, "select", nil, "operations whose id, tool's name, path or line is like this GLOB; may be repeated")
	s.StringArrayVar(&f.tags, "tag", nil, "operations with this tag; may be repeated")
	s.StringArrayVar(&f.methods, "method", nil, "operations with this method; may be repeated")
	s.StringVar(&f.source, "source", "", "what the source is called; the document's title if not given")
	s.StringVar(&f.server, "server", "", "the URL that requests go to; the document's first server if not given")
	s.StringArrayVar(&f.allowed, "allow-address", nil,
		"an ADDRESS that is reached although it is not public, such as 10.1.2.3 or 10.1.0.0/16; may be repeated")
	s.StringVar(&f.out, "out", "", "the tools file that is written")
	s.BoolVar(&f.check, "check", false, "say what is other in --out, and write nothing")
	s.BoolVar(&f.refresh, "refresh", false, "bring --out up to date with the document, but for what was changed by hand")
	s.BoolVar(&f.remove, "remove", false, "take the tools of --source out of --out")
	s.BoolVar(&f.yes, "yes", false, "with --remove: write without asking")
	s.StringVarP(&f.output, "output", "o", "yaml", "form of the output: yaml, or json for a report")
	_ = cmd.RegisterFlagCompletionFunc("output",
		cobra.FixedCompletions([]string{"yaml", "json"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.validate(cmd, args); err != nil {
			return cli.Fail(exit.Usage, err)
		}
		i := &openAPIImporter{env: env, f: f}
		if f.remove {
			return i.remove(cmd.Context())
		}
		return i.run(cmd.Context(), args[0])
	}
	return cmd
}

// validate finds what cannot be meant.
func (f *openAPIFlags) validate(cmd *cobra.Command, args []string) error {
	selecting := len(f.selected)+len(f.tags)+len(f.methods) > 0
	making := []string{"all", "select", "tag", "method", "server", "allow-address", "check", "refresh", "output"}
	switch {
	case f.remove && (f.out == "" || slices.ContainsFunc(making, cmd.Flags().Changed)):
		return errors.New("what is to go? a2a-acp import openapi --remove --source NAME --out FILE takes out all tools of NAME")
	case !f.remove && len(args) == 0:
		return errors.New("which document? a2a-acp import openapi SPEC")
	case !f.remove && f.yes:
		return errors.New("--yes is for --remove: nothing else is asked")
	case f.output != "yaml" && f.output != "json":
		return fmt.Errorf("-o %s: want yaml or json", f.output)
	case f.all && selecting:
		return errors.New("--all takes everything, and --select, --tag and --method some; give one of them")
	case f.check && f.out == "":
		return errors.New("which file? --check --out FILE")
	case f.refresh && (f.out == "" || f.check):
		return errors.New("--refresh changes a file: --refresh --out FILE, without --check")
	}
	for _, text := range f.allowed {
		address, err := netip.ParsePrefix(text)
		if single, e := netip.ParseAddr(text); e == nil {
			address, err = single.Unmap().Prefix(single.Unmap().BitLen())
		}
		if err != nil {
			return fmt.Errorf("--allow-address %s: want an address or a network, such as 10.1.2.3 or 10.1.0.0/16", text)
		}
		f.addresses = append(f.addresses, address.Masked())
	}
	for _, glob := range f.selected {
		if _, err := path.Match(glob, ""); err != nil {
			return fmt.Errorf("--select %s: %w", glob, err)
		}
	}
	return nil
}

// openAPIImporter is one run of the verb.
type openAPIImporter struct {
	env     *cli.Environment
	f       openAPIFlags
	secrets *secrets
}

func (i *openAPIImporter) run(ctx context.Context, spec string) error {
	if i.f.out != "" && !i.f.check {
		if err := cli.CheckPerson(); err != nil {
			return cli.Fail(exit.Denied, fmt.Errorf("tools are for a person to give; without --out they are printed: %w", err))
		}
	}
	commands, err := cli.Commands(i.env)
	if err != nil {
		return err
	}
	data, err := i.read(ctx, spec)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	if i.secrets, err = readSecrets(i.env, i.f.out); err != nil {
		return err
	}
	made, err := openapi.Make(openapi.Request{
		Data: data, Source: i.f.source, Server: i.f.server, Addresses: i.f.addresses,
		Select: i.f.selected, Tags: i.f.tags, Methods: i.f.methods,
		Commands: commands, Tokens: mcpserver.Tokens, Free: i.secrets.free,
	})
	if err != nil {
		return cli.Fail(exit.Usage, fmt.Errorf("%s: %w", shownURL(spec), err))
	}
	selecting := i.f.all || len(i.f.selected)+len(i.f.tags)+len(i.f.methods) > 0
	tooMany := !selecting && (len(made.Tools) > mostTools || made.Tokens > mostTokens)
	if i.f.output == "json" {
		if err := i.report(made); err != nil {
			return err
		}
	} else if tooMany {
		i.table(made)
	}
	i.tell(made)
	if tooMany {
		return cli.Fail(exit.Usage, fmt.Errorf("%d tools and %d tokens are more than %d and %d: "+
			"--select, --tag and --method choose, --all takes all", len(made.Tools), made.Tokens, mostTools, mostTokens))
	}
	if len(made.Tools) == 0 {
		return cli.Fail(exit.Usage, fmt.Errorf("%s: there is no operation that a tool can be made of", shownURL(spec)))
	}
	file, err := made.File()
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	switch {
	case i.f.check:
		return i.compare(made)
	case i.f.refresh:
		return i.refresh(ctx, made)
	case i.f.out != "":
		return i.write(ctx, file, made)
	case i.f.output == "yaml":
		_, err = i.env.Stdout.Write(file)
	}
	return err
}

func (i *openAPIImporter) report(made *openapi.Made) error {
	return cli.WriteData(i.env.Stdout, cli.FormatJSON, struct {
		Tools   []openapi.Tool    `json:"tools"`
		Skipped []openapi.Skipped `json:"skipped"`
		Tokens  int               `json:"tokens"`
		Secrets []wantedSecret    `json:"secrets"`
	}{made.Tools, made.Skipped, made.Tokens, i.secrets.wanted(made)})
}

// table lists the tools that there would be.
func (i *openAPIImporter) table(made *openapi.Made) {
	t := cli.Table{Head: []string{"TOOL", "TOKENS", "METHOD", "PATH"}}
	for n := range made.Tools {
		one := &made.Tools[n]
		t.Add(one.Name, strconv.Itoa(one.Tokens), one.Method, display.Line(one.Path))
	}
	t.Write(i.env.Stdout)
}

// tell says what was made and what was not, and what is still to be done.
func (i *openAPIImporter) tell(made *openapi.Made) {
	var reasons []string
	byWhy := map[string][]string{}
	for _, s := range made.Skipped {
		if byWhy[s.Why] == nil {
			reasons = append(reasons, s.Why)
		}
		byWhy[s.Why] = append(byWhy[s.Why], s.Operation)
	}
	for _, why := range reasons {
		i.env.Say(fmt.Sprintf("left out, %s: %s", why, brief(byWhy[why])))
	}
	without := 0
	for n := range made.Tools {
		if one := &made.Tools[n]; len(one.Without) > 0 {
			if without++; without <= 3 {
				i.env.Say(fmt.Sprintf("%s does without %s", one.Name, brief(one.Without)))
			}
		}
	}
	passed := map[string]bool{}
	for n := range made.Tools {
		if s := made.Tools[n].Security; s != nil {
			for _, why := range s.Passed {
				if !passed[why] && len(passed) < 3 {
					i.env.Say("called with " + cmp.Or(strings.Join(s.Schemes, " and "), "nothing") + ", since " + why)
				}
				passed[why] = true
			}
		}
	}
	if without > 3 {
		i.env.Say(display.Count(without-3, "more tool does", "more tools do") + " without something; -o json has all of it")
	}
	if len(made.Tools) == 0 {
		return
	}
	var servers []string
	for _, s := range made.Sources {
		if !slices.Contains(servers, s.Server) {
			servers = append(servers, s.Server)
		}
	}
	i.env.Say("requests go to " + brief(servers))
	for _, server := range servers {
		u, err := url.Parse(server)
		if err != nil {
			continue
		}
		address, err := netip.ParseAddr(u.Hostname())
		within := func(p netip.Prefix) bool { return p.Contains(address.Unmap()) }
		if err == nil && (address.IsLoopback() || address.IsPrivate()) && !slices.ContainsFunc(i.f.addresses, within) {
			i.env.Say(fmt.Sprintf("%s is not reached unless the source allows it: --allow-address %s, or allow_addresses in the file",
				address, address))
		}
	}
	for _, secret := range i.secrets.wanted(made) {
		i.env.Say(secret.String())
	}
	for _, s := range made.Sources {
		if s.TokenURL != "" {
			i.env.Say(fmt.Sprintf("the source %s has its tokens from %s, which the client's secret is shown to; "+
				"client_id is yours to write", s.Name, display.Line(s.TokenURL)))
		}
	}
	cli.SayTokens(i.env, len(made.Tools), made.Tokens)
}

// file reads the file that is there.
func (i *openAPIImporter) file() (config.File, error) {
	commands, err := cli.Commands(i.env)
	if err != nil {
		return config.File{}, err
	}
	file, err := cli.ReadFile(i.f.out, commands)
	if err != nil {
		return file, cli.Fail(exit.Usage, err)
	}
	return file, nil
}

// tellDrift lists what is other in the file.
func (i *openAPIImporter) tellDrift(lines []string) {
	out := i.env.Stdout
	if i.f.output == "json" {
		out = i.env.Stderr // stdout has the report
	}
	for _, line := range lines {
		fmt.Fprintln(out, line)
	}
	if len(lines) == 0 {
		i.env.Say("nothing is other in " + i.env.Short(i.f.out))
	}
}

// compare tells what is other in the file.
func (i *openAPIImporter) compare(made *openapi.Made) error {
	file, err := i.file()
	if err != nil {
		return err
	}
	lines, err := made.Drift(file)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	if i.tellDrift(lines); len(lines) > 0 {
		i.env.Say(fmt.Sprintf("%s is other than the document", i.env.Short(i.f.out)))
		return cli.Silent(exit.ToolFailed)
	}
	return nil
}

// remove takes the tools of a source out of the file: of the one that is named, or of the only one.
func (i *openAPIImporter) remove(ctx context.Context) error {
	if err := cli.CheckPerson(); err != nil {
		return cli.Fail(exit.Denied, fmt.Errorf("tools are for a person to take away: %w", err))
	}
	file, err := i.file()
	if err != nil {
		return err
	}
	sources, err := openapi.Imported(file)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	source := i.f.source
	if source == "" {
		if len(sources) != 1 {
			return cli.Fail(exit.Usage, fmt.Errorf("which source? --source NAME; those of %s with tools that an import has made: %s",
				i.env.Short(i.f.out), cmp.Or(strings.Join(sources, ", "), "none")))
		}
		source = sources[0]
	}
	data, removed, err := openapi.Remove(file, source)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	if err := takeOut(ctx, i.env, i.f.out, data, removed, i.f.yes); err != nil {
		return err
	}
	for _, other := range sources { // of a document whose operations are not all called in the same way
		if strings.HasPrefix(other, source+"_") {
			i.env.Say(fmt.Sprintf("the source %s has tools of an import, too: --source %s", other, other))
		}
	}
	return i.tellKept(file, data)
}

// tellKept tells which secrets that are set the file has sent somewhere, and does not any more.
func (i *openAPIImporter) tellKept(file config.File, data []byte) (err error) {
	if i.secrets, err = readSecrets(i.env, ""); err != nil {
		return err
	}
	sent := func(data []byte) (names []string) {
		file.Data = data
		tools, _ := config.ReadTools(file) // which has been read before; none where nothing is left
		for _, one := range config.SentSecrets(tools) {
			names = append(names, one.Name)
		}
		return names
	}
	was, now := sent(file.Data), sent(data)
	for _, one := range i.secrets.sent {
		now = append(now, one.Name)
	}
	for _, name := range was {
		if i.secrets.exists(name) && !slices.Contains(now, name) {
			i.env.Say("the secret " + name + " is kept: a2a-acp secrets remove " + name + " takes it away")
			now = append(now, name)
		}
	}
	return nil
}

// refresh brings the file up to date.
func (i *openAPIImporter) refresh(ctx context.Context, made *openapi.Made) error {
	file, err := i.file()
	if err != nil {
		return err
	}
	data, lines, err := made.Refresh(file)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	i.tellDrift(lines)
	if bytes.Equal(data, file.Data) {
		return nil
	}
	if err := cli.Confirm(ctx, i.env); err != nil {
		return err
	}
	if err := cli.ReplaceFile(i.f.out, data, 0o600); err != nil {
		return cli.Fail(exit.Host, err)
	}
	i.env.Say(fmt.Sprintf("+ is added to %s, - is switched off, ~ is as in the document now, ! is left for you to look at",
		i.env.Short(i.f.out)))
	return nil
}

// write makes the file. One that is there is not written over: what somebody has changed in it would be gone.
func (i *openAPIImporter) write(ctx context.Context, made []byte, what *openapi.Made) error {
	if _, err := os.Lstat(i.f.out); !errors.Is(err, fs.ErrNotExist) {
		return cli.Fail(exit.Usage, errors.Join(fmt.Errorf("%s is there already, and is not written over; "+
			"--check says what is other in it, --refresh adds what is missing and brings it up to date, another --out writes a new file",
			i.env.Short(i.f.out)), err))
	}
	if err := cli.Confirm(ctx, i.env); err != nil {
		return err
	}
	if err := newFile(i.env, i.f.out, made); err != nil {
		return cli.Fail(exit.Host, err)
	}
	i.env.Say(display.Count(len(what.Tools), "tool is in ", "tools are in ") + i.env.Short(i.f.out))
	sayUnread(i.env, i.f.out, "--out", "--refresh ")
	return nil
}
