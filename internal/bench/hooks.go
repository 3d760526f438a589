package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	hookRounds = 11
	hookCalls  = 12
	maxHook    = 20 // ms from the start of a hook to its end, decision and record included
)

// hookPolicies approve what the agent runs.
const hookPolicies = `version: 2
auto_approval_policies:
  - id: harmless
    applies_to: [functions.shell]
    commands: {allow: ["true"]}
    decision: {type: approve}
`

// hookRows take the time of an agent's hooks: of one answer, of a turn of twelve calls with them beside one
// without, and of the beginning of a session likewise. The agent speaks as Claude's adapter does.
func hookRows(bin, self, dir string) []row {
	one := within("a hook's answer: start, decide, record", "ms", maxHook)
	turn := comparedRow(fmt.Sprintf("%d calls of the agent's own, with hooks", hookCalls), "ms", "without hooks", 0)
	begin := comparedRow("start to session, with hooks", "ms", "without hooks", 0)
	policies := filepath.Join(dir, "hooks.yaml")
	if err := os.WriteFile(policies, []byte(hookPolicies), 0o600); err != nil {
		return []row{one.unmeasured(err), turn.unmeasured(err), begin.unmeasured(err)}
	}
	taken := map[string]*hooked{"on": {}, "off": {}}
	for range hookRounds {
		for use, all := range taken {
			l := launcher{dir: dir, patience: patience, argv: []string{bin, "bridge", "--hooks=" + use, "--policies", policies,
				"--", self, "-role", "hooked", "claude-agent-acp"}}
			if err := all.round(l); err != nil {
				return []row{one.unmeasured(err), turn.unmeasured(err), begin.unmeasured(err)}
			}
		}
	}
	on, off := taken["on"], taken["off"]
	samples := fmt.Sprintf("%d rounds", hookRounds)
	return []row{
		one.measured(median(on.answers), 0, fmt.Sprintf("%d answers", len(on.answers))),
		turn.measured(median(on.turns), median(off.turns), samples),
		begin.measured(median(on.begins), median(off.begins), samples),
	}
}

// hooked are the times that were taken, in milliseconds.
type hooked struct{ begins, turns, answers []float64 }

// round starts a bridge with the agent, opens a session and has the agent do its calls.
func (h *hooked) round(l launcher) error {
	begun := time.Now()
	p, err := l.start()
	if err != nil {
		return err
	}
	defer p.stop()
	out := bufio.NewReader(p.out)
	for id, params := range []string{
		`"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}`,
		`"session/new","params":{"cwd":` + quoted(filepath.Join(l.dir, "work")) + `,"mcpServers":[]}`,
		`"session/prompt","params":{"sessionId":"s","prompt":[]}`,
	} {
		if id == 2 {
			h.begins = append(h.begins, milliseconds(time.Since(begun)))
			begun = time.Now()
		}
		if _, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":%s}`+"\n", id, params); err != nil {
			return p.because(err)
		}
		result, err := answerTo(out, id)
		if err != nil {
			return p.because(err)
		}
		h.answers = append(h.answers, result.Meta.Millis...)
	}
	h.turns = append(h.turns, milliseconds(time.Since(begun)))
	return nil
}

// hookedResult is what the agent answers.
type hookedResult struct {
	Meta struct {
		Millis []float64 `json:"bench"` // that its hooks took
	} `json:"_meta"`
}

// answerTo reads until the answer to a request.
func answerTo(out *bufio.Reader, id int) (result hookedResult, err error) {
	for {
		line, err := out.ReadBytes('\n')
		if err != nil {
			return result, err
		}
		var frame struct {
			ID     *int
			Method string
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(line, &frame); err != nil || frame.ID == nil || *frame.ID != id || frame.Method != "" {
			continue // it has another id, or none
		}
		if frame.Error != nil {
			return result, fmt.Errorf("answered with %s", frame.Error)
		}
		return result, json.Unmarshal(frame.Result, &result)
	}
}

func quoted(text string) string {
	encoded, _ := json.Marshal(text) // a text is always encoded
	return string(encoded)
}

// hookedAgent is an agent that runs commands by itself, and starts the hooks that it was told of before and
// after each.
func hookedAgent(in io.Reader, out io.Writer) error {
	var before, after []string
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var frame struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Meta struct {
					ClaudeCode struct {
						Options struct {
							Settings struct {
								Hooks map[string][]struct {
									Hooks []struct {
										Command string
										Args    []string
									}
								}
							}
						}
					}
				} `json:"_meta"`
			}
		}
		if err := json.Unmarshal(line, &frame); err != nil {
			return err
		}
		result := `{}`
		switch frame.Method {
		case "initialize":
			result = `{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}`
		case "session/new":
			result = `{"sessionId":"s"}`
			for event, command := range map[string]*[]string{"PreToolUse": &before, "PostToolUse": &after} {
				for _, group := range frame.Params.Meta.ClaudeCode.Options.Settings.Hooks[event] {
					*command = append([]string{group.Hooks[0].Command}, group.Hooks[0].Args...)
				}
			}
		case "session/prompt":
			millis, err := doCalls(out, before, after)
			if err != nil {
				return err
			}
			encoded, _ := json.Marshal(millis) // numbers are always encoded
			result = `{"stopReason":"end_turn","_meta":{"bench":` + string(encoded) + `}}`
		}
		if _, err := fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", frame.ID, result); err != nil {
			return err
		}
	}
}

// doCalls runs commands as Claude does, and returns what each answer of the hook before took.
func doCalls(out io.Writer, before, after []string) (millis []float64, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	const update = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"toolCallId":"c%d",%s}}}` + "\n"
	for i := range hookCalls {
		fmt.Fprintf(out, update, i, `"sessionUpdate":"tool_call","name":"Bash","title":"true","kind":"execute","status":"pending",`+
			`"rawInput":{"command":"true"}`)
		event := func(name string) string {
			return fmt.Sprintf(`{"hook_event_name":%q,"session_id":"s","cwd":%s,"tool_name":"Bash","tool_use_id":"c%d",`+
				`"tool_input":{"command":"true"},"tool_response":{"stdout":""}}`, name, quoted(dir), i)
		}
		if before != nil {
			begun := time.Now()
			said, err := hear(before, event("PreToolUse"))
			if err == nil && bytes.Contains(said, []byte(`"deny"`)) {
				err = fmt.Errorf("the hook said %s", said)
			}
			if err != nil {
				return nil, err
			}
			millis = append(millis, milliseconds(time.Since(begun)))
		}
		if err := exec.Command("true").Run(); err != nil {
			return nil, err
		}
		if after != nil {
			if _, err := hear(after, event("PostToolUse")); err != nil {
				return nil, err
			}
		}
		fmt.Fprintf(out, update, i, `"sessionUpdate":"tool_call_update","status":"completed"`)
	}
	return millis, nil
}

// hear starts a hook, and returns what it says.
func hear(hook []string, event string) ([]byte, error) {
	cmd := exec.Command(hook[0], hook[1:]...)
	cmd.Stdin = strings.NewReader(event)
	return cmd.Output()
}
