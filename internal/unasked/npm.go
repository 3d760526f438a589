package unasked

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// opencode has npm's own library install what a plugin would need in each .opencode that there is, as soon as a session
// begins (measured with 1.18.33). Scripts of packages are not run. The program that npm takes for git is what .npmrc
// says, there and above, and it is run where a dependency is to come by git.

// ofOpencode is the package that opencode enters there itself, and the form of a version from a registry.
const ofOpencode = "@opencode-ai/plugin"

var npmVersion = lazyregexp.New(`^(\*|latest|[~^]?\d[\w.+-]*)$`)

// npmPlain are the members of a package.json that install nothing.
var npmPlain = strings.Fields("name version private type description license main exports scripts dependencies")

// npmSteers matches the keys of an .npmrc by which npm runs another program, or reads further settings
// (https://docs.npmjs.com/cli/v11/using-npm/config), in whatever way they are written, and those that hold a variable.
var npmSteers = lazyregexp.New(`(?im)^[\s\v\x{feff}]*["']?(?:` +
	`(?:git|userconfig|globalconfig|prefix)["']?[^\S\n]*(?:\[[^\]\n]*\])?[^\S\n]*(?:=|$)|[^=;#\n]*(?:\$\{|\\))`)

func opencodeInstalls(dir string) (found []Finding) {
	const file = ".opencode/package.json"
	told := func(name, what string) { found = append(found, Finding{Dir: dir, Files: []string{name}, What: what}) }
	members, cannot := settings(dir, file)
	if cannot != "" {
		told(file, cannot)
	}
	for key := range members {
		if !slices.Contains(npmPlain, key) {
			told(file, filepath.Join(dir, file)+" has "+key)
			break
		}
	}
	var packages map[string]string
	if all, there := members["dependencies"]; there && json.Unmarshal(all, &packages) != nil {
		told(file, filepath.Join(dir, file)+" has dependencies that cannot be told")
	}
	for name, version := range packages {
		if name != ofOpencode || !npmVersion.MatchString(version) {
			told(file, filepath.Join(dir, file)+" has "+name+" installed")
			break
		}
	}
	for _, name := range []string{".npmrc", ".opencode/.npmrc"} {
		data, cannot := text(dir, name)
		if cannot != "" {
			told(name, cannot)
		} else if npmSteers.Get().Match(lineEndsToNewlines(data)) {
			told(name, filepath.Join(dir, name)+" has npm, which opencode installs with, run or read something else")
		}
	}
	return found
}

var otherLineEnds = lazyregexp.New("[" + regexp.QuoteMeta("\r\v\f\u0085\u2028\u2029") + "]")

// lineEndsToNewlines has a line end wherever some reader sees one.
func lineEndsToNewlines(data []byte) []byte {
	return otherLineEnds.Get().ReplaceAll(data, []byte("\n"))
}
