package config

import (
	"errors"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestAdmit: nobody works beside a file that counts and that the work's author could have brought along.
func TestAdmit(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	for _, name := range []string{"home/project", "home/clone/sub", "home/clone/.config/a2a-acp"} {
		mkdir(t, dir+"/"+name)
	}
	link(t, dir+"/home/clone/sub", dir+"/home/link")
	s := Sources{Home: dir + "/home"}
	for _, row := range []struct {
		file  string
		layer tool.Layer
		dir   string
		want  bool // whether it is admitted
	}{
		{"home/t.yaml", tool.LayerEnvironment, "home/project", true},
		{"home/.config/a2a-acp/tools.yaml", tool.LayerUser, "home/clone/sub", true},
		{"home/.config/a2a-acp/tools.yaml", tool.LayerUser, "home", true},
		{"home/clone/t.yaml", tool.LayerFlag, "home/clone", true},
		{"home/clone/t.yaml", tool.LayerEnvironment, "home/project", true},
		{"home/clone/t.yaml", tool.LayerEnvironment, "home/clone", false},
		{"home/clone/t.yaml", tool.LayerEnvironment, "home/clone/sub", false},
		{"home/clone/t.yaml", tool.LayerEnvironment, "home/link", false},
		{"home/clone/sub/t.yaml", tool.LayerEnvironment, "home/link", false},
		{"home/link/t.yaml", tool.LayerEnvironment, "home/clone/sub", false},
		{"home/clone/.config/a2a-acp/tools.yaml", tool.LayerUser, "home/clone/sub", false},
	} {
		file := File{Name: row.file, Path: dir + "/" + row.file, Layer: row.layer}
		if err := s.Admit(dir+"/"+row.dir, []File{{Name: "embedded:tools.yaml"}, file}); (err == nil) != row.want {
			t.Errorf("%s of the layer %s, and work in %s: %v, want it admitted: %t", row.file, row.layer, row.dir, err, row.want)
		}
	}
}

// TestBroughtWith: what lies beside the workspace in a directory of everybody was not brought along with it.
func TestBroughtWith(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ path, dir, want string }{
		{"/tmp/home/.config/a2a-acp", "/tmp/project", ""},
		{"/var/tmp/home/.config/a2a-acp", "/var/tmp/project", ""},
		{"/home/other/.config/a2a-acp", "/home/guest/project", ""},
		{"/tmp/clone/.config/a2a-acp", "/tmp/clone/project", "/tmp/clone"},
		{"/home/other/clone/.config/a2a-acp", "/home/other/clone/project", "/home/other/clone"},
	} {
		if in := BroughtWith(row.path, row.dir, "/elsewhere/home"); in != row.want {
			t.Errorf("%s with %s: in %q, want %q", row.path, row.dir, in, row.want)
		}
	}
}

// TestOutsideOfWhat: where HOME lies with the workspace, it is said to be none of the account's, and the hint names the largest directory that could have brought both.
func TestOutsideOfWhat(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	for _, name := range []string{"account", "all/one/home/.config", "all/one/project"} {
		mkdir(t, dir+"/"+name)
	}
	s := Sources{Home: dir + "/account", Dir: dir + "/all/one/project", Workspace: tool.Workspace{Root: dir + "/all/one/project"},
		Env: env("HOME", dir+"/all/one/home")}
	var why untrusted
	err := s.mustBeOutside(candidate{path: dir + "/all/one/home/.config/tools.yaml", by: "HOME"})
	if !errors.As(err, &why) || !strings.Contains(why.why, "not the home of your account ("+dir+"/account)") ||
		!strings.Contains(why.why, "below "+dir+"/all your files") || !strings.Contains(why.cure, "work outside of "+dir+"/all, or") {
		t.Errorf("%+v", why)
	}
}
