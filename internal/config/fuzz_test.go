package config

import (
	"bytes"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"
	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// FuzzLoad reads any bytes as each kind of file: nothing panics, every file is either good or has a mistake
// with a place, and what is good is the same when it is read again.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/*/*.yaml", "../../*.yaml"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	archives, err := filepath.Glob("testdata/mistakes/*.txtar")
	if err != nil || len(archives) == 0 {
		f.Fatal("no archives of mistakes", err)
	}
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(archive.Files[0].Data)
	}
	samePattern := cmp.Comparer(func(a, b *regexp.Regexp) bool { return a == b || a != nil && b != nil && a.String() == b.String() })
	f.Fuzz(func(t *testing.T, data []byte) {
		file := File{Name: "f.yaml", Layer: tool.LayerUser, Data: data}
		once, err := ReadTools(file)
		placed(t, data, err)
		if err == nil {
			// What is mended to find the other mistakes is never what counts.
			if yamlErr := yaml.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")),
				&yaml.Node{}); yamlErr != nil {
				t.Errorf("good, and YAML says: %v", yamlErr)
			}
			again, err := ReadTools(file)
			if err != nil {
				t.Fatalf("good the first time, then: %v", err)
			}
			if len(once) != len(again) {
				t.Fatalf("%d tools, then %d", len(once), len(again))
			}
			for i := range once {
				if diff := cmp.Diff(once[i].Tool, again[i].Tool, cmpopts.EquateComparable(netip.Prefix{}), samePattern); diff != "" {
					t.Errorf("read twice (-first +second):\n%s", diff)
				}
				checkLoaded(t, once[i])
			}
		}
		policies, err := ReadPolicies(file)
		placed(t, data, err)
		if err == nil {
			again, err := ReadPolicies(file)
			if diff := cmp.Diff(policies, again); diff != "" || err != nil {
				t.Errorf("read twice (-first +second):\n%s\n%v", diff, err)
			}
		}
		settings, err := ReadSettings(file, DefaultSettings())
		placed(t, data, err)
		if settings.MaxFrame < leastFrameMB<<20 {
			t.Errorf("a frame of %d bytes", settings.MaxFrame)
		}
	})
}

// placed wants every mistake to lie in the file, or to be about all of it.
func placed(t *testing.T, data []byte, err error) {
	t.Helper()
	if err != nil && !yamldoc.List(err).Broken() {
		t.Errorf("an error without a mistake: %v", err)
	}
	lines := bytes.Count(data, []byte("\n")) + 1
	for _, e := range yamldoc.List(err) {
		if e.Line < 0 || e.Line > lines || (e.Line == 0) != (e.Column == 0) || e.Message == "" ||
			e.Rule == "" {
			t.Errorf("of %d lines: %+v", lines, e)
		}
	}
}

// checkLoaded wants of a good tool what the rest of the program relies on.
func checkLoaded(t *testing.T, loaded Loaded) {
	t.Helper()
	limits := loaded.Tool.Sandbox.Limits
	switch {
	case (loaded.Template == nil) != (loaded.Tool.Unavailable != "" || loaded.Tool.Exec != nil || loaded.Tool.HTTP != nil ||
		loaded.Tool.A2A != nil),
		(loaded.Request == nil) != (loaded.Tool.HTTP == nil):
		t.Errorf("template %v and unavailable %q", loaded.Template, loaded.Tool.Unavailable)
	case limits.Timeout <= 0 || limits.Timeout > longestTimeout:
		t.Errorf("timeout %s", limits.Timeout)
	case limits.CPU <= 0 || limits.Memory <= 0 || limits.FileSize <= 0 || limits.Output <= 0 ||
		limits.OpenFiles <= 0 || limits.Processes <= 0:
		t.Errorf("limits %+v", limits)
	}
	for name := range loaded.Tool.Sandbox.Environment {
		if command.RefusedInTools(name) != "" || !variableName.MatchString(name) {
			t.Errorf("variable %q", name)
		}
	}
	seen := map[string]bool{}
	for _, p := range loaded.Tool.Parameters {
		if seen[p.Name] {
			t.Errorf("parameter %q twice", p.Name)
		}
		seen[p.Name] = true
	}
}
