package permissions

import "strings"

// families are the programs of which a rule must name the subcommand, unless it is one of the rows: their subcommands have
// nothing in common. ("Allow git status" allowed all of git: Zed #37906.)
var families = set("git go")

// interpreters run what stands in their words, read commands while they run, or hand their words to something that does.
// A rule covers one of them only when it spells the whole command.
var interpreters = set(`sed gsed awk gawk mawk nawk perl python pypy node nodejs deno bun ruby php lua luajit Rscript R tclsh wish expect
	osascript swift ghci erl iex elixir julia groovy scala jshell java bash sh zsh dash ksh mksh fish csh tcsh ash busybox toybox env xargs
	parallel sudo doas su pkexec run0 ssh less more most pg man info vi vim nvim view ed ex emacs nano pico joe micro sqlite3 psql mysql
	mariadb mongosh mongo redis-cli gdb lldb watch script screen tmux nsenter unshare chroot setpriv systemd-run at batch crontab entr
	strace ltrace eval source . exec trap bc dc jq yq xmlstarlet gnuplot octave`)

// builders read build files that they are told to; other programs that name one may be writing it.
var builders = set(`make gmake ninja cmake meson bazel buck docker podman nerdctl npm pnpm yarn npx cargo go gradle gradlew mvn mvnw just task
	pip pip3 uv poetry hatch tox nox pytest sbt mix rebar3 stack cabal dune zig swift dotnet msbuild bundle rake composer tsc eslint jest
	vitest webpack vite rollup prettier`)

func set(names string) map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		all[name] = true
	}
	return all
}
