package shellscan

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// ChangesCommands tells whether setting an environment variable of that name can change what a command runs or does: where
// programs are found, what is loaded into them, which settings, editors and pagers they use, where they connect to.
//
// A name that is no plain name counts as one that does: BASH_FUNC_ls%% is a function called ls, and in some interfaces a
// name with a = in it sets another variable. The list cannot be complete, since any program may read any variable; it
// holds those that are known to run or load something, and takes whole families where a family is known for it.
func ChangesCommands(name string) bool {
	if !identifier(name) || changing[name] {
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
var changing = set(
	// bash reads a file, evaluates the value, or reads later words differently (bash(1), Shell Variables)
	`PATH ENV CDPATH HOME SHELL SHELLOPTS BASHOPTS POSIXLY_CORRECT GLOBIGNORE EXECIGNORE FUNCNEST PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND
	RANDOM SRANDOM OPTIND SECONDS LINENO HISTCMD EUID UID PPID HISTFILE MAILPATH INPUTRC FPATH FIGNORE TMOUT`,
	// the C library and the terminal's
	`LOCPATH NLSPATH RES_OPTIONS HOSTALIASES LOCALDOMAIN TERMINFO TERMINFO_DIRS TERMCAP TZDIR TMPDIR KRB5_CONFIG RESOLV_HOST_CONF
	TEXTDOMAIN TEXTDOMAINDIR`,
	// programs run, load or obey what these name
	`VISUAL EXINIT CC CXX CPP LD AR AS NM FC F77 YACC LEX ARFLAGS CLASSPATH CATALINA_HOME M2_HOME TCLLIBPATH AWKPATH AWKLIBPATH GNUPGHOME
	CVSROOT CVS_RSH RSH TAPE GZIP BZIP BZIP2 ZIPOPT UNZIP XZ_DEFAULTS LS_OPTIONS MANPATH MANOPT INFOPATH ZLIB_CONF P4CONFIG
	REQUESTS_CA_BUNDLE http_proxy https_proxy HOSTNAME_COMMAND PKG_CONFIG PKG_CONFIG_PATH ACLOCAL_PATH LIBRARY_PATH CPATH C_INCLUDE_PATH
	CPLUS_INCLUDE_PATH COMPILER_PATH GCC_EXEC_PREFIX`,
	// Agents also hand their texts to zsh, where path is PATH as a list, functions and aliases hold what names mean, and a
	// redirection alone runs NULLCMD (zshparam(1), zshmodules(1))
	`path cdpath fpath manpath mailpath module_path fignore argv0 ARGV0 NULLCMD READNULLCMD functions aliases galiases saliases commands
	options builtins nameddirs dis_functions dis_aliases dis_builtins chpwd_functions periodic_functions precmd_functions preexec_functions
	zshaddhistory_functions zshexit_functions`,
)

// harmlessValue tells whether a variable that could do much is set to something with which it does nothing: people and agents
// keep git from opening a pager with PAGER=cat.
func harmlessValue(name string, value shellwords.Word) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
	switch {
	case !value.Fixed:
		return false
	case pagers[name]:
		return value.Text == "cat" || value.Text == ""
	case editors[name]:
		return value.Text == "true" || value.Text == ":"
	case switches[name]:
		return strings.Trim(value.Text, letters) == ""
	}
	return false
}

var (
	pagers  = set("PAGER GIT_PAGER MANPAGER GH_PAGER")
	editors = set("EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR GH_EDITOR")
	// switches turn something on or off, or say how much is told.
	switches = set(`GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT GIT_MERGE_AUTOEDIT NODE_ENV RUST_BACKTRACE RUST_LOG RUST_LIB_BACKTRACE
		CARGO_TERM_COLOR CARGO_INCREMENTAL PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUTF8 PYTHONHASHSEED
		GOOS GOARCH GOARM GOAMD64 GOMAXPROCS GH_PROMPT_DISABLED PIP_DISABLE_PIP_VERSION_CHECK PIP_NO_INPUT DOTNET_CLI_TELEMETRY_OPTOUT`)
)

func set(lists ...string) map[string]bool {
	all := map[string]bool{}
	for _, list := range lists {
		for name := range strings.FieldsSeq(list) {
			all[name] = true
		}
	}
	return all
}
