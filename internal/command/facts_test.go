package command

import (
	"slices"
	"testing"
)

// TestHoldsFacts holds dangers of rows against what the manuals say, each named beside it: a row that loses one
// fails here, whatever other rows say.
func TestHoldsFacts(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"PYTHONBREAKPOINT":       "python3(1): the callable that breakpoint() imports and calls",
		"DOTNET_ADDITIONAL_DEPS": "docs.microsoft.com, DOTNET_ADDITIONAL_DEPS: assemblies that are loaded beside the program's",
		"BAT_CONFIG_PATH":        "bat(1), CONFIG: options are read from there, --pager among them",
		"R_LIBS":                 "R, ?libPaths: directories of packages, which library() runs",
		"AWKPATH":                "gawk(1): where -f and @include find code",
		"HELM_PLUGINS":           "helm.sh, HELM_PLUGINS: the directory of plugins, which are programs",
		"FOO_PLUGINS":            "a family: ZELLIJ_PLUGINS, GULP_PLUGINS and others name code that is loaded",
	} {
		if _, runs, _ := embedded.Exported(name); !runs {
			t.Errorf("%s runs nothing; %s", name, source)
		}
	}
	for name, source := range map[string]string{
		"GEM_HOME":          "gem environment: where gems, which are code, are found",
		"COMPOSER_HOME":     "getcomposer.org, COMPOSER_HOME: a global composer.json with scripts and plugins",
		"GIO_EXTRA_MODULES": "gio, Running GIO applications: directories of modules that are loaded",
		"VAGRANT_CWD":       "vagrantup.com: where the Vagrantfile, which is Ruby, is found",
		"PGSERVICEFILE":     "libpq, Environment Variables: which server is reached, and with which files",
		"FOO_CONFIG_FILE":   "a family: RIPGREP_CONFIG_FILE and others name options",
	} {
		if !embedded.ChangesCommands(name) {
			t.Errorf("%s changes nothing; %s", name, source)
		}
	}
	for _, c := range []struct {
		group         Group
		program, word string // "" for the program itself
		source        string
	}{
		{Group(ProjectTools), "nox", "", "nox.thea.codes: runs the noxfile.py of the directory"},
		{Builders, "bazel", "", "bazel.build, BUILD files: rules run commands"},
		{Builders, "swift", "", "swift.org, Package.swift: a manifest is a program, and plugins run"},
		{NetworkScripts, "git", "ls-remote", "git-ls-remote(1): asks another repository"},
		{WholeCommands, "ansible-console", "", "ansible-console(1): runs modules on hosts from its input"},
		{Copiers, "rsync", "", "rsync(1): takes whole directories along"},
		{NetworkCommands, "pnpm", "publish", "pnpm.io, publish: sends the package to the registry"},
		{NetworkCommands, "cargo", "search", "cargo-search(1): asks the registry"},
		{NetworkCommands, "npm", "audit", "npm-audit: submits the dependencies to the registry"},
		{Group(OtherRepositoriesValues), "git", "--repo", "git-push(1), --repo: the repository that is pushed to"},
	} {
		if in := c.word == "" && In(c.group, c.program) || Subcommands(c.group, c.program)[c.word]; !in {
			t.Errorf("%s %s is not among %s; %s", c.program, c.word, c.group, c.source)
		}
	}
	for _, c := range []struct{ program, word, source string }{
		{"pnpm", "--node-options", "pnpm.io, node-options: they reach node, whose --require runs code"},
		{"pnpm", "--pnpmfile", "pnpm.io, .pnpmfile.cjs: hooks in JavaScript"},
		{"rake", "-E", "rake --help: executes Ruby code and goes on"},
		{"go", "-memprofile", "go help testflag: writes the profile"},
		{"nox", "--noxfile", "nox(1): the Python file that is run"},
	} {
		if found := embedded.Stretches(c.program, []string{c.word, "x"}); !slices.ContainsFunc(found, func(s Stretched) bool { return slices.Contains(s.Values, "x") }) {
			t.Errorf("%s %s goes beyond no rule: %+v; %s", c.program, c.word, found, c.source)
		}
	}
	for _, c := range []struct {
		program, option, source string
		kinds                   []Kind
	}{
		{"bsdtar", "--use-compress-program", "bsdtar(1): pipes through the program", []Kind{Runs}},
		{"find", "-delete", "find(1): deletes files", []Kind{Changes}},
		{"tree", "--fromfile", "tree(1): reads a listing from a file", []Kind{Lists}},
		{"hostname", "--file", "hostname(1), -F: sets the name to what a file holds", []Kind{Lists, Changes}},
	} {
		row, _ := Lookup(c.program, nil)
		if row == nil {
			continue // without a row nothing of it is approved
		}
		if kind := row.options[c.option]; kind != Unknown && !slices.Contains(c.kinds, kind) {
			t.Errorf("%s %s %s; %s", c.program, c.option, kind, c.source)
		}
	}
	if Opaque("pwsh") == "" {
		t.Error("it can be told what pwsh runs; about_Pwsh: -Command is the default for its words")
	}
}
