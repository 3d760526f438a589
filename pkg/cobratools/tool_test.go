package cobratools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/internal/argv"
	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/zoo"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// zooTools returns the tools of the zoo, which has a flag of every type, by their ids.
func zooTools(t *testing.T, c Config) map[string]*command {
	t.Helper()
	root := zoo.New(&bytes.Buffer{})
	own := Command(c)
	root.AddCommand(own)
	list, warnings := c.commands(own, "/usr/bin/zoo")
	if len(warnings) > 0 {
		t.Errorf("warns of %q", warnings)
	}
	tools := map[string]*command{}
	for i := range list {
		tools[list[i].tool.ID] = &list[i]
	}
	return tools
}

// TestRandomCalls: what a call gives is what the program understands, whatever the type of the flag.
func TestRandomCalls(t *testing.T) {
	t.Parallel()
	runs := 3000
	if n, err := strconv.Atoi(os.Getenv("A2A_SOAK")); err == nil {
		runs = n
	}
	all := zooTools(t, Config{})["zoo_all"]
	if all == nil || len(all.tool.Parameters) < 30 {
		t.Fatalf("the zoo has no flags: %+v", all)
	}
	r := rand.New(rand.NewPCG(1, 2))
	tried := map[string]int{}
	for range runs {
		p := &all.tool.Parameters[r.IntN(len(all.tool.Parameters)-1)] // the last are the words
		given, want, ok := sample(r, p)
		if !ok {
			continue
		}
		arguments, err := json.Marshal(map[string]any{"flags": map[string]any{p.Name: given}, "args": []string{"x y"}})
		if err != nil {
			t.Fatal(err)
		}
		flat, failure := all.tool.CheckArguments(arguments)
		if failure != nil {
			t.Fatalf("%s: %v: %s", p.Name, given, failure)
		}
		words, failure := argv.Words(&all.tool, flat)
		if failure != nil {
			continue // it says so; nothing arrives changed
		}
		var out bytes.Buffer
		program := zoo.New(&out)
		program.SetArgs(words)
		program.SetErr(&out)
		if err := program.Execute(); err != nil {
			t.Fatalf("%s: %v became %q, and it says %v", p.Name, given, words, err)
		}
		var heard zoo.Heard
		if err := json.Unmarshal(out.Bytes(), &heard); err != nil {
			t.Fatalf("%v: %s", err, out.Bytes())
		}
		if got := heard.Flags[p.Name]; !reflect.DeepEqual(got, want) || !slices.Equal(heard.Args, []string{"x y"}) {
			t.Fatalf("%s: %v became %q, and arrived as %v, want %v", p.Name, given, words, got, want)
		}
		tried[p.Name]++
	}
	if len(tried) < 25 {
		t.Errorf("only %d flags were tried: %v", len(tried), tried)
	}
}

// TestNoCommandBelow: whatever a call of a command gives, that command runs, and none of those below it.
func TestNoCommandBelow(t *testing.T) {
	t.Parallel()
	runs := func(*cobra.Command, []string) {}
	for _, word := range []string{"burn", "incinerate", "show", "nobody-knows", "house", "mcp", "help", "completion", "__complete", "x"} {
		var ran string
		program := func() (root, own *cobra.Command) {
			root = zoo.New(&bytes.Buffer{})
			root.Run = runs
			house, _, err := root.Find([]string{"house"})
			if err != nil {
				t.Fatal(err)
			}
			house.AddCommand(&cobra.Command{Use: "nobody-knows", Hidden: true, Aliases: []string{"incinerate"}, Run: runs})
			root.PersistentPreRun = func(cmd *cobra.Command, _ []string) { ran = cmd.CommandPath() }
			own = Command(Config{})
			root.AddCommand(own)
			return root, own
		}
		for _, traverses := range []bool{false, true} {
			root, own := program()
			root.TraverseChildren = traverses
			list, _ := Config{}.commands(own, "/usr/bin/zoo")
			for i := range list {
				one := &list[i].tool
				if one.ID != "zoo" && one.ID != "zoo_house" {
					continue
				}
				given := map[string]any{"flags": map[string]any{"loud": 2}, words: []string{word, "x"}}
				arguments, err := json.Marshal(given)
				if err != nil {
					t.Fatal(err)
				}
				flat, failure := one.CheckArguments(arguments)
				if (failure != nil) != traverses {
					t.Errorf("%s %s, where parents parse their flags: %t: %v", one.ID, arguments, traverses, failure)
				}
				if failure != nil {
					continue
				}
				line, failure := argv.Words(one, flat)
				if failure != nil {
					t.Fatal(failure)
				}
				again, _ := program()
				again.SetArgs(line)
				if err := again.Execute(); err != nil || ran != one.Name {
					t.Errorf("%s %s became %q, and ran %q (%v)", one.ID, arguments, line, ran, err)
				}
			}
		}
	}
}

// sample returns a value for a parameter, and what the zoo tells of it; ok is false for those that have a form of their own.
func sample(r *rand.Rand, p *tool.Parameter) (given, want any, ok bool) {
	one := func(of tool.Type, format tool.Format) (any, string, bool) {
		n := strconv.Itoa(r.IntN(100))
		switch {
		case format == tool.FormatDuration:
			return n + "s", (time.Duration(atoi(n)) * time.Second).String(), true
		case format == tool.FormatIP:
			return "10.0.0." + n, "10.0.0." + n, true
		case format == tool.FormatCIDR:
			return "10." + n + ".0.0/16", "10." + n + ".0.0/16", true
		case format != "":
			return nil, "", false
		case of == tool.TypeBoolean:
			return n > "5", strconv.FormatBool(n > "5"), true
		case of == tool.TypeInteger, of == tool.TypeNumber:
			return json.Number(n), n, true
		case of == tool.TypeString:
			text := []string{"a b", "--config=evil", "x,y", `"q"`, "$(id)", "é", "=", "-", "[a]", "line\nline"}[r.IntN(10)]
			return text, text, true
		}
		return nil, "", false
	}
	switch p.Type {
	case tool.TypeArray:
		var list, told []any
		for range 1 + r.IntN(3) {
			item, as, ok := one(p.Items.Type, p.Items.Format)
			if !ok {
				return nil, nil, false
			}
			list, told = append(list, item), append(told, as)
		}
		return list, told, true
	case tool.TypeObject:
		return map[string]any{"k": json.Number("7")}, map[string]any{"k": "7"}, true
	}
	if p.Type == tool.TypeString && p.Format == "" && !strings.HasPrefix(p.Name, "string") {
		return nil, nil, false // a type of the program's own, or one that pflag reads in a way of its own
	}
	return one(p.Type, p.Format)
}

func atoi(s string) int { n, _ := strconv.Atoi(s); return n }

// tristate is a truth value that may not be said, as some programs have it.
type tristate string

func (t *tristate) String() string     { return string(*t) }
func (t *tristate) Set(s string) error { *t = tristate(s); return nil }
func (t *tristate) Type() string       { return "tristate" }

// TestTypes: the types of flags are those of the manual (Schema Generation) of the library that programs come from.
func TestTypes(t *testing.T) {
	t.Parallel()
	cmd := &cobra.Command{Use: "get [NAME] [flags]", Short: "Get", Run: func(*cobra.Command, []string) {}}
	cmd.Flags().String("namespace", "default", "Kubernetes namespace")
	cmd.Flags().Int("replicas", 3, "Number of replicas")
	cmd.Flags().Bool("verbose", false, "Enable verbose output")
	cmd.Flags().StringSlice("labels", []string{"hello", "world"}, "Resource labels")
	cmd.Flags().IntSlice("ports", []int{1, 2, 3}, "Ports")
	cmd.Flags().Float64("ratio", 0.5, "Ratio")
	cmd.Flags().Duration("timeout", time.Second, "Request timeout")
	cmd.Flags().IP("server", nil, "Server IP address")
	cmd.Flags().IPNet("network", net.IPNet{}, "Network")
	cmd.Flags().BytesBase64("data", nil, "Encoded data")
	cmd.Flags().StringToString("set", nil, "Values")
	cmd.Flags().CountP("loud", "l", "More words")
	cmd.Flags().Var(new(tristate), "embed", "a type of its own")
	cmd.Flags().Lookup("embed").NoOptDefVal = "true"
	cmd.Flags().String("args", "", "a name that is taken")
	_ = cmd.MarkFlagRequired("namespace")
	root := &cobra.Command{Use: "kubectl"}
	own := Command(Config{})
	root.AddCommand(cmd, own)
	list, _ := Config{}.commands(own, "/usr/bin/kubectl")
	if len(list) != 1 || list[0].tool.ID != "kubectl_get" {
		t.Fatalf("made %+v", list)
	}
	got := map[string]string{}
	for _, p := range list[0].tool.Parameters {
		text := string(p.Type)
		if p.Items != nil {
			text += " of " + string(p.Items.Type)
		}
		if p.Default != nil {
			text += fmt.Sprintf(" = %v", p.Default)
		}
		if p.Format != "" {
			text += " as " + string(p.Format)
		}
		if p.Required {
			text += ", required"
		}
		got[p.Name] = text
	}
	want := map[string]string{
		"namespace": "string = default, required", "replicas": "integer = 3", "verbose": "boolean",
		"labels": "array of string = [hello world]", "ports": "array of integer = [1 2 3]", "ratio": "number = 0.5",
		"timeout": "string as duration", "server": "string as ip", "network": "string as cidr", "data": "string as base64",
		"set": "object", "loud": "integer", "args": "array of string",
		"embed": "boolean",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("made\n%v, want\n%v", got, want)
	}
}

// TestChosen: what becomes a tool is what is chosen, and never what is hidden, deprecated or not to be run.
func TestChosen(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		about     string
		selectors []Selector
		want      string
		flags     string // of zoo_delete
	}{
		{"all", nil, "zoo_all zoo_create zoo_create-twin zoo_delete zoo_exec zoo_house zoo_house_burn zoo_house_show zoo_list_animals", "api-token as config force loud"},
		{"named", []Selector{{CmdSelector: AllowCmds("zoo delete", "zoo house show")}}, "zoo_delete zoo_house_show", "api-token as config force loud"},
		{"all but", []Selector{{CmdSelector: ExcludeCmds("zoo all", "zoo exec", "zoo house")}}, "zoo_create zoo_create-twin zoo_delete zoo_house_burn zoo_house_show zoo_list_animals", "api-token as config force loud"},
		{"by a part", []Selector{{CmdSelector: AllowCmdsContaining("house", "delete"), InheritedFlagSelector: NoFlags}}, "zoo_delete zoo_house zoo_house_burn zoo_house_show", "force"},
		{"without a part", []Selector{{CmdSelector: ExcludeCmdsContaining("house", "all", "exec", "list")}}, "zoo_create zoo_create-twin zoo_delete", "api-token as config force loud"},
		{"flags", []Selector{{CmdSelector: AllowCmds("zoo delete"), LocalFlagSelector: ExcludeFlags("force"), InheritedFlagSelector: AllowFlags("config")}}, "zoo_delete", "config"},
		{"the first counts", []Selector{{CmdSelector: AllowCmds("zoo delete"), LocalFlagSelector: NoFlags, InheritedFlagSelector: NoFlags}, {}},
			"zoo_all zoo_create zoo_create-twin zoo_delete zoo_exec zoo_house zoo_house_burn zoo_house_show zoo_list_animals", ""},
	} {
		tools := zooTools(t, Config{Selectors: row.selectors})
		var names, flags []string
		for name := range tools {
			names = append(names, name)
		}
		slices.Sort(names)
		if one := tools["zoo_delete"]; one != nil {
			for _, p := range one.tool.Parameters {
				if p.Flag != "" {
					flags = append(flags, p.Name)
				}
			}
		}
		if got := strings.Join(names, " "); got != row.want || strings.Join(flags, " ") != row.flags {
			t.Errorf("%s: %s with %v, want %s with %s", row.about, got, flags, row.want, row.flags)
		}
	}
}

// TestNameOfAnother: where Cobra would run another command by the words of one, there is no tool for that.
func TestNameOfAnother(t *testing.T) {
	t.Parallel()
	root := zoo.New(&bytes.Buffer{})
	runs := func(*cobra.Command, []string) {}
	root.AddCommand(&cobra.Command{Use: "burn", Aliases: []string{"look"}, Run: runs}, &cobra.Command{Use: "look", Run: runs})
	own := Command(Config{})
	root.AddCommand(own)
	list, warnings := Config{}.commands(own, "/usr/bin/zoo")
	if slices.ContainsFunc(list, func(c command) bool { return c.tool.ID == "zoo_look" }) ||
		!slices.ContainsFunc(list, func(c command) bool { return c.tool.ID == "zoo_burn" }) {
		t.Errorf("there is a tool zoo_look, or none zoo_burn")
	}
	if want := []string{"zoo look: no tool, since zoo burn has that name, too"}; !slices.Equal(warnings, want) {
		t.Errorf("warns of %q, want %q", warnings, want)
	}
}

// TestAnnotations: they are those of the manual (Tool Annotations), and what cannot be read is warned of.
func TestAnnotations(t *testing.T) {
	t.Parallel()
	cmd := &cobra.Command{Use: "delete", Run: func(*cobra.Command, []string) {}, Annotations: map[string]string{
		AnnotationTitle: "Delete Resource", AnnotationDestructive: "t", AnnotationIdempotent: "1", AnnotationOpenWorld: "false", AnnotationReadOnly: "no",
	}}
	root := &cobra.Command{Use: "k"}
	own := Command(Config{})
	root.AddCommand(cmd, own)
	list, warnings := Config{ToolNamePrefix: "work"}.commands(own, "/usr/bin/k")
	if len(warnings) != 1 || !strings.Contains(warnings[0], "readOnlyHint") || list[0].tool.ID != "work_delete" {
		t.Errorf("warns %q of %s", warnings, list[0].tool.ID)
	}
	hints := mcpserver.FromTool(&list[0].tool).Annotations
	if hints.Title != "Delete Resource" || !*hints.Destructive || !*hints.Idempotent || *hints.OpenWorld || *hints.ReadOnly {
		t.Errorf("told %+v", hints)
	}
}
