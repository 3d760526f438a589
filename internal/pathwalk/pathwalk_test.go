package pathwalk

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWalk(t *testing.T) {
	t.Parallel()
	links := map[string]string{
		"/a": "/b/c", "/b/c": "d", "/b/d/up": "../../e", "/abs": "/x/./y/", "/ring": "ring", "/dots": "..//f",
	}
	broken := errors.New("broken")
	for _, c := range []struct{ path, want string }{
		{"/", "/"}, {"/x/y", "/x/y"}, {"//x/./y/", "/x/y"}, {"/x/../y", "/y"}, {"/../x", "/x"},
		{"/a", "/b/d"}, {"/a/z", "/b/d/z"}, {"/a/up", "/e"}, {"/a/..", "/b"}, {"/abs/z", "/x/y/z"},
		{"/dots/g", "/f/g"}, {"/ring", "/ring: more than 40 links"}, {"/broken/x", "broken"},
	} {
		got, err := Walk(c.path, func(name string) (string, error) {
			if name == "/broken" {
				return "", broken
			}
			return links[name], nil
		})
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s leads to %s, want %s", c.path, got, c.want)
		}
	}
}

// Where a path leads is what filepath.EvalSymlinks says.
func TestWalkIsThatOfTheSystem(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "one", "two"), 0o700); err != nil {
		t.Fatal(err)
	}
	links := map[string]string{"one/up": "..", "one/two/self": ".", "to": "one/two", "abs": filepath.Join(dir, "to", "self")}
	for _, name := range slices.Sorted(maps.Keys(links)) {
		if err := os.Symlink(links[name], filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"one", "one/up", "to", "to/..", "abs", "abs/../up/to", "one/up/one/up/to/self/self"} {
		path = dir + "/" + path
		want, err := filepath.EvalSymlinks(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Walk(path, func(name string) (string, error) {
			target, err := os.Readlink(name)
			if err != nil {
				return "", nil //nolint:nilerr // it is no link
			}
			return target, nil
		})
		if err != nil || got != want {
			t.Errorf("%s leads to %s, %v; want %s", strings.TrimPrefix(path, dir), got, err, want)
		}
	}
}
