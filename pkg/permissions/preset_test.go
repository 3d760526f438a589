package permissions

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// presetFile reads a preset. The loader that the program uses imports this package, so the tests have this
// small one.
func presetFile(t testing.TB, name string) File {
	t.Helper()
	data, ok := Preset(name)
	if !ok {
		t.Fatalf("there is no preset %q", name)
	}
	var written struct {
		Version int `yaml:"version"`
		Rules   []struct {
			ID           string         `yaml:"id"`
			AppliesTo    []string       `yaml:"applies_to"`
			IncludePaths []string       `yaml:"include_paths"`
			ExcludePaths []string       `yaml:"exclude_paths"`
			Parameters   map[string]any `yaml:"parameters"`
			Commands     *struct {
				Allow     []string  `yaml:"allow"`
				Redirects Redirects `yaml:"redirects"`
			} `yaml:"commands"`
			Requires []string `yaml:"requires"`
			Risk     struct {
				Max string `yaml:"max"`
			} `yaml:"risk"`
			Decision struct {
				Type          string `yaml:"type"`
				OptionID      string `yaml:"optionId"`
				Reason        string `yaml:"reason"`
				SkipGovernors bool   `yaml:"skipGovernors"`
			} `yaml:"decision"`
		} `yaml:"auto_approval_policies"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&written); err != nil {
		t.Fatal(err)
	}
	verdicts := map[string]Verdict{"approve": Approve, "reject": Reject, "manual": Ask}
	file := File{Version: Version(written.Version), Layer: tool.LayerEmbedded, Name: name + ".yaml"}
	for _, w := range written.Rules {
		verdict, known := verdicts[w.Decision.Type]
		if !known {
			t.Fatalf("rule %s: decision %q", w.ID, w.Decision.Type)
		}
		r := Rule{
			ID: w.ID, AppliesTo: w.AppliesTo, IncludePaths: w.IncludePaths, ExcludePaths: w.ExcludePaths, Parameters: w.Parameters,
			InGitWorkTree: slices.Contains(w.Requires, "git_work_tree"), Confined: slices.Contains(w.Requires, "confined"), Verdict: verdict, Option: w.Decision.OptionID, Reason: w.Decision.Reason,
		}
		r.MaxRisk, _ = ParseRisk(w.Risk.Max)
		if w.Commands != nil {
			r.Commands = &Commands{Allow: w.Commands.Allow, Redirects: w.Commands.Redirects}
		}
		file.Rules = append(file.Rules, r)
	}
	return file
}

func TestPresets(t *testing.T) {
	t.Parallel()
	for _, name := range Presets() {
		file := presetFile(t, name)
		if file.Version != Version2 || len(file.Rules) == 0 {
			t.Errorf("%s: version %d, %d rules", name, file.Version, len(file.Rules))
		}
		for _, r := range file.Rules {
			for _, fault := range r.Check() {
				t.Errorf("%s: rule %s: %s: %s", name, r.ID, fault.Field, fault.Message)
			}
			if r.Reason == "" || !strings.HasPrefix(r.ID, name) {
				t.Errorf("%s: rule %q says %q", name, r.ID, r.Reason)
			}
			if r.Commands != nil {
				checkPresetCommands(t, r.Commands)
			}
		}
	}
	for _, name := range []string{"", "nobody", "../preset", "careful.yaml", "a/../careful"} {
		if _, ok := Preset(name); ok {
			t.Errorf("there is a preset %q", name)
		}
	}
}

// checkPresetCommands: every command of a preset is one whose words are looked at, so that none of its
// options slips by; where the workspace may be written, also one each word of which is taken for a file that is written.
func checkPresetCommands(t *testing.T, commands *Commands) {
	t.Helper()
	allow := commands.Allow
	for i, text := range allow {
		words := strings.Fields(text)
		row, _ := command.Lookup(words[0], words[1:])
		_, builtin := builtins[words[0]]
		if row == nil && commands.Redirects == RedirectsWorkspace && command.In(command.FileWorkers, words[0]) {
			continue
		}
		if row == nil && !builtin && !isInterpreter(words[0]) {
			t.Errorf("nothing is known of %q", text)
		}
		if row != nil && !row.OnlyReads() {
			t.Errorf("%q: nobody has held its row against the program", text)
		}
		if slices.Contains(allow[:i], text) {
			t.Errorf("%q stands there twice", text)
		}
	}
}

func TestWhatPresetsDecide(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	noGit := newTestbed(t)
	noGit.ws = noGit.dir + "/elsewhere"
	prompt := func(r Request) Request { r.Prompt = true; return r }
	if err := os.Mkdir(b.ws+"/deploy", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.ws+"/deploy/.env", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	edit := b.write("src/a.go")
	edit.Tools = []string{"functions.acp_fs__edit_text_file", toolWrite}
	tests := []struct {
		name                                  string
		request                               Request
		careful, balanced, confined, strictly string
	}{
		{"read", b.read("src/a.go"), "approve policy", "approve policy", "approve policy", "ask policy"},
		{"read that the agent asks about", prompt(b.read("src/a.go")), "approve policy", "approve policy", "approve policy", "ask policy"},
		{"read that the agent asks about, of nothing", prompt(b.read()), "ask default", "ask default", "ask default", "ask policy"},
		{"read outside", b.read("/etc/hostname"), "ask default", "ask default", "ask default", "ask policy"},
		{"read of a secret", b.read(".env"), "ask control_file", "ask control_file", "ask control_file", "ask control_file"},
		{"read of a control file", b.read(".git/HEAD"), "approve policy", "approve policy", "approve policy", "ask policy"},
		{"write", b.write("src/a.go"), "ask default", "approve policy", "approve policy", "ask policy"},
		{"write in no git work tree", noGit.write("x"), "ask default", "ask default", "approve policy", "ask policy"},
		{"edit that the agent asks about", prompt(edit), "ask default", "approve policy", "approve policy", "ask policy"},
		{"write outside", b.write("/etc/x"), "ask default", "ask default", "ask default", "ask policy"},
		{"write of a control file", b.write(".git/hooks/x"), "ask control_file", "ask control_file", "ask control_file", "ask control_file"},
		{"write of a build file", b.write("Makefile"), "ask control_file", "ask control_file", "ask control_file", "ask control_file"},
		{"deletion", prompt(b.request(ActionDelete, "acp.delete", "src/a.go")), "ask default", "ask default", "ask default", "ask policy"},
		{"search", prompt(b.request(ActionSearch, "acp.search", "src")), "approve policy", "approve policy", "approve policy", "ask policy"},
		{"search where a secret is", prompt(b.request(ActionSearch, "acp.search", ".")), "ask control_file", "ask control_file", "ask control_file", "ask control_file"},
		{"search outside", prompt(b.request(ActionSearch, "acp.search", "src", "/etc")), "ask default", "ask default", "ask default", "ask policy"},
		{"search nobody knows where", prompt(b.request(ActionSearch, "acp.search")), "ask default", "ask default", "ask default", "ask policy"},
		{"fetch", prompt(b.request(ActionFetch, "acp.fetch")), "ask default", "ask default", "ask default", "ask policy"},
		{"something else", prompt(b.request(ActionOther, "acp.other")), "ask default", "ask default", "ask default", "ask policy"},
		{"a command that reads", b.run("ls"), "approve policy", "approve policy", "approve policy", "ask policy"},
		{"a command that writes", b.run("touch x"), "ask default", "approve policy", "approve policy", "ask policy"},
		{"a command that writes where there is no git", noGit.run("mkdir x"), "ask default", "ask default", "approve policy", "ask policy"},
		{"a command that writes what runs later", b.run("echo x > .git/hooks/pre-commit"), "ask control_file", "ask control_file", "ask control_file", "ask control_file"},
		{"one that writes it by a word", b.run("touch Makefile"), "ask control_file", "ask control_file", "ask control_file", "ask control_file"},
		{"a command that runs what nobody knows", b.run("npm test 2>&1 | tail -20"), "ask default", "ask default", "approve policy", "ask policy"},
		{"a command that reaches other machines", b.run("git push"), "ask default", "ask default", "ask default", "ask policy"},
		{"a command that removes", b.run("rm -r src"), "ask default", "ask default", "ask default", "ask policy"},
		{"a search that removes", b.run("find src -name '*.tmp' -delete"), "ask default", "ask default", "ask default", "ask policy"},
		{"git removes what was put away", b.run("git stash drop"), "ask default", "ask default", "ask default", "ask policy"},
		{"git removes a work tree", b.run("git worktree remove x"), "ask default", "ask default", "ask default", "ask policy"},
		{"a command that leaves the workspace", b.run("touch /etc/x"), "ask default", "ask default", "ask default", "ask policy"},
		{"a command about a secret", b.run("cat .env"), "ask control_file", "ask control_file", "ask control_file", "ask control_file"},
		{"a command that cannot be told", b.run("bash -c $X"), "ask default", "ask default", "ask default", "ask policy"},
		{"a tool", b.call("edit", nil, "src/a.go"), "ask default", "ask default", "ask default", "ask policy"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for i, want := range []string{test.careful, test.balanced, test.confined, test.strictly} {
				name := Presets()[i]
				request := test.request
				request.Confined = name == "confined"
				if d := b.authority(presetFile(t, name)).Decide(request); said(d) != want {
					t.Errorf("%s: %s: %s; want %s", name, said(d), d.Reason, want)
				}
			}
		})
	}
}

// What removes is asked about with the confined rules, too, whatever the program is called: no sandbox brings it back.
func TestConfinedAsksAboutWhatRemoves(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	a := b.authority(presetFile(t, "confined"))
	for _, text := range []string{
		"git merge --abort", "git am --abort", "git cherry-pick --abort", "hg revert --all", "hg purge", "hg strip tip", "hg update -C", "svn revert -R .",
		"svn cleanup --remove-unversioned", "jj abandon", "jj restore", "fossil clean", "trash src", "trash-put src", "gio trash src", "gio remove src",
		"kioclient move src trash:", "srm src", "wipe src", "scrub src", "zip -m x.zip src", "zip --move x.zip src", "7z a -sdel x.7z src", "zstd --rm src/a",
		"tar cf a.tar --remove-files src", "bsdtar --delete -f a.tar x", "coreutils --coreutils-prog=rm src", "dropdb x", "dropuser x", "dvc gc -f", "restic forget --prune",
		"borg delete x", "zfs destroy x", "btrfs subvolume delete x", "mkfs.ext4 x", "wipefs -a x", "tmpreaper 1d .", "fdupes -dN src", "rename s/a/b/ src", "mmv a b",
		"ls | xargs trash", "find src -exec trash {} +", "time srm src", "env wipe src", "fallocate -p -l 9 src/a",
		"uv run rm -rf src", "mise exec -- rm -rf src", "tox exec -e py -- rm src", "ccache rm src", "nix develop -c srm src",
	} {
		request := b.run(text)
		request.Confined = true
		if d := a.Decide(request); d.Verdict == Approve {
			t.Errorf("%s: %s", text, said(d))
		}
	}
}

// No preset approves a file that runs, decides or holds a secret, whatever is done with it.
func TestNoPresetApprovesASensitiveFile(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	for _, name := range Presets() {
		a := b.authority(presetFile(t, name))
		for i, row := range sensitive.Table() {
			if testing.Short() && i%5 > 0 {
				continue
			}
			path := strings.NewReplacer("/**", "/below", "[A-Z]", "X", "[0-9]", "1").Replace(row.Name)
			path = strings.ReplaceAll(path, "*", "x")
			requests := []Request{b.run("touch " + path), b.run("echo x > " + path)}
			if row.Class == sensitive.Secret {
				requests = append(requests, b.read(path), b.run("cat "+path), b.run("cat < "+path))
			} else {
				requests = append(requests, b.write(path))
			}
			for _, request := range requests {
				request.Confined = true
				if d := a.Decide(request); d.Verdict == Approve {
					t.Errorf("%s approves %s of %s (%s): %s", name, request.Action, path, request.ShellText, d.Reason)
				}
			}
		}
	}
}
