package shellwords

import "strings"

// The variables that something gives a meaning of its own, and that an assignment can therefore turn into more than data.
const (
	// Bash evaluates what is assigned to these as arithmetic, and a[$(cmd)] is arithmetic that runs cmd; or it expands
	// them as a prompt, or reads the file that they name.
	evaluatedByBash = `RANDOM SRANDOM OPTIND SECONDS LINENO HISTCMD BASHPID EUID UID PPID PS0 PS1 PS2 PS3 PS4 BASH_ENV ENV
		PROMPT_COMMAND`

	// These change what later words of the script mean.
	readByBash = `PATH IFS CDPATH SHELLOPTS BASHOPTS BASH_COMPAT POSIXLY_CORRECT GLOBIGNORE EXECIGNORE FUNCNEST BASH_LOADABLES_PATH
		BASH_XTRACEFD BASH_ALIASES BASH_CMDS HOME SHELL`

	// Programs run what these name, or load it.
	readByPrograms = `PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTHONINSPECT PERL5OPT PERL5LIB PERL5DB RUBYOPT RUBYLIB NODE_OPTIONS
		NODE_PATH LUA_INIT LUA_PATH LUA_CPATH PHPRC PHP_INI_SCAN_DIR JAVA_TOOL_OPTIONS _JAVA_OPTIONS CLASSPATH EDITOR VISUAL PAGER
		BROWSER LESSOPEN LESSCLOSE LESS MANPAGER TAR_OPTIONS CURL_HOME GREP_OPTIONS RIPGREP_CONFIG_PATH PSQL_EDITOR PSQLRC
		PGSYSCONFDIR PGSERVICEFILE SSH_ASKPASS SUDO_ASKPASS SUDO_EDITOR RSYNC_RSH CVS_RSH MAKEFLAGS MAKEFILES GNUMAKEFLAGS AWKPATH
		AWKLIBPATH TERMINFO INPUTRC XDG_CONFIG_HOME OPENSSL_CONF WGETRC SYSTEM_WGETRC DOCKER_HOST KUBECONFIG GCONV_PATH LOCPATH
		NLSPATH HOSTALIASES RES_OPTIONS TMPDIR CC CXX LD AR RUSTC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER`
)

// The variables that programs obey once they are exported. To a script that only sets them they are like any other.
const (
	// Each names code, a program, settings that can name one, or further words of the program's command: java(1), go help
	// environment, the Cargo book, kubectl(1), fzf(1), the AWS CLI's and pytest's references, and so on.
	obeyedByPrograms = `GOENV GOROOT GOTOOLCHAIN GOCACHEPROG GOVCS PYTHONUSERBASE PYTHONWARNINGS PYTHONBREAKPOINT PYTHONEXECUTABLE PYTHONPLATLIBDIR
		PERLLIB PERL5SHELL DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS CORECLR_PROFILER_PATH GUILE_LOAD_PATH GUILE_LOAD_COMPILED_PATH R_LIBS
		R_LIBS_USER ERL_LIBS JULIA_LOAD_PATH JULIA_PROJECT JULIA_DEPOT_PATH TCLLIBPATH ZDOTDIR GLIBC_TUNABLES GEM_HOME GEM_PATH BUNDLE_GEMFILE
		BUNDLE_PATH COMPOSER_HOME M2_HOME CATALINA_HOME KUBECTL_EXTERNAL_DIFF AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE PYTEST_ADDOPTS
		DOCKER_CONFIG DOCKER_CONTEXT BUILDKIT_HOST CLOUDSDK_CONFIG CLOUDSDK_PYTHON AZURE_CONFIG_DIR HELM_PLUGINS HELM_BIN HGRCPATH HGEDITOR HGMERGE
		SVN_SSH GNUPGHOME CVSROOT RSH TAPE CMAKE_TOOLCHAIN_FILE CMAKE_PREFIX_PATH CMAKE_MODULE_PATH CCACHE_PREFIX CCACHE_COMPILER
		PKG_CONFIG PKG_CONFIG_PATH CPATH COMPILER_PATH GCC_EXEC_PREFIX LIBRARY_PATH AS NM CPP FC F77 YACC LEX KRB5_CONFIG ODBCINI ODBCSYSINI
		QT_PLUGIN_PATH GTK_MODULES GTK_PATH GIO_EXTRA_MODULES GIO_MODULE_DIR GST_PLUGIN_PATH GDK_PIXBUF_MODULE_FILE GS_LIB TEXINPUTS VIMINIT
		EXINIT VIM VIMRUNTIME MYVIMRC BAT_CONFIG_PATH STARSHIP_CONFIG DIRENV_CONFIG MISE_CONFIG_FILE ASDF_DATA_DIR TERMINFO_DIRS TERMCAP
		OPENSSL_MODULES OPENSSL_ENGINES MYSQL_HOME PUPPETEER_EXECUTABLE_PATH CHROME_BIN CHROME_PATH ESBUILD_BINARY_PATH`

	// These hold names and numbers, though their families hold more.
	plainInFamilies = `PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGTZ PGAPPNAME PGSSLMODE MYSQL_PWD MYSQL_HOST AWS_PROFILE AWS_REGION
		AWS_DEFAULT_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN GH_TOKEN GH_REPO GH_HOST NODE_ENV GOOS GOARCH GOARM GOMAXPROCS
		RUST_LOG RUST_BACKTRACE CARGO_TERM_COLOR PYTHONUNBUFFERED PYTHONHASHSEED PYTHONIOENCODING PYTHONDONTWRITEBYTECODE PYTHONUTF8 DOCKER_BUILDKIT
		TF_WORKSPACE TF_LOG TF_IN_AUTOMATION GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
		GIT_COMMITTER_DATE`
)

// obeyedPrefixes begin the names of variables that programs obey once they are exported.
var obeyedPrefixes = [...]string{"NPM_CONFIG_", "TF_CLI_", "TS_NODE_", "ANSIBLE_", "R_PROFILE", "R_ENVIRON", "LUA_", "NIX_", "UV_", "POETRY_", "PNPM_", "YARN_"}

// obeyedSuffixes end the names of variables that hold a program, a command, or options, whosever they are.
var obeyedSuffixes = [...]string{
	"PAGER", "EDITOR", "BROWSER", "VIEWER", "_COMMAND", "_CMD", "_SHELL", "_RSH", "_WRAPPER", "_OPTS", "_OPTIONS", "_OPT", "ADDOPTS", "_ARGS", "FLAGS",
	"_PRELOAD", "_PLUGINS", "_PLUGIN", "_STARTUP", "_HOOKS", "_HOOK", "ASKPASS",
}

// Exported tells what a variable can mean to the programs that get it: runs that one of them runs, loads or obeys what it names;
// family only that it is one of many of which some are obeyed.
func Exported(name string) (meaning string, runs, family bool) {
	if listed(plainInFamilies, name) || strings.HasPrefix(name, "TF_VAR_") {
		return "", false, false
	}
	if meaning, special := SpecialVariable(name); special {
		return meaning, true, true
	}
	obeyed := listed(obeyedByPrograms, name)
	for _, prefix := range obeyedPrefixes {
		obeyed = obeyed || strings.HasPrefix(strings.ToUpper(name), prefix) // npm takes its own in any letter case
	}
	for _, suffix := range obeyedSuffixes {
		obeyed = obeyed || strings.HasSuffix(name, suffix)
	}
	if obeyed {
		return "programs run or obey what " + name + " holds", true, true
	}
	return "", false, ChangesCommands(name)
}

// specialPrefixes begin the names of variables that the dynamic linker, git and bash itself read.
var specialPrefixes = [...]string{"LD_", "DYLD_", "GIT_", "BASH_FUNC_", "MALLOC_", "npm_config_", "PIP_", "CARGO_", "LESS"}

// SpecialVariable tells whether bash or a program gives a variable a meaning of its own, and what that is.
func SpecialVariable(name string) (meaning string, special bool) {
	switch {
	case listed(plainInFamilies, name):
		return "", false
	case listed(evaluatedByBash, name):
		return "bash evaluates what is assigned to " + name, true
	case listed(readByBash, name):
		return name + " changes how bash runs what comes after it", true
	case listed(readByPrograms, name):
		return name + " can name code that programs run", true
	}
	for _, prefix := range specialPrefixes {
		if strings.HasPrefix(name, prefix) {
			return name + " can name code that programs run", true
		}
	}
	return "", false
}

func listed(list, name string) bool {
	for _, entry := range strings.Fields(list) {
		if entry == name {
			return true
		}
	}
	return false
}

// ChangesCommands tells whether setting an environment variable of that name can change what a command runs or does: where
// programs are found, what is loaded into them, which settings, editors and pagers they use, where they connect to.
//
// A name that is no plain name counts as one that does: BASH_FUNC_ls%% is a function called ls, and in some interfaces a
// name with a = in it sets another variable. The list cannot be complete, since any program may read any variable; it
// holds those that are known to run or load something, and takes whole families where a family is known for it.
func ChangesCommands(name string) bool {
	if !validName(name) || changing[name] {
		return true
	}
	for _, prefix := range changingPrefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for _, suffix := range changingSuffixes {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// changingPrefixes begin the names of families.
var changingPrefixes = [...]string{
	"LD_", "DYLD_", "_RLD", "GLIBC_", "MALLOC_", "GCONV_", // the dynamic linker and the C library
	"BASH_", "GIT_", "SSH_", "GPG_", "SUDO_", "LESS", "NIX_",
	"PYTHON", "PERL", "RUBY", "NODE_", "LUA_", "PHP_", "JAVA_", "JDK_", "_JAVA_", "DOTNET_", "COMPlus_", "ERL_", "ELIXIR_", "R_", "JULIA_",
	"GO", "CARGO", "RUST", "CMAKE_", "CCACHE_", "DISTCC_", "MAKE", "NINJA_", "GEM_", "BUNDLE_", "COMPOSER_", "MAVEN_", "GRADLE_", "SBT_",
	"npm_", "NPM_", "YARN_", "PNPM_", "BUN_", "DENO_", "PIP_", "UV_", "POETRY_", "PIPENV_", "CONDA_", "VIRTUAL_ENV", "PYTEST_", "TOX_",
	"DOCKER_", "BUILDKIT_", "CONTAINER", "KUBE", "HELM_", "TF_", "ANSIBLE_", "VAGRANT_", "AWS_", "GOOGLE_", "CLOUDSDK_", "AZURE_",
	"OPENSSL_", "SSL", "CURL_", "WGET", "PSQL", "PG", "MYSQL_", "SQLITE_", "FZF_", "RIPGREP_", "BAT_", "GH_", "GLAB_", "HG", "SVN_",
	"QT_", "GTK_", "GIO_", "GST_", "DBUS_", "XDG_", "ZDOT", "VIM", "NVIM_", "EMACS", "TMUX", "SCREEN", "STARSHIP_", "DIRENV_", "ASDF_", "MISE_",
	"A2A_",
}

// changingSuffixes end the names of variables that name a program, or give it options.
var changingSuffixes = [...]string{
	"PAGER", "EDITOR", "BROWSER", "VIEWER", "_COMMAND", "_CMD", "_SHELL", "_RSH", "_WRAPPER", "_OPTS", "_OPTIONS", "_OPT", "_ARGS", "FLAGS",
	"_PRELOAD", "_PLUGINS", "_PLUGIN", "_STARTUP", "_HOOKS", "_HOOK", "_INIT", "_RC", "_PROXY", "_proxy", "ASKPASS", "_CONFIG", "_CONFIG_FILE",
	"_CONFIG_DIR", "_CONFIG_HOME", "_CONFIG_PATH", "_LIBRARY_PATH", "_PLUGIN_PATH", "_MODULE_PATH",
}

// changing are those that stand alone.
var changing = names(
	// bash reads a file, evaluates the value, or reads later words differently (bash(1), Shell Variables)
	`PATH ENV CDPATH HOME SHELL SHELLOPTS BASHOPTS POSIXLY_CORRECT GLOBIGNORE EXECIGNORE FUNCNEST PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND
	RANDOM SRANDOM OPTIND SECONDS LINENO HISTCMD EUID UID PPID HISTFILE MAILPATH INPUTRC FPATH FIGNORE TMOUT`,
	// the C library and the terminal's
	`LOCPATH NLSPATH RES_OPTIONS HOSTALIASES LOCALDOMAIN TERMINFO TERMINFO_DIRS TERMCAP TZDIR TMPDIR KRB5_CONFIG RESOLV_HOST_CONF
	TEXTDOMAIN TEXTDOMAINDIR`,
	// programs run, load or obey what these name
	`VISUAL EXINIT CC CXX CPP LD AR AS NM FC F77 YACC LEX ARFLAGS CLASSPATH CATALINA_HOME M2_HOME TCLLIBPATH AWKPATH AWKLIBPATH GNUPGHOME
	CVSROOT CVS_RSH RSH TAPE GZIP BZIP BZIP2 ZIPOPT UNZIP XZ_DEFAULTS LS_OPTIONS MANPATH MANOPT INFOPATH ZLIB_CONF P4CONFIG
	REQUESTS_CA_BUNDLE MAGIC http_proxy https_proxy HOSTNAME_COMMAND PKG_CONFIG PKG_CONFIG_PATH ACLOCAL_PATH LIBRARY_PATH CPATH C_INCLUDE_PATH
	CPLUS_INCLUDE_PATH COMPILER_PATH GCC_EXEC_PREFIX`,
	// Agents also hand their texts to zsh, where path is PATH as a list, functions and aliases hold what names mean, and a
	// redirection alone runs NULLCMD (zshparam(1), zshmodules(1))
	`path cdpath fpath manpath mailpath module_path fignore argv0 ARGV0 NULLCMD READNULLCMD functions aliases galiases saliases commands
	options builtins nameddirs dis_functions dis_aliases dis_builtins chpwd_functions periodic_functions precmd_functions preexec_functions
	zshaddhistory_functions zshexit_functions`,
)

// names makes a set of lists of words.
func names(lists ...string) map[string]bool {
	all := map[string]bool{}
	for _, list := range lists {
		for name := range strings.FieldsSeq(list) {
			all[name] = true
		}
	}
	return all
}
