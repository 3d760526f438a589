package config

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

var update = flag.Bool("update", false, "rewrite the .out files")

// readGolden reads a file as what its name says it is and gives everything that is said about it.
func readGolden(name string, data []byte) yamldoc.Errors {
	file := File{Name: name, Layer: tool.LayerUser, Data: data}
	switch {
	case strings.HasPrefix(name, "policies_"):
		_, err := ReadPolicies(file)
		return yamldoc.List(err)
	case strings.HasPrefix(name, "governors_"):
		_, told, err := ReadGovernors(file)
		return append(told, yamldoc.List(err)...)
	case strings.HasPrefix(name, "settings_"):
		_, err := ReadSettings(file, DefaultSettings())
		return yamldoc.List(err)
	}
	tools, err := ReadTools(file)
	found := yamldoc.List(err)
	for _, t := range tools {
		found = append(found, t.Warnings...)
	}
	return found
}

// TestGolden reads every file of testdata. Those in ok are silent; those in err and seed say what stands
// beside them.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"ok", "err", "seed"} {
		paths, err := filepath.Glob(filepath.Join("testdata", dir, "*.yaml"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no files in %s (%v)", dir, err)
		}
		for _, path := range paths {
			t.Run(filepath.ToSlash(path), func(t *testing.T) {
				t.Parallel()
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				found := readGolden(filepath.Base(path), data)
				got := ""
				if len(found) > 0 {
					got = found.Error() + "\n"
				}
				if dir == "ok" {
					if got != "" {
						t.Errorf("want silence, got:\n%s", got)
					}
					return
				}
				out := strings.TrimSuffix(path, ".yaml") + ".out"
				if *update {
					if err := os.WriteFile(out, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
					return
				}
				want, err := os.ReadFile(out)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), got); diff != "" {
					t.Errorf("what is said differs (-want +got):\n%s", diff)
				}
				if dir == "err" && got == "" {
					t.Error("a file with a mistake is silent")
				}
			})
		}
	}
}

// TestSeedVerdicts pins which blocks of the seed document load, which load as unavailable, and which are
// refused: the promise that the original format loads unchanged, but for what was unsafe in it.
func TestSeedVerdicts(t *testing.T) {
	t.Parallel()
	const loads, unavailable, refused = "loads", "unavailable", "refused"
	want := map[string]string{
		"01_web_request.yaml":         loads,
		"02_read_text_file.yaml":      loads,
		"03_read_text_file.yaml":      loads,
		"04_data_processor.yaml":      loads,
		"05_web_request.yaml":         loads,
		"06_web_request_heavy.yaml":   loads,
		"07_database_query.yaml":      refused, // {{query}} is SQL: needs code: sql
		"08_file_processor.yaml":      refused, // head -{{limit}}: needs type: integer
		"09_dangerous_operation.yaml": loads,
		"10_unreliable_tool.yaml":     loads,
		"11_flaky_api.yaml":           loads,
		"12_cached_api.yaml":          loads,
	}
	got := map[string]string{}
	paths, err := filepath.Glob("testdata/seed/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		tools, err := ReadTools(File{Name: name, Data: data})
		switch {
		case err != nil:
			got[name] = refused
		case tools[0].Tool.Unavailable != "":
			got[name] = unavailable
		default:
			got[name] = loads
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
