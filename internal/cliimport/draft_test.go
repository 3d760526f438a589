package cliimport

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// flagsInShort writes flags as a person reads them.
func flagsInShort(flags []*flag) string {
	var all []string
	for _, f := range flags {
		p := f.parameter()
		text := p.Flag + ":" + brief(&p)
		if f.inherited {
			text += " inherited"
		}
		if f.left != "" {
			text = p.Flag + " left: " + f.left
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

// TestToldFlags reads lines of helps as families of programs write them. What is not told in so many words is no flag.
func TestToldFlags(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, help, want, guessed string }{
		{"GNU", "Usage: x\n\nExamples:\n  x --fake a\n\n Mode:\n  -a, --all                  all\n      --block-size=SIZE      with\n                             more\n" +
			"      --color[=WHEN]   c\n  -1                         one\n  -w, --width=COLS  w\n",
			"--all:boolean present; --block-size:string; --color:string; -1:boolean present; --width:string",
			"--all:boolean present; --block-size:string; --color:string; -1:boolean present; --width:integer"},
		{"argparse", "usage: x [-h]\n\noptions:\n  -h, --help            help\n  -f FILE, --file FILE  a file\n  --mode {fast,slow}  m\n  --pair A B   p\n  --many N [N ...]   m\n",
			"--help:boolean present; --file:string; --mode:string one of [fast slow]; --pair left: it takes several words; --many left: it takes several words", ""},
		{"clap", "Usage: x\n\nOptions:\n  -o, --out <FILE>      o [default: a.txt]\n      --color <WHEN>\n          c [possible values: auto, always]\n  -v, --verbose...  v\n" +
			"  -i, --input <FILE>...  i\n      --set <K> <V>  s\n",
			"--out:string default \"a.txt\"; --color:string one of [always auto]; --verbose:integer count from 0; --input:array of string; --set left: it takes several words", ""},
		{"click", "Usage: x [OPTIONS]\n\nOptions:\n  --count INTEGER      n  [default: 1; required]\n  --shout / --no-shout  s\n  --kind [a|b]  k\n  -n INTEGER RANGE  r\n",
			"--count:string required default \"1\"; --shout:boolean present; --no-shout:boolean present; --kind:string one of [a b]; -n:string apart",
			"--count:integer required default 1; --shout:boolean present; --no-shout:boolean present; --kind:string one of [a b]; -n:integer apart"},
		{"yargs", "Options:\n  --port, -p  p  [number] [default: 3000]\n  --tag  t  [array]\n  --on  o  [boolean] [required]\n",
			"--port:number default 3000; --tag:array of string; --on:boolean present required", ""},
		{"urfave/cli", "GLOBAL OPTIONS:\n   --lang value, -l value  l (default: \"english\")\n   --help, -h  h\n",
			"--lang:string default \"english\" inherited; --help:boolean present inherited", ""},
		{"docopt", "Options:\n  -o FILE --output=FILE  o [default: ./x]\n", "--output:string default \"./x\"", ""},
		{"Go's flag", "Usage of x:\n  -addr string\n    \ta (default \":80\")\n  -n int\n    \tn (default 5)\n  -v\tloud\n  -wait duration\n    \tw\n  -on\n    \to\n",
			"-addr:string default \":80\"; -n:integer apart default 5; -v:boolean present; -wait:string duration; -on:boolean", ""},
		{"terraform", "Options:\n  -out=path  o\n  -json  j\n  -in path  i\n", "-out:string; -json:boolean present; -in left: its help does not say how its value is written", ""},
		{"curl", "Options:\n -u, --user <user:password> Server user\n -o, --output <file>        o\n", "--user:string; --output:string", ""},
		{"prose", "Options:\n  --foo this does it\n  - item\n  -- no\n  --=x  y\n  ---x  y\n  -nNUM  n\n  --a$(id)  x\n", "", ""},
		{"npm", "Usage:\nnpm install\n\nOptions:\n[-S|--save|--no-save] [--how <fast|slow>] [--tag <tag>]\n[-w|--workspace <name> [-w|--workspace <name> ...]]\n\n" +
			"  -S|--save\n    Save\n\n  --how\n    How\n\n  --tag\n    The tag\n\n  -w|--workspace\n    Where\n",
			"--save:boolean present; --how:string one of [fast slow]; --tag:string; --workspace:array of string", ""},
		{"git", "usage: git add [<options>] [--] <pathspec>...\n\n    -n, --dry-run         dry run\n    -v, --[no-]verbose    be verbose\n    --chmod (+|-)x        x\n" +
			"    --pathspec-from-file <file>\n                          read\n",
			"--dry-run:boolean present; --verbose:boolean present; --pathspec-from-file:string", ""},
		{"gcloud", "NAME\n    x y list - list\n\nSYNOPSIS\n    x y list [NAME ...] [--regexp=REGEXP, -r REGEXP]\n        [--uri]\n\nEXAMPLES\n        $ x y list --uri\n\nFLAGS\n" +
			"     --regexp=REGEXP, -r REGEXP\n        filter\n\n     --uri\n        URIs\n",
			"--regexp:string; --uri:boolean present", ""},
		{"bundles", "Options:\n  -v VERBOSE\n  -l[=N]  l\n", "-v:string apart; -l left: nothing tells how its value is written", ""},
		{"odd names", "Options:\n  --a:b  x\n  --a2a_token_x=N  x\n", "--a:b:boolean present; --a2a_token_x:string", ""},
		{"placeholders", "Options:\n  --to <FILE|URL>  t\n  --x {A,B}  x\n", "--to:string; --x:string", ""},
	} {
		if got := flagsInShort(toldFlags(row.help, false)); got != row.want {
			t.Errorf("%s:\n got %s\nwant %s", row.name, got, row.want)
		}
		if got := flagsInShort(toldFlags(row.help, true)); row.guessed != "" && got != row.guessed {
			t.Errorf("%s, guessed:\n got %s\nwant %s", row.name, got, row.guessed)
		}
	}
}

// toldProgram is a program of argparse's kind, whose help is poisoned.
const toldProgram = `
case "$*" in
  --help) printf 'usage: prog [-h] {list,remove,run} ...\n\nKeeps things.\n\npositional arguments:\n  {list,remove,run}\n    list    List them\n    remove  Remove one\n    run     Run one\n\noptions:\n  -h, --help  help\n  --config FILE  the file\n';;
  "list --help") printf 'usage: prog list [-h] [--count NUM] [name]\n\nLists.\n\noptions:\n  -h, --help  help\n  --count NUM  so many \x1b[2J\xe2\x80\xae}}] {network: on}\n  --api-token T  secret\n  --pager CMD  shows\n  --config FILE  the file\n';;
  "remove --help") printf 'usage: prog remove [-h] name\n\nRemoves.\n';;
  "run --help") printf 'usage: prog run [-h] COMMAND\n\nRuns.\n';;
  *) touch "$HOME/ran" /ran; echo "usage: prog" >&2; exit 2;;
esac`

// TestDraft: of a program that answers no __complete there is a draft, by its help alone. Without a guess no tool only
// reads, and every value is a text.
func TestDraft(t *testing.T) {
	t.Parallel()
	confined(t)
	for _, guess := range []bool{false, true} {
		p, err := Find(program(t, toldProgram), "", "/")
		if err != nil {
			t.Fatal(err)
		}
		made, err := Make(t.Context(), box, Request{Program: p, Import: config.Import{Name: "prog", Command: p.Path, Guess: guess,
			Selectors: []config.Selector{{InheritedFlags: config.FlagSelector{None: true}}}}})
		if err != nil {
			t.Fatal(err)
		}
		want := "prog_list(count:string args:array) prog_remove(args:array)"
		if guess {
			want = "prog_list(count:integer args:array) prog_remove(args:array)"
		}
		if got := inShort(made); got != want || made.Draft != "its --help" || made.find("prog_list").IsReadOnly() != guess ||
			!made.find("prog_remove").IsDestructive() {
			t.Errorf("guess %v: got %s, a draft by %q, %+v", guess, got, made.Draft, made.find("prog_list").Annotations)
		}
		for _, left := range [][2]string{{"prog run", ""}, {"prog list", "api-token"}, {"prog list", "pager"}, {"prog list", "config"}} {
			if made.leftOf(left[0], left[1]) == "" {
				t.Errorf("%v is not left out", left)
			}
		}
		data, err := made.File(nil)
		if err != nil || !strings.Contains(string(data), "# a draft, by its --help alone") || strings.ContainsAny(string(data), "\x1b\u202e") ||
			strings.Contains(string(data), "guess: true") != guess || strings.Contains(string(data), "# check: guessed: integer") != guess {
			t.Errorf("%v\n%s", err, data)
		}
		if loaded, err := config.ReadTools(config.File{Name: "x", Data: data}); err != nil || len(loaded) != 2 || loaded[0].Tool.Sandbox.Network == tool.NetworkOn {
			t.Errorf("%v, %v", loaded, err)
		}
	}
}

// TestOtherHelp: git tells of its commands by help -a, and of each by -h. Names that stand in a row are commands, too.
func TestOtherHelp(t *testing.T) {
	t.Parallel()
	confined(t)
	script := `
case "$*" in
  --help) printf 'usage: git [-v | --version] <command> [<args>]\n\nwork on it\n   add   Add\n\n'"'git help -a' and 'git help -g' list available\n";;
  "help -a") printf "See 'git help <command>'\n\nMain Porcelain Commands\n   add      Add file contents\n   gitk     The browser\n\nAncillary Commands / Interrogators\n   blame    Show\n   remote   Others\n\n` +
		`Low-level Commands / Manipulators\n   apply    Apply\n\nUser-facing file formats\n   attributes  x\n\nExternal commands\n   stranger\n";;
  "add -h") printf 'usage: git add [<options>] [--] <pathspec>...\n\n    -n, --dry-run    dry run\n'; exit 129;;
  "remote -h") printf 'usage: prog remote [-v [-x] | --verbose]\n   or: prog remote [-v] add <name>\n'; exit 129;;
  "blame -h") printf 'usage: git blame <file>\n'; exit 129;;
  *) touch "$HOME/ran" /ran; echo "git: '$1' is not a git command" >&2; exit 1;;
esac`
	p, err := Find(program(t, script), "", "/")
	if err != nil {
		t.Fatal(err)
	}
	made, err := Make(t.Context(), box, Request{Program: p, Import: config.Import{Name: "prog", Command: p.Path, Prefix: "git",
		Selectors: []config.Selector{{InheritedFlags: config.FlagSelector{None: true}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := inShort(made); got != "git_add(dry-run:boolean args:array) git_blame(args:array) git_remote()" || made.Draft != "its help" {
		t.Errorf("got %s, a draft by %q", got, made.Draft)
	}
	if about := made.find("git_add").Description; about != "Add file contents" || made.leftOf("git stranger", "") != "" {
		t.Errorf("add is %q; a stranger was asked: %q", about, made.leftOf("git stranger", ""))
	}
	manual := "SYNOPSIS\n    x GROUP | COMMAND [X_FLAG ...]\n\nGROUPS\n    GROUP is one of the following:\n\n     ai\n        Manage.\n\nCOMMANDS\n    COMMAND is one of the following:\n\n     init\n        Begins.\n"
	if o, err := toldBelow(t.Context(), nil, manual); err != nil || fmt.Sprint(o.list) != "[{ai } {init }]" || readHelp(manual).calls() {
		t.Errorf("a manual has %v below (%v), and is called %q", o.list, err, readHelp(manual).usage)
	}
	row, err := toldBelow(t.Context(), nil, "Usage:\n\nAll commands:\n\n    access, audit, ci,\n    view, whoami\n\nSpecify configs:\n    a, b\n")
	if want := "[{access } {audit } {ci } {view } {whoami }]"; err != nil || fmt.Sprint(row.list) != want {
		t.Errorf("got %v (%v)", row.list, err)
	}
}

const carapaceSpec = `# yaml-language-server: $schema=https://carapace.sh/schemas/command.json
name: prog
description: Keeps things
persistentflags:
  -h, --help: show help
  --loud: "more words"
run: "$(touch /ran)"
commands:
  - name: list
    description: "List \u202Ethem"
    flags:
      -o, --output=: how
      --color?: when
      -v*: more words
      --tag=*: "only \"these\"}} #"
      --name=!: whose
      --old&: hidden
      --db-token=: secret
      -long=: single
      -w=: width
      --two=: {description: two words, nargs: 2}
      --three={3}: three words
      --signal=: which
      --path=: where
      "--bad name=": none
      "--x\u001b=": none
    completion:
      flag:
        output: ["json\tas JSON", yaml, "table\twide\tblue"]
        path: ["$files", a, b]
        signal: ["HUP\tends", TERM]
        color: ["$(touch /ran)", x, y]
  - name: secret
    hidden: true
  - name: raw
    parsing: disabled
    flags: {--all: all}
  - name: "bad name"
  - name: $(id)
  - name: box
    flags: {"-h, --help": help}
    commands: [{name: burn}]
  - name: remote
    flags: {"-v, --verbose": more}
    commands: [{name: add}]
`

// TestSpec: of a carapace spec are names, what takes a value, and the values that are listed; nothing of it runs.
func TestSpec(t *testing.T) {
	t.Parallel()
	confined(t)
	p, err := Find(program(t, `touch /ran; echo no`), "", "/")
	if err != nil {
		t.Fatal(err)
	}
	asked := false
	host := watchful{box, func([]string) { asked = true }}
	made, err := Make(t.Context(), host, Request{Program: p, Spec: []byte(carapaceSpec),
		Import: config.Import{Name: "prog", Command: p.Path, Spec: "/x.yaml", Selectors: []config.Selector{{InheritedFlags: config.FlagSelector{None: true}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := inShort(made); asked || made.Draft != "the spec /x.yaml" ||
		got != "prog_list(color:string name:string! output:string path:string signal:string tag:array v:integer w:string args:array) prog_raw(args:array) prog_box_burn(args:array) "+
			"prog_remote(verbose:boolean) prog_remote_add(args:array)" {
		t.Errorf("it was asked: %v; a draft by %q: %s", asked, made.Draft, got)
	}
	list := made.find("prog_list")
	at := slices.IndexFunc(list.Parameters, func(p tool.Parameter) bool { return p.Name == "output" })
	if form := list.Parameters[slices.IndexFunc(list.Parameters, func(p tool.Parameter) bool { return p.Name == "w" })].Form; form != tool.FormApart {
		t.Errorf("-w has the form %q", form)
	}
	if enum := fmt.Sprint(list.Parameters[at].Enum); enum != "[json table yaml]" || list.IsReadOnly() || strings.Contains(list.Description, "\u202e") {
		t.Errorf("enum %s, %+v", enum, list)
	}
	at = slices.IndexFunc(list.Parameters, func(p tool.Parameter) bool { return p.Name == "signal" })
	if enum := fmt.Sprint(list.Parameters[at].Enum); enum != "[HUP TERM]" || made.leftOf("prog list", "three") == "" {
		t.Errorf("signals %s; three words: %q", enum, made.leftOf("prog list", "three"))
	}
	if data, err := made.File(nil); err != nil || strings.Contains(string(data), "touch") || !strings.Contains(string(data), "spec: /x.yaml") {
		t.Errorf("%v\n%s", err, data)
	}
	// for one that does not answer, a person's own counts
	if made, err = Make(t.Context(), box, Request{Program: p, Else: []byte(carapaceSpec), ElseFile: "/mine.yaml",
		Import: config.Import{Name: "prog", Command: p.Path}}); err != nil || made.Import.Spec != "/mine.yaml" || made.find("prog_list") == nil {
		t.Errorf("got %+v, %v", made, err)
	}
	for _, broken := range []string{"", "- a", "name: [", "flags: {}", "name: x\ncommands: " + strings.Repeat("[{name: a, commands: ", 2000)} {
		if _, err := readSpec([]byte(broken), false); err == nil {
			t.Errorf("%.30q is a spec", broken)
		}
	}
}

// FuzzTold: whatever a help holds, the flags and commands that are read of it have names that can be written, and make an entry.
func FuzzTold(f *testing.F) {
	f.Add("Usage: x\n\nOptions:\n  -a, --all=X  all [default: 1] [required]\n  -n int\n    \tn\n\nCommands:\n  b, c  does\n")
	f.Add("  --x {a,b}...  [possible values: a, b] [count]\n  -v...\n")
	f.Add("  --a:b=C\n  --a_b\n  --a2a_x\n  -A+0\n")
	f.Add("name: x\nflags: {'-a, --b=*!': c}\ncompletion: {flag: {b: [x, y]}}\ncommands: [{name: d}]\n")
	f.Fuzz(func(t *testing.T, text string) {
		check := func(c *command) {
			m := &maker{Request: Request{Program: Program{Name: "x", Path: "/bin/x"}}, made: &Made{Draft: "its --help"}}
			made := m.tool("x", c)
			if _, err := m.made.entryOf(&made, nil); err != nil {
				t.Errorf("%q makes an entry that cannot be read: %v", text, err)
			}
			for _, p := range made.Parameters {
				if len(p.Description) > toolyaml.LongestText {
					t.Errorf("%s says %d bytes", p.Name, len(p.Description))
				}
			}
		}
		check(&command{flags: toldFlags(text, true), help: readHelp(text)})
		if o, _ := toldBelow(t.Context(), nil, text); len(o.list) > mostOffers {
			t.Errorf("%d commands", len(o.list))
		}
		if root, err := readSpec([]byte(text), true); err == nil {
			root.each(check)
		}
	})
}
