package cobratools

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// settle writes the tools file of the commands, without the parameters that the guard takes from nobody: those by which
// whoever makes a call would choose what the program runs, such as --post-renderer of helm. Only the guard knows them, and
// it reads no file that has one. The program is told of each, and offers it no more.
func (s *server) settle(ctx context.Context, guard string) (path string, err error) {
	const most = 10 // of each tool the guard names some at a time
	for range most {
		if path, err = s.config.toolsFile(s.program, s.commands); err != nil {
			return "", err
		}
		refused, err := refusedLines(ctx, guard, path)
		if err != nil || len(refused) == 0 {
			return path, err
		}
		if err := s.leaveOut(path, refused); err != nil {
			return "", err
		}
		if err := os.Remove(path); err != nil { // the next one has another name
			return "", err
		}
	}
	return s.config.toolsFile(s.program, s.commands)
}

// leaveOut takes the parameters on some lines of the tools file out of the commands.
func (s *server) leaveOut(path string, refused map[int]string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	at, err := parameterLines(data)
	if err != nil {
		return err
	}
	for i := range s.commands {
		t := &s.commands[i].tool
		t.Parameters = slices.DeleteFunc(t.Parameters, func(p tool.Parameter) bool {
			why := refused[at[[2]string{t.ID, p.Name}]]
			if why != "" {
				s.log.Warn("a parameter is left out", "why", why)
			}
			return why != ""
		})
	}
	return nil
}

// refusedLines returns the lines of a tools file on which the guard finds such a parameter, and why. What else is wrong with
// the file it says when it is started.
func refusedLines(ctx context.Context, guard, path string) (map[int]string, error) {
	cmd := exec.CommandContext(ctx, guard, "tools", "check", "-o", "json", path)
	out, err := cmd.Output()
	if ended := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ended) {
		return nil, err
	}
	var found []struct {
		File, Severity, Rule, Message string
		Line                          int
	}
	refused := map[int]string{}
	if json.Unmarshal(out, &found) != nil {
		return refused, nil //nolint:nilerr // what keeps it from looking it says when it is started
	}
	for _, one := range found {
		if one.Rule == "exec" && one.Severity == "error" && one.Line > 0 {
			refused[one.Line] = one.Message
		}
	}
	return refused, nil
}

// parameterLines returns the lines of a tools file that its parameters stand on, by tool and name.
func parameterLines(data []byte) (map[[2]string]int, error) {
	var file struct {
		Tools map[string]struct {
			Parameters []yaml.Node `yaml:"parameters"`
		} `yaml:"tools"`
	}
	if err := yaml.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	at := map[[2]string]int{}
	for id, entry := range file.Tools {
		for i := range entry.Parameters {
			var p struct {
				Name string `yaml:"name"`
			}
			if err := entry.Parameters[i].Decode(&p); err != nil {
				return nil, err
			}
			at[[2]string{id, p.Name}] = entry.Parameters[i].Line
		}
	}
	return at, nil
}
