package command

import (
	"strings"
	"testing"
)

// embedded is what comes with this program.
var embedded *Catalogue

// What a person's file says counts beside what ours says, and takes nothing of it away.
func TestOwnRows(t *testing.T) {
	t.Parallel()
	ask := func(c *Catalogue) map[string]bool {
		row, _ := Lookup("grep", nil)
		git, _ := Lookup("git", []string{"log"})
		_, exported, _ := c.Exported("GH_TOKEN")
		return map[string]bool{
			"grep only reads": row != nil, "git log only reads": git != nil, "frob is asked": c.In(Asked, "frob"), "frob reaches": c.In(NetworkReaching, "frob"),
			"frob is given the network": In(NetworkClients, "frob") || In(NetworkScripts, "frob"), "frob removes": c.In(Removers, "frob"),
			"node is whole": In(WholeCommands, "node"), "FROB_HOOKED changes": c.ChangesCommands("FROB_HOOKED"), "GH_TOKEN runs": exported,
			"PAGER=cat does nothing": c.SetsNothing("PAGER", "cat"), "frob --eval": len(c.Widening("frob", []string{"--eval=x"})) > 0,
			"go -exec": len(c.Widening("go", []string{"-exec", "x"})) > 0, "go -zap": len(c.Widening("go", []string{"-zap", "x"})) > 0,
		}
	}
	before := ask(nil)
	own, err := Read("commands.yaml", []byte(`version: 1
programs:
  - names: frob, grep
    asks: true
    network: true
    removes: true
    code: --eval -e
    writes: [-o]
  - names: [go]
    obeys: -zap
variables:
  - names: FROB_* GH_TOKEN PAGER
`))
	if err != nil {
		t.Fatal(err)
	}
	after := ask(own)
	changed := map[string]bool{
		"frob is asked": true, "frob reaches": true, "frob removes": true, "FROB_HOOKED changes": true, "GH_TOKEN runs": true,
		"PAGER=cat does nothing": false, "frob --eval": true, "go -zap": true,
	}
	for what, was := range before {
		want, changes := changed[what]
		if !changes {
			want = was
		}
		if after[what] != want {
			t.Errorf("%s: %t before and %t after, want %t", what, was, after[what], want)
		}
	}
}

func TestReadOwnRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"no version", "programs: []", "c.yaml:1:1: write version: 1"},
		{"a key", "version: 1\nprograms:\n  - names: x\n    reads: true\n", `c.yaml:4:5: "reads" is no key here; there are asks, `},
		{"less", "version: 1\nprograms:\n  - names: x\n    network: false\n", "c.yaml:4:5: network can only be true"},
		{"less by asks", "version: 1\nprograms:\n  - names: x\n    asks: false\n", "c.yaml:4:5: asks can only be true"},
		{"no names", "version: 1\nprograms:\n  - asks: true\n", "c.yaml:3:5: names is missing"},
		{"a path", "version: 1\nprograms:\n  - names: /bin/x\n", `"/bin/x" is not a program's name`},
		{"an option", "version: 1\nprograms:\n  - names: x\n    code: eval\n", `c.yaml:4:5: "eval" is not an option`},
		{"a builtin", "version: 1\nprograms:\n  - names: echo\n", "c.yaml:3:5: echo is done by bash itself"},
		{"no list", "version: 1\nprograms:\n  names: x\n", "c.yaml:2:1: programs is a list"},
		{"a variable", "version: 1\nvariables:\n  - names: a-b\n", `"a-b" is not a variable's name`},
		{"a value of one", "version: 1\nvariables:\n  - names: A\n    effect: plain\n", `c.yaml:4:5: "effect" is no key here`},
		{"an alias", "version: 1\nprograms: &x\n  - names: *x\n", "c.yaml:"},
		{"no YAML", "version: 1\nprograms: [\n", "c.yaml:"},
		{"nothing", "", "c.yaml:1:1: write version: 1"},
	} {
		if _, err := Read("c.yaml", []byte(c.text)); err == nil || !strings.HasPrefix(err.Error(), "c.yaml:") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
}
