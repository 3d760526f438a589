//go:build amd64 || arm64

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestNobodyMakesOurFiles has calls make the program's own files in a directory that they may write to, where
// there are none yet and in place of a link that leads to them. The next program would believe what they
// hold.
func TestNobodyMakesOurFiles(t *testing.T) {
	t.Parallel()
	asEveryUser(t, func(t *testing.T) {
		for _, test := range []struct{ name, before, attempt string }{
			{"none yet", "", "mkdir -p config/ours; echo forged >config/ours/file"},
			{"none yet, where others have theirs", "mkdir config", "mkdir config/ours; echo forged >config/ours/file"},
			{"a link to what is made", "", "mkdir -p config other; echo forged >other/file; ln -s ../other config/ours"},
			{"a link on the way", "", "mkdir -p other/ours; echo forged >other/ours/file; ln -s other config"},
			{"in place of a link", "mkdir -p real/ours; echo ours >real/ours/file; ln -s real config",
				"rm config; mkdir -p config/ours; echo forged >config/ours/file"},
			{"by a link in place of a link", "mkdir -p real/ours; echo ours >real/ours/file; ln -s real config",
				"mkdir -p other/ours; echo forged >other/ours/file; ln -sfn other config"},
			{"moved in", "mkdir -p real/ours", "echo forged >real/ours/file; mv real config"},
			{"moved aside", "mkdir -p config/ours; echo ours >config/ours/file",
				"mv config other; mkdir -p config/ours; echo forged >config/ours/file"},
		} {
			t.Run(test.name, func(t *testing.T) {
				dir, err := filepath.EvalSymlinks(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				shell(t, dir, test.before)
				file := filepath.Join(dir, "config", "ours", "file")
				host := openWith(t, Options{Level: LevelFull, Hidden: []string{filepath.Dir(file)}})
				s := script{text: "cd " + dir + "\n" + test.attempt + "\ntouch plain\n", dir: dir,
					allowed: []tool.AllowedPath{{Path: dir}}}
				out := s.run(t.Context(), t, host)
				if text, _ := os.ReadFile(file); strings.Contains(string(text), "forged") {
					t.Errorf("the program would believe what a call has made; told %q; %q", out.Changed, out.Stderr)
				}
				if _, err := os.Stat(filepath.Join(dir, "plain")); err != nil {
					t.Errorf("the call could not write where it may: %v; %q", err, out.Stderr)
				}
				out = script{text: "true", dir: dir, allowed: s.allowed}.run(t.Context(), t, host)
				if len(out.Changed) > 0 || out.ExitCode != 0 {
					t.Errorf("the next call: told %q, %d %q", out.Changed, out.ExitCode, out.Stderr)
				}
			})
		}
	})
}

// TestNobodyChangesKeptFiles has calls change a file that the program believes and that lies among what they may write
// to: they can read it, and nothing else, unless it was granted by its own name. Where that cannot be held, the call does
// not run.
func TestNobodyChangesKeptFiles(t *testing.T) {
	t.Parallel()
	asEveryUser(t, func(t *testing.T) {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		shell(t, dir, "mkdir -p dotfiles/a config; echo ours >dotfiles/a/tools.yaml; ln -s ../dotfiles/a/tools.yaml config/tools.yaml")
		file := filepath.Join(dir, "dotfiles/a/tools.yaml")
		options := Options{Level: LevelFull, Hidden: []string{filepath.Join(dir, "config")},
			Kept: []string{filepath.Join(dir, "config/tools.yaml"), filepath.Join(dir, "config/none")}}
		host := openWith(t, options)
		for _, attempt := range []string{"echo forged >dotfiles/a/tools.yaml", "rm -f dotfiles/a/tools.yaml; echo forged >dotfiles/a/tools.yaml",
			"echo forged >new; mv -f new dotfiles/a/tools.yaml", "mv dotfiles/a b; mkdir dotfiles/a; echo forged >dotfiles/a/tools.yaml",
			"mv dotfiles b; mkdir -p dotfiles/a; echo forged >dotfiles/a/tools.yaml"} {
			out := script{text: "cd " + dir + "\ncat dotfiles/a/tools.yaml\n" + attempt, dir: dir,
				allowed: []tool.AllowedPath{{Path: dir}}}.run(t.Context(), t, host)
			if text, _ := os.ReadFile(file); string(text) != "ours\n" || !strings.Contains(string(out.Stdout), "ours") {
				t.Errorf("%s: it says %q, and the call read %q; %q", attempt, text, out.Stdout, out.Stderr)
			}
		}
		plan, err := host.Plan(Profile{Dir: dir, AllowedPaths: []tool.AllowedPath{{Path: dir}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := host.Reach(plan).Of(file); !got.Read || got.Write || !got.Own {
			t.Errorf("it is said to be reached as %+v", got)
		}
		named := []tool.AllowedPath{{Path: dir}, {Path: file}}
		out := script{text: "echo mine >" + file, dir: dir, allowed: named}.run(t.Context(), t, host)
		if text, _ := os.ReadFile(file); string(text) != "mine\n" {
			t.Errorf("granted by its name: %q, %q", text, out.Stderr)
		}
	})
}
