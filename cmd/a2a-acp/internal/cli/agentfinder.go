package cli

import (
	"os/exec"

	"github.com/a2a-acp/a2a-acp/internal/agents"
)

// Finder returns what finds agents by their names, for this user.
func Finder(env *Environment) agents.Finder {
	return agents.Finder{LookPath: exec.LookPath, Home: env.Getenv("HOME"), Data: env.Getenv("XDG_DATA_HOME")}
}
