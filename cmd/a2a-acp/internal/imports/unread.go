package imports

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/dirs"
	"github.com/a2a-acp/a2a-acp/internal/display"
)

// sayUnread says of a file that was written that nothing reads it, and what to do. into is the flag that names the file, and adds
// what stands before it for a file that is there.
func sayUnread(env *cli.Environment, path, into, adds string) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return // it was written there, so this does not happen
	}
	switch reads, own := app.Sources(env.AppOptions(nil, nil)).ReadsTools(whole); {
	case own != "":
		env.Say("it is the workspace's own file, which counts once somebody trusts it: a2a-acp trust " + display.ShellWord(own))
	case !reads:
		mine := filepath.Join((dirs.Dirs{Getenv: env.Getenv}).Config(), "tools.yaml")
		if _, err := os.Lstat(mine); err == nil {
			into = adds + into
		}
		env.Say(fmt.Sprintf("nothing reads it by itself: name it where the tools are wanted (bridge, mcp, serve and tools run take "+
			"--tools %s), or have them in your own file (%s %s)", word(env, whole), into, word(env, mine)))
	}
}

// word is a path as a shell takes it, below the home directory by ~.
func word(env *cli.Environment, path string) string {
	if below, ok := strings.CutPrefix(env.Short(path), "~/"); ok {
		return "~/" + display.ShellWord(below)
	}
	return display.ShellWord(path)
}
