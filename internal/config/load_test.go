package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// write makes a file and the directories above it.
func write(t *testing.T, path, data string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// tempDir returns a directory whose name has no links in it, as a Workspace wants.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func tools(ids ...string) string {
	var b strings.Builder
	b.WriteString("tools:\n")
	for _, id := range ids {
		name, description, _ := strings.Cut(id, "=")
		b.WriteString("  " + name + ": {script: echo, description: '" + description + "'}\n")
	}
	return b.String()
}

func policy(decision string, ids ...string) string {
	var b strings.Builder
	b.WriteString("version: 2\nauto_approval_policies:\n")
	for _, id := range ids {
		b.WriteString("  - {id: " + id + ", applies_to: [x], decision: {type: " + decision + "}}\n")
	}
	return b.String()
}

// TestLayers: every layer adds, and a later one replaces.
func TestLayers(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	write(t, dir+"/home/a2a-acp/tools.yaml", tools("shared=user", "user", "b=user"))
	write(t, dir+"/env1.yaml", tools("shared=environment", "env1"))
	write(t, dir+"/env2.yaml", tools("env2", "b=environment"))
	write(t, dir+"/flag.yaml", tools("shared=flag", "flag"))
	write(t, dir+"/etc/tools.yaml", tools("shared=system", "system"))
	set, err := Load(Sources{
		EmbeddedTools: []byte(tools("shared=embedded", "embedded")),
		ConfigHome:    dir + "/home",
		Home:          dir,
		Env: env("A2A_TOOLS_CONFIG",
			dir+"/env1.yaml"+string(os.PathListSeparator)+dir+"/env2.yaml"),
		Tools:       []string{"flag.yaml", "./flag.yaml"},
		Dir:         dir,
		SystemDir:   dir + "/etc",
		systemOwner: os.Getuid(),
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, loaded := range set.Tools {
		got[loaded.Tool.ID] = loaded.Tool.Source.Layer.String() + " " + loaded.Tool.Description
	}
	want := map[string]string{
		"shared": "system system", "embedded": "embedded ", "user": "user ", "env1": "environment ",
		"env2": "environment ", "b": "environment environment", "flag": "flag ", "system": "system ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var files []string
	for _, file := range set.Files {
		files = append(files, file.From()+" "+strings.TrimPrefix(file.Path, dir))
		if len(file.SHA256()) != 64 {
			t.Errorf("hash %q", file.SHA256())
		}
	}
	wantFiles := []string{
		"embedded ", "user /home/a2a-acp/tools.yaml", "environment /env1.yaml", "environment /env2.yaml",
		"flag /flag.yaml",
		"system /etc/tools.yaml",
	}
	if diff := cmp.Diff(wantFiles, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestPolicyLayers(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	write(t, dir+"/home/a2a-acp/auto_approval_policies.yaml", policy("manual", "shared", "user"))
	write(t, dir+"/env.yaml", policy("reject", "env"))
	write(t, dir+"/flag.yaml", policy("reject", "shared"))
	write(t, dir+"/work/.a2a-acp/auto_approval_policies.yaml", policy("reject", "user", "mine"))
	set, err := Load(Sources{
		EmbeddedPolicies: []byte(policy("approve", "shared", "embedded")),
		ConfigHome:       dir + "/home",
		Home:             dir,
		Env:              env("A2A_AUTO_APPROVAL_FILE", dir+"/env.yaml"),
		Policies:         []string{dir + "/flag.yaml"},
		Workspace:        tool.Workspace{Root: dir + "/work"},
	})
	if err != nil {
		t.Fatal(err)
	}
	type file struct {
		Layer   string
		Tighten bool
		Rules   []string
	}
	var got []file
	for _, f := range set.Policies {
		out := file{Layer: f.Layer.String(), Tighten: f.TightenOnly}
		for _, rule := range f.Rules {
			out.Rules = append(out.Rules, rule.ID+" "+rule.Verdict.String())
		}
		got = append(got, out)
	}
	want := []file{
		{"embedded", false, []string{"embedded approve"}},
		{"user", false, []string{"user ask"}},
		{"environment", false, []string{"env reject"}},
		{"flag", false, []string{"shared reject"}},
		// the workspace's own: it takes the place of nothing
		{"project", true, []string{"user reject", "mine reject"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if from := set.Files[len(set.Files)-1].From(); from != "workspace" {
		t.Errorf("the workspace's file comes from %q", from)
	}
}

// TestWorkspaceFiles: what a repository brings can tighten, and is otherwise told and not used.
func TestWorkspaceFiles(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	write(t, dir+"/.a2a-acp/tools.yaml", tools("evil"))
	write(t, dir+"/.a2a-acp/a2a-acp.yaml", "always: forward\n")
	write(t, dir+"/more/.a2a-acp/auto_approval_policies.yaml", policy("approve", "a", "b"))
	set, err := Load(Sources{Workspace: tool.Workspace{Root: dir, Additional: []string{dir + "/more"}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Tools) > 0 || set.Settings.Always != AlwaysKeep {
		t.Errorf("tools %v, settings %+v", set.Tools, set.Settings)
	}
	if len(set.Policies) != 1 || !set.Policies[0].TightenOnly {
		t.Errorf("policies %+v", set.Policies)
	}
	want := dir + "/.a2a-acp/tools.yaml: warning: the tools of a workspace are not loaded until somebody trusts it: whoever wrote the repository would choose what runs [ignored]\n" +
		"  hint: read what it brings and pin it: a2a-acp trust " + dir + "\n" +
		dir + "/more/.a2a-acp/auto_approval_policies.yaml: warning: 2 of 2 rules are not in force: a workspace's own file can only reject, until somebody trusts it [ignored]\n" +
		"  hint: an additional directory's own file is trusted only in sessions that begin there"
	if diff := cmp.Diff(want, set.Warnings.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestUntrustedFiles lists the ways in which a repository could bring its own rules.
func TestUntrustedFiles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		prepare func(t *testing.T, dir string, sources *Sources)
		want    string // "" when it is fine
	}{
		{"relative", func(t *testing.T, dir string, s *Sources) {
			s.Env = env("A2A_TOOLS_CONFIG", "tools.yaml")
		}, "must give an absolute path"},
		{"relative, in a list", func(t *testing.T, dir string, s *Sources) {
			s.Env = env("A2A_TOOLS_CONFIG", write(t, dir+"/fine.yaml", tools("a"))+":./x.yaml:")
		}, "must give an absolute path"},
		{"in the workspace", func(t *testing.T, dir string, s *Sources) {
			s.Env = env("A2A_AUTO_APPROVAL_FILE", write(t, dir+"/work/p.yaml", policy("approve", "a")))
		}, "it is in the workspace"},
		{"in the workspace, by dots", func(t *testing.T, dir string, s *Sources) {
			write(t, dir+"/work/p.yaml", policy("approve", "a"))
			mkdir(t, dir+"/home")
			s.Env = env("A2A_AUTO_APPROVAL_FILE", dir+"/home/../work/p.yaml")
		}, "it is in the workspace"},
		{"in an additional directory", func(t *testing.T, dir string, s *Sources) {
			s.Workspace.Additional = []string{dir + "/more"}
			s.Env = env("A2A_TOOLS_CONFIG", write(t, dir+"/more/t.yaml", tools("a")))
		}, "it is in the workspace"},
		{"a link into the workspace", func(t *testing.T, dir string, s *Sources) {
			write(t, dir+"/work/p.yaml", policy("approve", "a"))
			link(t, "work/p.yaml", dir+"/p.yaml")
			s.Env = env("A2A_AUTO_APPROVAL_FILE", dir+"/p.yaml")
		}, "it is in the workspace"},
		{"a link into the workspace that gives the whole path", func(t *testing.T, dir string, s *Sources) {
			link(t, write(t, dir+"/work/p.yaml", policy("approve", "a")), dir+"/p.yaml")
			s.Env = env("A2A_AUTO_APPROVAL_FILE", dir+"/p.yaml")
		}, "it is in the workspace"},
		{"a link of the workspace to somewhere else", func(t *testing.T, dir string, s *Sources) {
			write(t, dir+"/other/p.yaml", policy("approve", "a"))
			link(t, dir+"/other", dir+"/work/link")
			s.Env = env("A2A_AUTO_APPROVAL_FILE", dir+"/work/link/p.yaml")
		}, "it is in the workspace"},
		{"through the workspace and out again", func(t *testing.T, dir string, s *Sources) {
			write(t, dir+"/other/p.yaml", policy("approve", "a"))
			link(t, "../other", dir+"/work/link")
			link(t, "work/link", dir+"/way")
			s.Env = env("A2A_AUTO_APPROVAL_FILE", dir+"/way/p.yaml")
		}, "it is in the workspace"},
		{"a configuration directory in the workspace", func(t *testing.T, dir string, s *Sources) {
			s.ConfigHome = dir + "/work/.config"
			write(t, dir+"/work/.config/a2a-acp/tools.yaml", tools("a"))
		}, "it is in the workspace"},
		{"a relative configuration directory", func(t *testing.T, dir string, s *Sources) {
			s.ConfigHome = ".config"
		}, "must be an absolute path"},
		{"a relative flag, and nobody says relative to what", func(t *testing.T, dir string, s *Sources) {
			s.Dir, s.Tools = "", []string{"t.yaml"}
		}, "must be an absolute path"},
		{"beside the workspace, with a name that begins alike", func(t *testing.T, dir string, s *Sources) {
			s.Env = env("A2A_TOOLS_CONFIG", write(t, dir+"/workshop/t.yaml", tools("a")))
		}, ""},
		{"in the clone that the workspace is a directory of", func(t *testing.T, dir string, s *Sources) {
			mkdir(t, dir+"/clone/sub")
			s.Workspace.Root = dir + "/clone/sub"
			s.Env = env("A2A_TOOLS_CONFIG", write(t, dir+"/clone/t.yaml", tools("a")))
		}, "could have written it, too"},
		{"a configuration directory in that clone", func(t *testing.T, dir string, s *Sources) {
			mkdir(t, dir+"/clone/sub")
			s.Workspace.Root, s.ConfigHome = dir+"/clone/sub", dir+"/clone/.config"
			write(t, dir+"/clone/.config/a2a-acp/auto_approval_policies.yaml", policy("approve", "a"))
		}, "could have written it, too"},
		{"a link in that clone", func(t *testing.T, dir string, s *Sources) {
			mkdir(t, dir+"/clone/sub")
			s.Workspace.Root = dir + "/clone/sub"
			link(t, write(t, dir+"/other/t.yaml", tools("a")), dir+"/clone/t.yaml")
			s.Env = env("A2A_TOOLS_CONFIG", dir+"/clone/t.yaml")
		}, "could have written it, too"},
		{"in the current directory, which a variable makes no workspace", func(t *testing.T, dir string, s *Sources) {
			s.Dir, s.Workspace.Root = dir+"/work", ""
			s.Env = env("A2A_AUTO_APPROVAL_FILE", write(t, dir+"/work/p.yaml", policy("approve", "a")))
		}, "could have written it, too"},
		{"beside a workspace, and nobody has a home", func(t *testing.T, dir string, s *Sources) {
			s.Home = ""
			s.Env = env("A2A_TOOLS_CONFIG", write(t, dir+"/t.yaml", tools("a")))
		}, "could have written it, too"},
		{"outside", func(t *testing.T, dir string, s *Sources) {
			s.Env = env("A2A_TOOLS_CONFIG", write(t, dir+"/t.yaml", tools("a")))
		}, ""},
		{"named by a flag, in the workspace", func(t *testing.T, dir string, s *Sources) {
			s.Tools = []string{write(t, dir+"/work/t.yaml", tools("a"))}
		}, ""},
		{"a workspace's policies that are a link out of it", func(t *testing.T, dir string, s *Sources) {
			write(t, dir+"/secret.yaml", policy("reject", "a"))
			mkdir(t, dir+"/work/.a2a-acp")
			link(t, dir+"/secret.yaml", dir+"/work/.a2a-acp/auto_approval_policies.yaml")
		}, "escapes"},
		{"a workspace's policies that are a pipe", func(t *testing.T, dir string, s *Sources) {
			mkdir(t, dir+"/work/.a2a-acp")
			pipe(t, dir+"/work/.a2a-acp/auto_approval_policies.yaml")
		}, "is a pipe, not a regular file"},
		{"a workspace's directory that is a file", func(t *testing.T, dir string, s *Sources) {
			write(t, dir+"/work/.a2a-acp", "x")
		}, ""},
		{"a system file that others may write", func(t *testing.T, dir string, s *Sources) {
			chmod(t, write(t, dir+"/etc/tools.yaml", tools("a")), 0o664)
		}, "may be written by others (mode 0664)"},
		{"a system directory that others may write", func(t *testing.T, dir string, s *Sources) {
			write(t, dir+"/etc/tools.yaml", tools("a"))
			chmod(t, dir+"/etc", 0o777)
		}, "its directory may be written by others (mode 0777)"},
		{"a system file of another user", func(t *testing.T, dir string, s *Sources) {
			write(t, dir+"/etc/tools.yaml", tools("a"))
			s.systemOwner = os.Getuid() + 1
		}, "is owned by user"},
		{"a user's file where root has his home", func(t *testing.T, dir string, s *Sources) {
			ordinary(t, write(t, dir+"/home/a2a-acp/tools.yaml", tools("a")))
			s.Root, s.Home = true, dir+"/root"
		}, "and you are root: it would say what root runs"},
		{"a user's file in root's own home", func(t *testing.T, dir string, s *Sources) {
			ordinary(t, write(t, dir+"/home/a2a-acp/tools.yaml", tools("a")))
			s.Root = true
		}, ""},
		{"a user's file that root names", func(t *testing.T, dir string, s *Sources) {
			s.Tools = []string{ordinary(t, write(t, dir+"/named.yaml", tools("a")))}
			s.Root, s.Home = true, dir+"/root"
		}, ""},
		{"a system directory without files", func(t *testing.T, dir string, s *Sources) {
			mkdir(t, dir+"/etc")
			chmod(t, dir+"/etc", 0o777)
		}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := tempDir(t)
			mkdir(t, dir+"/work")
			sources := Sources{
				ConfigHome: dir + "/home", SystemDir: dir + "/etc", Dir: dir,
				Workspace:   tool.Workspace{Root: dir + "/work"},
				Home:        dir + "/home",
				systemOwner: os.Getuid(),
			}
			test.prepare(t, dir, &sources)
			set, err := Load(sources)
			switch {
			case test.want == "" && err != nil:
				t.Errorf("want it to load, got %v", err)
			case test.want != "" && err == nil:
				t.Errorf("want %q, and it loads: %+v", test.want, set.Files)
			case test.want != "" && !strings.Contains(err.Error(), test.want):
				t.Errorf("want %q, got %v", test.want, err)
			}
		})
	}
}

// TestSystemLayerIsRoots: in the program the owner must be root.
func TestSystemLayerIsRoots(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	write(t, dir+"/tools.yaml", tools("a"))
	set, err := Load(Sources{SystemDir: dir})
	if os.Getuid() == 0 {
		if err != nil || len(set.Tools) != 1 {
			t.Errorf("root's own file: %v", err)
		}
		if err := os.Chown(dir+"/tools.yaml", 12345, 0); err != nil {
			t.Fatal(err)
		}
		_, err = Load(Sources{SystemDir: dir})
	}
	if err == nil || !strings.Contains(err.Error(), "must be owned by user 0") {
		t.Errorf("want it refused, got %v", err)
	}
}

// TestPeople: only root says who is a person, and no mistake in what he says makes one.
func TestPeople(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		mode       os.FileMode
		want       People
		wantErr    string
	}{
		{"a container", "people: {container: true}\n", 0o644, People{Container: true}, ""},
		{"a proof", "people: {confirm: [/usr/bin/sudo, -k, -v]}\n", 0o644,
			People{Confirm: []string{"/usr/bin/sudo", "-k", "-v"}}, ""},
		{"a proof of no program", "people: {confirm: [sudo, -v]}\n", 0o644, People{}, "absolute path"},
		{"a proof of nothing", "people: {confirm: []}\n", 0o644, People{}, "absolute path"},
		{"nothing said", "always: keep\n", 0o644, People{}, ""},
		{"no file", "", 0, People{}, ""},
		{"a mistake elsewhere", "people: {container: true}\nalways: maybe\n", 0o644, People{}, "always"},
		{"another word", "people: {containers: true}\n", 0o644, People{}, "containers"},
		{"a file that others may write", "people: {container: true}\n", 0o666, People{},
			"may be written by others"},
	} {
		dir := tempDir(t)
		if test.text != "" {
			chmod(t, write(t, dir+"/a2a-acp.yaml", test.text), test.mode)
		}
		got, err := readPeople(Sources{SystemDir: dir, systemOwner: os.Getuid()})
		if !reflect.DeepEqual(got, test.want) || test.wantErr == "" && err != nil || test.wantErr != "" &&
			(err == nil || !strings.Contains(err.Error(), test.wantErr)) {
			t.Errorf("%s: %+v and %v, want %+v and %q", test.name, got, err, test.want, test.wantErr)
		}
	}
}

// TestFileOfEverybody: a file that every user may write says nothing here, unless a person names it.
func TestFileOfEverybody(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"tools.yaml", "auto_approval_policies.yaml", "a2a-acp.yaml", "governors.yaml"} {
		home := tempDir(t)
		path := write(t, home+"/a2a-acp/"+name, "")
		chmod(t, path, 0o666)
		_, err := Load(Sources{ConfigHome: home})
		if err == nil || !strings.Contains(err.Error(), "may be written by everybody (mode 0666) [untrusted]") ||
			!strings.Contains(err.Error(), "chmod o-w it") {
			t.Errorf("%s: got %v", name, err)
		}
		chmod(t, path, 0o664)
		if _, err := Load(Sources{ConfigHome: home}); err != nil && strings.Contains(err.Error(), "untrusted") {
			t.Errorf("%s that a group may write: %v", name, err)
		}
	}
}

func TestBadFiles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		prepare func(t *testing.T, path string)
		want    string
	}{
		{"missing", func(*testing.T, string) {}, "there is no such file"},
		{"directory", func(t *testing.T, path string) {
			mkdir(t, path)
		}, "is a directory, not a regular file"},
		{"pipe", pipe, "is a pipe, not a regular file"},
		{"link to a device", func(t *testing.T, path string) {
			link(t, "/dev/zero", path)
		}, "is a device, not a regular file"},
		{"link to nothing", func(t *testing.T, path string) {
			link(t, "nothing", path)
		}, "there is no such file"},
		{"link to itself", func(t *testing.T, path string) {
			link(t, filepath.Base(path), path)
		}, "too many levels of symbolic links"},
		{"too large", func(t *testing.T, path string) {
			write(t, path, "")
			if err := os.Truncate(path, 1<<40); err != nil {
				t.Fatal(err)
			}
		}, "has more than 1048576 bytes"},
		{"broken", func(t *testing.T, path string) {
			write(t, path, "tools: [")
		}, "x.yaml:1:8: the bracket [ that opens here is not closed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := tempDir(t)
			path := filepath.Join(dir, "x.yaml")
			test.prepare(t, path)
			for _, sources := range []Sources{{Tools: []string{path}},
				{Policies: []string{"x.yaml"}, Dir: dir}, {Settings: []string{path}}} {
				_, err := Load(sources)
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("%+v: want %q, got %v", sources, test.want, err)
				}
				if len(yamldoc.List(err)) == 0 {
					t.Errorf("not an Errors: %T", err)
				}
			}
			if file, err := ReadFile(path, tool.LayerFlag); err == nil {
				if _, err = ReadTools(file); err == nil {
					t.Error("read by itself it is good")
				}
			}
		})
	}
}

// TestTwiceInALayer names both places.
func TestTwiceInALayer(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	one := write(t, dir+"/one.yaml", tools("first", "a"))
	two := write(t, dir+"/two.yaml", tools("a"))
	_, err := Load(Sources{Tools: []string{one, two}})
	want := two + `:2:3: tool "a": is also at ` + one + ":3, in the same layer (flag) [duplicate]"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("want %s, got %v", want, err)
	}
	p1 := write(t, dir+"/p1.yaml", policy("reject", "r"))
	p2 := write(t, dir+"/p2.yaml", policy("reject", "q", "r"))
	_, err = Load(Sources{Policies: []string{p1, p2}})
	want = p2 + `:4:5: rule "r": is also at ` + p1 + ":3, in the same layer (flag) [duplicate]"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("want %s, got %v", want, err)
	}
}

// TestAllMistakesOfAllFiles reports every file's mistakes at once.
func TestAllMistakesOfAllFiles(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	_, err := Load(Sources{
		Tools:    []string{write(t, dir+"/t.yaml", "a: {scirpt: x}\n"), dir + "/missing.yaml"},
		Policies: []string{write(t, dir+"/p.yaml", "rules: []\n")},
		Settings: []string{write(t, dir+"/s.yaml", "exposed: []\n")},
		Env:      env("A2A_TOOLS_CONFIG", "x"),
	})
	var got []string
	for _, e := range yamldoc.List(err) {
		got = append(got, filepath.Base(e.File)+" "+e.Rule)
	}
	want := []string{"x untrusted", "t.yaml unknown-key", "missing.yaml file", "p.yaml unknown-key",
		"s.yaml unknown-key"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNotices(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	write(t, dir+"/a2a-acp/tools.yml", tools("a"))
	write(t, dir+"/a2a-acp/a2a-acp.yaml", "expose: [gerp, grep]\n")
	set, err := Load(Sources{ConfigHome: dir, EmbeddedTools: []byte(tools("grep"))})
	if err != nil {
		t.Fatal(err)
	}
	want := dir + "/a2a-acp/tools.yml: warning: the file is not read [ignored]\n  hint: name it ….yaml\n" +
		`a2a-acp.yaml: warning: expose: there is no tool "gerp" [value]` + "\n  hint: did you mean grep?"
	if diff := cmp.Diff(want, set.Warnings.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNothingAnywhere(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	set, err := Load(Sources{ConfigHome: dir, SystemDir: dir + "/etc", Env: env(),
		Workspace: tool.Workspace{Root: dir}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&Set{Settings: DefaultSettings(), ErrorProfile: tool.ProfileBasic}, set,
		cmpopts.IgnoreUnexported(Set{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

func pipe(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// TestUnchangedToolsAreNotReadAgain: a reload compiles the files that changed. Only what came with the
// program counts as checked.
func TestUnchangedToolsAreNotReadAgain(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	write(t, dir+"/a2a-acp/tools.yaml", tools("same"))
	write(t, dir+"/named.yaml", tools("changes"))
	sources := Sources{EmbeddedTools: []byte(tools("embedded")), ConfigHome: dir,
		Tools: []string{dir + "/named.yaml"}}
	first, err := Load(sources)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir+"/named.yaml", tools("changes=differently"))
	second, err := Reload(sources, first)
	if err != nil {
		t.Fatal(err)
	}
	byID := func(set *Set, id string) Loaded {
		i := slices.IndexFunc(set.Tools, func(l Loaded) bool { return l.Tool.ID == id })
		return set.Tools[i]
	}
	for id, want := range map[string]bool{"same": true, "embedded": true, "changes": false} {
		if got := byID(first, id).Template == byID(second, id).Template; got != want {
			t.Errorf("%s: kept %v, want %v", id, got, want)
		}
	}
	if got := byID(second, "changes").Tool.Description; got != "differently" {
		t.Errorf("the changed file says %q", got)
	}
	for _, file := range second.Files {
		if file.Checked != (file.Path == "") {
			t.Errorf("%s: checked %v", file.Name, file.Checked)
		}
	}
}

// ordinary has a file be an ordinary user's.
func ordinary(t *testing.T, path string) string {
	t.Helper()
	if os.Getuid() == 0 {
		if err := os.Chown(path, 65534, -1); err != nil {
			t.Fatal(err)
		}
	}
	return path
}
