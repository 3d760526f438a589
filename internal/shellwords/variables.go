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

// specialPrefixes begin the names of variables that the dynamic linker, git and bash itself read.
var specialPrefixes = [...]string{"LD_", "DYLD_", "GIT_", "BASH_FUNC_", "MALLOC_", "npm_config_", "PIP_", "CARGO_", "LESS"}

// SpecialVariable tells whether bash or a program gives a variable a meaning of its own, and what that is.
func SpecialVariable(name string) (meaning string, special bool) {
	switch {
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
