package cobratools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/atomicfile"
	"github.com/a2a-acp/a2a-acp/internal/state"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// guardName is the program that guards.
const guardName = "a2a-acp"

// guard returns the file of the program that guards; "" where it is not installed. What lies in the current directory is
// none that was installed.
func guard() string {
	path, err := exec.LookPath(guardName)
	if err != nil || !filepath.IsAbs(path) {
		return ""
	}
	return path
}

// toolsFile returns a tools file with the commands: the same commands are the same file, so that what was decided about
// them holds. It lies in the guard's state directory, which nothing in a sandbox sees and no rule lets an agent write to:
// the guard reads it as the person's own, and again when it changes. A cache is for every build to write to.
func (c Config) toolsFile(program string, list []command) (string, error) {
	data, err := c.encode(list)
	if err != nil {
		return "", err
	}
	place, err := state.Locate(os.Getenv)
	if err != nil {
		return "", err
	}
	own, err := state.Open(place)
	if err != nil {
		return "", err
	}
	dir := own.Child("cobratools")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	const digits = 16
	sum := sha256.Sum256(data)
	path := filepath.Join(dir, program+"-"+hex.EncodeToString(sum[:digits/2])+".yaml")
	there, err := os.ReadFile(path)
	switch {
	case err == nil && slices.Equal(there, data):
		return path, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	return path, atomicfile.Write(path, data, 0o600)
}

// encode writes a tools file.
func (c Config) encode(list []command) ([]byte, error) {
	tools := toolyaml.Mapping()
	for i := range list {
		toolyaml.Add(tools, list[i].tool.ID, c.entry(&list[i].tool))
	}
	return toolyaml.Encode(toolyaml.Mapping("version", toolyaml.Plain("2"), "tools", tools))
}

// entry is the entry of a tool.
func (c Config) entry(t *tool.Tool) *yaml.Node {
	parameters := &yaml.Node{Kind: yaml.SequenceNode}
	for i := range t.Parameters {
		parameters.Content = append(parameters.Content, toolyaml.Parameter(&t.Parameters[i]))
	}
	place := toolyaml.Mapping("working_directory", toolyaml.Text("."), "network", toolyaml.Text(string(t.Sandbox.Network)),
		"timeout", toolyaml.Plain(strconv.Itoa(int((t.Sandbox.Limits.Timeout+time.Second-1)/time.Second))))
	if len(t.Sandbox.AllowedPaths) > 0 {
		toolyaml.Add(place, "allowed_paths", toolyaml.Texts([]string{"."}))
	}
	if len(t.Sandbox.Grants) > 0 {
		toolyaml.Add(place, "grants", toolyaml.Texts(t.Sandbox.Grants))
	}
	if variables := c.variables(); len(variables.Content) > 0 {
		toolyaml.Add(place, "environment_variables", variables)
	}
	return toolyaml.Mapping("description", toolyaml.Text(t.Description), "exec", toolyaml.Exec(t.Exec),
		"parameters", parameters, "annotations", toolyaml.Hints(t.Annotations), "sandbox", place)
}

// variables are those of DefaultEnv, which the program has from whoever starts it. PATH is the sandbox's own.
func (c Config) variables() *yaml.Node {
	node := toolyaml.Flow(toolyaml.Mapping())
	for _, name := range slices.Sorted(maps.Keys(c.DefaultEnv)) {
		if name != "PATH" && name != "HOME" {
			toolyaml.Add(node, name, toolyaml.Flow(toolyaml.Mapping("env", toolyaml.Text(name))))
		}
	}
	return node
}

// guarded returns the words that start the guard as an MCP server of the commands alone.
func (s *server) guarded(ctx context.Context, guard string) ([]string, error) {
	file, err := s.settle(ctx, guard)
	if err != nil {
		return nil, fmt.Errorf("write the tools for %s: %w", guardName, err)
	}
	words := []string{guard, "mcp", "--tools", file}
	for i := range s.commands {
		words = append(words, "--only", s.commands[i].tool.ID)
	}
	return words, nil
}
