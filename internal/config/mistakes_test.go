package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// readsAs tells what a file of a golden archive is read as, by its name.
func readsAs(file File) yamldoc.Errors {
	switch {
	case strings.HasPrefix(file.Name, "auto_approval"):
		_, err := ReadPolicies(file)
		return yamldoc.List(err)
	case strings.HasPrefix(file.Name, "governors"):
		_, told, err := ReadGovernors(file)
		return append(told, yamldoc.List(err)...)
	case strings.HasPrefix(file.Name, "a2a-acp"):
		_, err := ReadSettings(file, DefaultSettings())
		return yamldoc.List(err)
	}
	tools, err := ReadTools(file)
	found := yamldoc.List(err)
	for i := range tools {
		found = append(append(found, tools[i].Warnings...), CheckSetups(&tools[i])...)
	}
	return found
}

// TestMistakes reads what authors get wrong, one file a mistake, and holds all that is said about it against
// what stands beside it: a reviewer reads there how good the messages are. -update writes it anew.
func TestMistakes(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/mistakes/*.txtar")
	if err != nil || len(paths) < 60 {
		t.Fatalf("%d archives (%v)", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(archive.Files) != 2 || archive.Files[1].Name != "says" {
				if !*update || len(archive.Files) != 1 {
					t.Fatal("want a file and what is said about it, in this order")
				}
				archive.Files = append(archive.Files, txtar.File{Name: "says"})
			}
			file := archive.Files[0]
			found := readsAs(File{Name: file.Name, Layer: tool.LayerUser, Data: file.Data})
			got := "nothing\n"
			if len(found) > 0 {
				got = found.Shown() + "\n" + found.Summary() + "\n"
			}
			if *update {
				archive.Files[1].Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), got); diff != "" {
				t.Errorf("what is said differs (-want +got):\n%s", diff)
			}
			for _, e := range found {
				checkExcerpt(t, e)
			}
		})
	}
}

// checkExcerpt holds what every excerpt promises.
func checkExcerpt(t *testing.T, e yamldoc.Error) {
	t.Helper()
	if e.Line == 0 {
		return
	}
	switch x := e.Excerpt; {
	case x == nil:
		t.Errorf("%v: no excerpt", e)
	case x.Column < 1 || x.Width < 1 || x.Column+x.Width > 78:
		t.Errorf("%v: excerpt %+v", e, x)
	case strings.ContainsAny(x.Text, "\x1b\t\n\u202e"):
		t.Errorf("%v: excerpt %q", e, x.Text)
	}
	if strings.Contains(e.Shown(), "hunter2") {
		t.Errorf("a secret is shown:\n%s", e.Shown())
	}
}
