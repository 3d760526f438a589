package confine

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestDigest checks that a sandbox made again has the same name, and that none has it which grants or withholds
// anything else: an answer that was left for an agent in the one would count in the other.
func TestDigest(t *testing.T) {
	t.Parallel()
	host := fullHost(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work, other, third := filepath.Join(dir, "work"), filepath.Join(dir, "other"), filepath.Join(dir, "third")
	for _, dir := range []string{work, other, third} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	environment := map[string]string{"HOME": dir, "PATH": os.Getenv("PATH"), "NAMED": "a"}
	name := func(change func(*BoundaryOptions)) string {
		o := BoundaryOptions{
			Options: Options{Getenv: func(name string) string { return environment[name] }, Dir: work,
				Say: func(line string) { t.Log(line) }},
			Confinement: Confinement{Profile: "terminal", Environment: []string{"TOKEN=a", "NAMED"},
				Allow: []tool.AllowedPath{{Path: other, ReadOnly: true}}, Hidden: []string{filepath.Join(work, ".env")}},
			Self: "/bin/true", Agent: []string{"/bin/bash"}, Host: host, Note: func(events.Event) {},
		}
		change(&o)
		b, _, err := NewBoundary(o)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		return b.Digest()
	}
	same := name(func(*BoundaryOptions) {})
	if again := name(func(*BoundaryOptions) {}); again != same || same == "" {
		t.Errorf("the same sandbox is called %q and %q", same, again)
	}
	for what, change := range map[string]func(*BoundaryOptions){
		"profile, with it the network": func(o *BoundaryOptions) {
			o.Profile, o.Allow = "plain", append(o.Allow, tool.AllowedPath{Path: work})
		},
		"a path more":                  func(o *BoundaryOptions) { o.Allow = append(o.Allow, tool.AllowedPath{Path: third}) },
		"a path less":                  func(o *BoundaryOptions) { o.Allow = nil },
		"a path to write to":           func(o *BoundaryOptions) { o.Allow = []tool.AllowedPath{{Path: other}} },
		"another directory":            func(o *BoundaryOptions) { o.Dir = other },
		"a variable more":              func(o *BoundaryOptions) { o.Environment = append(o.Environment, "MORE=a") },
		"a variable less":              func(o *BoundaryOptions) { o.Environment = o.Environment[:1] },
		"another value":                func(o *BoundaryOptions) { o.Environment = []string{"TOKEN=b", "NAMED"} },
		"another value in our own":     func(o *BoundaryOptions) { o.Environment = []string{"TOKEN=a", "NAMED=b"} },
		"best effort":                  func(o *BoundaryOptions) { o.BestEffort = true },
		"something that is not hidden": func(o *BoundaryOptions) { o.Hidden = nil },
	} {
		if name(change) == same {
			t.Errorf("%s: the sandbox has the same name", what)
		}
	}
}
