package cliimport

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/pflagkind"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestZoo makes tools of a program with a flag of every type, each of which internal/argv calls with random values.
func TestZoo(t *testing.T) {
	t.Parallel()
	confined(t)
	path := zooProgram(t)
	made, err := makeOf(t, zooBox, path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := made.File(nil)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.NewReplacer(path, "/bin/zoo", made.Import.SHA256, strings.Repeat("0", 64)).Replace(string(data))
	golden := filepath.Join("testdata", "zoo.yaml")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for flag, why := range map[string]string{
		"db-password": "it holds a credential", "config": "it is one of all commands", "as": "it is one of all commands",
	} {
		if got := made.leftOf("zoo all", flag); got != why {
			t.Errorf("--%s was left out since %q, want %q", flag, got, why)
		}
	}
	for _, hidden := range []string{"zoo secret-door", "zoo old", "zoo completion"} {
		if slices.ContainsFunc(made.Tools, func(t Tool) bool { return t.Command == hidden }) {
			t.Errorf("there is a tool for %s", hidden)
		}
	}
	for _, p := range made.find("zoo_all").Parameters {
		if p.Name == "old-flag" || p.Name == "hidden-flag" {
			t.Errorf("there is a parameter for --%s", p.Name)
		}
	}
}

// TestSocketGranted: a program that is granted a socket is not said to reach nothing, for which its entries would be refused.
func TestSocketGranted(t *testing.T) {
	t.Parallel()
	made := Made{Import: config.Import{Name: "docker", Command: "docker", Grants: []string{"docker"}},
		Tools: []Tool{{Tool: tool.Tool{ID: "docker_ps", Description: "Lists containers.", Exec: &tool.Exec{Command: "docker"}}}}}
	data, err := made.Entry(0, nil)
	if err != nil || !strings.Contains(string(data), "openWorldHint: true") {
		t.Errorf("got %v\n%s", err, data)
	}
}

// TestSelection: which commands and flags there are tools and parameters of.
func TestSelection(t *testing.T) {
	t.Parallel()
	confined(t)
	path := zooProgram(t)
	none := config.FlagSelector{None: true}
	for _, row := range []struct {
		name      string
		selectors []config.Selector
		want      string // the tools with their parameters, in short
		left      string // command, and why
	}{
		{"one", []config.Selector{{AllowCmds: []string{"zoo delete", "zoo delete *"}, InheritedFlags: none}},
			"zoo_delete(force args)", ""},
		{"a group", []config.Selector{{AllowCmds: []string{"zoo house", "zoo house *"}, InheritedFlags: none}},
			"zoo_house() zoo_house_burn(args) zoo_house_show(config args)", ""},
		{"without one", []config.Selector{{AllowCmds: []string{"zoo house", "zoo house *"}, ExcludeCmds: []string{"zoo house burn", "zoo house burn *"},
			InheritedFlags: none}}, "zoo_house() zoo_house_show(config args)", ""},
		{"without those below", []config.Selector{{AllowCmds: []string{"zoo house"}, InheritedFlags: none}}, "zoo_house()", ""},
		{"what runs others, by its name", []config.Selector{{AllowCmds: []string{"zoo exec"}, InheritedFlags: none}}, "zoo_exec(args)", ""},
		{"what only reads", []config.Selector{{ReadOnly: true, InheritedFlags: none}},
			"zoo_house_show(config args) zoo_list_animals(output args)", ""},
		{"inherited", []config.Selector{{AllowCmds: []string{"zoo delete"}}}, "zoo_delete(config force loud args)", ""},
		{"a credential, by its name", []config.Selector{{AllowCmds: []string{"zoo delete"},
			InheritedFlags: config.FlagSelector{Allow: []string{"api-token", "c*"}}}}, "zoo_delete(api-token config force args)", ""},
		{"none of a kind", []config.Selector{{AllowCmds: []string{"zoo delete"}, LocalFlags: none,
			InheritedFlags: config.FlagSelector{Exclude: []string{"l*"}}}}, "zoo_delete(config args)", ""},
		{"the first that matches", []config.Selector{
			{AllowCmdsContaining: []string{"delete"}, LocalFlags: none, InheritedFlags: none},
			{ExcludeCmdsContaining: []string{"all", "house", "create", "exec"}, InheritedFlags: none},
		}, "zoo_delete(args) zoo_list_animals(output args)", ""},
		{"required, and left out", []config.Selector{{AllowCmds: []string{"zoo create"}, LocalFlags: config.FlagSelector{Exclude: []string{"image"}}}},
			"", "zoo create: it requires --image, and that is left out: it is not selected"},
		{"none", []config.Selector{{AllowCmds: []string{"zoo elsewhere"}}}, "", "no command is selected"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			made, err := makeOf(t, zooBox, path, row.selectors...)
			if row.left != "" {
				if err == nil || !strings.Contains(err.Error(), row.left) {
					t.Errorf("got %v, want %q", err, row.left)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, one := range made.Tools {
				var names []string
				for _, p := range one.Parameters {
					names = append(names, p.Name)
				}
				got = append(got, fmt.Sprintf("%s(%s)", one.ID, strings.Join(names, " ")))
			}
			slices.Sort(got)
			if strings.Join(got, " ") != row.want {
				t.Errorf("got %s, want %s", strings.Join(got, " "), row.want)
			}
		})
	}
}

// TestAsksOnly: the program is started with nothing but what completes words and prints helps.
func TestAsksOnly(t *testing.T) {
	t.Parallel()
	confined(t)
	var mu sync.Mutex
	asked := 0
	host := watchful{zooBox, func(words []string) {
		mu.Lock()
		defer mu.Unlock()
		asked++
		if words[0] != "__complete" && words[len(words)-1] != "--help" && !slices.Equal(words, []string{"--version"}) {
			t.Errorf("it was started with %q", words)
		}
	}}
	made, err := makeOf(t, host, zooProgram(t))
	if err != nil || made.Asked != asked || asked < 20 {
		t.Errorf("asked %d times, and says %v, %v", asked, made, err)
	}
}

// TestNames: names are unique, fit, and say what the command is.
func TestNames(t *testing.T) {
	t.Parallel()
	var n toolyaml.Names
	given := map[string]bool{}
	long := strings.Repeat("long", 20)
	for _, row := range []struct {
		path []string
		want string
	}{
		{[]string{"get", "pods"}, "k_get_pods"}, {[]string{"get_pods"}, "k_get_pods_16fb13e1"}, {nil, "k"},
		{[]string{"a.b:c@d"}, "k_a_b_c_d"}, {[]string{long}, ""}, {[]string{long, "x"}, ""},
	} {
		got := n.Of("k", row.path)
		given[got] = true
		if err := config.CheckToolID(got); err != nil || len(got) > 64 || row.want != "" && got != row.want {
			t.Errorf("%q became %q, want %q (%v)", row.path, got, row.want, err)
		}
	}
	if len(given) != 6 {
		t.Errorf("six commands have %d names", len(given))
	}
}

// TestClean: what a program says arrives as a paragraph that is what it looks like.
func TestClean(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"plain": "plain", "a\n\tb  c": "a b c", "\x1b[31mred\x1b[0m": "red", "\x1b]0;title\x07x": "x", "a\u202eb\u200bc\x00d": "abcd",
		"\xff\xfebad": "bad", "é 日本": "é 日本",
	} {
		if got := toolyaml.Clean(said); got != want {
			t.Errorf("%q became %q, want %q", said, got, want)
		}
	}
	for _, long := range []string{strings.Repeat("word ", 1000), strings.Repeat("日", 1000), strings.Repeat("x", 1<<20)} {
		if got := toolyaml.Clean(long); len(got) > toolyaml.LongestText || !strings.HasSuffix(got, " …") {
			t.Errorf("a long text became %d bytes: %q", len(got), got)
		}
	}
}

// fangHelp is as Fang writes a help.
const fangHelp = `
  List what there is                  

  USAGE  
         
    x list [--flags]  

  EXAMPLES  
            
    x list --fake 1  
         
  FLAGS  
         
    --count      How many
    -o --output  Form of the output

`

// TestHelpWithoutTypes: headings of a help end what it says of the command, also where they are indented.
func TestHelpWithoutTypes(t *testing.T) {
	t.Parallel()
	h := readHelp(fangHelp)
	if h.long != "List what there is" || len(h.usage) != 1 || len(h.flags) != 2 {
		t.Errorf("got %q, usage %q, flags %v", h.long, h.usage, h.flags)
	}
	f := flag{help: h.flags["count"], inHelp: true}
	if says := f.disagrees(pflagkind.Kind{Of: tool.TypeInteger}, true); says != "" {
		t.Errorf("the help says nothing of a type, and is said to: %s", says)
	}
}

// TestHelp reads the helps of several families.
func TestHelp(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, help, flag, want string }{
		{"pflag", "Does it.\n\nUsage:\n  x y [flags]\n\nFlags:\n  -n, --name string   about it (default \"a b\")\n", "name", `string pflag "a b"! about it`},
		{"pflag, bare", "Usage:\n  x y\n\nFlags:\n      --dry-run string[=\"client\"]   about\n", "dry-run", `string pflag bare=client about`},
		{"pflag, wrapped", "Usage:  x\n\nOptions:\n      --cpus decimal      about\n                          it\n", "cpus", "decimal pflag about it"},
		{"gh", "USAGE\n  gh pr\n\nINHERITED FLAGS\n  -R, --repo [HOST/]OWNER/REPO   about\n", "repo", "[HOST/]OWNER/REPO pflag inherited about"},
		{"kubectl", "Usage:\n  k get\n\nOptions:\n  -A, --all-namespaces=false: If present, all.\n", "all-namespaces", "false! If present, all."},
		{"kubectl, newer", "Options:\n    -o, --output='':\n\tOutput format.\n", "output", "''! Output format."},
		{"Fang", fangHelp, "output", "pflag untyped Form of the output"},
		{"Fang, a long name only", fangHelp, "count", "pflag untyped How many"},
		{"an example is none", "Examples:\n  x --fake string   no\n\nFlags:\n      --real   yes\n", "fake", ""},
	} {
		f, ok := readHelp(row.help).flags[row.flag]
		var got []string
		if ok {
			for _, part := range []struct {
				is   bool
				text string
			}{{f.word != "", f.word}, {f.isPflag, "pflag"}, {f.untyped, "untyped"}, {f.bare != "", "bare=" + f.bare}, {f.hasValue, f.value + "!"},
				{f.inherited, "inherited"}, {f.about != "", f.about}} {
				if part.is {
					got = append(got, part.text)
				}
			}
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%s: got %q, want %q", row.name, strings.Join(got, " "), row.want)
		}
	}
}

// FuzzHelp: whatever a help holds, what is read of it is bounded, and names are names.
func FuzzHelp(f *testing.F) {
	f.Add("Usage:\n  x y [flags]\n\nFlags:\n  -n, --name string   about (default \"a\")\n")
	f.Add("Options:\n    -o, --output='':\n\tOutput\n")
	f.Fuzz(func(t *testing.T, text string) {
		h := readHelp(text)
		if len(h.long) > len(text) || len(h.usage) > mostHelpLines {
			t.Errorf("it is longer than what was read")
		}
		for name, flag := range h.flags {
			if strings.ContainsAny(name, " \t\n=") || name == "" {
				t.Errorf("a flag is called %q", name)
			}
			one := &flagOf{name, flag}
			one.parameter(t)
		}
	})
}

type flagOf struct {
	name string
	help helpFlag
}

func (f *flagOf) parameter(t *testing.T) {
	for _, word := range []string{"", "string", "strings", "int", "ints", "uint", "float", "durationSlice", "ip", "stringToString"} {
		k, _ := pflagkind.InHelp(word)
		p := (&flag{name: f.name, help: f.help, inHelp: true, kind: k}).parameter()
		if len(p.Description) > toolyaml.LongestText || p.Default != nil && p.Type == tool.TypeObject {
			t.Errorf("%+v became %+v", f.help, p)
		}
	}
}

// TestEndsInstead: a program that ends where a value is wrong says what it wants all the same.
func TestEndsInstead(t *testing.T) {
	t.Parallel()
	confined(t)
	made, err := makeOf(t, box, program(t, `
case "$*" in
  *--loud=@@*) echo "can't parse args: invalid argument \"@@\" for \"-l, --loud\" flag: strconv.ParseBool: parsing \"@@\": invalid syntax" >&2; exit 3;;
  "__complete ") printf 'get\tGet it\n:4\n';;
  "__complete get --loud="*) printf -- '--help\thelp\n:4\n';;
  "__complete get --") printf -- '--help\thelp\n--loud\tmore words\n:4\n';;
  __complete*) printf ':4\n';;
  --help) printf 'Does it.\n\nUsage:\n  prog [command]\n';;
  *) printf 'Gets it.\n\nUsage:\n  prog get [flags]\n\nFlags:\n  -l, --loud   more words\n';;
esac`))
	if err != nil {
		t.Fatal(err)
	}
	if got := inShort(made); got != "prog_get(loud:boolean args:array)" || len(made.Tools[0].Doubts) > 0 {
		t.Errorf("got %s, %v", got, made.Tools[0].Doubts)
	}
}

// TestUnread: a command that hands on its flags unread (Cobra's DisableFlagParsing) offers all of them again and again.
// What it says tells nothing, there and of the same flag elsewhere. And what a command does without a word has the help
// of the one above.
func TestUnread(t *testing.T) {
	t.Parallel()
	confined(t)
	made, err := makeOf(t, box, program(t, `
common='\n\nGlobal Flags:\n      --name string   the name\n'
case "$*" in
  "__complete ") printf 'get\tHands on\nnew\tMakes\n:4\n';;
  "__complete new ") printf 'page\tMakes a page\n:4\n';;
  "__complete new"*" --name="*) printf -- '--help\thelp\n:4\n';;
  "__complete get "*--*) printf -- '--name\tthe name\n:4\n';;
  "__complete"*--) printf -- '--help\thelp\n--name\tthe name\n:4\n';;
  __complete*) printf ':4\n';;
  --help) printf "Does it.\n\nUsage:\n  prog [command]$common";;
  get*) printf "Hands on.\n\nUsage:\n  prog get [args]$common";;
  new*) printf "Makes.\n\nUsage:\n  prog new page [path]$common";;
esac`), config.Selector{})
	if err != nil {
		t.Fatal(err)
	}
	if got := inShort(made); got != "prog_get(name:string args:array) prog_new(name:string) prog_new_page(name:string args:array)" {
		t.Errorf("got %s", got)
	}
	for _, one := range made.Tools {
		if doubt := one.Doubts["name"]; (one.ID == "prog_get") != (doubt != "") || one.IsReadOnly() {
			t.Errorf("%s --name: %q", one.ID, doubt)
		}
	}
}
