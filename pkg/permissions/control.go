package permissions

import "strings"

// Files that are more than data. A pattern is a name, or the last names of a path, anywhere on the disk; a name may have
// * in it, and "name/**" is the directory, too, with everything below it. Letter case does not count, since on macOS .GIT
// is .git.
//
// The lists are long because each entry was once a way to have code run, or a rule lifted, by a file that nobody looked
// at: CVE-2025-59041 and CVE-2026-25725 (an agent's own settings), GHSA-wpqr-6v78-jr5g (a repository's settings), and the
// tasks, hooks and start files that worms use. A new entry costs a question; a missing one costs more.

// kind says what is special about a file.
type kind int

const (
	control kind = iota + 1 // written, it runs or steers something that nobody asked about
	build                   // written, it runs when somebody builds or tests
	secret                  // read, it gives away what nobody should know
)

// sensitiveFiles is the table. what completes the sentence "`file` …".
var sensitiveFiles = []struct {
	kind     kind
	what     string
	patterns string
}{
	{control, "runs as code later", `
		.git/** .gitconfig .config/git/** .gitmodules .gitattributes .hg/** .hgrc .svn/** .jj/** .bzr/**`},
	{control, "runs as code at your next commit", `
		.husky/** .githooks/** githooks/** .hooks/** lefthook.y*ml lefthook-local.y*ml .lefthook* lefthook.toml lefthook.json
		.pre-commit-config.y*ml .pre-commit-hooks.y*ml prek.toml .overcommit.yml .overcommit/** lint-staged.config.* .lintstagedrc*
		.simple-git-hooks* simple-git-hooks.* .huskyrc* .czrc .cz.* commitlint.config.* .commitlintrc*`},
	{control, "runs as code when you enter the directory", `
		.envrc .direnv/** .env* .autoenv* mise.toml mise.*.toml .mise.toml .mise.*.toml .mise/** .config/mise/** .tool-versions
		.rtx.toml devbox.json devenv.nix devenv.yaml`},
	{control, "runs as code in your next shell", `
		.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_functions .bashrc.d/** .profile .zshrc .zshenv .zprofile
		.zlogin .zlogout .zsh/** .zshrc.d/** .oh-my-zsh/** .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .config/fish/**
		.config/powershell/** .config/nushell/** .config/starship.toml .config/environment.d/** .pam_environment .hushlogin`},
	{control, "runs as code when you log in", `
		.xprofile .xinitrc .xsession* .xsessionrc .config/autostart/** .config/systemd/** .config/upstart/** library/launchagents/**
		library/launchdaemons/** .config/plasma-workspace/** .config/i3/** .config/sway/** .config/hypr/** crontab cron.d/** cron.daily/**
		cron.hourly/** cron.weekly/** cron.monthly/** .local/bin/** .local/share/applications/** .local/share/dbus-1/**`},
	{control, "runs as code in a program that you start", `
		.vimrc .gvimrc .exrc .nvimrc .nvim.lua .lvimrc .vim/** .config/nvim/** .emacs .emacs.d/** .config/emacs/** .dir-locals*.el
		.nanorc .gdbinit .lldbinit .config/gdb/** .psqlrc .sqliterc .my.cnf .irbrc .pryrc .pythonrc* .pdbrc .rprofile .renviron .ghci .octaverc
		.iex.exs .erlang .ocamlinit .sbclrc .juliarc.jl .perldb .screenrc .tmux.conf .config/tmux/** .lesskey .lesskey.src .ackrc .ripgreprc
		.curlrc .wgetrc .config/wgetrc .mailcap .mailrc .muttrc .config/mutt/** .xresources .config/alacritty/** .config/kitty/**
		.config/wezterm/** .wezterm.lua .config/ghostty/** sitecustomize.py usercustomize.py *.pth`},
	{control, "is settings of your editor, which can run code", `
		.zed/** .config/zed/** .vscode/** .vscode-server/** .vscode-insiders/** .config/code/** .idea/** .fleet/** .nova/** .helix/** .config/helix/**
		.sublime/** *.sublime-project *.sublime-workspace *.code-workspace .theia/** .devcontainer/** .devcontainer.json .gitpod.yml .gitpod/**
		.projections.json .vimspector.json .nvim/** .kakrc application*support/zed/** application*support/code/**
		application*support/claude/**`},
	{control, "is settings of an agent, which can run code or lift its limits", `
		.cursor/** .gemini/** .claude/** .claude.json .codex/** .mcp.json mcp.json .mcp/** opencode.json opencode.jsonc .opencode/**
		.config/opencode/** .aider* .windsurf/** .codeium/** .cline/** .roo/** .roomodes .continue/** .goose/** .config/goose/** .kiro/** .qwen/**
		.amp/** .config/amp/** .augment/** .factory/** .junie/** .trae/** .crush.json crush.json .crush/** .config/crush/** .agents/** .agent/** .acp/**
		.copilot/** .amazonq/** .q/** .openhands/** .warp/** .void/** .zencoder/** .config/github-copilot/** .vibe/** .kilocode/** .iflow/** .mux/**`},
	{control, "tells agents what to do", `
		agents.md agent.md agents.*.md agents.override.md claude.md claude.*.md gemini.md qwen.md warp.md crush.md opencode.md codex.md
		skill.md .cursorrules .cursorignore .windsurfrules .clinerules* .roorules* .goosehints .rules .geminiignore .aiexclude .junie.md
		.github/copilot-instructions.md .github/instructions/** .github/prompts/** .github/chatmodes/** .github/agents/** .github/skills/**`},
	{control, "runs as code in your CI", `
		.github/workflows/** .github/actions/** action.yml action.yaml .gitlab-ci.y*ml *.gitlab-ci.y*ml .gitlab/** .circleci/** .travis.yml
		azure-pipelines*.y*ml .azure-pipelines/** .azuredevops/** jenkinsfile* *.jenkinsfile bitbucket-pipelines.yml .drone.y*ml .drone.jsonnet
		.drone.star .woodpecker* .woodpecker/** .buildkite/** .cirrus.y*ml .cirrus.star appveyor.yml .appveyor.yml .teamcity/** .forgejo/** .gitea/**
		.semaphore/** cloudbuild.y*ml buildspec.y*ml .builds/** .build.yml .ci/** .tekton/** .prow/** .zuul.y*ml .zuul.d/** renovate.json* .renovaterc*
		.github/renovate.json* .github/dependabot.y*ml`},
	{control, "decides what a2a-acp allows or runs", `
		.a2a-acp/** .a2a/** .config/a2a-acp/** auto_approval_policies.y*ml governors.y*ml a2a-acp.y*ml`},
	{control, "runs code, or decides where packages come from, whenever they are installed", `
		.npmrc .yarnrc .yarnrc.y*ml .yarn/** .pnpmfile.*js pnpm-workspace.yaml .pypirc pip.conf .pip/** .config/pip/** .condarc .cargo/**
		.gem/** .bundle/** .bunfig.toml bunfig.toml .m2/** .gradle/** .docker/** .config/containers/** .ssh/** .gnupg/** .aws/** .kube/**
		.config/go/env .config/uv/** uv.toml .netrc`},

	{build, "runs at your next build", `
		makefile gnumakefile makefile.* *.mk *.mak justfile .justfile *.just taskfile.y*ml taskfile.dist.y*ml rakefile *.rake gemfile *.gemspec
		config.ru guardfile capfile fastfile podfile *.podspec package.swift package.json package-lock.json npm-shrinkwrap.json yarn.lock
		pnpm-lock.yaml bun.lock* deno.json deno.jsonc turbo.json nx.json project.json lerna.json webpack.*.*js webpack.config.* vite.config.* rollup.config.*
		rspack.config.* rsbuild.config.* esbuild.config.* tsup.config.* tsdown.config.* babel.config.* .babelrc* .swcrc postcss.config.* tailwind.config.*
		next.config.* nuxt.config.* svelte.config.* astro.config.* remix.config.* metro.config.* gulpfile.* gulpfile gruntfile.* jakefile* eslint.config.*
		.eslintrc* prettier.config.* .prettierrc* stylelint.config.* .stylelintrc* build.rs cargo.toml rust-toolchain* clippy.toml setup.py setup.cfg
		pyproject.toml hatch_build.py noxfile.py tox.ini fabfile.py dodo.py sconstruct sconscript wscript cmakelists.txt *.cmake
		cmakepresets.json cmakeuserpresets.json meson.build meson_options.txt configure configure.ac configure.in *.am *.m4 autogen.sh build.ninja build.bazel
		workspace.bazel workspace.bzlmod module.bazel *.bzl .bazelrc .buckconfig pants.toml build.gradle* settings.gradle* *.gradle
		*.gradle.kts gradle.properties gradle/** gradlew gradlew.bat pom.xml .mvn/** mvnw mvnw.cmd build.xml build.sbt *.sbt build.sc build.mill mix.exs rebar.config
		rebar.config.script stack.yaml *.cabal cabal.project* setup.hs setup.lhs dune dune-project *.opam build.zig build.zig.zon *.nimble *.nims
		shell.nix default.nix flake.nix flake.lock *.csproj *.fsproj *.vbproj *.vcxproj *.sln *.slnx *.props *.targets directory.build.* nuget.config build.cake build.fsx
		dockerfile* *.dockerfile containerfile* docker-compose*.y*ml compose*.y*ml docker-bake.* vagrantfile procfile* tiltfile skaffold.y*ml
		composer.json buildout.cfg manifest.in go.mod go.work pubspec.yaml project.clj deps.edn shadow-cljs.edn bb.edn magefile.go`},
	{build, "runs when your code is next checked, which an editor does by itself", `
		.pylintrc* pylintrc pylintrc.toml mypy.ini .mypy.ini .flake8 .rubocop.y*ml .standard.yml .solargraph.yml .erb-lint.yml .haml-lint.yml
		.perlcriticrc phpstan.neon* phpstan.dist.neon .php-cs-fixer* .php_cs* psalm.xml* rector.php .credo.exs .formatter.exs .luacheckrc
		.luarc.json* .golangci.y*ml .golangci.toml .golangci.json .lintr tslint.json biome.json* .biome.json* .swiftlint.yml .clangd
		.textlintrc* .markdownlint-cli2.* .remarkrc* .ansible-lint ansible.cfg`},
	{build, "runs when your program is next started or released", `
		nodemon.json .nodemonrc* .air.toml .jvmopts .sbtopts .parcelrc .postcssrc* .storybook/** .goreleaser.y*ml .releaserc* release.config.*
		.release-it.* .versionrc* .changeset/config.json netlify.toml vercel.json conf.py mkdocs.y*ml knexfile.* alembic.ini serverless.y*ml`},
	{build, "runs at your next test", `
		conftest.py pytest.ini jest.config.* jest.setup.* vitest.config.* vitest.workspace.* karma.conf.* playwright.config.* cypress.config.* wdio.conf.* .mocharc*
		ava.config.* .nycrc* .c8rc* phpunit.xml* .rspec .simplecov spec_helper.rb test_helper.rb test_helper.exs .coveragerc`},

	{secret, "may hold a secret", `
		.env* *.env .envrc .netrc _netrc .npmrc .pypirc .yarnrc.y*ml .git-credentials credentials credentials.json credentials.y*ml*
		credentials.toml credentials.xml credentials.db .credentials* secrets.y*ml secrets.json secrets.toml secrets.env .secrets* client_secret*.json
		service-account*.json service_account*.json application_default_credentials.json gcloud-key*.json *.tfvars *.tfvars.json *.tfstate *.tfstate.* .terraformrc
		terraform.rc .vault-token .vault_pass* vault_pass* .htpasswd .pgpass .my.cnf .dockercfg .dockerconfigjson .boto .s3cfg .rclone.conf rclone.conf
		.passwd-s3fs .smbcredentials auth.json oauth_creds.json .credentials.json token.json *.ovpn kubeconfig *.kubeconfig`},
	{secret, "is a key", `
		id_rsa* id_dsa* id_ecdsa* id_ed25519* id_xmss* *.pem *.key *.p12 *.pfx *.pkcs12 *.p8 *.jks *.keystore *.kdbx *.kdb *.ppk *.age *.gpg *.secring
		*_rsa *_dsa *_ecdsa *_ed25519 ssh_host_*_key .ssh/** .gnupg/** .password-store/** .age/** .config/sops/** *.agekey`},
	{secret, "holds accounts and keys of other services", `
		.aws/** .azure/** .config/gcloud/** .kube/** .docker/config.json .docker/** .config/gh/** .config/hub .config/glab-cli/** .config/op/** .config/doctl/** .oci/**
		.fly/** .config/configstore/** .cargo/credentials* .gem/credentials .m2/settings.xml .m2/settings-security.xml .terraform.d/** .config/heroku/** .local/share/keyrings/**
		library/keychains/** .mozilla/** .config/google-chrome/** .config/chromium/** .config/bravesoftware/** library/cookies/** .thunderbird/** .electrum/** .bitcoin/** .ethereum/**
		.codex/auth.json .gemini/oauth_creds.json .gemini/google_accounts.json .claude/.credentials.json .claude.json .config/rclone/** .ngrok2/** .config/ngrok/**`},
	{secret, "holds what you typed before", `
		.bash_history .zsh_history .sh_history .history .python_history .node_repl_history .psql_history .mysql_history .sqlite_history .rediscli_history
		.lesshst .viminfo .irb_history .local/share/fish/fish_history`},
}

// SecretFiles lists the patterns of files that may hold secrets, as sensitiveFiles has them: names, and "name/**" for directories,
// in small letters. The shipped tools that read many files leave these out.
func SecretFiles() []string {
	var list []string
	for _, row := range sensitiveFiles {
		if row.kind == secret {
			list = append(list, strings.Fields(row.patterns)...)
		}
	}
	return list
}
