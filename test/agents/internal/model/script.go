// Package model is a model server without a model: it answers every request as the prompt in it says.
//
// The script of a turn travels in the person's prompt, between marks, and comes back with the conversation
// that an agent sends each time. So the Server keeps no state that an answer depends on: it finds the last
// script in the conversation, counts the answers that the model gave after it, and plays the next step. Any
// number of agents, sessions and turns can talk to one Server at the same time, and a turn can be cancelled
// or repeated without the Server losing its place.
//
// It speaks what the agents of this module's tests speak: Gemini's generateContent (gemini.go), Anthropic's
// messages (anthropic.go), OpenAI's chat completions (chat.go), whole and streamed, and its responses
// (responses.go). What it writes down (Server.Told, Server.Offered) is for the test to read.
package model

import (
	"encoding/json"
	"strings"
)

// Step is one answer of the model.
type Step struct {
	Think string `json:"think,omitempty"` // shown as a thought, before the rest
	Say   string `json:"say,omitempty"`   // streamed in a few pieces
	Calls []Call `json:"calls,omitempty"` // tools that it calls, all in this answer

	// Fail answers with this HTTP status instead.
	Fail int `json:"fail,omitempty"`
	// Hang sends Say and then nothing more until the agent hangs up: a turn to cancel.
	Hang bool `json:"hang,omitempty"`
}

// Act is what a Call does, in words that are no agent's: each dialect has its own tool for it.
type Act string

// The acts.
const (
	Write Act = "write" // Path, Text
	Read  Act = "read"  // Path
	Edit  Act = "edit"  // Path, Old, Text
	Shell Act = "shell" // Command
	MCP   Act = "mcp"   // Server, Tool, Arguments
	Fetch Act = "fetch" // Path: a URL
	// Delegate starts an agent below, which plays Text: a Prompt. Of Gemini's, Tool is its name, and it may be a remote
	// one, which gets Text as it is.
	Delegate Act = "delegate"
	// Wait has Codex wait for the agent below that it has just started, Open start a Command that is typed into, and Type
	// type Text into the one that it has just started.
	Wait Act = "wait"
	Open Act = "open"
	Type Act = "type"
)

// Call is one tool call of the model's.
type Call struct {
	Act       Act             `json:"act"`
	Path      string          `json:"path,omitempty"`
	Old       string          `json:"old,omitempty"`
	Text      string          `json:"text,omitempty"`
	Command   string          `json:"command,omitempty"`
	Server    string          `json:"server,omitempty"`
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// The marks around a script. They must not occur in anything an agent adds to a conversation by itself.
const (
	openMark  = "@@["
	closeMark = "]@@"
)

// Prompt returns the text that a person sends to have the steps played, one per answer.
func Prompt(steps ...Step) string {
	script, err := json.Marshal(steps)
	if err != nil {
		return "The arguments of a call are no JSON: " + err.Error()
	}
	// A script in a script, for an agent below, is not to be found before that one reads it.
	return "Play this script. @@" + strings.ReplaceAll(string(script), "@@", `\u0040\u0040`) + "@@"
}

// cutOff is how a prompt begins that has an agent go on with one that was cut off (internal/agentclient).
const cutOff = "You were cut off"

// scriptIn finds the last script in a text.
func scriptIn(text string) (steps []Step, found bool) {
	start := strings.LastIndex(text, openMark)
	if start < 0 {
		return nil, false
	}
	script := text[start+len("@@"):]
	end := strings.Index(script, closeMark)
	if end < 0 {
		return nil, false
	}
	if err := json.Unmarshal([]byte(script[:end+1]), &steps); err != nil {
		return []Step{{Say: "the model server cannot read this script: " + err.Error()}}, true
	}
	return steps, true
}

// speaker says whose words a part of a conversation are.
type speaker int

const (
	person speaker = iota
	machine
	tool // the result of a call
)

// line is one part of a conversation, oldest first.
type line struct {
	by   speaker
	text string
}

// next returns the step that a conversation has come to. An agent that goes on after the last step hears
// so, in words that a test will not take for its own.
func next(conversation []line) Step {
	var steps []Step
	given := 0
	last := person
	for _, line := range conversation {
		switch line.by {
		case person:
			if found, ok := scriptIn(line.text); ok {
				steps, given = found, 0
			} else if strings.HasPrefix(line.text, cutOff) { // it does again what it was at
				given = 0
			}
		case machine:
			// Text and tool calls of one answer can come back as separate parts.
			if last != machine {
				given++
			}
		case tool:
		}
		last = line.by
	}
	switch {
	case steps == nil:
		return Step{Say: "(no script)"}
	case given >= len(steps):
		return Step{Say: "(the script is over)"}
	}
	return steps[given]
}

// pieces cuts a text into the few parts that it is streamed in.
func pieces(text string) []string {
	const parts = 3
	var out []string
	runes := []rune(text)
	size := max(1, (len(runes)+parts-1)/parts)
	for len(runes) > 0 {
		n := min(size, len(runes))
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return out
}
