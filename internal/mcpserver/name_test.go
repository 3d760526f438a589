package mcpserver

import (
	"regexp"
	"strings"
	"testing"
)

func TestToolName(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", longestName)
	for _, row := range []struct{ name, id, want string }{
		{"an id that can be a name", "functions.acp_fs__read_text_file", "functions.acp_fs__read_text_file"},
		{"as long as can be", long, long},
		{"one longer", long + "a", strings.Repeat("a", 53) + "_" + "635361c48b"},
		{"a space", "count words", "count_words_d2638122ad"},
		{"no ASCII", "größe", "gr__e_d353a2671b"},
		{"nothing", "", "_e3b0c44298"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := ToolName(row.id); got != row.want {
				t.Errorf("ToolName(%q) = %q, want %q", row.id, got, row.want)
			}
		})
	}
}

// A name is always one that every client takes, and two ids have two names.
func FuzzToolName(f *testing.F) {
	f.Add("count words", "count_words")
	f.Add("a b", "a.b")
	f.Add("", "_")
	f.Add(strings.Repeat("x", 64), strings.Repeat("x", 65))
	legal := regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, id := range []string{a, b} {
			if name := ToolName(id); !legal.MatchString(name) {
				t.Errorf("ToolName(%q) = %q", id, name)
			}
		}
		if a != b && ToolName(a) == ToolName(b) {
			t.Errorf("%q and %q are both %q", a, b, ToolName(a))
		}
	})
}

func TestSameName(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, ours, told string
		want             bool
	}{
		{"the very name", "functions.shell", "functions.shell", true},
		{"with the dots respelled, as Claude does", "functions.acp_fs__read_text_file", "functions_acp_fs__read_text_file", true},
		{"another name", "functions.shell", "functions.shells", false},
		{"another case", "functions.shell", "functions.Shell", false},
		{"a dash is no dot", "a.b", "a-b", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := SameName(row.ours, row.told); got != row.want {
				t.Errorf("SameName(%q, %q) = %t", row.ours, row.told, got)
			}
		})
	}
}
