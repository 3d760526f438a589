package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every variable whose assignment makes real bash run a command is known.
func TestSpecialVariablesAreThoseThatBashEvaluates(t *testing.T) {
	t.Parallel()
	// The shell variables of bash(1), and those that bash itself sets.
	names := strings.Fields(`BASH BASHOPTS BASHPID BASH_ALIASES BASH_ARGC BASH_ARGV BASH_ARGV0 BASH_CMDS BASH_COMMAND BASH_COMPAT BASH_ENV
		BASH_EXECUTION_STRING BASH_LINENO BASH_LOADABLES_PATH BASH_REMATCH BASH_SOURCE BASH_SUBSHELL BASH_VERSINFO BASH_VERSION
		BASH_XTRACEFD CHILD_MAX COLUMNS COMP_CWORD COMP_KEY COMP_LINE COMP_POINT COMP_TYPE COMP_WORDBREAKS COMP_WORDS COMPREPLY COPROC
		DIRSTACK EMACS ENV EPOCHREALTIME EPOCHSECONDS EUID EXECIGNORE FCEDIT FIGNORE FUNCNAME FUNCNEST GLOBIGNORE GROUPS HISTCMD
		HISTCONTROL HISTFILE HISTFILESIZE HISTIGNORE HISTSIZE HISTTIMEFORMAT HOME HOSTFILE HOSTNAME HOSTTYPE IFS IGNOREEOF INPUTRC
		INSIDE_EMACS LANG LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_NUMERIC LC_TIME LINENO LINES MACHTYPE MAIL MAILCHECK MAILPATH MAPFILE
		OLDPWD OPTARG OPTERR OPTIND OSTYPE PATH PIPESTATUS POSIXLY_CORRECT PPID PROMPT_COMMAND PROMPT_DIRTRIM PS0 PS1 PS2 PS3 PS4 PWD
		RANDOM READLINE_ARGUMENT READLINE_LINE READLINE_MARK READLINE_POINT REPLY SECONDS SHELL SHELLOPTS SHLVL SRANDOM TERM TIMEFORMAT TMOUT
		TMPDIR UID auto_resume histchars _`)
	if out, err := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-c", "compgen -v").Output(); err != nil {
		t.Fatal(err)
	} else {
		names = append(names, strings.Fields(string(out))...)
	}
	slices.Sort(names)
	dir := t.TempDir()
	evaluated := 0
	for i, name := range slices.Compact(names) {
		for j, form := range []string{name + "=$v", name + "+=$v", name + "[0]=$v", "PS4=; set -x; " + name + "=$v"} {
			for k, value := range []string{"a[$(touch ran)]", "$(touch ran)", "`touch ran`"} {
				if testing.Short() && (i+j+k)%4 > 0 {
					continue
				}
				cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-c", form+"; true; : \"$"+name+"\"; (( 1 ))")
				cmd.Dir, cmd.Env = dir, []string{"v=" + value, "PATH=" + os.Getenv("PATH")}
				_ = cmd.Run() // readonly ones fail
				if os.Remove(filepath.Join(dir, "ran")) != nil {
					continue
				}
				evaluated++
				if _, special := SpecialVariable(name); !special {
					t.Errorf("bash runs %s with %s, and it is not known as special", form, value)
				}
			}
		}
	}
	if evaluated == 0 {
		t.Error("bash evaluated nothing, so nothing was tried")
	}
}

func TestSpecialVariable(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "GIT_SSH_COMMAND", "BASH_ENV", "PYTHONSTARTUP", "BASH_FUNC_ls%%", "HOME", "IFS", "PAGER"} {
		if meaning, special := SpecialVariable(name); !special || !strings.Contains(meaning, name) {
			t.Errorf("%s: %q, %v", name, meaning, special)
		}
	}
	for _, name := range []string{"X", "FILE", "url", "PGPASSWORD", "API_KEY", "path", "LDFLAGS", ""} {
		if meaning, special := SpecialVariable(name); special {
			t.Errorf("%s is special: %s", name, meaning)
		}
	}
}

func TestBuiltinsAreThoseOfBash(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-c", "compgen -b").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(out)) {
		if !Builtin(name) {
			t.Errorf("%s is a builtin of this bash", name)
		}
	}
	if Builtin("ls") || Builtin("") {
		t.Error("ls is no builtin")
	}
}

// The variables that matter, and some that do not.
func TestChangesCommands(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"PATH": true, "LD_PRELOAD": true, "DYLD_INSERT_LIBRARIES": true, "GIT_SSH_COMMAND": true, "BASH_ENV": true, "ENV": true, "IFS": false,
		"NODE_OPTIONS": true, "PYTHONPATH": true, "PERL5OPT": true, "MANPAGER": true, "EDITOR": true, "HOME": true, "https_proxy": true,
		"CFLAGS": true, "FOO_CONFIG": true, "BASH_FUNC_ls%%": true, "a=b": true, "": true, "A2A_STATE_DIR": true,
		"FOO": false, "x": false, "VERBOSE": false, "path": true, "NULLCMD": true, "paths": false, "MAGIC": true, "NAME_OF_PATH_": false, "LANG": false,
	} {
		if got := embedded.ChangesCommands(name); got != want {
			t.Errorf("ChangesCommands(%q) = %v, want %v", name, got, want)
		}
	}
}

// A row of one question counts for the others: what bash or a program runs when a script sets it, a command
// is asked about that does, unless bash never takes it from outside.
func TestVariablesAgree(t *testing.T) {
	t.Parallel()
	for _, name := range strings.Fields(`PHPRC SYSTEM_WGETRC CORECLR_PROFILER_PATH GUILE_LOAD_PATH GUILE_LOAD_COMPILED_PATH ODBCINI ODBCSYSINI
		GDK_PIXBUF_MODULE_FILE GS_LIB TEXINPUTS MYVIMRC PUPPETEER_EXECUTABLE_PATH CHROME_BIN CHROME_PATH ESBUILD_BINARY_PATH TS_NODE_PROJECT
		PYTEST_ADDOPTS MY_ADDOPTS`) {
		if !embedded.ChangesCommands(name) {
			t.Errorf("%s changes no command", name)
		}
	}
	for name, rows := range known().exact {
		for _, row := range rows {
			if special[row.effect] != "" && !row.sameCommands && !embedded.ChangesCommands(name) {
				t.Errorf("%s is %s, and changes no command", name, row.effect)
			}
		}
	}
}
