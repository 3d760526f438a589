package dirs

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Some directories hold so much that everything would be inside: an editor that was opened on the home
// directory must not make ~/.ssh part of the workspace.
func TestWorkspace(t *testing.T) {
	t.Parallel()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(home, "project")
	other := filepath.Join(home, "other")
	link := filepath.Join(home, "link")
	for _, dir := range []string{project, other, filepath.Join(home, ".config", "a2a-acp"), filepath.Join(home, "state", "a2a-acp")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(project, link); err != nil {
		t.Fatal(err)
	}
	environment := map[string]string{"HOME": home, "A2A_STATE_DIR": filepath.Join(home, "state", "a2a-acp")}
	d := Dirs{Getenv: func(name string) string { return environment[name] }}
	for _, row := range []struct {
		name       string
		cwd        string
		additional []string
		want       tool.Workspace
	}{
		{"a project", project, nil, tool.Workspace{Root: project}},
		{"a link to one", link, nil, tool.Workspace{Root: project}},
		{"one more directory", project, []string{other}, tool.Workspace{Root: project, Additional: []string{other}}},
		{"the home directory", home, nil, tool.Workspace{}},
		{"what the home directory lies in", filepath.Dir(home), nil, tool.Workspace{}},
		{"the root", "/", nil, tool.Workspace{}},
		{"where our state lies", filepath.Join(home, "state"), nil, tool.Workspace{}},
		{"where our configuration lies", filepath.Join(home, ".config"), nil, tool.Workspace{}},
		{"the home directory of our account", AccountHome(), nil, tool.Workspace{}},
		{"a relative name", "project", nil, tool.Workspace{}},
		{"one that is not there", filepath.Join(home, "gone"), nil, tool.Workspace{}},
		{"the home directory as one more", project, []string{home}, tool.Workspace{Root: project}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(row.want, d.Workspace(row.cwd, row.additional)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestOwn checks that our directories stay ours when variables of somebody else's choice name others.
func TestOwn(t *testing.T) {
	t.Parallel()
	home := AccountHome()
	if home == "" {
		t.Skip("this account has no home")
	}
	for _, environment := range []map[string]string{
		{"HOME": "/elsewhere"}, {"XDG_CONFIG_HOME": "/elsewhere", "XDG_STATE_HOME": "/elsewhere"},
		{"HOME": home, "A2A_STATE_DIR": "/elsewhere/state"}, {},
	} {
		own := Dirs{Getenv: func(name string) string { return environment[name] }}.Own()
		for _, dir := range []string{System, filepath.Join(home, ".config", "a2a-acp"), filepath.Join(home, ".local", "state", "a2a-acp")} {
			if !slices.Contains(own, dir) {
				t.Errorf("with %v: %s is not among %v", environment, dir, own)
			}
		}
	}
}

// TestHomeOf checks that the home of an account is found that is not in /etc/passwd.
func TestHomeOf(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		"u:*:5001:5001:A User:/nfs/home/u:/bin/bash\n": "/nfs/home/u", "": "", "u:*:5002:5001::/nfs/home/u:/bin/bash\n": "",
		"u:*:5001:5001:/nfs/home/u\n": "", "x\nu:*:5001:5001::/nfs/home/u:/bin/bash\n": "",
	} {
		if got := homeIn(entry, "5001"); got != want {
			t.Errorf("%q: got %q, want %q", entry, got, want)
		}
	}
	if _, err := os.Stat("/usr/bin/getent"); err != nil {
		t.Skip(err)
	}
	if got, want := homeIn(getent("0"), "0"), homeOf("0"); got != want || got == "" {
		t.Errorf("getent says that the home of root is %q, /etc/passwd says %q", got, want)
	}
	if got := homeOf("4294967000"); got != "" {
		t.Errorf("nobody has the home %q", got)
	}
}
