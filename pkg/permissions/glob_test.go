package permissions

import (
	"strings"
	"testing"
)

func TestGlob(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern string
		matches []string // exactly, and loosely
		loosely []string // only where a rule stops
		not     []string
	}{
		{"docs/a.md", []string{"docs/a.md"}, []string{"DOCS/A.md"}, []string{"docs/a.mdx", "docs/a-md", "x/docs/a.md", "docs/a.md/b"}},
		{"docs/*", []string{"docs/a", "docs/.a"}, []string{"Docs/a"}, []string{"docs/a/b", "docs"}},
		{"docs/**", []string{"docs/a", "docs/a/b/c"}, []string{"docs", "DOCS/a"}, []string{"docsx/a", "x/docs/a"}},
		{"**", []string{"a", "a/b", ".env"}, nil, nil},
		{"**/*.md", []string{"a.md", "a/b.md", "a/b/c.md", ".md"}, []string{"A.MD"}, []string{"a.mdx", "a.md/b"}},
		{"**/.git/**", []string{".git/a", "a/.git/b"}, []string{".git", "a/.GIT"}, []string{".gitx/a", "a.git/b"}},
		{"a/**/b", []string{"a/b", "a/x/b", "a/x/y/b"}, nil, []string{"a/xb", "ab", "a/b/c"}},
		{"src/**.go", []string{"src/a.go", "src/a/b.go"}, nil, []string{"src/a.gox"}},
		{"a?c", []string{"abc", "aéc"}, []string{"ABC"}, []string{"ac", "a/c", "abbc"}},
		{"[a-c]x", []string{"ax", "cx"}, []string{"AX"}, []string{"dx", "/x", "x"}},
		{"[!a-c]x", []string{"dx", "-x"}, nil, []string{"ax", "/x"}},
		{"[]a]", []string{"]", "a"}, nil, []string{"b"}},
		{"[\\]]", []string{"]"}, nil, []string{"\\"}},
		{`\*.md`, []string{"*.md"}, []string{"*.MD"}, []string{"a.md"}},
		{"a.b+c(d)|e^$", []string{"a.b+c(d)|e^$"}, nil, []string{"axb+c(d)|e^$"}},
		{"{x}", []string{"{x}"}, nil, []string{"x"}},
		{".", []string{"."}, nil, []string{"a", ""}},
	}
	for _, test := range tests {
		t.Run(test.pattern, func(t *testing.T) {
			t.Parallel()
			g, err := compileGlob(test.pattern, false)
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range test.matches {
				if !g.matches(path) || !g.mayMatch(path) {
					t.Errorf("%q: exactly %t, loosely %t; want both", path, g.matches(path), g.mayMatch(path))
				}
			}
			for _, path := range test.loosely {
				if g.matches(path) || !g.mayMatch(path) {
					t.Errorf("%q: exactly %t, loosely %t; want only loosely", path, g.matches(path), g.mayMatch(path))
				}
			}
			for _, path := range test.not {
				if g.matches(path) || g.mayMatch(path) {
					t.Errorf("%q: exactly %t, loosely %t; want neither", path, g.matches(path), g.mayMatch(path))
				}
			}
		})
	}
}

func TestToolGlob(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern, id string
		want        bool
	}{
		{"*", "mcp.server/x.tool", true},
		{"*", "", true},
		{"functions.acp_fs__*_text_file", "functions.acp_fs__edit_text_file", true},
		{"functions.acp_fs__*_text_file", "functions_acp_fs__edit_text_file", false},
		{"mcp.*", "mcp.a/b", true},
		{"web_request", "web_request", true},
		{"web_request", "Web_Request", false},
	}
	for _, test := range tests {
		g, err := compileGlob(test.pattern, true)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.matches(test.id); got != test.want {
			t.Errorf("%q on %q: %t, want %t", test.pattern, test.id, got, test.want)
		}
	}
}

func TestGlobRefused(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, pattern, want string }{
		{"empty", "", "is empty"},
		{"open bracket", "[", "not closed"},
		{"open bracket with text", "a[bc", "not closed"},
		{"bracket of a bracket", "[]", "not closed"},
		{"backslash at the end", `a\`, "backslash"},
		{"braces", "*.{go,md}", "braces"},
		{"backward range", "[z-a]", "empty"},
		{"slash in a class", "[a/]", "slash"},
		{"slash in a range", "[+-~]", "slash"},
		{"too long", strings.Repeat("a", longestGlob+1), "longer"},
		{"hidden character", "a\u202eb", "nobody sees"},
		{"no text", "a\xff", "nobody sees"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, err := compileGlob(test.pattern, false); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// FuzzGlob: no pattern panics; a literal stands for itself; what matches exactly matches loosely.
func FuzzGlob(f *testing.F) {
	for _, pattern := range []string{"docs/**", "**/*.md", "[!a-z]?\\*", "a/**/b", "[", "{a,b}"} {
		f.Add(pattern, "docs/a/b.md")
	}
	f.Add("[!0-X]", "a")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		g, err := compileGlob(pattern, false)
		if err != nil {
			return
		}
		if g.matches(path) && !g.mayMatch(path) {
			t.Errorf("%q matches %q exactly and not loosely", pattern, path)
		}
		if g.literal != "" && !g.matches(g.literal) {
			t.Errorf("%q does not match its own name %q", pattern, g.literal)
		}
		if !strings.ContainsAny(pattern, `*?[\`) && !g.matches(pattern) {
			t.Errorf("%q does not match itself", pattern)
		}
		if !strings.Contains(pattern, "**") && strings.Count(path, "/") != strings.Count(strings.ReplaceAll(pattern, `\/`, "/"), "/") && g.matches(path) {
			t.Errorf("%q crosses a slash to match %q", pattern, path)
		}
	})
}
