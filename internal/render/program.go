package render

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// shebang is the first line of a script, split.
type shebang struct {
	words   []string // all of it: the program, an absolute path, and its arguments; env and its program as two
	name    string   // of the interpreter: bash, python3
	options []string // of the interpreter
	unclear string   // why it cannot be told what runs, "" when it can
}

// readShebang splits the first line. ok is false for a script without one. The kernel would give everything
// behind the program as one argument (execve(2)); here the words are split, with env -S or without.
func readShebang(script string) (s shebang, ok bool) {
	line, found := strings.CutPrefix(script, "#!")
	if !found {
		return shebang{}, false
	}
	line, _, _ = strings.Cut(line, "\n")
	s.words = strings.Fields(line)
	switch {
	case len(s.words) == 0:
		s.unclear = "the first line names no interpreter"
		return s, true
	case !strings.HasPrefix(s.words[0], "/"):
		s.unclear = "the first line names the interpreter without its directory"
	case strings.ContainsAny(line, "'\"\\$"):
		s.unclear = "quotes, backslashes and variables in the first line are not read"
	}
	rest := s.words
	if path.Base(rest[0]) == "env" {
		env := rest[0]
		rest = rest[1:]
		for len(rest) > 0 && (strings.HasPrefix(rest[0], "-") || strings.Contains(rest[0], "=")) {
			if rest[0] != "-S" && rest[0] != "--split-string" {
				s.unclear = "env may only name the interpreter here, so " + rest[0] + " is not done"
			}
			rest = rest[1:]
		}
		s.words = append([]string{env}, rest...)
	}
	if len(rest) == 0 {
		s.unclear = "the first line names no interpreter"
		return s, true
	}
	s.name, s.options = path.Base(rest[0]), rest[1:]
	return s, true
}

// interpreter tells what a script is written in: "bash" when nothing says so. shell says that it runs under
// bash: with #!/bin/bash, with #!/bin/sh and without a first line. Tags are only possible in those.
func interpreter(script string) (name string, shell bool) {
	s, ok := readShebang(script)
	if !ok {
		return "bash", true
	}
	return s.name, s.name == "bash" || s.name == "sh"
}

// scriptFile is what an interpreter is given to read: ScriptDescriptor.
const scriptFile = "/dev/fd/4"

// argv is the command that runs the script.
func (s shebang) argv() []string {
	argv := slices.Clone(s.words)
	switch strings.TrimRight(s.name, "0123456789.") {
	case "node", "nodejs":
		// Node looks for the real name of a script, and a descriptor has none.
		argv = append(argv, "--preserve-symlinks-main")
	case "sqlite":
		// The only file that sqlite3 reads for itself; -bail makes a mistake in it the call's exit code.
		if last := argv[len(argv)-1]; last != "-init" && last != "--init" {
			argv = append(argv, "-bail", "-init")
		}
	}
	return append(argv, scriptFile)
}

// reading is how a script in the interpreter's language reads a parameter.
func (s shebang) reading(parameter string, secret bool) string {
	variable := variableOf(parameter)
	switch strings.TrimRight(s.name, "0123456789.") {
	case "python", "pypy":
		return fmt.Sprintf(`json.load(open(os.environ[%q]))[%q]`, parametersVariable, parameter)
	case "node", "nodejs", "bun", "deno":
		return fmt.Sprintf(`JSON.parse(require("fs").readFileSync(process.env.%s))[%q]`, parametersVariable,
			parameter)
	case "ruby":
		return fmt.Sprintf(`JSON.parse(File.read(ENV[%q]))[%q]`, parametersVariable, parameter)
	case "php":
		return fmt.Sprintf(`json_decode(file_get_contents(getenv(%q)), true)[%q]`, parametersVariable, parameter)
	case "sqlite":
		return fmt.Sprintf(`json_extract(CAST(readfile('%s') AS TEXT), '$.%s')`, parametersFile, parameter)
	}
	if secret {
		return fmt.Sprintf("the member %q of the JSON object in the file $%s", parameter, parametersVariable)
	}
	switch strings.TrimRight(s.name, "0123456789.") {
	case "perl":
		return fmt.Sprintf(`$ENV{%s}`, variable)
	case "awk", "gawk", "mawk":
		return fmt.Sprintf(`ENVIRON[%q]`, variable)
	case "lua", "luajit":
		return fmt.Sprintf(`os.getenv(%q)`, variable)
	case "zsh", "dash", "ksh", "mksh", "ash", "fish":
		return `"$` + variable + `"`
	}
	return fmt.Sprintf("the variable %s, or the JSON object in the file %s", variable, parametersVariable)
}
