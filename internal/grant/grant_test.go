package grant

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestAll reads the file that the program brings along, and holds it to what every grant must be.
func TestAll(t *testing.T) {
	t.Parallel()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"git", "gh", "ssh-agent", "docker"} {
		if _, err := Named(want); err != nil {
			t.Errorf("%s: %v", want, err)
		}
	}
	for _, g := range all {
		for _, path := range slices.Concat(g.Read, g.Write) {
			if strings.HasPrefix(path, "~") && !slices.Contains(g.Environment, "HOME") {
				t.Errorf("%s grants %s, which nobody finds without HOME", g.Name, path)
			}
			if slices.Contains([]string{"~/.ssh", "~/.aws", "~/.config", "$XDG_CONFIG_HOME", "~/.docker", "~/.gnupg"}, path) {
				t.Errorf("%s grants %s, with everything in it", g.Name, path)
			}
		}
		for _, name := range slices.Concat(g.Environment, g.Secrets) {
			if strings.HasPrefix(strings.ToUpper(name), "A2A_") {
				t.Errorf("%s passes on %s", g.Name, name)
			}
		}
		for _, name := range g.Environment {
			if strings.Contains(name, "TOKEN") || strings.Contains(name, "SECRET") || strings.Contains(name, "PASSWORD") {
				t.Errorf("%s passes %s on in the open", g.Name, name)
			}
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ body, want string }{
		{"says: x", "risk is missing"},
		{"risk: x", "says is missing"},
		{"{says: x, risk: x, network: off}", "network"},
		{"{says: x, risk: x, reads: [/a]}", "reads"},
		{"{says: x, risk: x, read: ['~']}", "everything of somebody's"},
		{"{says: x, risk: x, read: [a/b]}", "want a path"},
	} {
		if _, err := read([]byte("grants:\n  g:\n    " + test.body + "\n")); err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "grants.yaml:2") {
			t.Errorf("%s: %v", test.body, err)
		}
	}
}

// TestGive is about a machine that has some of it.
func TestGive(t *testing.T) {
	t.Parallel()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string) {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("dotfiles/gitconfig")
	put(".config/git/config")
	put(".config/gh/hosts.yml")
	if err := os.Symlink("dotfiles/gitconfig", filepath.Join(home, ".gitconfig")); err != nil {
		t.Fatal(err)
	}
	environment := map[string]string{"HOME": home, "GH_TOKEN": "gho_x", "GH_HOST": "example.com", "GIT_AUTHOR_NAME": "Me", "A2A_AUTH_TOKEN": "x"}
	s := tool.Sandbox{
		Grants: []string{"git", "gh"}, Environment: map[string]string{"GIT_AUTHOR_NAME": "Bot"},
		AllowedPaths: []tool.AllowedPath{{Path: "."}},
	}
	before := s.Environment
	refused, err := Give(&s, func(name string) string { return environment[name] })
	if err != nil {
		t.Fatal(err)
	}
	want := tool.Sandbox{
		Grants:      []string{"git", "gh"},
		Environment: map[string]string{"HOME": home, "GIT_AUTHOR_NAME": "Bot", "GH_HOST": "example.com"},
		References:  map[string]tool.Reference{"GH_TOKEN": {Env: "GH_TOKEN"}},
		AllowedPaths: []tool.AllowedPath{
			{Path: "."}, {Path: filepath.Join(home, ".config/git/config"), ReadOnly: true}, {Path: filepath.Join(home, ".config/gh"), ReadOnly: true},
		},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(before) != 1 {
		t.Error("the entry's own map was changed")
	}
	if len(refused) != 1 || !strings.Contains(refused[0].Lacks, "dotfiles/gitconfig") {
		t.Errorf("refused %+v", refused)
	}
	if none, err := Give(&tool.Sandbox{Grants: []string{"git", "gh", "docker"}}, func(string) string { return "" }); err != nil || len(none) > 0 {
		t.Errorf("without a home: %v, %v", none, err)
	}
}

// TestSocketOfAnother guards that a variable cannot name somebody else's socket: that of the docker daemon,
// say.
func TestSocketOfAnother(t *testing.T) {
	t.Parallel()
	ours := filepath.Join(t.TempDir(), "agent")
	listener, err := net.Listen("unix", ours)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	plain := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	give := func(named string) ([]string, []Item) {
		s := tool.Sandbox{Grants: []string{"ssh-agent"}}
		refused, err := Give(&s, func(name string) string { return map[string]string{"HOME": "/nowhere", "SSH_AUTH_SOCK": named}[name] })
		if err != nil {
			t.Fatal(err)
		}
		return s.Sockets, refused
	}
	if sockets, refused := give(ours); len(sockets) != 1 || len(refused) != 0 {
		t.Errorf("our own: %v, %v", sockets, refused)
	}
	if sockets, refused := give(plain); len(sockets) != 0 || len(refused) != 1 {
		t.Errorf("no socket: %v, %v", sockets, refused)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can give a socket to somebody else")
	}
	if err := os.Chown(ours, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if sockets, refused := give(ours); len(sockets) != 0 || len(refused) != 1 || !strings.Contains(refused[0].Lacks, "not yours") {
		t.Errorf("somebody else's: %v, %v", sockets, refused)
	}
}
