//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// readablePaths are what a call with a list of commands can read of the system. The directories that
// programs lie in are not among them: what can be read can be started through the loader
// (/lib64/ld-linux-x86-64.so.2 /usr/bin/id), which has to be executable itself.
//
// Some programs lie among the libraries (/usr/lib/git-core, Java's). They cannot be started by name, but
// through the loader they can. It is the one hole of the list that is known and open.
var readablePaths = []string{
	"/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/usr/share", "/usr/local/lib", "/usr/local/share",
	"/lib", "/lib32", "/lib64", "/libx32",
	"/etc", "/nix/store", "/gnu/store", "/proc", "/sys", "/var/lib/dpkg", "/var/lib/rpm", "/var/cache/fontconfig",
}

// executables finds the files that have to be executable so that the commands can start: the programs
// themselves, without links, the interpreters that their first lines name, and the loader that the kernel
// starts them with (it asks for the right to execute that one too).
func executables(commands []string) (files, missing []string) {
	for _, command := range commands {
		found := false
		for _, path := range candidates(command) {
			real, err := filepath.EvalSymlinks(path)
			if err != nil {
				continue
			}
			found = true
			for depth := 0; real != "" && depth < 5; depth++ { // a script's interpreter may be a script (execve(2))
				if !slices.Contains(files, real) {
					files = append(files, real)
				}
				next, err := startedBy(real)
				if err != nil || next == "" {
					break
				}
				real, _ = filepath.EvalSymlinks(next)
			}
		}
		if !found {
			missing = append(missing, command)
		}
	}
	return files, missing
}

// candidates are the paths that a command may be found under.
func candidates(command string) []string {
	if filepath.IsAbs(command) {
		return []string{command}
	}
	var paths []string
	for _, dir := range filepath.SplitList(searchPath) {
		paths = append(paths, filepath.Join(dir, command))
	}
	return paths
}

// startedBy returns what the kernel starts a program with: the interpreter of a script, the loader of a
// dynamic program; "" for a static one.
func startedBy(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	line, err := bufio.NewReader(f).ReadString('\n')
	if rest, ok := strings.CutPrefix(line, "#!"); ok {
		words := strings.Fields(rest)
		if len(words) == 0 {
			return "", errors.New("an empty first line")
		}
		return words[0], nil
	}
	_ = err // a binary has no lines
	binary, err := elf.NewFile(f)
	if err != nil {
		return "", fmt.Errorf("%s is neither a script nor a program: %w", path, err)
	}
	for _, part := range binary.Progs {
		if part.Type == elf.PT_INTERP {
			name := make([]byte, part.Filesz)
			if _, err := part.ReadAt(name, 0); err != nil {
				return "", err
			}
			return strings.TrimRight(string(name), "\x00"), nil
		}
	}
	return "", nil
}
