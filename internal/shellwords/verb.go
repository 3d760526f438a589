package shellwords

import "strings"

// verbs are the programs whose first operand names what they do, where what that is may stand in a file of the directory that
// they run in: an alias of git's or cargo's settings, a script of package.json, a recipe.
const verbs = `git hg cargo npm pnpm yarn bun deno gh rake just task mix gradle gradlew mvn mvnw composer`

// makes are the programs that read makefiles.
const makes = "make gmake bmake pmake remake colormake"

// IsMake reports whether a program reads makefiles.
func IsMake(program string) bool { return listed(makes, Base(program)) }

// projectTools are the programs that run or obey files of the directory that they start in, though no word of their command names them.
const projectTools = makes + ` cmake ctest ninja meson scons bazel buck buck2 cargo npm npx pnpm pnpx yarn bun bunx deno rake just task mix
	gradle gradlew mvn mvnw composer jest vitest mocha eslint
	prettier stylelint babel webpack vite rollup esbuild gulp grunt tsup parcel turbo nx lerna bundle gem go ant sbt pytest py.test tox nox invoke
	fab pip pip3 uv poetry pdm hatch pylint mypy flake8 pre-commit docker podman buildah docker-compose podman-compose ansible ansible-playbook
	terraform tofu terragrunt vagrant direnv lefthook nodemon concurrently snakemake latexmk nix nix-build nix-shell dotnet swift stack cabal zig
	hyperfine watchexec entr`

// ObeysDirectory reports whether a program runs or obeys files of the directory that it starts in.
func ObeysDirectory(program string) bool { return listed(projectTools, Base(program)) }

// verb makes of the first operand of such a program the name of a command, unless it is written out.
func (r *reader) verb(name string, at, to int) {
	if !listed(verbs, name) {
		return
	}
	for i := at + 1; i < to; i++ {
		w, kind := r.words[i], r.Roles[i].Kind
		switch {
		case kind == Argument, kind == AnyOption, strings.HasPrefix(w.Text, "-"), !w.Fixed && kind != Operand:
			continue
		case !w.Fixed:
			r.Roles[i] = Role{Kind: Program, Reader: name, Named: true, Cure: "name the command in the script, or list the values under enum"}
		}
		return
	}
}
