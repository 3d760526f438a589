package permissions

import (
	"go/version"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
)

// versionFiles are where version managers find which program a shim of theirs runs: in the directory, or in
// one above. A version path:DIR of asdf's is a directory to take it from, which may be one of the workspace,
// mise runs the commands in {{ }}, proto loads the plugins that are named there, and older pyenv, rbenv and
// their like go where a .. or an absolute path leads. (https://asdf-vm.com/manage/configuration.html;
// https://mise.jdx.dev/templates.html; https://moonrepo.dev/docs/proto/config; CVE-2022-35861;
// https://github.com/rbenv/rbenv/pull/978)
var versionFiles = []string{".tool-versions", ".python-version", ".ruby-version", ".node-version", ".java-version",
	".perl-version", ".php-version", ".lua-version", ".go-version", ".swift-version", ".terraform-version", ".nvmrc",
	".prototools", downloadHooks}

// downloadHooks is where Volta finds which program says where a version is fetched from
// (https://docs.volta.sh/advanced/hooks).
const downloadHooks = ".volta/hooks.json"

// chosen tells why a program that is named without a directory may be another one in dir: "" where no file
// of the workspace says so.
func (v *evaluation) chosen(program, dir string) string {
	if strings.Contains(program, "/") {
		return ""
	}
	for ; v.Workspace.Contains(dir); dir = filepath.Dir(dir) {
		for _, name := range versionFiles {
			path := filepath.Join(dir, name)
			if v.facts.exists(path) && (name == downloadHooks || !v.facts.plainVersions(path)) {
				return shown(v.Workspace, path) + " may have a version manager run a program that lies there"
			}
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
	text := string(data)
	absolute := func(word string) bool { return strings.HasPrefix(word, "/") }
	return err == nil && !strings.Contains(text, "path:") && !strings.Contains(text, "{") &&
		!strings.Contains(text, "..") && !strings.Contains(text, "plugins") && !slices.ContainsFunc(strings.Fields(text), absolute)
}

// toolchain tells why a program of a row may fetch another version of itself in dir, and run that: a file
// there or above names a later one than is installed here (https://go.dev/doc/toolchain). "" when it does
// not.
func (v *evaluation) toolchain(row *command.Row, program, dir string) string {
	if len(row.ChosenBy) == 0 || variable("GOTOOLCHAIN") == "local" {
		return ""
	}
	installed := v.installed(filepath.Base(program))
	for at := dir; ; at = filepath.Dir(at) {
		for _, name := range row.ChosenBy {
			path := filepath.Join(at, name)
			if !v.facts.exists(path) {
				continue
			}
			for _, wanted := range v.facts.toolchains(path) {
				if !version.IsValid(wanted) || version.Compare(wanted, installed) > 0 {
					return shown(v.Workspace, path) + " names " + display.Line(wanted) + ", which it may fetch and run"
				}
			}
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// firstFetching is the version of go that is the first to fetch others. An older one does not, and no newer
// one does so for a file that asks for no more.
const firstFetching = "go1.21"

// installed returns the version of go that a shell finds, as far as the file VERSION of its distribution
// tells.
func (v *evaluation) installed(program string) string {
	for _, dir := range filepath.SplitList(variable("PATH")) {
		name := filepath.Join(dir, program)
		if !filepath.IsAbs(dir) || !v.facts.exists(name) {
			continue
		}
		real, err := v.facts.resolve("/", name)
		if err != nil || v.Workspace.Contains(real) {
			break
		}
		data, _ := v.facts.readFile(filepath.Join(filepath.Dir(filepath.Dir(real)), "VERSION"))
		first, _, _ := strings.Cut(string(data), "\n")
		if version.IsValid(first) && version.Compare(first, firstFetching) > 0 {
			return first
		}
		break
	}
	return firstFetching
}

// toolchains lists the versions that a go.mod or a go.work asks for. What cannot be read as a file may ask
// for any.
func (d *facts) toolchains(path string) (versions []string) {
	info, err := d.stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostIgnored {
		return []string{"any version"}
	}
	data, err := d.readFile(path)
	if err != nil {
		return []string{"any version"}
	}
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "//")
		switch words := strings.Fields(line); {
		case len(words) < 2:
		case words[0] == "go":
			versions = append(versions, "go"+words[1])
		case words[0] == "toolchain" && words[1] != "default" && words[1] != "local":
			versions = append(versions, words[1])
		}
	}
	return versions
}
