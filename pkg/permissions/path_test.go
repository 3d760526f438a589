package permissions

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// tree makes a directory with files ("name": content) and links ("name": "-> target"), and gives its
// resolved name.
func tree(t testing.TB, entries map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range entries {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		target, link := strings.CutPrefix(content, "-> ")
		switch {
		case link:
			err = os.Symlink(strings.ReplaceAll(target, "$DIR", dir), path)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o755)
		default:
			err = os.WriteFile(path, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestResolve(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"ws/docs/a.md": "a", "ws/link": "-> docs", "ws/out": "-> ../elsewhere", "elsewhere/secret": "s", "ws/deep/x/": "",
		"ws/a b%c": "", "ws/loop": "-> loop", "ws/to_file": "-> $DIR/ws/docs/a.md", "ws/dangling": "-> ../nowhere/x", "ws/chain": "-> link",
	})
	ws := dir + "/ws"
	tests := []struct{ name, given, want string }{
		{"relative", "docs/a.md", ws + "/docs/a.md"},
		{"absolute", ws + "/docs/a.md", ws + "/docs/a.md"},
		{"the directory", ".", ws},
		{"trailing slash", "docs/", ws + "/docs"},
		{"double slashes and dots", ".//docs/.//a.md", ws + "/docs/a.md"},
		{"inside by way of ..", "deep/x/../../docs/a.md", ws + "/docs/a.md"},
		{"outside by way of ..", "../elsewhere/secret", dir + "/elsewhere/secret"},
		{"above the root", "/../../etc", walked(t, "/etc")},
		{"link to a directory", "link/a.md", ws + "/docs/a.md"},
		{"link to a link", "chain/a.md", ws + "/docs/a.md"},
		{"link to a file", "to_file", ws + "/docs/a.md"},
		{"link to the outside", "out/secret", dir + "/elsewhere/secret"},
		{"new file behind a linked parent", "out/new/file", dir + "/elsewhere/new/file"},
		{"dangling link", "dangling", dir + "/nowhere/x"},
		{"new file", "new/dir/file.txt", ws + "/new/dir/file.txt"},
		{"a file as a directory", "docs/a.md/x", ws + "/docs/a.md/x"},
		{"file URL", "file://" + ws + "/docs/a.md", ws + "/docs/a.md"},
		{"file URL of localhost", "FILE://localhost" + ws + "/docs/a.md", ws + "/docs/a.md"},
		{"file URL with percent", "file://" + ws + "/a%20b%25c", ws + "/a b%c"},
		{"file URL with hidden ..", "file://" + ws + "/%2e%2e/elsewhere/secret", dir + "/elsewhere/secret"},
		{"file URL with hidden slashes", "file://" + ws + "/..%2felsewhere%2fsecret", dir + "/elsewhere/secret"},
		{"file URL with one slash", "file:" + ws + "/docs/a.md", ws + "/docs/a.md"},
		{"percent in a plain name", "a b%c", ws + "/a b%c"},
		{"percent is not decoded in a plain name", "%2e%2e/x", ws + "/%2e%2e/x"},
		{"a colon in a name", "a:b", ws + "/a:b"},
		{"letter case stays", "DOCS/a.md", walked(t, ws+"/DOCS/a.md")},
		{"a name that begins with a tilde", "~$report.docx", ws + "/~$report.docx"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := Resolve(ws, test.given)
			if err != nil || got != test.want {
				t.Errorf("Resolve(%q) = %q, %v; want %q", test.given, got, err, test.want)
			}
		})
	}
}

func walked(t *testing.T, path string) string {
	t.Helper()
	got, err := newFacts(machine{}).walk(path)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestResolveRefuses(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"a": "-> b", "b": "-> a", "ws/link": "-> ../elsewhere/deep", "elsewhere/deep/x": "", "self": "-> self/x"})
	tests := []struct{ name, dir, given, want string }{
		{"empty", dir, "", "empty"},
		{"NUL", dir, "a\x00b", "NUL"},
		{"NUL in a URL", dir, "file:///a%00b", "NUL"},
		{"loop", dir, "a", "links"},
		{"loop that grows", dir, "self", "links"},
		{"long", dir, strings.Repeat("a/", 3000), "longer"},
		{"http", dir, "http://example.com/etc/passwd", "scheme"},
		{"editor scheme", dir, "zed://settings", "scheme"},
		{"scheme in capitals", dir, "HTTPS://x/y", "scheme"},
		{"file URL of another machine", dir, "file://server/share", "another machine"},
		{"file URL with a user", dir, "file://root@localhost/etc", "another machine"},
		{"file URL with a query", dir, "file:///etc/passwd?x", "file URL"},
		{"file URL with a fragment", dir, "file:///etc/passwd#x", "file URL"},
		{"file URL without a path", dir, "file://", "file URL"},
		{"broken percent", dir, "file:///a%zz", "URL"},
		{"home", dir, "~/.bashrc", "~"},
		{"home of another", dir, "~root/x", "~"},
		{"only ~", dir, "~", "~"},
		{"relative to nothing", "", "a", "absolute"},
		{"relative to a relative directory", "x", "a", "absolute"},
		{"two readings: .. behind a link", dir + "/ws", "link/../x", "behind a link"},
		{"two readings of an absolute name", dir, dir + "/ws/link/../x", "behind a link"},
	}
	if runtime.GOOS == "linux" {
		tests = append(tests,
			struct{ name, dir, given, want string }{"another file to every process", dir, "/proc/self/cwd/x", "every process"},
			struct{ name, dir, given, want string }{"by descriptor", dir, "/dev/fd/0", "every process"})
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := Resolve(test.dir, test.given)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Resolve(%q) = %q, %v; want an error with %q", test.given, got, err, test.want)
			}
		})
	}
}

// A directory that a link leads to is the workspace as much as the link is.
func TestResolveFromALinkedDirectory(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"real/a.md": "", "link": "-> real"})
	got, err := Resolve(dir+"/link", "a.md")
	if err != nil || got != dir+"/real/a.md" {
		t.Errorf("got %q, %v", got, err)
	}
}

// FuzzResolve: what comes out is absolute and clean, and resolves to itself.
func FuzzResolve(f *testing.F) {
	dir := tree(f, map[string]string{"d/e/": "", "l": "-> d", "m": "-> ../..", "n": "-> /etc"})
	for _, name := range []string{"a", "../x", "l/e/../y", "m/x", "n/passwd", "file:///a%2f", "//x//y", "l/../l", "~", "a\x00"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got, err := Resolve(dir, name)
		if err != nil {
			return
		}
		if !filepath.IsAbs(got) || filepath.Clean(got) != got {
			t.Fatalf("Resolve(%q) = %q, which is not absolute and clean", name, got)
		}
		if again, err := newFacts(machine{}).resolve("/", got); err != nil || again != got {
			t.Fatalf("Resolve(%q) = %q, which resolves to %q, %v", name, got, again, err)
		}
	})
}
