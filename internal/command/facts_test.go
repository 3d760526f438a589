package command

import (
	"slices"
	"strings"
	"testing"
)

// TestHoldsFacts holds dangers of rows against what the manuals say, each named beside it: a row that loses
// one fails here, whatever other rows say.
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
	for _, c := range []struct {
		group            Group
		programs, source string
	}{
		{WholeCommands, "eval trap source . exec", "bash(1): they run what their words, or a file, hold"},
		{WholeCommands, "xargs parallel entr watch script at batch crontab expect screen tmux", "their manuals: they run a command that they make, or read"},
		{WholeCommands, "env sudo doas pkexec run0 su setpriv chroot nsenter unshare systemd-run busybox toybox strace ltrace sshpass", "their manuals: they run the command in their words otherwise than it is"},
		{WholeCommands, "ssh rsh plink rexec remsh autossh pdsh pssh parallel-ssh clush dsh mussh ansible-console", "ssh(1) and its like: what they run, they run on another machine"},
		{WholeCommands, "sed gsed awk gawk mawk nawk jq yq m4 gs ghostscript bc dc gnuplot octave", "their manuals: their words are a program, which can run others or open files"},
		{WholeCommands, "python pypy ruby jruby node nodejs tsx ts-node zx deno bun php lua luajit Rscript osascript java jshell perl julia elixir erl guile racket scala groovy raku clojure swift tclsh wish", "their manuals: languages"},
		{WholeCommands, "sh bash dash zsh ksh mksh ash rbash fish csh tcsh nu elvish xonsh yash osh ysh pwsh powershell", "their manuals: shells"},
		{WholeCommands, "irb pry ipython ghci iex R swipl psysh gdb lldb pdb", "their manuals: they read code while they run"},
		{WholeCommands, "ed ex vi vim nvim view emacs nano less more most pg info pico joe micro man", "their manuals: ! and its like start a shell"},
		{WholeCommands, "psql mysql mariadb sqlite3 duckdb sqlcmd cqlsh usql mysqlsh cockroach clickhouse-client sqlplus mongosh mongo redis-cli pgcli mycli", "their manuals: \\!, .shell, system and SQL that writes files"},
		{WholeCommands, "ftp telnet lftp socat", "ftp(1), !; socat(1), EXEC"},
		{Group(Removers), "rm rmdir unlink shred truncate dd mv ln chmod chown chgrp setfacl", "coreutils's manual: what was there is gone, or nobody's"},
		{Group(Removers), "kill pkill killall mkfs mount umount", "kill(1), mkfs(8), mount(8)"},
		{Group(Removers), "sudo doas su", "they do anything as somebody else"},
		{FileWorkers, "rm rmdir chmod chown chgrp unlink shred mkdir touch cp install mv ln tee truncate dd mktemp", "coreutils's manual: operands are files"},
		{FileWorkers, "ls find tree stat du file readlink realpath cat head tail wc zip unzip gzip gunzip xz bzip2 zstd zcat", "their manuals: operands are files"},
		{Group(Removers), "rsync", "rsync(1), --delete"},
		{MetaCommands, "psql sqlite3 duckdb", "psql(1), \\!; sqlite3(1), .shell"},
		{ClientWords, "mysql mariadb", "mysql(1): system, source"},
		{Verbs, "bun deno", "bun.sh, bun run; deno task: a word means what package.json or deno.json says"},
		{Group(ProjectTools), "bunx pnpx ctest scons turbo nx lerna pre-commit docker-compose snakemake latexmk nix nix-build", "they obey files of the directory that they start in"},
		{NetworkClients, "http https aws gsutil apt apt-get dnf yum apk brew snap rclone sendmail websocat", "their manuals: clients"},
		{NetworkAlone, "yarn", "yarn help: without a word it installs"},
		{Builders, "nox", "nox(1), --noxfile"},
		{Group(Unpackers), "tar bsdtar unzip 7z 7za gtar unrar unar cpio pax jar patch rsync", "their manuals: names come from the archive, or the patch"},
		{Copiers, "cp install mv ln rsync gcp gmv ditto", "their manuals: the last operand is written to"},
		{Splitters, "split csplit", "split(1): the last operand is what names begin with"},
		{ItemGivers, "find xargs parallel", "find(1), -exec; xargs(1): what they find or read goes to a command"},
		{Makes, "make gmake bmake pmake remake", "make(1): words NAME=value go into recipes"},
		{RepositoryTools, "git gh hg", "git-config(1), core.fsmonitor; hgrc(5), hooks"},
		{Families, "git go", "git(1), go help: their subcommands have nothing in common"},
		{Verbs, "git gh npm pnpm yarn cargo gradle mvn rake just gulp invoke task composer hg mix", "git-config(1), alias; npm run-script; cargo, [alias]: a word means what a file says"},
		{VariablePrinters, "env printenv set declare export compgen eval", "bash(1), env(1): they print what variables hold"},
		{NetworkClients, "curl wget ssh scp sftp rsync nc ncat netcat socat ftp telnet mail dig host nslookup ping gh glab npx pip pipx bundle", "their manuals: they reach other machines"},
		{NetworkClients, "psql pg_dump mysql sqlcmd cqlsh mongosh redis-cli docker kubectl flatpak gcloud az helm terraform composer mosh", "their manuals: clients"},
		{Group(NetworkReaching), "openssl bunx uvx ansible doctl nmap lynx w3m aria2c pacman", "openssl-s_client(1); their manuals"},
		{NetworkScripts, "npm pnpm yarn go cargo gem uv", "their manuals: they fetch packages"},
		{Group(ProjectTools), "npm pnpm yarn npx deno bun go cargo gradle mvn pip gem uv poetry bundle rake dotnet docker direnv nix-shell swift ninja just task mix rspec", "they obey the package.json, build file or settings of the directory"},
		{Group(ProjectTools), "jest vitest esbuild parcel mocha gulp webpack rollup eslint prettier nodemon concurrently stylelint", "their manuals: NAME.config.js, or package.json, is code"},
		{Group(ProjectTools), "pytest py.test pylint mypy invoke fab tox ansible ansible-playbook vagrant terraform tofu terragrunt meson cmake bazel composer buck sbt hyperfine entr", "conftest.py, tasks.py, ansible.cfg, Vagrantfile, CMakeLists.txt and their like"},
		{Builders, "make ninja npm pnpm yarn npx go cargo gradle mvn pip uv poetry bundle rake dotnet docker nerdctl just task mix meson cmake tox composer tsc", "their manuals: they read the build file that a word names"},
		{Builders, "jest vitest webpack rollup eslint prettier pytest buck sbt hatch rebar3 dune msbuild", "their manuals, --config and its like"},
	} {
		for program := range strings.FieldsSeq(c.programs) {
			if !In(c.group, program) && Subcommands(c.group, program) == nil {
				t.Errorf("%s is not among %s; %s", program, c.group, c.source)
			}
		}
	}
	for programs, source := range map[string]string{
		"ssh rsh mosh": "ssh(1): a shell on another machine reads them",
		"expect screen tmux script watch parallel entr": "their manuals: a shell reads their words",
		"su runuser":       "su(1): the shell of another user",
		"at batch crontab": "at(1), crontab(1): later",
		"source .":         "bash(1): what a file holds",
		"fish csh tcsh nu elvish xonsh pwsh zsh ksh mksh":                                                                 "their manuals: other languages than bash's",
		"nsenter unshare bwrap firejail systemd-run chroot proot valgrind torsocks dbus-run-session proxychains xvfb-run": "their manuals: they run the command in their words",
		"perf aws-vault doppler op direnv start-stop-daemon hyperfine fakechroot rlwrap":                                  "their manuals: they run the command in their words",
		"ld.so": "ld.so(8): it runs the program that it is given",
	} {
		for program := range strings.FieldsSeq(programs) {
			if Opaque(program) == "" {
				t.Errorf("it can be told what %s runs; %s", program, source)
			}
		}
	}
	for _, c := range []struct{ program, options, source string }{
		{"curl", "--engine", "curl(1): a library of OpenSSL's that is loaded"},
		{"zip", "-T --test --unzip-command", "zip(1), -TT: the command that tests"},
		{"make", "-E -I --eval --include-dir -C --directory -f --file --makefile", "make(1)"},
		{"ninja", "-C -f", "ninja --help"},
		{"gh", "-w --web", "gh help environment, BROWSER: a program is started"},
		{"bun", "--script-shell --node-options --globalconfig --userconfig -C --prefix --cwd", "npm-config(7)"},
		{"npm", "--script-shell --node-options --init-module --globalconfig --userconfig -C --prefix --pack-destination", "npm-config(7)"},
		{"pnpm", "--script-shell --node-options --shell-emulator --config --global-pnpmfile --pnpmfile -C --dir --prefix", "pnpm.io, node-options: --require runs code; .pnpmfile.cjs: hooks in JavaScript"},
		{"yarn", "--script-shell --use-yarnrc --cwd", "yarn help"},
		{"go", "-exec -toolexec -vettool -overlay -modfile -C", "go help build: programs, other files, another directory"},
		{"go", "-o -outputdir -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -test.coverprofile", "go help testflag: writes the profile"},
		{"cargo", "-Z --config -C --manifest-path --target-dir --artifact-dir --out-dir", "cargo(1): --config sets runner, rustc-wrapper and others"},
		{"gradle", "-I --init-script --include-build -p --project-dir -g --gradle-user-home -b --build-file -c --settings-file", "docs.gradle.org, Command-Line Interface: scripts in Groovy"},
		{"mvn", "-gs --global-settings -t --toolchains -f --file -s --settings", "mvn --help"},
		{"pip", "-t --target --prefix --root", "pip install --help: where it writes"},
		{"uv", "--with --with-editable --with-requirements --directory --project --config-file", "docs.astral.sh/uv, CLI: packages are installed, and built"},
		{"poetry", "-C --directory -P --project", "poetry --help"},
		{"rake", "-e -E -p -r -R --execute --execute-continue --execute-print --require --rakelibdir -C --directory -f --rakefile", "rake --help: Ruby"},
		{"just", "--shell --shell-arg --chooser -d --working-directory -f --justfile", "just(1)"},
		{"jest", "--globalSetup --globalTeardown --setupFiles --runner --testRunner --resolver --transform", "jestjs.io, CLI: modules that are loaded"},
		{"jest", "--rootDir --roots -c --config --outputFile --coverageDirectory --cacheDirectory", "jestjs.io, CLI"},
		{"vite", "-r --root --dir -c --config --outDir --outputFile", "vite.dev, CLI: the configuration is code"},
		{"webpack", "--plugin -c --config -o --output-path --file --dir", "rollupjs.org, --plugin; webpack.js.org, CLI"},
		{"eslint", "--rulesdir --resolve-plugins-relative-to --plugin --parser -c --config -o --output-file --cache-location", "eslint.org, CLI: rules, plugins and parsers are code"},
		{"prettier", "--plugin --config", "prettier.io, CLI"},
		{"pytest", "-p -o --override-ini --pdbcls --rootdir --confcutdir -c --config-file", "docs.pytest.org: a plugin, addopts, a class of a module; conftest.py of another directory"},
		{"pytest", "--junitxml --junit-xml --basetemp --log-file --debug --report-log --html", "docs.pytest.org: what they write"},
		{"mypy", "--python-executable --config-file --junit-xml --html-report --xml-report --txt-report --cache-dir", "mypy --help; plugins stand in the configuration"},
		{"tox", "-x --override --root --workdir -c --conf", "tox.wiki: commands are overridden"},
		{"nox", "-f --noxfile", "nox(1): the Python file that is run"},
		{"meson", "-C", "meson(1)"},
		{"ctest", "--output-junit", "ctest(1): it writes a file"},
		{"cmake", "-P -C -E -S -B", "cmake(1): scripts, and another source"},
		{"task", "-d --dir -t --taskfile", "taskfile.dev, CLI"},
		{"rustc", "-C -Z --codegen --sysroot -o --out-dir --emit", "rustc --help, -C linker=PROGRAM"},
		{"gcc", "-B -wrapper -specs -fplugin -fuse-ld -o -MF", "gcc(1)"},
		{"tsc", "-p --project --outFile --outDir --declarationDir --tsBuildInfoFile", "tsc --help"},
		{"bazel", "--run_under --workspace_status_command --shell_executable --bazelrc", "bazel.build, Command-Line Reference"},
		{"composer", "-d --working-dir", "composer --help"},
		{"rspec", "-r -I --require -O --options -o --out", "rspec --help"},
	} {
		for option := range strings.FieldsSeq(c.options) {
			if found := embedded.Widening(c.program, []string{option, "x"}); !slices.ContainsFunc(found, func(s WideningOption) bool { return slices.Contains(s.Values, "x") }) {
				t.Errorf("%s %s goes beyond no rule: %+v; %s", c.program, option, found, c.source)
			}
		}
	}
	for _, c := range []struct{ program, option, source string }{
		{"jekyll", "--plugins", "jekyllrb.com, Configuration Options: Ruby files that are loaded"},
		{"phpunit", "--loader", "phpunit.de, 9.6: a class of the test suite's loader"},
		{"mix", "--formatter", "hexdocs.pm, mix test: a module that prints"},
		{"mvn", "-Dmaven.compiler.executable=x", "maven-compiler-plugin, executable: the compiler that runs"},
	} {
		if found := embedded.Widening(c.program, []string{c.option, "x"}); !slices.ContainsFunc(found, func(s WideningOption) bool { return s.Does == OptionRuns }) {
			t.Errorf("%s %s runs nothing: %+v; %s", c.program, c.option, found, c.source)
		}
	}
	for _, c := range []struct{ program, word, source string }{
		{"pytest", "@x", "docs.pytest.org: a file with more words"},
		{"rustc", "@x", "rustc --help: a file with more words"},
		{"gcc", "@x", "gcc(1): a file with more words"},
		{"tsc", "@x", "tsc --help: a file with more words"},
		{"mvn", "-Dexec.executable=x", "mojohaus.org, exec:exec: the program that is run"},
	} {
		if len(embedded.Widening(c.program, []string{c.word})) == 0 {
			t.Errorf("%s %s goes beyond no rule; %s", c.program, c.word, c.source)
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
