package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Each option that widens a rule is found in every way in which it can be written.
func TestWidening(t *testing.T) {
	t.Parallel()
	for _, lazy := range programs().inOrder {
		row := lazy.read().widens
		if row == nil {
			continue
		}
		program := lazy.read().names[0]
		for _, o := range row.options {
			var ways []string
			switch {
			case row.oneDash:
				ways = []string{"-" + o.name + " x", "-" + o.name + "=x"}
				if o.glued {
					ways = append(ways, "-"+o.name+"x")
				}
			case o.long:
				ways = []string{"--" + o.name + " x", "--" + o.name + "=x"}
				if len(o.name) > 3 {
					ways = append(ways, "--"+o.name[:len(o.name)-1]+" x")
				}
			default:
				ways = []string{"-" + o.name + " x", "-" + o.name + "x", "-" + o.name + "=x", "-q" + o.name + " x"}
			}
			for _, words := range ways {
				value := cmp.Or(o.value, "x")
				words = strings.TrimSuffix(words, "x") + value
				found := embedded.Widening(program, strings.Fields(words))
				if !slices.ContainsFunc(found, func(s WideningOption) bool { return s.Does == o.does && slices.Contains(s.Values, value) }) {
					t.Errorf("%s %s: found %+v", program, words, found)
				}
			}
		}
		for _, words := range []string{"-", "--", "x", "--zzz", "test"} {
			if found := embedded.Widening(program, strings.Fields(words)); len(found) > 0 {
				t.Errorf("%s %s: found %+v", program, words, found)
			}
		}
	}
	for _, c := range []struct{ program, words string }{
		{"go", "-mod vendor"}, {"git stash", "push -m dropped"}, {"frob", "--no-config x"}, {"frob", "--print-config x"}, {"frob", "load x"}, {"frob", "--download x"}, {"frob", "--format x"}, {"frob", "--plu x"},
	} {
		if found := embedded.Widening(c.program, strings.Fields(c.words)); len(found) > 0 {
			t.Errorf("%s %s: found %+v", c.program, c.words, found)
		}
	}
	for _, words := range []string{"--plugin x", "--plugin=x", "--load-plugins=a,x", "--pluginSearchDir=x", "-load x", "--cov-config x", "--plug x", "--conf x"} {
		found := embedded.Widening("frob", strings.Fields(words))
		if len(found) != 1 || found[0].Does != OptionLoads || !slices.Contains(found[0].Values, "x") {
			t.Errorf("frob %s: found %+v", words, found)
		}
	}
	if found := embedded.Widening("ls", []string{"-C"}); found != nil {
		t.Errorf("ls: found %+v", found)
	}
}

func TestLoadWidening(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, rows, want string }{
		{"no source", "{runs: -x}", "want a source"},
		{"no dash", "{source: s, runs: x}", "x is no option"},
		{"a word behind one dash", "{source: s, runs: -xy}", "-xy is no option"},
		{"another's", "b", "b says nothing of that in its row"},
	} {
		if err := loadYAML(fmt.Sprintf("version: 1\nprograms:\n- names: b\n- names: a\n  widens: %s\n", c.rows)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
}
