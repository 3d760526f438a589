package command

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/plainyaml"
)

// One row for each way in which a word is read.
func TestRead(t *testing.T) {
	t.Parallel()
	options := map[string]Kind{
		"-a": Flag, "-b": Flag, "-v": Plain, "-f": File, "-o": Optional, "-n": Number, "-1": Count, "-2": Count,
		"--all": Flag, "--value": Plain, "--file": File, "--when": Optional, "--pair": Pair, "-name": Plain, "-print": Flag, "-exec": Command,
	}
	for _, c := range []struct {
		parser      Parser
		words, want string
	}{
		{Getopt, "-ab x", "-a -b x"},
		{Getopt, "-av x y", "-a -v=x y"},
		{Getopt, "-va x", "-v=a x"},
		{Getopt, "-ox y", "-o=x y"},
		{Getopt, "-o x", "-o x"},
		{Getopt, "-az x", "-a ?-az x"},
		{Getopt, "x -v y - -- -a", "x -v=y - -a"},
		{Getopt, "-v", "-v"},
		{Getopt, "-12 x", "-1 -2 x"},
		{Getopt, "-1a x", "?-1a x"},
		{Getopt, "-n5 x", "-n=5 x"},
		{GetoptLong, "--all --value x --file=y z", "--all --value=x --file=y z"},
		{GetoptLong, "--when x --when=y", "--when x --when=y"},
		{GetoptLong, "--all=x --val y --pair=x", "?--all=x ?--val y ?--pair=x"},
		{GetoptLong, "--pair x y z", "--pair=x,y z"},
		{GetoptLong, "--value -- -a", "--value=-- -a"},
		{OptionsFirst, "-a x -v y", "-a x -v y"},
		{Letters, "-vf x y z", "-v=x -f=y z"},
		{Letters, "-fav x y z", "-f=x -a -v=y z"},
		{Letters, "-n5 x", "-n=5 x"},
		{Letters, "-na 5 x", "-n=5 -a x"},
		{Tar, "af x y", "-a -f=x y"},
		{Tar, "fv x y z", "-f=x -v=y z"},
		{Tar, "-fv x y", "-f=v x y"},
		{Tar, "x af", "?x af"},
		{Tar, "af x -bf y", "-a -f=x -b -f=y"},
		{Words, "-print -n5 -n 6 x -print", "-print -n=5 -n=6 x -print"},
		{Words, "-printx -na -a", "?-printx ?-na -a"},
		{Find, "x -name -a -print y", "x -name=-a -print y"},
		{Find, "x -exec a -print {} ; -print", "x -exec=a,-print,{},; -print"},
		{Find, "x -exec a + {} + -print", "x -exec=a,+,{},+ -print"},
		{Find, "x -exec a", "x ?-exec"},
		{Find, "x --", "x ?--"},
		{None, "-a --all -- x", "-a --all -- x"},
	} {
		row := &Row{Parser: c.parser, options: options}
		words := strings.Fields(c.words)
		read := row.Read(words)
		parts := map[int][]string{}
		for _, o := range read.Options {
			text := o.Name
			if o.Kind == Unknown {
				text = "?" + text
			}
			for i, v := range o.Values {
				text += map[bool]string{true: "=", false: ","}[i == 0] + v.Text
			}
			parts[o.At] = append(parts[o.At], text)
		}
		for _, at := range read.Operands {
			parts[at] = append(parts[at], words[at])
		}
		var got []string
		for at := range words {
			got = append(got, parts[at]...)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s %q: read as %q; want %q", c.parser, c.words, strings.Join(got, " "), c.want)
		}
	}
}

// FuzzRead: every word is read once, whatever the words and the parser are: as an option, as the value of
// one, as an operand.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"tar fx a.tar", "tree -Lo 2 out", "find . -name -7 -o -print", "jq --arg a", "head -20c x -- -a", "git log -n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := strings.Fields(text)
		if len(words) == 0 {
			return
		}
		row, at := Lookup(words[0], words[1:])
		if row == nil {
			return
		}
		words = words[1+at:]
		read := row.Read(words)
		seen := make([]int, len(words))
		for _, o := range read.Options {
			for _, v := range o.Values {
				if v.Own {
					seen[v.At]++
				}
				if !strings.HasSuffix(words[v.At], v.Text) {
					t.Errorf("%q: the value %q does not stand in word %d", words, v.Text, v.At)
				}
			}
			seen[o.At] = max(seen[o.At], 1)
		}
		for _, at := range read.Operands {
			seen[at]++
		}
		for at, n := range seen {
			if n != 1 && !(n == 0 && words[at] == "--") {
				t.Errorf("%q: word %d is read %d times", words, at, n)
			}
		}
	})
}

// The catalogue can be read, and each row is one that somebody can hold against a program.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	for _, row := range Rows() {
		if row.Verified == "" && row.Parser != None && row.OnlyReads() {
			t.Errorf("%s only reads, and nobody has looked", row.Names[0])
		}
		if row.Parser == None && len(row.options) > 0 {
			t.Errorf("%s has options and a parser that knows none", row.Names[0])
		}
		for name := range row.options {
			if row.Parser == Getopt && strings.HasPrefix(name, "--") {
				t.Errorf("%s has %s, and its parser knows no long names", row.Names[0], name)
			}
		}
	}
	if row, at := Lookup("/usr/bin/git", []string{"stash", "list", "-n", "5"}); row == nil || at != 2 || row != Named("git stash list") {
		t.Error("git stash list is not found")
	}
	if row, _ := Lookup("./ls", nil); row != nil {
		t.Error("a program of the workspace is taken for the system's")
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, rows, want string }{
		{"a parser", "- {names: a, reads: {parser: getops}}", `a: parser: "getops" is none`},
		{"a kind", "- {names: a, reads: {parser: getopt, flags: -a}}", `"flags" is no key here`},
		{"twice", "- {names: a, reads: {parser: getopt, flag: -ab, value: -b}}", "-b stands there twice"},
		{"two rows", "- {names: a}\n- {names: 'b, a'}", "a has two rows"},
		{"a set", "- {names: a, reads: {parser: getopt, sets: s}}", `a: sets: there is no set "s"`},
		{"operands", "- {names: a, reads: {parser: getopt, operands: file}}", `a: operands: "file" are none`},
		{"trees", "- {names: a, reads: {parser: getopt, trees: -r}}", "a: -r is no option of the row"},
		{"a key", "- {names: a, reads: {parser: getopt, option: {}}}", "3:38: \"option\" is no key here"},
		{"another's", "- {names: a}\n- {names: b, reads: a}", "a says nothing of that in its row"},
		{"itself", "- {names: a, words: a}", "3:14: a has the words of a; name a program whose row says them itself"},
		{"each other", "- {names: a, reads: b}\n- {names: b, reads: a}", "3:14: b has the reads of a"},
		{"in a ring", "- {names: a, widens: b}\n- {names: b, widens: c}\n- {names: c, widens: a}", "3:14: b has the widens of c"},
		{"those that begin so", "- {names: a*, words: ab}", "3:15: ab has the words of ab"},
		{"nobody's", "- {names: a, words: b}", "3:14: b has no row; name a program whose row has words"},
		{"like itself", "- {names: a}\nlike:\n- {names: x, like: x}", "5:14: a row that others are like is like none itself; write here what x says"},
		{"a subcommand like its row", "- {names: a}\nlike:\n- {names: x, subcommands: [{names: y, like: x}]}", "5:39: a row that others are like is like none itself"},
		{"no group", "- {names: a, is: makers}", "a is in makers, which is no group"},
		{"a group of words twice", "- {names: a, groups: [{is: removers, names: x}, {is: removers, names: y}]}", "which stands there once"},
	} {
		if err := loadYAML(fmt.Sprintf("version: 1\nprograms:\n%s\n", c.rows)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
	if err := loadYAML("version: 2\n"); err == nil || !strings.Contains(err.Error(), `want 1, got "2"`) {
		t.Errorf("version 2: %v", err)
	}
	if err := loadYAML(source); err != nil {
		t.Errorf("commands.yaml: %v", err)
	}
	if names := kindNames(); slices.Contains(names, "") {
		t.Error("a kind has no name")
	}
}

// loadYAML reads all sections of a file.
func loadYAML(text string) error {
	file, err := parse(text)
	if err != nil {
		return err
	}
	found, sets := "", map[string]map[string]string{}
	var all rows
	known, used := map[Group]bool{}, map[Group]string{}
	ignored := func(plainyaml.Node) error { return nil }
	err = Entries(file, map[string]any{
		"version": &found,
		"sets": func(n plainyaml.Node) (err error) {
			sets, err = readSets(n)
			return err
		},
		"programs": func(n plainyaml.Node) (err error) {
			var items []item
			for _, row := range n.Nodes {
				items = append(items, item{texts(row)["names"], func() plainyaml.Node { return row }})
			}
			if all, err = indexRows(items, func() map[string]map[string]string { return sets }); err != nil {
				return err
			}
			for _, row := range n.Nodes {
				p, err := all.read(row, func() map[string]map[string]string { return sets })
				if err != nil {
					return err
				}
				for group := range p.groups {
					used[group] = p.names[0]
				}
				for group := range p.is {
					used[group] = p.names[0]
				}
			}
			return nil
		},
		"like":  func(n plainyaml.Node) error { _, err := readLike(n); return err },
		"cures": ignored, "loading": ignored, "taken": ignored, "builtins": ignored, // internal/shellwords reads the rest of like, and cures
		"groups": func(n plainyaml.Node) error {
			for _, item := range n.Nodes {
				group := Group(texts(item)["is"])
				if known[group] = true; used[group] == "" {
					return At(item, "no row is in the group")
				}
			}
			return nil
		},
		"variables": func(n plainyaml.Node) error { _, err := readVariables(n); return err },
	})
	for group, program := range used {
		if err == nil && !known[group] {
			return fmt.Errorf("%s is in %s, which is no group", program, group)
		}
	}
	if err == nil && found != "1" {
		return fmt.Errorf("version: want 1, got %q", found)
	}
	return err
}

func kindNames() []string {
	names := make([]string, int(Follows)+1)
	names[Unknown] = "unknown"
	for name, kind := range kinds {
		names[kind] = name
	}
	return names
}
