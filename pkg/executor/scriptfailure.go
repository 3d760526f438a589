package executor

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// What programs say when something is not there or not allowed. Only the end of the standard error is
// looked at. The expressions are compiled when the first tool fails.
var (
	notFound = whenFails(`(?m)(?:^|[\s:'"‘])([A-Za-z0-9_][A-Za-z0-9_.+-]{0,63})['"’]?: (?:command )?not found$` +
		`|env: ['"‘]?([A-Za-z0-9_][A-Za-z0-9_.+-]{0,63})['"’]?: No such file or directory`)
	noAccess = whenFails(`(?m)['"‘]?([^\s:'"‘’]{1,200})['"’]?: (?:Permission denied|Read-only file system` +
		`|Operation not permitted)$`)
)

func whenFails(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// lastWords is how many bytes of the standard error a cure is looked for in.
const lastWords = 4 << 10

// Cure implements runner. What the tool has printed decides which of the texts it is, and no more of that
// is in it than one quoted name.
func (s scripts) Cure(t *tool.Tool, o outcome) string {
	said := string(o.Stderr[max(0, len(o.Stderr)-lastWords):])
	if name := firstGroup(notFound(), said); name != "" || o.ExitCode == exitNotFound {
		return missingCommand(t, name)
	}
	path := firstGroup(noAccess(), said)
	switch {
	case o.ExitCode == exitNotExecutable && t.Sandbox.Commands != nil:
		return fmt.Sprintf("a program could not be started%s: allowed_commands (%s) lists those that may, "+
			"and a file that is one needs chmod +x", quotedIn(path), t.Source)
	case o.ExitCode == exitNotExecutable:
		return fmt.Sprintf("a file could not be run as a program%s: chmod +x it, or name its interpreter (bash FILE)", quotedIn(path))
	case path != "":
		return fmt.Sprintf("access was denied%s: "+
			"a call reads its working directory, and writes what allowed_paths in the tool's entry (%s) names, such as [\".\"]; "+
			"where it is granted, look at the file's own mode (ls -l)", quotedIn(path), t.Source)
	}
	return ""
}

// missingCommand tells of a program that is not there at all, and of one that is there but not in the
// sandbox.
func missingCommand(t *tool.Tool, name string) string {
	if name == "" {
		return fmt.Sprintf("a program that the script (%s) calls is not there: install it, or look at its spelling",
			t.Source)
	}
	path, err := exec.LookPath(name)
	if err == nil && filepath.IsAbs(path) && !inSearchPath(path) {
		return fmt.Sprintf("%s is at %s, which calls do not see: grant its directory with allowed_paths: [{path: %s, "+
			"access: read}] in the tool's entry (%s), and call it by its whole path",
			name, path, filepath.Dir(path), t.Source)
	}
	if err == nil && t.Sandbox.Commands != nil {
		return fmt.Sprintf("%s is installed, and not among allowed_commands in the tool's entry (%s)", name,
			t.Source)
	}
	return fmt.Sprintf("%s is not installed where calls look for programs (%s): install it, "+
		"or take it out of the script (%s)", name, sandbox.SearchPath, t.Source)
}

func inSearchPath(path string) bool {
	for _, dir := range filepath.SplitList(sandbox.SearchPath) {
		if filepath.Dir(path) == dir {
			return true
		}
	}
	return false
}

// firstGroup returns the first group that matched, of the first match; "" when nothing did.
func firstGroup(pattern *regexp.Regexp, text string) string {
	match := pattern.FindStringSubmatch(text)
	for i := 1; i < len(match); i++ {
		if match[i] != "" {
			return match[i]
		}
	}
	return ""
}

func quotedIn(path string) string {
	if path == "" {
		return ""
	}
	return " (" + strings.Trim(strconv.Quote(path), `"`) + ")"
}

// templateFailure adds to a failure of the template what its caller, or its author, can do about it.
func templateFailure(t *tool.Tool, failure *tool.Failure) *tool.Failure {
	if failure.Code != tool.FailTemplate {
		return failure
	}
	told := *failure
	told.Message += fmt.Sprintf("; give another value, or change the script (%s)", t.Source)
	return &told
}
