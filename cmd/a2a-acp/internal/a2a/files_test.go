package a2a

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
)

// TestFilesAreKept has a task put out a file: it is kept once, however else the task is told, and where that was asked for.
func TestFilesAreKept(t *testing.T) {
	t.Parallel()
	artifact := &wire.Artifact{ID: "a", Parts: wire.ContentParts{wire.NewTextPart("words"),
		&wire.Part{Content: wire.Raw("picture"), Filename: "../p.png", MediaType: "image/png"}}}
	events := []wire.Event{&wire.TaskArtifactUpdateEvent{Artifact: artifact},
		&wire.Task{Status: wire.TaskStatus{State: wire.TaskStateCompleted}, Artifacts: []*wire.Artifact{artifact}}}
	for name, change := range map[string]func(*printer){"read by a person": func(*printer) {}, "quiet": func(p *printer) { p.quiet = true },
		"lines": func(p *printer) { p.lines = true }} {
		for _, keep := range []bool{false, true} {
			dir := t.TempDir()
			var out, said bytes.Buffer
			p := &printer{env: &cli.Environment{Stdout: &out, Stderr: &said}, files: &fileSaver{}}
			if keep {
				p.files.dir = dir
			}
			change(p)
			for _, event := range events {
				p.tell(event)
			}
			kept, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			if (len(kept) == 1) != keep || keep && kept[0].Name() != "p.png" {
				t.Errorf("%s, kept %t: there are %v; said: %s", name, keep, kept, said.String())
			}
			if (p.quiet && out.Len() > 0) || (p.muted() && strings.Contains(said.String(), "completed")) {
				t.Errorf("%s, kept %t: printed %q, said %q", name, keep, out.String(), said.String())
			}
		}
	}
	if err := checkSave(filepath.Join(t.TempDir(), "nowhere")); err == nil {
		t.Error("a directory that is not there is taken")
	}
}
