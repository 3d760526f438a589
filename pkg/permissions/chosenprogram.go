package permissions

import (
	"path/filepath"
	"strings"
)

// versionFile is where asdf, and mise like it, find which program a shim of theirs runs: in the directory,
// or in one above. A version path:DIR is a directory to take it from, which may be one of the workspace,
// and mise runs the commands in {{ }}. (https://asdf-vm.com/manage/configuration.html;
// https://mise.jdx.dev/templates.html)
const versionFile = ".tool-versions"

// chosen tells why a program that is named without a directory may be another one in dir: "" where no file
// of the workspace says so.
func (v *evaluation) chosen(program, dir string) string {
	if strings.Contains(program, "/") {
		return ""
	}
	for ; v.Workspace.Contains(dir); dir = filepath.Dir(dir) {
		name := filepath.Join(dir, versionFile)
		if v.facts.exists(name) && !v.facts.plainVersions(name) {
			return shown(v.Workspace, name) + " may have a version manager run a program that lies there"
		}
	}
	return ""
}

// plainVersions reports whether such a file names versions only. What cannot be read as a file may say
// anything.
func (d *facts) plainVersions(path string) bool {
	info, err := d.lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostIgnored {
		return false
	}
	data, err := d.readFile(path)
	return err == nil && !strings.Contains(string(data), "path:") && !strings.Contains(string(data), "{")
}
