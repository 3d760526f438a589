package hook

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadOpencode(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	code := func(n int) *int { return &n }
	for _, test := range []struct {
		name, event string
		want        Call // without Input, and what all have
		err         string
	}{
		{"a command", `{"moment":"before","tool":"bash","call":"c","sessions":["b","a"],"dir":"/w","input":{"command":"ls\n-l","workdir":"x"}}`,
			Call{ID: "c", Tool: "bash", Dir: "/w", Sessions: []string{"b", "a"}, Kind: "execute", Title: "ls\n-l"}, ""},
		{"a file written", `{"moment":"before","tool":"write","call":"c","dir":"/w","input":{"filePath":"a","content":""}}`,
			Call{ID: "c", Tool: "write", Dir: "/w", Kind: "edit", Title: "write a", Changes: []Change{{Path: "a"}}, ChangesAreAll: true}, ""},
		{"an edit", `{"moment":"before","tool":"edit","call":"c","dir":"/w","input":{"filePath":"/w/a","oldString":"a","newString":"b"}}`,
			Call{ID: "c", Tool: "edit", Dir: "/w", Kind: "edit", Title: "edit /w/a",
				Changes: []Change{{Path: "/w/a", OldText: text("a"), NewText: "b"}}, ChangesAreAll: true}, ""},
		{"an edit in all places", `{"moment":"before","tool":"edit","call":"c","dir":"/w","input":{"filePath":"/w/a","oldString":"a","newString":"b","replaceAll":true}}`,
			Call{ID: "c", Tool: "edit", Dir: "/w", Kind: "edit", Title: "edit /w/a",
				Changes: []Change{{Path: "/w/a", OldText: text("a"), NewText: "b"}}}, ""},
		{"a patch, and a text that is another tool's", `{"moment":"before","tool":"apply_patch","call":"c","dir":"/w","input":{"patchText":"p","filePath":"/w/a","content":"no"}}`,
			Call{ID: "c", Tool: "apply_patch", Dir: "/w", Kind: "edit", Title: "apply_patch /w/a"}, ""},
		{"a text in another spelling", `{"moment":"before","tool":"write","call":"c","dir":"/w","input":{"filePath":"/w/a","Content":"no"}}`,
			Call{ID: "c", Tool: "write", Dir: "/w", Kind: "edit", Title: "write /w/a"}, ""},
		{"members of a server's own", `{"moment":"before","tool":"s_find","call":"c","dir":"/w","input":{"query":{"a":1},"path":["b"]}}`,
			Call{ID: "c", Tool: "s_find", Dir: "/w", Title: "s_find"}, ""},
		{"names elsewhere", `{"moment":"before","tool":"glob","call":"c","dir":"/w","input":{"pattern":"/etc/ss*/*"}}`,
			Call{ID: "c", Tool: "glob", Dir: "/w", Kind: "search", Title: "glob /etc/ss*/*", Locations: []string{"/w/", "/etc/"}}, ""},
		{"a tool of a server", `{"moment":"before","tool":"s_t","call":"c","dir":"/w","input":{}}`,
			Call{ID: "c", Tool: "s_t", Dir: "/w", Title: "s_t"}, ""},
		{"an agent below", `{"moment":"before","tool":"task","call":"c","dir":"/w","input":{"description":"d","prompt":"p","subagent_type":"x"}}`,
			Call{ID: "c", Tool: "task", Dir: "/w", Title: "task", Harmless: true}, ""},
		{"an agent below, somewhere", `{"moment":"before","tool":"task","call":"c","dir":"/w","input":{"where":"there"}}`,
			Call{ID: "c", Tool: "task", Dir: "/w", Title: "task"}, ""},
		{"a command that failed", `{"moment":"after","tool":"bash","call":"c","dir":"/w","input":{},"exit":3}`,
			Call{Moment: After, ID: "c", Tool: "bash", Dir: "/w", Kind: "execute", Failed: true, Exit: code(3)}, ""},
		{"a failure", `{"moment":"after","tool":"read","call":"c","dir":"/w","input":{},"failed":true,"error":"no such file"}`,
			Call{Moment: After, ID: "c", Tool: "read", Dir: "/w", Kind: "read", Title: "read", Failed: true, Error: "no such file"}, ""},
		{"no id", `{"moment":"before","tool":"bash","dir":"/w","input":{}}`, Call{}, "was not told which tool"},
		{"no directory", `{"moment":"before","tool":"bash","call":"c","dir":".","input":{}}`, Call{}, "was not told which tool"},
		{"another moment", `{"moment":"later"}`, Call{}, `speaks of "later"`},
		{"no input", `{"moment":"before","tool":"bash","call":"c","dir":"/w"}`, Call{}, `the input of opencode's "bash"`},
		{"no JSON", `no`, Call{}, "what the plugin in opencode says"},
		{"two tools", `{"moment":"before","Tool":"todowrite","tool":"bash","call":"c","dir":"/w","input":{"command":"ls"}}`, Call{}, "stands there twice"},
		{"an exit code that is none", `{"moment":"after","tool":"bash","call":"c","dir":"/w","input":{},"exit":"0"}`, Call{}, "exit: json: cannot"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := ReadOpencode([]byte(test.event))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("got %v, want %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if name := strings.TrimPrefix(got.File, "/w/"); !strings.Contains(got.Title, name) {
				t.Errorf("the file is %q, and the title %q", got.File, got.Title)
			}
			got.Input, got.File = nil, ""
			test.want.Final, test.want.ServerTools = true, "*_"
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestOpencodesNet holds what is put beside a person's own permissions: opencode goes by the last one that
// fits.
func TestOpencodesNet(t *testing.T) {
	t.Parallel()
	for theirs, want := range map[string]string{
		``:                                  `{"**":"ask"}`,
		` {} `:                              `{"**":"ask"}`,
		`"deny"`:                            `{"*":"deny","**":"ask"}`,
		`{"bash":{"b":"deny","*":"allow"}}`: `{"bash":{"b":"deny","*":"allow"},"**":"ask"}`,
		`["deny"]`:                          "",
		`1`:                                 "",
	} {
		got, err := withNet([]byte(theirs))
		if string(got) != want || (err != nil) != (want == "") {
			t.Errorf("%s: got %s, %v; want %s", theirs, got, err, want)
		}
	}
	if _, err := OpencodeConfig("{", Endpoint{Socket: filepath.Join(t.TempDir(), "socket")}); err == nil {
		t.Error("settings that cannot be read were replaced")
	}
}

// TestOpencodeSearchesAround checks where opencode's grep looks: in all of the directory where it is given a file, or nothing
// that is there.
func TestOpencodeSearchesAround(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a": "", "sub/b": ""} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("sub/b", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ tool, path, want string }{
		{"grep", "sub", "/sub"},
		{"grep", "a", "/a /"},
		{"grep", "none", "/none /"},
		{"grep", "link", "/link /sub"},
		{"glob", "a", "/a /a/"},
	} {
		call, err := ReadOpencode([]byte(`{"moment":"before","tool":"` + test.tool + `","call":"c","dir":"` + dir +
			`","input":{"pattern":"x","path":"` + test.path + `"}}`))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, place := range call.Locations {
			if place = strings.TrimPrefix(place, dir); place == "" {
				place = "/"
			}
			got = append(got, place)
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s of %s looks in %q, want %q", test.tool, test.path, got, test.want)
		}
	}
}
