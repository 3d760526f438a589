//go:build agents

package agents

import "maps"

// wants returns what each scenario comes to with an agent, with a bridge or without.
func wants(agent string) map[string]outcome {
	switch agent {
	case "gemini":
		return geminiWants()
	case "claude":
		return claudeWants()
	}
	// On protocol 2, Claude tells a call that was cancelled from one that failed.
	want := maps.Clone(claudeWants())
	cancelled := want["cancel while a permission is pending"]
	cancelled.Calls = []string{"execute: cancelled"}
	want["cancel while a permission is pending"] = cancelled
	return want
}

func geminiWants() map[string]outcome {
	return map[string]outcome{
		"text": {Stop: "end_turn", Text: "Good morning to you."},
		"write": {
			Stop: "end_turn", Text: "I write. All done, really.",
			Prompts: []string{"edit: allow_once"}, Calls: []string{"edit: completed"},
			Told:  []string{`{"output":"Successfully overwrote file: WORK/new.txt. Here is the updated code:\none\ntwo\n"}`},
			Files: map[string]string{"new.txt": "one\ntwo\n"},
		},
		"read": {
			Stop: "end_turn", Text: "All done, really.",
			Calls: []string{"read: completed"}, Told: []string{`{"output":"on disk\n"}`},
		},
		// Gemini reads from the disk, but edits what is in the editor.
		"edit": {
			Stop: "end_turn", Text: "All done, really.",
			Prompts: []string{"edit: allow_once"}, Calls: []string{"edit: completed", "read: completed"},
			Told: []string{
				`{"output":"Successfully modified file: WORK/edit.txt (1 replacements). Here is the updated code:\na row, and an unsaved one\n"}`,
				`{"output":"a line\n"}`,
			},
			Files: map[string]string{"edit.txt": "a row, and an unsaved one\n"},
		},
		"shell": {
			Stop: "end_turn", Text: "All done, really.",
			Prompts: []string{"execute: allow_once"}, Calls: []string{"execute: completed"},
			Told:  []string{`{"output":"<untrusted_context>\nOutput: WORK\nProcess Group PGID: N\n</untrusted_context>"}`},
			Files: map[string]string{"shell.txt": ""},
		},
		"mcp": {
			Stop: "end_turn", Text: "All done, really.",
			Prompts: []string{"other: allow_once"}, Calls: []string{"other: completed"},
			MCP:  []string{`magic_number {"x":6}`},
			Told: []string{`{"output":"<untrusted_context>\nmagic 43\n</untrusted_context>"}`},
		},
		"two calls at once": {
			Stop: "end_turn", Text: "All done, really.",
			Prompts: []string{"execute: allow_once", "execute: allow_once"},
			Calls:   []string{"execute: completed", "execute: completed"},
			Told: []string{
				`{"output":"<untrusted_context>\nOutput: (empty)\nProcess Group PGID: N\n</untrusted_context>"}`,
				`{"output":"<untrusted_context>\nOutput: (empty)\nProcess Group PGID: N\n</untrusted_context>"}`,
			},
			Files: map[string]string{"first.txt": "", "second.txt": ""},
		},
		"cancel": {Stop: "cancelled", Text: "Let me think about that"},
		"cancel while a permission is pending": {
			Stop: "cancelled", Prompts: []string{"execute: cancel the turn"}, Calls: []string{"execute: only asked about"},
		},
		"reject": {
			Stop: "end_turn", Text: "All done, really.",
			Prompts: []string{"execute: reject_once"}, Calls: []string{"execute: only asked about"},
			Told: []string{`{"error":"Tool \"run_shell_command\" was canceled by the user."}`},
		},
		"model error": {Stop: "error 400"},
	}
}

func claudeWants() map[string]outcome {
	return map[string]outcome{
		"text": {Stop: "end_turn", Text: "Good morning to you."},
		"write": {
			Stop: "end_turn", Text: "I write. All done, really.",
			Prompts: []string{"edit: allow_once"}, Calls: []string{"edit: completed"},
			Told:  []string{"File created successfully at: WORK/new.txt (file state is current in your context — no need to Read it back)"},
			Files: map[string]string{"new.txt": "one\ntwo\n"},
		},
		"read": {
			Stop: "end_turn", Text: "All done, really.",
			Calls: []string{"read: completed"}, Told: []string{"1\ton disk\n2"},
		},
		// Claude never asks the editor for a file, so it does not see what is unsaved.
		"edit": {
			Stop: "end_turn", Text: "All done, really.",
			Prompts: []string{"edit: allow_once"}, Calls: []string{"edit: completed", "read: completed"},
			Told: []string{
				"1\ta line\n2",
				"The file WORK/edit.txt has been updated successfully. (file state is current in your context — no need to Read it back)",
			},
			Files: map[string]string{"edit.txt": "a row\n"},
		},
		"shell": {
			Stop: "end_turn", Text: "All done, really.",
			Prompts: []string{"execute: allow_once"}, Calls: []string{"execute: completed"},
			Told: []string{"WORK"}, Files: map[string]string{"shell.txt": ""},
		},
		"mcp": {
			Stop: "end_turn", Text: "All done, really.",
			Prompts: []string{"other: allow_once"}, Calls: []string{"other: completed"},
			MCP: []string{`magic_number {"x":6}`}, Told: []string{"magic 43"},
		},
		"two calls at once": {
			Stop: "end_turn", Text: "All done, really.",
			Prompts: []string{"execute: allow_once", "execute: allow_once"},
			Calls:   []string{"execute: completed", "execute: completed"},
			Told:    []string{"(Bash completed with no output)", "(Bash completed with no output)"},
			Files:   map[string]string{"first.txt": "", "second.txt": ""},
		},
		"cancel": {Stop: "cancelled", Text: "Let me think about that"},
		"cancel while a permission is pending": {
			Stop: "cancelled", Prompts: []string{"execute: cancel the turn"}, Calls: []string{"execute: failed"},
		},
		"reject": {
			Stop: "end_turn", Text: "All done, really.",
			Prompts: []string{"execute: reject_once"}, Calls: []string{"execute: failed"},
			Told: []string{"User refused permission to run tool"},
		},
		"model error": {Stop: "error -32603", Text: "API Error: 400 the script says so"},
	}
}
